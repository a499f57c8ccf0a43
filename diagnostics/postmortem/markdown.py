"""A write-up as Markdown, for a repository or a notebook's cells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..printable import format_citation, visible
from .document import DIAGNOSIS, Blank, Block, Bullets, Document, Item, Paragraph, Plot, Said, Section, Table
from .written import HEADER, mark

CITATIONS_SHOWN = 3
DOLLAR = "<span>&#36;</span>"  # in an element of its own it opens no mathematics, neither in Jupyter nor on GitHub
_SPECIAL = re.compile(r"([\\`*\[\]|~!])|(?<![A-Za-z0-9])(_)|(_)(?![A-Za-z0-9])")


def format_markdown(document: Document) -> str:
    """The whole write-up; nothing in it that came from the incident is read as Markdown, HTML or mathematics."""
    parts = [f"# {escape(document.title)}", f"<!-- {HEADER} -->"]
    parts += [format_section(section, document) for section in document.sections]
    parts.append(format_appendix(document))
    return "\n\n".join(parts) + "\n"


def format_section(section: Section, document: Document) -> str:
    """One section with its heading."""
    numbers = {source: number for number, source in enumerate(document.cited, start=1)}
    blocks = [text for block in section.blocks if (text := "\n".join(_block(block, numbers)))]
    return "\n\n".join([f"## {escape(section.title)}", *blocks])


def format_appendix(document: Document) -> str:
    """Every cited line, as it stands in its file."""
    parts = ["## Appendix: the lines cited"]
    for number, source in enumerate(document.cited, start=1):
        quote = visible(source.quote)
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", quote)), default=0))
        parts.append(f'<a id="cite-{number}"></a>{code(format_citation(source))}\n\n{fence}text\n{quote}\n{fence}')
    return "\n\n".join(parts)


def _block(block: Block, numbers: dict[Source, int]) -> Iterator[str]:
    match block:
        case Paragraph(items=items):
            yield " ".join(_item(item, numbers) for item in items)
        case Bullets(items=items):
            yield from (f"- {_item(item, numbers)}" for item in items)
        case Table(head=head, rows=rows):
            yield f"| {' | '.join(head)} |"
            yield f"|{'---|' * len(head)}"
            for row in rows:
                yield f"| {' | '.join(_item(item, numbers).replace(chr(10), '<br>') for item in row)} |"
        case Plot():
            return


def _item(item: Item, numbers: dict[Source, int]) -> str:
    if isinstance(item, Blank):
        return mark(item.key, item.text)
    return escape(item.text) + _stands_on(item, numbers)


def _stands_on(said: Said, numbers: dict[Source, int]) -> str:
    if not said.text:
        return ""
    shown = [f"[{code(format_citation(s))}](#cite-{numbers[s]})" for s in said.sources[:CITATIONS_SHOWN]]
    if len(said.sources) > CITATIONS_SHOWN:
        after = said.sources[CITATIONS_SHOWN]
        shown.append(f"[and {len(said.sources) - CITATIONS_SHOWN} more](#cite-{numbers[after]})")
    if shown:
        return f" ({', '.join(shown)})"
    return f" *({escape(said.basis)})*" if said.basis and said.basis != DIAGNOSIS else ""


def escape(text: str) -> str:
    """A string of an incident as one line of Markdown that says just that."""
    line = visible(" ".join(text.split()))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _SPECIAL.sub(lambda found: "\\" + found[0], line)
    line = line.replace("$", DOLLAR)
    return "\\" + line if line.startswith(("#", "+", "-", "=")) else re.sub(r"^(\d+)([.)])", r"\1\\\2", line)


def code(text: str) -> str:
    """A string as a code span, in a table too."""
    line = visible(" ".join(text.split())).replace("`", "\u02cb").replace("|", "\u00a6")
    return f"`{line}`"
