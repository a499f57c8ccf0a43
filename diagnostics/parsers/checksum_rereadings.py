"""Sessions in which a checksum was taken of one file twice, with nothing in between that writes.

    $ md5sum shard-0007.bin ; echo 3 | sudo tee /proc/sys/vm/drop_caches ; md5sum shard-0007.bin
    0d5a3cbe2f0e17a7b3d5f8d7c9a3e1c4  shard-0007.bin
    3
    9b7714e2c18c45f0d2a8e60b7d0f55aa  shard-0007.bin

Only readings that differ are told. A command that may write, or that is not known to write nothing, ends the series.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import ChecksumVerdict
from ..text import Text
from . import Parser
from ._snapshot import source

SUM = r"(?:md5sum|sha\d{1,3}sum|shasum|b[23]sum|xxh\w{0,5}sum)"
# [dom0 ~]$ md5sum x      root@bk1:~# sha1sum x      > sha256sum x
COMMAND = re.compile(r"^(?:\[[^\]\n]{1,80}\][$#]|[\w.@:~/-]{0,80}[$#]|>) ?(?P<command>\S.{0,1000})$")
ASKED = re.compile(rf"^(?:\[[^\]\n]{{1,80}}\][$#]|[\w.@:~/-]{{0,80}}[$#]|>) ?(?:.{{0,200}}[ ;])?{SUM} ")
DIGEST = re.compile(r"^(?P<digest>[0-9a-f]{32,128}|[0-9a-f]{6,31}\.{2,3}[0-9a-f]{0,8}) [ *](?P<path>\S.{0,400})$")
PARTS = re.compile(r"[;&|]{1,2}")
# what writes to no file, or only to the kernel's settings
READS = re.compile(
    rf"^(?:sudo )?(?:{SUM}|sync|echo|sleep|tee|ls|stat|head|tail|cut|sort|uniq|wc|grep|awk|uname|umount|mount|for"
    r"|do|done|while|time|dmesg|cmp|smartctl|cd|date|uptime)\b"
)
DEVICE = re.compile(r">\s{0,4}(?!/dev/null|/proc/|/sys/|&)")


def read(text: Text) -> Iterator[ChecksumVerdict]:
    asked = False
    first: dict[tuple[str, int], str] = {}
    for line in text.lines():
        row = line.text[:1200].rstrip()
        if found := COMMAND.match(row):
            command = found["command"]
            if DEVICE.search(command) or not all(map(_only_reads, PARTS.split(command))):
                first.clear()
            asked = ASKED.match(row) is not None or (asked and bool(first))
        elif asked and (found := DIGEST.match(row)):
            key = (found["path"], len(found["digest"]))
            if first.setdefault(key, found["digest"]) != found["digest"]:
                yield ChecksumVerdict(
                    source=source(text, line),
                    subject=Subject(path=found["path"]),
                    severity=Severity.CRITICAL,
                    outcome="differs",
                    against=found["path"],
                )


def _only_reads(part: str) -> bool:
    part = part.strip()
    return not part or part.startswith("#") or READS.match(part.removeprefix("do ")) is not None


PARSER = Parser(tool="checksums taken twice", medium="listing", footprint=ASKED.pattern, read=read)
