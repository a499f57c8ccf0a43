"""Logs as accidents leave them: torn, doubled, shuffled, overwritten, cut, or one piece of them over and over."""

from __future__ import annotations

import random
from collections.abc import Iterator

STRANGE = (
    b"\0",
    b"\xff\xfe",
    b"\r",
    b"\x1b[31m",
    b"99999999999999999999",
    b"-",
    b"\n\n",
    b"1e999",
    b"\xc3",
    b"{",
    b'"',
)


def mutations(raw: bytes, dice: random.Random, count: int) -> Iterator[bytes]:
    """Damaged copies of a log, each damaged in one to five places."""
    for _ in range(count):
        data = bytearray(raw[: 1 << 16])
        for _ in range(dice.randrange(1, 6)):
            if data:
                data = _damaged(data, dice)
        yield bytes(data)


def _damaged(data: bytearray, dice: random.Random) -> bytearray:
    at, end = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    match dice.randrange(8):
        case 0:
            del data[at:end]
        case 1:
            data[at:at] = data[at:end][:4096]
        case 2:
            data[at] = dice.randrange(256)
        case 3:
            lines = data.split(b"\n")
            dice.shuffle(lines)
            return bytearray(b"\n".join(lines))
        case 4:
            data[at:at] = dice.choice(STRANGE)
        case 5:
            del data[at:]
        case 6:
            data[at : at + 1] = data[end : end + 1]
        case 7:
            digits = [place for place, code in enumerate(data[at:end], at) if 48 <= code <= 57]
            for place in digits[:20]:
                data[place] = dice.choice(b"0123456789")
    return data


def snippet(raw: bytes, dice: random.Random, most: int) -> bytes:
    """Some whole lines from anywhere in a log, at most so many bytes."""
    start = raw.rfind(b"\n", 0, dice.randrange(max(1, len(raw) - most) + 1)) + 1
    return raw[start : start + dice.randrange(most // 4, most)]


def stretched(raw: bytes, dice: random.Random, size: int) -> bytes:
    """One piece of a log over and over, between what stands before and after it."""
    at = dice.randrange(len(raw)) if raw else 0
    piece = raw[at : at + dice.randrange(1, 200)] or b"x"
    return raw[:at] + (piece * (size // len(piece) + 1))[:size] + raw[at:]
