"""The commands that mount a network volume, as they stand in a script, a transcript or a note.

    /usr/bin/mfsmount /workspace -H mfsmaster:9421 -o mfsioretries=30
    $ sudo mount -t nfs -o vers=4.2,hard nas01:/export/ckpt /mnt/ckpt
    sshfs -o reconnect ada@store:/data /data
    glusterfs --volfile-server=gl1 --volfile-id=vol0 /mnt/gl
    ceph-fuse -m 10.0.0.1:6789 /ceph

What a table of mounts says of the same place counts for more (`Volumes`). Commands that mount a disk, a bind or
an image are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import Mount
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._mounts import mount

# ada@n7:~$ sudo ...      + /usr/bin/...
_BEGINS = r"^(?:(?:\S{0,80}[$#>]|\+) )?(?:sudo )?(?:/\S{0,100}/)?"
_ENDS = r"(?=\s*$| *(?:;|&&|\|\||#|2?>))"
_FLAG = r"(?: --?[\w-]{1,40}(?:[= ][^\s/;&|-][^\s;&|]{0,400})?)"  # with its value, where it has one
_POINT = r" (?P<point>/[^\s;&|]{1,400})"
# the command -> type, and how its source is written in a table
COMMANDS = (
    (re.compile(rf"{_BEGINS}mfsmount{_POINT}(?:{_FLAG}){{0,12}}? -H ?(?P<host>[\w.:-]{{1,200}})"
        f"(?:{_FLAG}){{0,12}}{_ENDS}"), "fuse", "mfs#{host}"),
    (re.compile(rf"{_BEGINS}mfsmount(?:{_FLAG}){{0,12}}? -H ?(?P<host>[\w.:-]{{1,200}})(?:{_FLAG}){{0,12}}{_POINT}"
        f"(?:{_FLAG}){{0,12}}{_ENDS}"), "fuse", "mfs#{host}"),
    (re.compile(f"{_BEGINS}sshfs(?:{_FLAG}){{0,12}} (?P<source>"
        rf"(?:[\w.-]{{1,60}}@)?[\w.-]{{1,200}}:\S{{0,400}}){_POINT}"
        f"(?:{_FLAG}){{0,12}}{_ENDS}"), "fuse.sshfs", "{source}"),
    (re.compile(rf"{_BEGINS}glusterfs(?:{_FLAG}){{0,12}}? (?:--volfile-server|-s)[= ](?P<host>[\w.-]{{1,200}})"
        f"(?:{_FLAG}){{0,12}}{_POINT}{_ENDS}"), "fuse.glusterfs", "{host}:/"),
    (re.compile(rf"{_BEGINS}ceph-fuse(?:{_FLAG}){{0,12}}? -m ?(?P<host>[\w.:,-]{{1,200}})(?:{_FLAG}){{0,12}}{_POINT}"
        f"(?:{_FLAG}){{0,12}}{_ENDS}"), "fuse.ceph", "{host}:/"),
    (re.compile(rf"{_BEGINS}mount(?:(?:{_FLAG}){{0,8}}? -t|\.)(?: )?"
        rf"(?P<type>nfs4?|cifs|ceph|lustre|glusterfs|beegfs)(?:{_FLAG}){{0,8}} (?P<source>\S{{1,400}}){_POINT}"
        f"(?:{_FLAG}){{0,8}}{_ENDS}"), "", "{source}"),
)  # fmt: skip
TYPES = {"glusterfs": "fuse.glusterfs"}


def read(text: Text) -> Iterator[Mount]:
    for line in text.matching(PARSER.pattern):
        row = line.text[:2000]
        for pattern, type_, device in COMMANDS:
            if found := pattern.match(row):
                named = found.groupdict()
                kind = type_ or TYPES.get(named["type"], named["type"])
                yield mount(text, line, device.format(**named), found["point"], kind, "")
                break


PARSER = Parser(
    tool="commands that mount a volume",
    medium="mounts",
    footprint=footprint_of(*(pattern for pattern, _, _ in COMMANDS)),
    read=read,
)
