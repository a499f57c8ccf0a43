"""A managed platform says in its own words that a job had no memory left: Vertex AI, Cloud Run, SageMaker, Colab,
Kaggle, Spaces, YARN, containerd, conmon.

    The replica workerpool0-0 ran out-of-memory and exited with a non-zero status of 137.
    Memory limit of 32768 MiB exceeded with 33012 MiB used.
    Your session crashed after using all available RAM.

An exit status alone names nobody, and is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.supervisor import SchedulerEvent
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

SAYINGS = re.compile(
    r"\breplica \S{1,80} (?:\d{1,6} )?ran out-of-memory\b|\bMemory limit of [\d.]{1,12} ?\w{1,4} exceeded with\b"
    r"|\bReason: Memory limit exceeded \(|\btried to allocate more memory than is available\. It has restarted"
    r"|\b(?:session|kernel|notebook|runtime) (?:has )?crashed after using all available RAM"
    r"|\buse an instance type with more memory, or reduce the size of\b"
    r"|\b[Cc]ontainer (?:\S{1,120} )?(?:was |got )?(?:OOM|out[- ]of[- ]memory)[- ]killed\b"
    r"|\b[Cc]ontainer (?:was )?killed (?:due to|because of) memory (?:usage|limit)"
    r"|\b[Cc]ontainer (?:\S{1,120} )?(?:was )?killed by YARN for exceeding (?:physical |virtual )?memory limits"
    r"|\brunning (?:\d{1,15}B )?beyond (?:the )?'?(?:physical|virtual)'? memory limits?\b"
    r"|\b(?:driver|executor|worker) (?:process )?(?:was )?(?:killed|terminated) "
    r"(?:by|because of) the out of memory killer\b"
    r"|\bTaskOOM event\b|\bconmon\b.{0,80}\bOOM received\b"
    r"|\bkilled by docker due to it exceeded the request memory"
)


def read(text: Text) -> Iterator[SchedulerEvent]:
    for message in messages(text, SAYINGS):
        if SAYINGS.search(message.text):
            yield SchedulerEvent(
                **message.facts(text),
                severity=Severity.CRITICAL,
                system="cloud",
                about="oom-killed",
                text=message.text.strip()[:300],
            )


PARSER = Parser(tool="a platform about memory", medium="scheduler", footprint=footprint_of(SAYINGS), read=read)
