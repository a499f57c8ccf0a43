"""Copies and downloads that ended in the middle, in the words of who made them: scp, rsync, curl, wget, aws.

    client_loop: send disconnect: Broken pipe
    lost connection
    rsync: connection unexpectedly closed (2412 bytes received so far) [sender]
    rsync error: received SIGINT, SIGTERM, or SIGHUP (code 20) at rsync.c(713) [sender=3.2.7]
    curl: (18) transfer closed with 1081231360 bytes remaining to read
    2026-05-05 10:01:11 (11.2 MB/s) - Connection closed at byte 5369757696. Retrying.

What a tool does not copy since it cannot read or write it is an error of that file, and told elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.storage import ToolError
from ..text import Text
from . import Parser
from ._job_lines import messages

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


def read(text: Text) -> Iterator[ToolError]:
    for message in messages(text, PARSER.pattern):
        said = message.text.strip()
        tool = next((tool for tool, pattern in CUTS if pattern.search(said) or pattern.search(message.line.text)), None)
        if tool:
            yield ToolError(
                **message.facts(text), severity=Severity.WARNING, tool=tool, error=None, text=said, operation="transfer"
            )


PARSER = Parser(
    tool="scp, rsync, curl, wget",
    medium="transcript",
    footprint=(
        r"^lost connection\s{0,3}$|client_loop: send disconnect: "
        r"|rsync: (\[\w{1,20}\] )?connection unexpectedly closed|rsync error: .{1,120}\(code \d"
        r"|curl: \((18|28|52|56|92)\) |\) - (Connection closed|Read error) at byte \d|^download failed: s3://"
    ),
    read=read,
)
