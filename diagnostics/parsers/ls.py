"""`ls -l` in any time style, also -R, -h, -i, -s and `ls -l FILE...`.

    $ ls -l /workspace/ckpt
    total 388409
    -rw-r--r-- 1 root root 130845335 2026-11-29 13:08:02.919007054 +0000 step_000006.pt

    gpu7:/data/ckpt$ ls -l
    -rw-r--r-- 1 ana ml 2097152 Nov  4 02:14 model_5000.pth

The folder is on the command line, on a heading (`/workspace/ckpt:`), or in the prompt, which may name the host too, as
`pdsh` does before each row.
Only regular files are facts; a size that was written for people ("18G") is rounded. `modified` is as the listing
writes it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ..envelope.times import MONTH
from ..evidence import Stamp, Subject
from ..evidence.storage import FileEntry
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Text
from . import Parser
from ._snapshot import source, stamp_of

# -rw-r--r-- 1 root root 130845335 2026-11-29 13:08:02.919007054 +0000 step_000006.pt
# -rw-r--r-- 1 trainer trainer  18G Nov  4 02:14 model_5000.pth
# gpu01: -rw-r--r-- 1 ana ml 2097152  4 nov. 02:14 model_5000.pth      (pdsh; months are in the machine's language)
ROW = re.compile(
    r"^(?:(?P<host>[A-Za-z][\w.-]{0,80}): )?(?: {0,20}\d{1,20} +){0,2}-[rwxsStT-]{9}[.+@]? +\d+ +"
    r"(?:\S+ +){1,2}?(\d[\d.,]*[KMGTP]?) +"
    r"(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+-]\d{4})?|\d\d-\d\d \d\d:\d\d"
    rf"|(?:(?:{MONTH}) +\d{{1,2}}[日일]?|\d{{1,2}}\.? +(?:{MONTH})) +"
    r"(?:\d\d:\d\d(?::\d\d)?(?: \d{4})?|\d{4})) (.+)$"
)
# 13:01:33 $ timeout 10 ls -l /workspace/mfs/mnt/shards | head -3
COMMAND = re.compile(
    r"(?:^|[$#>] ?|\s)(?:ls|ll) (?:-[\w=-]+(?: +|$))*"
    r"(?:(?:'([^']+)'|\"([^\"]+)\"|([^\s|;&<>'\"-][^\s|;&<>]*)))? *(?:[|;&<>].*)?$"
)
# gpu7:/data/ckpt$ ls -l     ana@gpu7:/data/ckpt$ ls -l     [ana@gpu7 /data/ckpt]$ ls -l     /data/ckpt # ls -l
PROMPT = re.compile(
    r"^(?:\([\w.-]{1,60}\) )?\[?(?:[\w.-]{1,40}@)?(?:(?P<host>[A-Za-z][\w.-]{0,80})(?::| (?=/)))?"
    r"(?P<folder>/[^\s$#\]]{0,500})\]? ?[$#] "
)
# /workspace/ckpt:     checkpoint-20:
HEADING = re.compile(r"^(\.{0,2}/[^:]*|\.{1,2}|[\w@+-][\w./@+=-]{0,300}):$")


def read(text: Text) -> Iterator[FileEntry]:
    folder: str | None = None
    here: str | None = None
    host: str | None = None
    stamp: Stamp | None = None
    for line in text.lines():
        row = line.text[:5000].rstrip("\r")
        if found := ROW.match(row):
            on, size, modified, name = found.groups()
            yield FileEntry(
                source=source(text, line),
                subject=Subject(host=on or host, path=full_path(here if "/" in name else folder, name)),
                stamp=stamp,
                size=size_bytes(size),
                modified=modified,
            )
        elif ("ls " in row[:300] or "ll " in row[:300]) and (found := COMMAND.search(row[:1000])):
            prompt = PROMPT.match(row[:700])
            here, host = (prompt["folder"], prompt["host"]) if prompt else (None, None)
            folder, stamp = _folder(here, found[1] or found[2] or found[3]), stamp_of(row)
        elif len(row) < 1000 and (found := HEADING.match(row)):
            folder = _folder(here, found[1])


def _folder(here: str | None, asked: str | None) -> str | None:
    """What a listing is of: the folder that was asked for, seen from the prompt's; files by a pattern print theirs."""
    named = asked if asked and not re.search(r"[*?\[{]", asked) else None
    return posixpath.normpath(posixpath.join(here, named or "")) if here else named


def full_path(folder: str | None, name: str) -> str:
    """The file's path as far as the listing tells it; `ls -l FILE` prints the path itself."""
    if not folder or name.startswith("/") or posixpath.basename(folder) == name:
        return folder if folder and name != folder and posixpath.basename(folder) == name else name
    return posixpath.join(folder, name)


PARSER = Parser(
    tool="ls -l",
    medium="listing",
    footprint=footprint_of(ROW),
    read=read,
)
