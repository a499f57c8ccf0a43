"""A search of the kernel log that somebody pasted, and that found nothing.

    $ dmesg -T | grep -c Xid
    0

    $ journalctl -k | grep -iE 'xid|nvrm'
    (nothing)

Nothing is a count of zero, a word that says so, or the next prompt. A search whose answer is missing at the end of the
text says nothing: the rest may be cut off. What a search found is read by the kernel log's own parsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.kernel import SearchedInVain
from ..text import Text
from . import Parser
from ._snapshot import source

PROMPT = r"^[\w.@~:/\[\] -]{0,80}[$#%>] "
LOG = (
    r"(?:ssh (?:-\w \S{1,40} ){0,3}[\w.@-]{1,80} [\"']?)?(?:sudo )?"
    r"(?:dmesg|journalctl|(?:zgrep|grep|egrep) .{0,80}/(?:kern\.log|syslog|messages))"
)
# $ dmesg -T | grep -c Xid          # grep -i xid /var/log/kern.log
SEARCH = re.compile(rf"{PROMPT}(?P<command>{LOG}\b.{{0,200}})$")
GREP = re.compile(r"\b[ez]?grep(?: -\w{1,8}){0,4} (?:\"([^\"]{1,120})\"|'([^']{1,120})'|([^\s|\"']{1,60}))")
NOTHING = re.compile(rf"^\s*(?:0|\(?(?:nothing|no output|empty|none|no matches)\)?\.?)\s*$|{PROMPT}?$|{PROMPT}\S", re.I)


def read(text: Text) -> Iterator[SearchedInVain]:
    for line in text.matching(PARSER.pattern):
        search = SEARCH.match(line.text[:300].rstrip())
        grep = GREP.search(search["command"]) if search else None
        answer = next(text.after(line, limit=1), None)
        if grep and answer is not None and NOTHING.match(answer.text[:120]):
            wanted = next(group for group in grep.groups() if group)
            where: Source = source(text, line)
            yield SearchedInVain(source=where, pattern=wanted)


PARSER = Parser(
    tool="a search of the kernel log",
    medium="transcript",
    footprint=rf"{PROMPT}{LOG}\b.{{0,200}}\b[ez]?grep\b|{PROMPT}(?:sudo )?[ez]?grep .{{0,80}}/"
    r"(?:kern\.log|syslog|messages)",
    read=read,
)
