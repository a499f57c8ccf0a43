"""How many instances of inotify a user may have, and how many are in use.

    fs.inotify.max_user_instances = 128
    cat /proc/sys/fs/inotify/max_user_instances     128
    find /proc/*/fd -lname anon_inode:inotify | wc -l     128
    UID 0: 128 instances
    total instances uid 0                                     128

Of several users the one with the most counts. Watches are another limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# fs.inotify.max_user_instances = 128       max_user_instances   128      inotify/max_user_instances: 128
LIMIT = re.compile(r"\bmax_user_instances\b[ \t]{0,40}[=:]?[ \t]{0,40}(?P<number>\d{1,9})\b")
# find /proc/*/fd -lname anon_inode:inotify | wc -l     128
COUNTED = re.compile(r"\banon_inode:inotify['\"]?[^\n|]{0,60}\| ?wc -l[ \t:=#>-]{0,40}(?P<number>\d{1,9})?\s*$")
# UID 0: 128 instances     total instances uid 0     128
OF_USER = re.compile(
    r"^\s{0,8}(?:(?:UID|uid|user) \S{1,32}: (?P<number>\d{1,9}) instances|total instances\b[^\d\n]{0,20}"
    r"(?:\d{1,9}[ \t]{1,60})?(?P<total>\d{1,9})\s*$)"
)
ALONE = re.compile(r"^\s{0,8}(?P<number>\d{1,9})\s*$")


def read(text: Text) -> Iterator[SettingSeen]:
    used: list[tuple[int, Line]] = []
    for line in text.lines():
        row = line.text[:300]
        if found := LIMIT.search(row):
            yield SettingSeen(source=source(text, line), name="fs.inotify.max_user_instances", value=found["number"])
        elif found := COUNTED.search(row):
            after = next(iter(text.after(line, 1)), line)
            number = found["number"] or ((said := ALONE.match(after.text[:60])) and said["number"])
            used += [(int(number), line)] if number else []
        elif found := OF_USER.match(row):
            used.append((int(found["number"] or found["total"]), line))
    if used:
        count, line = max(used, key=lambda each: each[0])
        yield SettingSeen(source=source(text, line), name="inotify instances in use", value=str(count))


PARSER = Parser(tool="inotify's limits", medium="settings", footprint=footprint_of(LIMIT, COUNTED, OF_USER), read=read)
