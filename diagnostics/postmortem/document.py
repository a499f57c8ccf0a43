"""The parts of a write-up, before anybody decides how they look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from ..evidence import Source, each_once

Mask = Callable[[str], str]
TEXT_LIMIT, QUOTE_LIMIT = 1000, 4200
DIAGNOSIS = "the diagnosis"  # what a sentence stands on that was computed, not read


@dataclass(frozen=True)
class Rates:
    """What only people know about cost: how many GPUs the run held, and what one of them costs in an hour."""

    gpus: int | None = None
    usd_per_gpu_hour: float | None = None


@dataclass(frozen=True)
class Said:
    """A sentence and what it stands on: lines of the incident, each once, or else (`basis`) the diagnosis or its
    tables.
    """

    text: str
    sources: tuple[Source, ...] = ()
    basis: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", each_once(self.sources))


@dataclass(frozen=True)
class Blank:
    """What the evidence cannot know: a key that stays the same, what to fill in (about what), what somebody wrote."""

    key: str
    prompt: str
    written: str = ""
    about: str = ""

    @property
    def text(self) -> str:
        """What stands in the write-up."""
        return self.written or f"____ (fill in: {self.prompt})"

    @property
    def label(self) -> str:
        """What to fill in, said so that it can stand alone."""
        return f"{self.prompt}: {self.about}" if self.about else self.prompt


Item = Said | Blank


@dataclass(frozen=True)
class Paragraph:
    """Sentences that follow one another."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Bullets:
    """A list, one sentence a line."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Table:
    """A table; a cell holds one sentence or one blank."""

    head: tuple[str, ...]
    rows: tuple[tuple[Item, ...], ...]


@dataclass(frozen=True)
class Plot:
    """A picture: the name of a function in `plots`, and what it draws."""

    name: str
    caption: str


Block = Paragraph | Bullets | Table | Plot


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A title and its sections."""

    title: str
    sections: tuple[Section, ...]

    @property
    def items(self) -> Iterator[Item]:
        """Every sentence and blank, in reading order."""
        for section in self.sections:
            for block in section.blocks:
                yield from items_of(block)

    @cached_property
    def cited(self) -> tuple[Source, ...]:
        """Every line that the write-up stands on, once, in the order in which it is first cited."""
        return tuple(dict.fromkeys(s for item in self.items if isinstance(item, Said) for s in item.sources))

    @property
    def blanks(self) -> list[Blank]:
        """What is still to be filled in."""
        return [item for item in self.items if isinstance(item, Blank) and not item.written]


AnyDocument = TypeVar("AnyDocument", bound=Document)


def items_of(block: Block) -> Iterator[Item]:
    """The sentences and blanks of a block, in reading order."""
    match block:
        case Table(rows=rows):
            for row in rows:
                yield from row
        case Paragraph(items=items) | Bullets(items=items):
            yield from items


def changed(document: AnyDocument, change: Callable[[Item], Item]) -> AnyDocument:
    """The same write-up with every sentence and blank changed."""
    return replace(
        document,
        sections=tuple(
            replace(section, blocks=tuple(_changed(block, change) for block in section.blocks))
            for section in document.sections
        ),
    )


def _changed(block: Block, change: Callable[[Item], Item]) -> Block:
    match block:
        case Table(rows=rows):
            return replace(block, rows=tuple(tuple(change(item) for item in row) for row in rows))
        case Paragraph(items=items) | Bullets(items=items):
            return replace(block, items=tuple(change(item) for item in items))
    return block


def masked(document: AnyDocument, mask: Mask, name: Mask) -> AnyDocument:
    """The same write-up with every string, quoted lines included, cut to a length and passed through a mask; the names
    of files are passed through `name`.
    """

    def change(item: Item) -> Item:
        if isinstance(item, Blank):
            return replace(item, written=mask(item.written), about=mask(item.about))
        return replace(item, text=mask(cut(item.text, TEXT_LIMIT)), sources=_masked(item.sources, mask, name))

    return replace(changed(document, change), title=mask(cut(document.title, TEXT_LIMIT)))


def cut(text: str, limit: int) -> str:
    """The text, or its beginning and how much was left out: a line may hold 10 MB."""
    return text if len(text) <= limit else f"{text[:limit]}… [{len(text) - limit} more characters]"


def _masked(sources: Sequence[Source], mask: Mask, name: Mask) -> tuple[Source, ...]:
    return tuple(
        source._replace(file=name(source.file), quote=mask(cut(source.quote, QUOTE_LIMIT))) for source in sources
    )
