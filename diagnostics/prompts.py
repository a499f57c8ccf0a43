"""On which host a command of a pasted session ran, where its prompts or an `ssh` say so.

    gpu02$ ls -l ckpt/        ana@gpu01:~$ md5sum *        [root@gpu01 ckpt]# ls -l        $ ssh gpu02 ls -l ckpt/

Asked only where one path was listed below two of them: two machines' files of one name are not one file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from .evidence import Evidence
from .text import Text

# a name alone has a digit in it, since "root#" and "bash-5.1$" name no host
PROMPT = re.compile(
    r"^(?:\d\d:\d\d:\d\d |\([\w.-]{1,60}\) ){0,2}\[?(?:[\w.-]{1,40}@(?P<host>[A-Za-z0-9][\w.-]{0,80})"
    r"|(?!(?:ba|z|k|da|c|tc)?sh-|fish\b|i?python)(?=[a-zA-Z.-]{1,60}\d)(?P<name>[A-Za-z][A-Za-z0-9.-]{1,80}))?"
    r"(?::? ?[~/][^\s$#%\]]{0,300}|[: ][\w.~/+-]{1,100})?\]? ?[$#%] \S"
)
SSH = re.compile(
    r"(?:^|[$#%;&] ?)ssh (?:-\w(?: ?[\w./=-]{1,60})? ){0,4}(?:[\w.-]{1,40}@)?(?P<host>[A-Za-z0-9][\w.-]{1,80}) \S"
)


def on_their_hosts(text: Text, facts: Sequence[Evidence]) -> list[Evidence]:
    """The facts of files that name no host, with that of the command above each, where two hosts share a path."""
    at: dict[tuple[type[Evidence], str], list[int]] = defaultdict(list)
    for fact in facts:
        if _is_of_a_file(fact) and fact.subject.path:
            at[type(fact), fact.subject.path].append(fact.source.line)
    if not any(len(set(lines)) > 1 for lines in at.values()):
        return list(facts)
    hosts = _hosts(text)
    starts = [number for number, _ in hosts]

    def host_at(line: int) -> str | None:
        place = bisect_right(starts, line)
        return hosts[place - 1][1] if place else None

    if not any(len({host_at(line) for line in lines} - {None}) > 1 for lines in at.values()):
        return list(facts)
    return [
        replace(fact, subject=replace(fact.subject, host=host_at(fact.source.line))) if _is_of_a_file(fact) else fact
        for fact in facts
    ]


def _is_of_a_file(fact: Evidence) -> bool:
    return fact.subject.path is not None and fact.subject.host is None and fact.subject.pid is None


def _hosts(text: Text) -> list[tuple[int, str | None]]:
    """The lines with a command, each with the host that it ran on."""
    found = []
    for line in text.matching(re.compile(r"[$#%] \S|^ssh ")):
        said = line.text[:600]
        prompt = PROMPT.match(said)
        if remote := SSH.search(said):
            found.append((line.number, remote["host"]))
        elif prompt:
            found.append((line.number, prompt["host"] or prompt["name"]))
    return found
