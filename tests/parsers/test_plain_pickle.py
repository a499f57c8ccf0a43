"""Only plain data comes out of a pickle, and nothing of a hostile one is run."""

from __future__ import annotations

import collections
import pickle
import pickletools
from pathlib import Path
from typing import Any

import pytest

from diagnostics.parsers._plain_pickle import PLAIN, NotPlain, load_plain

PLAIN_DATA = {
    "text": "é",
    "numbers": [1, -2, 1 << 70, 2.5],
    "tuple": (1, None, True),
    "bytes": b"\0\xff",
    "nested": [{"a": []}],
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data_comes_back(protocol: int) -> None:
    data = {name: value for name, value in PLAIN_DATA.items() if protocol > 2 or name != "bytes"}
    assert load_plain(pickle.dumps(data, protocol=protocol)) == data


class Calls:
    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.witness,))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_call_is_refused_and_not_made(protocol: int, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    with pytest.raises(NotPlain):
        load_plain(pickle.dumps([1, Calls(witness)], protocol=protocol))
    assert not witness.exists()


@pytest.mark.parametrize("value", [collections.OrderedDict(a=1), {1, 2}, Path("/"), ValueError("x"), int])
def test_objects_are_refused(value: object) -> None:
    with pytest.raises(NotPlain):
        load_plain(pickle.dumps(value, protocol=2))


def test_what_would_be_imported_is_named() -> None:
    with pytest.raises(NotPlain) as refused:
        load_plain(b"cposix\nsystem\n(S'true'\ntR.")
    assert refused.value.wants == "posix.system"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b".",
        b"\x80\x02]r\xff\xff\xff\x7f.",  # a memo slot of two thousand million
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",  # as many bytes as there are addresses
        b"\x80\x02h\x05.",  # a memo slot that nothing was put into
        b"\x80\x02K\x01",  # no end
        b"\x80\x02P7\n.",  # a persistent object
    ],
)
def test_malformed_pickles_are_refused(data: bytes) -> None:
    with pytest.raises(NotPlain):
        load_plain(data)


def test_the_list_holds_no_opcode_that_looks_up_or_calls() -> None:
    known = {opcode.name for opcode in pickletools.opcodes}
    assert known >= PLAIN
    dangerous = (
        "GLOBAL",
        "STACK_GLOBAL",
        "REDUCE",
        "BUILD",
        "INST",
        "OBJ",
        "NEWOBJ",
        "NEWOBJ_EX",
        "EXT1",
        "EXT2",
        "EXT4",
    )
    assert not PLAIN & {*dangerous, "PERSID", "BINPERSID", "NEXT_BUFFER", "READONLY_BUFFER"}
