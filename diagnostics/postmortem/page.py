"""A write-up as one HTML file that asks nothing of the network."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..printable import format_citation, visible
from .document import Blank, Bullets, Paragraph, Plot, Table
from .write_up import Postmortem
from .written import HEADER, mark

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"visible": visible, "citation": format_citation}
    environment.globals["header"] = HEADER
    return environment.get_template("page.html.j2")


def format_page(postmortem: Postmortem, drawn: dict[str, str] | None = None) -> str:
    """The write-up as HTML: escaped, styled for screen (light and dark) and print, pictures inside.

    Parameters
    ----------
    drawn : keeps the pictures of one diagnosis between calls
    """
    kept = {} if drawn is None else drawn
    return _template().render(
        postmortem=postmortem,
        numbers={source: number for number, source in enumerate(postmortem.cited, start=1)},
        kind=kind_of,
        blank=_blank,
        picture=lambda plot: _picture(plot, postmortem, kept),
    )


def kind_of(part: Any) -> str:
    """The name by which the template tells the parts apart."""
    names = {Paragraph: "paragraph", Bullets: "bullets", Table: "table", Plot: "plot", Blank: "blank"}
    return names.get(type(part), "said")


def _blank(blank: Blank) -> Any:
    from markupsafe import Markup, escape

    # the marks are real comments; what somebody wrote stands escaped between them
    opened, _, rest = mark(blank.key, "\n").partition("\n")
    return Markup(opened) + escape(visible(blank.text)) + Markup(rest)


def _picture(plot: Plot, postmortem: Postmortem, kept: dict[str, str]) -> str:
    """The picture's address: its PNG inside a data URI, or nothing where there is nothing to draw from."""
    if plot.name not in kept:
        picture = draw(plot, postmortem)
        png = b"" if picture is None else base64.b64encode(picture.png(120))
        kept[plot.name] = f"data:image/png;base64,{png.decode()}" if png else ""
    return kept[plot.name]


def draw(plot: Plot, postmortem: Postmortem) -> Any:
    """The figure of a plot block, or None where the write-up keeps no diagnosis to draw from."""
    from .. import plots

    diagnosis = postmortem.diagnosis
    if diagnosis is None:
        return None
    if plot.name == "timeline":
        return plots.plot_timeline(diagnosis.incident, cited=set(postmortem.cited))
    if plot.name == "throughput":
        return plots.plot_throughput(diagnosis.incident)
    return {"posterior": plots.plot_posterior, "chain": plots.plot_chain}[plot.name](diagnosis)
