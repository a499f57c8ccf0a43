"""Pickles read as plain data: numbers, text, lists, tuples, dictionaries, and nothing that could run code.

Every opcode is looked at before the first is executed. Those that import, call or build objects are not on
the list, so a hostile pickle is refused whole; so is one that would make the unpickler reserve memory for
what is not there.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from typing import Any, NoReturn

SIZE_LIMIT = 64 << 20
PLAIN = frozenset(
    "PROTO FRAME STOP MARK POP POP_MARK DUP NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT "
    "BINFLOAT STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES "
    "BINBYTES8 EMPTY_LIST APPEND APPENDS LIST EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_DICT DICT SETITEM SETITEMS "
    "PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET LONG_BINGET".split()
)


class NotPlain(Exception):
    """The pickle is refused; `wants` names what it would import or call, None when it is only torn or too big."""

    def __init__(self, reason: str, wants: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wants = wants


class _PlainUnpickler(pickle.Unpickler):
    """The second lock: whatever the list of opcodes lets through, nothing is ever looked up by name."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise NotPlain(f"it would import {module}.{name}", f"{module}.{name}")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise NotPlain("it refers to objects outside itself", "a persistent object")


def load_plain(data: bytes) -> Any:
    """The plain data in a pickle; raises NotPlain for every other."""
    if len(data) > SIZE_LIMIT:
        raise NotPlain(f"it is larger than {SIZE_LIMIT >> 20} MiB")
    inspect(data)
    try:
        return _PlainUnpickler(io.BytesIO(data)).load()
    except NotPlain:
        raise
    except Exception as error:  # the unpickler raises whatever a malformed stack leads to
        raise NotPlain(f"it is malformed: {type(error).__name__}") from error


def inspect(data: bytes) -> None:
    """Raise NotPlain when any opcode is not of plain data, or the pickle ends before its end."""
    words: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(data):
            name = opcode.name
            if name not in PLAIN:
                wanted = argument if isinstance(argument, str) else ".".join(words[-2:])
                raise NotPlain(f"it would run code ({name})", str(wanted).replace(" ", ".")[:200] or name)
            if name in ("PUT", "BINPUT", "LONG_BINPUT") and int(argument or 0) > len(data):
                raise NotPlain("it would reserve memory for what is not there")
            if isinstance(argument, str) and "UNICODE" in name:
                words = [*words[-1:], argument[:100]]
    except NotPlain:
        raise
    except Exception as error:  # genops documents ValueError, and a torn argument raises others
        raise NotPlain("it is torn: it ends before its end") from error
