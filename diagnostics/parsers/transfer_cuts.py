"""Copies and downloads that ended in the middle, in the words of who made them: scp, rsync, curl, wget, aws.

    client_loop: send disconnect: Broken pipe
    lost connection
    rsync: connection unexpectedly closed (2412 bytes received so far) [sender]
    rsync error: received SIGINT, SIGTERM, or SIGHUP (code 20) at rsync.c(713) [sender=3.2.7]
    curl: (18) transfer closed with 1081231360 bytes remaining to read
    2026-05-05 10:01:11 (11.2 MB/s) - Connection closed at byte 5369757696. Retrying.
    model.safetensors:  41%|####      | 403M/988M [03:51<05:12, 1.87MB/s]
    ^C

The bar of a download, in bytes, that somebody's Ctrl-C or a signal follows was cut too, and so was `Copying s3://...`.

What a tool does not copy since it cannot read or write it is an error of that file, and told elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.storage import ToolError
from ..footprint import unnamed
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

CUTS = (
    ("scp", re.compile(r"^(?:lost connection|client_loop: send disconnect: .{1,60})$")),
    (
        "rsync",
        re.compile(
            r"^rsync: (?:\[\w{1,20}\] )?connection unexpectedly closed"
            r"|^rsync error: .{1,120}\(code (?:10|12|20|30|35)\)"
        ),
    ),
    ("curl", re.compile(r"^curl: \((?:18|28|52|56|92)\) ")),
    ("wget", re.compile(r"\) - (?:Connection closed at byte \d|Read error at byte \d)")),
    (
        "aws",
        re.compile(r"^download failed: s3://\S{1,800} .{0,200}(?:Connection broken|IncompleteRead|Read timeout|reset)"),
    ),
)
# weights.pth:  31%|###       | 30.0M/97.3M [04:11<09:20]     74436608/257557808 [=======>......] - ETA: 9:12
BAR = re.compile(
    r"(?<![\d.])\d{1,2}%[|\s\[].{0,90}?\d[\d.]{0,12} ?[kKMGT]i?B?/ ?\d[\d.]{0,12} ?[kKMGT]i?B?\b"
    r"|(?:^|\s)\d{6,16}/\d{6,16} \[=*>\.+\]|\bDownload(?:ing|ed)?\b.{0,160}?(?:(?<![\d.])\d{1,2} ?%(?!\w)"
    r"|\d ?[kKMG]i?B/s\b)|^Copying (?:gs|s3)://\S{1,800}\.\.\.\s*$"
)
ENDED = re.compile(r"^\s{0,4}(?:\^C|KeyboardInterrupt\b|Terminated$|Killed$)")


def read(text: Text) -> Iterator[ToolError]:
    for message in messages(text, PARSER.pattern):
        said = message.text.strip()
        if (bar := BAR.search(said)) and _was_cut(text, message, said[bar.end() :]):
            yield _cut(text, message, "a download", said)
            continue
        tool = next((tool for tool, pattern in CUTS if pattern.search(said) or pattern.search(message.line.text)), None)
        if tool:
            yield _cut(text, message, tool, said)


def _was_cut(text: Text, message: Message, rest: str) -> bool:
    """True where the bar ends in a Ctrl-C, or the next line is one or the word of a signal."""
    if rest.rstrip().endswith("^C"):
        return True
    below = next((line.text for line in text.after(message.line, limit=3) if line.text.strip()), "")
    return "\r" not in message.line.text.rstrip() and ENDED.match(below[:60]) is not None


def _cut(text: Text, message: Message, tool: str, said: str) -> ToolError:
    return ToolError(
        **message.facts(text), severity=Severity.WARNING, tool=tool, error=None, text=said, operation="transfer"
    )


PARSER = Parser(
    tool="scp, rsync, curl, wget",
    medium="transcript",
    footprint=(
        r"^lost connection\s{0,3}$|client_loop: send disconnect: "
        r"|rsync: (\[\w{1,20}\] )?connection unexpectedly closed|rsync error: .{1,120}\(code \d"
        r"|curl: \((18|28|52|56|92)\) |\) - (Connection closed|Read error) at byte \d|^download failed: s3://"
        rf"|{unnamed(BAR.pattern)}"
    ),
    read=read,
)
