"""A pickle, whoever wrote it: only whether it is plain data.

    b"\\x80\\x04\\x95...\\x8c\\x05posix\\x94\\x8c\\x06system\\x94\\x93..."

Loading a pickle can run any program, and an incident's files come from strangers. One that would import or
call something, or is torn, is reported and left alone. Plain ones are the business of other parsers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Severity, Source
from ..evidence.collective import PickleRefused
from ..text import Text
from . import Parser
from ._plain_pickle import SIZE_LIMIT, NotPlain, inspect


def read(text: Text) -> Iterator[PickleRefused]:
    try:
        if len(text.data) > SIZE_LIMIT:
            raise NotPlain(f"it is larger than {SIZE_LIMIT >> 20} MiB")
        inspect(text.data)
    except NotPlain as refused:
        base = text.name.rsplit("/", 1)[-1]
        said = f"a pickle that would import or call {refused.wants}" if refused.wants else "a pickle that is not whole"
        yield PickleRefused(
            source=Source(text.name, 0, f"{base}: {said}"),
            severity=Severity.WARNING,
            reason=refused.reason,
            wants=refused.wants,
        )


PARSER = Parser(
    tool="pickle",
    medium="pickle",
    footprint=r"\A(?:\x80[\x02-\x05]|[(]?c[A-Za-z_][\w.]{0,80}\n[A-Za-z_]\w{0,80}\n)",
    read=read,
    binary=True,
)
