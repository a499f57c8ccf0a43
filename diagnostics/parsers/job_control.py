"""What a shell or a container engine says of jobs that stand still: stopped, suspended, paused.

    [1]+  Stopped                 python train.py --cfg a.yaml
    [1]  + 41221 suspended (tty output)  python train.py
    2	143255	0%	stopped	python train.py --cfg b.yaml
    9f1c2d3e4f5a   train:1   "python t.py"   2 hours ago   Up 2 hours (Paused)   trainer

Jobs that run or are done are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.process import ProcessState
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

# [1]+  Stopped (tty output)    python train.py
BASH = re.compile(
    r"^\[\d{1,4}\][+-]? {1,4}(?P<pid>\d{1,9} )? {0,4}(?:Stopped|Suspended)"
    r"(?: ?\((?:SIG\w{3,5}|tty (?:in|out)put|signal)\))? {2,40}(?P<command>\S.{0,1000})$"
)
# [1]  + 41221 suspended (tty output)  python train.py      zsh: suspended  python train.py
ZSH = re.compile(
    r"^(?:\[\d{1,4}\] {1,4}[+-]? {0,4}(?P<pid>\d{1,9})? {0,4}|zsh: )suspended"
    r"(?: \((?:signal|tty (?:in|out)put)\))? {1,40}(?P<command>\S.{0,1000})$"
)
# 1	80411	0%	stopped	python train.py      (fish, whose first column is the job's number)
FISH = re.compile(r"^\d{1,4}\s{1,8}(?P<pid>\d{1,9})\s{1,8}(?:\d{1,5}%\s{1,8})?stopped\s{1,8}(?P<command>\S.{0,1000})$")
PAUSED = re.compile(r"^[0-9a-f]{12}\s.{0,200}?\"(?P<command>[^\"]{1,200})\".{0,80}\sUp [\w ]{3,30} \(Paused\)\s")
PATTERNS = (BASH, ZSH, FISH, PAUSED)
INTERESTING = re.compile(r"[Ss]topped|[Ss]uspended|\(Paused\)")


def read(text: Text) -> Iterator[ProcessState]:
    for message in messages(text, INTERESTING):
        found = next((found for pattern in PATTERNS if (found := pattern.match(message.line.text[:1500]))), None)
        if found:
            pid = found.groupdict().get("pid")
            known = {"pid": int(pid)} if pid else {}
            command = found["command"].strip()
            yield ProcessState(
                **message.facts(text, **known, comm=command.split()[0].rpartition("/")[2][:15]),
                severity=Severity.WARNING,
                state="T",
                command=command,
            )


PARSER = Parser(
    tool="jobs",
    medium="some-processes",
    footprint=footprint_of(*PATTERNS),
    read=read,
)
