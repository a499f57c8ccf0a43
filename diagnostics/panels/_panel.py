"""What all panels share: how they show themselves, their look in both themes, and work that may hang."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from ..errors import DiagnosticsError
from ..printable import escaped

# JupyterLab's own variables, so that a panel follows the theme
SOFT = "color: var(--jp-ui-font-color2, #616161)"
TONES = {
    "plain": "var(--jp-layout-color2, #eeeeee)",
    "good": "#009E73",
    "warning": "#E69F00",
    "bad": "#D55E00",
}
LABELLED = {"description_width": "initial"}


class Panel:
    """A widget with a repr that says what it shows.

    Subclasses fill `self.widget` and say in `__repr__`, and in `_html` for exports, what a person sees.
    """

    def __init__(self, *children: widgets.Widget) -> None:
        self.widget = widgets.VBox(list(children), layout=widgets.Layout(width="100%", padding="2px"))
        self._work: threading.Thread | None = None

    def _html(self) -> str:
        return f"<p>{escaped(repr(self))}</p>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = self.widget._repr_mimebundle_()
        bundle = dict(shown[0] if isinstance(shown, tuple) else shown)
        return {**bundle, "text/plain": repr(self), "text/html": self._html()}

    def start(self, work: Callable[[], None]) -> None:
        """Do something that may take long, or never end, beside the kernel."""
        self._work = threading.Thread(target=work, daemon=True, name=type(self).__name__)
        self._work.start()

    @property
    def busy(self) -> bool:
        """True while its work goes on."""
        return self._work is not None and self._work.is_alive()

    def wait(self, timeout_s: float) -> bool:
        """Wait for its work, at most so long; True when it has ended."""
        if self._work is not None:
            self._work.join(timeout_s)
        return not self.busy


def html(text: str = "") -> widgets.HTML:
    """A place for HTML that is already escaped."""
    return widgets.HTML(text, layout=widgets.Layout(width="100%", overflow="auto"))


def rendered(page: str) -> str:
    """HTML with the look that JupyterLab gives to tables in outputs."""
    return f"<div class='jp-RenderedHTMLCommon' style='padding-right: 0'>{page}</div>" if page else ""


def notice(text: str, tone: str = "plain") -> str:
    """A line with a coloured edge; the words say it too, so that colour alone tells nothing."""
    return (
        f"<div role='status' style='border-left: 5px solid {TONES[tone]}; padding: 4px 10px; "
        f"line-height: 1.5; color: var(--jp-ui-font-color1, #212121)'>{escaped(text)}</div>"
    )


def told(error: Exception) -> str:
    """An error for a person: a known one with its remedy, any other with its type and first line."""
    if isinstance(error, DiagnosticsError):
        return str(error)
    first = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}; please report this"


def heading(text: str) -> widgets.HTML:
    """A small heading between the parts of a panel."""
    return html(f"<div style='font-weight: 600; margin-top: 6px'>{escaped(text)}</div>")


class Picture:
    """A place for a plot, with what it shows in small print under it; nothing is seen of it before `show`.

    One place that is filled again and again: a widget that is replaced stays in the kernel's memory, and the page
    jumps.
    """

    def __init__(self) -> None:
        self.image = widgets.Image(format="png", layout=widgets.Layout(max_width="100%", object_fit="contain"))
        self.says = html()
        self.widget = widgets.VBox([self.image, self.says], layout=widgets.Layout(display="none"))

    def show(self, figure: Any) -> None:
        """Put a plot in the place of what is shown."""
        self.image.value = figure.png()
        self.says.value = f"<div style='{SOFT}; font-size: 85%'>{escaped(figure.says)}</div>"
        self.widget.layout.display = None

    def clear(self) -> None:
        """Show nothing again."""
        self.widget.layout.display = "none"


def button(text: str, act: Callable[[], object], *, style: str = "", tooltip: str = "") -> widgets.Button:
    """A button that does something."""
    made = widgets.Button(
        description=text, button_style=style, tooltip=tooltip or text, layout=widgets.Layout(width="auto")
    )
    made.on_click(lambda _: act())
    return made


def row(*children: widgets.Widget) -> widgets.HBox:
    """Widgets beside one another, wrapping on a narrow screen."""
    return widgets.HBox(list(children), layout=widgets.Layout(flex_flow="row wrap", align_items="center", width="100%"))
