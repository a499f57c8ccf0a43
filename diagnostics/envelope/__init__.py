"""What other programs put around a line: times, hosts, ranks, levels, and the wrapping of log drivers.

`unwrap` peels one line to the message that its own program printed, and keeps what the peels said. Layers
nest (a container log around a syslog line around a kernel line), so each peel is tried again until none fits.
One module a family of layers; each lists its peels beside the characters that such a layer can begin with.
"""

from __future__ import annotations

from . import containers, loggers, printk, scripts, syslog
from .layer import Envelope, Peel

_LAYERS_LIMIT = 6


def unwrap(line: str) -> Envelope:
    """Peel every known layer off a line; a line without one comes back as it is."""
    found = Envelope(line)
    for _ in range(_LAYERS_LIMIT):
        for peel in _peels_for(found.message[:1]):
            peeled = peel(found)
            if peeled is not None:
                found = peeled
                break
        else:
            break
    return found


def _peels_for(first: str) -> tuple[Peel, ...]:
    if first in _BY_FIRST:
        return _BY_FIRST[first]
    if first.isdigit():
        return _DIGIT
    return _LETTER if first.isalpha() else ()


_BY_FIRST: dict[str, tuple[Peel, ...]] = {
    "{": containers.RECORDS,
    "<": (*syslog.PRIORITIES, *printk.PRIORITIES),
    "[": (*printk.BRACKETS, *loggers.BRACKETS, *scripts.BRACKETS),
    " ": (*containers.FIELDS, *printk.INDENTED),
    "\t": containers.FIELDS,
    '"': containers.FIELDS,
    "-": (),
}
_DIGIT: tuple[Peel, ...] = (*containers.STAMPED, *printk.NUMBERS, *syslog.NUMBERS, *loggers.NUMBERS, *scripts.NUMBERS)
_LETTER: tuple[Peel, ...] = (*printk.WORDS, *containers.WORDS, *syslog.WORDS, *loggers.WORDS, *scripts.WORDS)

__all__ = ["Envelope", "unwrap"]
