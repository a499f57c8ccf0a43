"""Kernel lines above info that no other parser knows: kept, so that nothing is lost, and listed.

    <3>[ 1234.567890] weird_driver 0000:01:00.0: something odd happened
    kern  :err   : [ 1234.567890] weird_driver 0000:01:00.0: something odd happened

Only a log that says levels can be asked (dmesg -x, -r or --json, /dev/kmsg, journalctl -o json, RFC 5424). Lines of
one shape (the same but for numbers) are one fact with a count. Call traces and register dumps are skipped.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from functools import cache

from ..evidence import Subject
from ..evidence.kernel import UnrecognisedKernelLine
from ..text import Text
from . import Parser, all_parsers
from ._call_trace import frame
from ._kernel_log import kernel_log

# the digits are spelt out so that each alternative has a word that can be looked for quickly
FOOTPRINT = "|".join(
    (
        *(rf"^<{level}>\[" for level in range(6)),
        *(rf"^<{level}>1 \d{{4}}-.{{1,300}} kernel " for level in range(6)),
        *(rf"^kern +: {{0,2}}{level} *: " for level in ("emerg", "alert", "crit", "err ", "warn", "notice")),
        r"^[0-5],\d{1,12},\d{1,16},[-c+]",
        r'"PRIORITY" ?: ?"[0-5]".{0,4000}"_TRANSPORT" ?: ?"kernel"',
        r'"_TRANSPORT" ?: ?"kernel".{0,4000}"PRIORITY" ?: ?"[0-5]"',
    )
)
_TRACE = re.compile(
    r"^\s*(?:\??\s*[\w.]{1,200}\+0x|Call [Tt]race|</?(?:TASK|IRQ|NMI|EOI|SOFTIRQ)>|Modules linked in|CPU: \d"
    "|Hardware name|"
    r"R[A-Z0-9]{2}: |[A-Z]S: |CR\d: |DR\d: |FS: |Code: |Tainted|Not tainted|Blocked by|task:|Workqueue: |"
    r"\"echo 0 > |---\[|\[<[0-9a-f]+>\]|Mem-Info|Node \d|[\w ]{1,40}: \d+kB|\[ *\d+\] +\d+ +\d+|Tasks state|.{0,3}$)"
)
_NUMBERS = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+")
_SHAPES = 5000


def read(text: Text) -> Iterator[UnrecognisedKernelLine]:
    log, known = kernel_log(text), _known_elsewhere()
    first: dict[str, UnrecognisedKernelLine] = {}
    counts: dict[str, int] = {}
    for line, message in log.matching(PARSER.pattern):
        said = message.message
        if _TRACE.match(said) or frame(said) or known.search(said) or message.level is None:
            continue
        shape = _NUMBERS.sub("#", said[:300])
        counts[shape] = counts.get(shape, 0) + 1
        if shape not in first and len(first) < _SHAPES:
            first[shape] = UnrecognisedKernelLine(
                source=log.source(line),
                subject=Subject(host=message.host),
                stamp=message.stamp,
                level=message.level,
            )
    for shape, fact in first.items():
        yield dataclasses.replace(fact, count=counts[shape])


@cache
def _known_elsewhere() -> re.Pattern[str]:
    """One pattern of everything that the other parsers of kernel logs read."""
    others = (
        p.footprint for p in all_parsers().values() if p.medium in ("kernel-log", "system-log") and p is not PARSER
    )
    return re.compile("|".join(f"(?:{footprint})" for footprint in others))


PARSER = Parser(
    tool="kernel lines that nothing else knows",
    medium="kernel-log",
    footprint=FOOTPRINT,
    read=read,
    claims="untold",
)
