"""Files compared with what they should be: md5sum -c and its family, cmp, diff -rq, rclone check, rsync -i --checksum.

    step_000020.pt: FAILED
    missing.pt: FAILED open or read
    2026/11/29 12:06:56 ERROR : b.pt: md5 differ
    >fc........ b.pt
    a/step_000020.pt b/step_000020.pt differ: byte 130714264, line 424442
    $ cmp -l /raid/train_07.bin /mnt/train_07.bin | wc -l
    131072
    $ cmp a.bin b.bin
    $ cmp a.bin c.bin

"FAILED open or read" is no mismatch: the file could not be read, or is not there. An rsync line whose `c` flag is not
set says nothing of the content and is skipped; so is a field that says how a job went (`status: FAILED`).
A cmp that prints nothing before the next prompt found no difference.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.storage import ChecksumVerdict
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

# name: OK    name: FAILED    name: FAILED open or read    b3sum: name: FAILED (No such file or directory (os error 2))
CHECK = re.compile(
    r"^(.{1,4000}?): (OK|FAILED open or read|FAILED(?: \((.{1,200})\))?|MISSING|Could not open or find .{0,200}"
    "|is missing)$"
)
# status: FAILED      Job state: FAILED      "conclusion": OK
FIELD = re.compile(
    r"(?i)(?:^|[\s_.\"'-])(?:status|state|result|outcome|verdict|conclusion|phase|health|self-?check"
    r"|return ?code)[\"']?$|[a-z](?:Status|State|Result|Outcome|Phase)$"
)
MISSING = re.compile(r"^(?:md5|sha\d{1,3}|b2|b3|xxh\w{0,3}|ck|sha)sum: (.{1,4000}?): No such file or directory$")
COREUTILS = re.compile(r"^(?:md5|sha\d{1,3}|b2|b3|xxh\w{0,3}|ck|sha)sum: ")
# a b differ: byte 130714264, line 424442     a b differ: char 12, line 1      cmp: EOF on a after byte 563937280
CMP = re.compile(r"^(?:cmp: )?(\S{1,2000}) (\S{1,2000}) differ: (?:byte|char) (\d{1,18})")
CMP_EOF = re.compile(r"^cmp: EOF on (\S{1,2000}?) (?:after byte (\d{1,18})|which is empty)")
# $ cmp -l /raid/train_07.bin /mnt/train_07.bin | wc -l     (its answer is a number)
COUNTED = re.compile(r"^[$#%>] .{0,400}?\bcmp -l ['\"]?(\S{1,1000}?)['\"]? ['\"]?(\S{1,1000}?)['\"]? ?\|.{0,200}$")
# $ cmp a.bin b.bin     (and the next line is a prompt again)
QUIET = re.compile(
    r"^[\w.@~:/\[\] -]{0,100}[$#%>] (?:cmp|diff -q) ['\"]?([^\s'\"-]\S{0,1000}?)['\"]? ['\"]?(\S{1,1000}?)['\"]?$"
)
PROMPT = re.compile(r"^[\w.@~:/\[\] -]{0,100}[$#%] \S")
COUNT = re.compile(r"^\s{0,8}(\d{1,15})$")
# D:\ds\a.jpg  first differing byte 0x20000, 131072 bytes differ
FIRST = re.compile(
    r"^\s{0,8}(\S{1,1000}?):? {1,8}(?:first )?differ(?:s|ing|ence)(?: at)?(?: byte| offset)? "
    r"(0x[0-9a-f]{1,16}|\d{1,18}), (\d{1,18}) bytes differ$"
)
# Files a/x and b/x differ      Binary files a/x and b/x differ
DIFF = re.compile(r"^(?:Binary files|Files) (\S.{0,2000}?) and (\S.{0,2000}?) differ$")
# Only in /data/A: d.pt
ONLY = re.compile(r"^Only in (/[^:]{0,2000}|[\w.-][^:\s]{0,500}): (\S.{0,2000})$")
# ERROR : b.pt: md5 differ      ERROR : c.pt: file not in Local file system at /data/B
RCLONE = re.compile(
    "(?i)^(?:ERROR|NOTICE|INFO) ?: ([^:]{1,4000}): "
    r"(?:(?:md5|sha1|sha256|quickxor|hashes|sizes|contents|crc32|xxh\w{0,4})\b.{0,20} differ"
    "|(?P<missing>file not in .{1,400}|[Nn]ot found.{0,100}|not in .{1,300}))"
)
RCLONE_LEVEL = re.compile(r"\b(?:ERROR|NOTICE) ?: ")
# = a.pt    * b.pt    + c.pt    - d.pt    ! e.pt
COMBINED = re.compile(r"^([=*+!-]) (\S.{0,4000})$")
COMBINED_OUTCOMES = {"=": "ok", "*": "differs", "+": "missing", "-": "missing", "!": "unreadable"}
# >fc........ b.pt     >f+++++++++ c.pt     *deleting d.pt
RSYNC = re.compile(r"^[<>ch.][fdLDS](\+{9}|[.c?][.stTpoguaxnb?]{8}(?:[.x?]{0,2})) (\S.{0,4000})$")
DIRECTORY = re.compile(r"^[$#%] cd (/[^\s;&|]{0,1000})")
OUTCOMES = {"OK": "ok", "FAILED": "differs"}
SEVERITY = {"differs": Severity.CRITICAL, "unreadable": Severity.CRITICAL, "missing": Severity.WARNING}


def read(text: Text) -> Iterator[Evidence]:
    combined = _is_combined(text)
    directory, missing = "", set[str]()
    counted: str | None = None
    for message in messages(text, INTERESTING):
        said = message.text if RCLONE_LEVEL.search(message.text[:20]) else message.line.text[:5000]
        if message.level in ("ERROR", "NOTICE") and message.stamp:
            said = f"{message.level} : {message.text.lstrip(': ')}"
        if found := COUNTED.match(message.line.text[:3000]):
            counted = found[2]
        elif counted and said.startswith("cmp: "):
            counted = None  # it could not be read, or is shorter: the count says nothing
        elif found := COUNT.match(said):
            if counted:
                different = int(found[1])
                yield _fact(text, message, counted, "differs" if different else "ok", None, different)
            counted = None
        elif found := QUIET.match(message.line.text[:3000]):
            below = next(iter(text.after(message.line, 1)), None)
            if below and PROMPT.match(below.text[:300]):
                yield _fact(text, message, posixpath.join(directory, found[2]), "ok", None, None, found[1])
        elif found := CMP.match(said):
            path = posixpath.join(directory, found[2])
            yield _fact(text, message, path, "differs", int(found[3]), None, found[1])
        elif found := FIRST.match(said):
            yield _fact(text, message, found[1], "differs", int(found[2], 16 if "x" in found[2] else 10), int(found[3]))
        elif found := DIRECTORY.match(message.text):
            directory = found[1]
        elif found := MISSING.match(said):
            missing.add(found[1])
        elif verdict := _verdict(said, missing, combined):
            name, outcome, first = verdict
            yield _fact(text, message, posixpath.join(directory, name.removeprefix("./")), outcome, first)


INTERESTING = re.compile(
    r": (?:OK|FAILED|MISSING|Could not open|is missing)\b|No such file|differ|^cmp: |not in |[Nn]ot found|^Only in "
    r"|^[=*+!-] \S|^[<>ch.][fdLDS][+.c?]|cd /|\bcmp -l |[$#%>] (?:cmp|diff -q) |^\s{0,8}\d{1,15}$"
)


def _verdict(said: str, missing: set[str], combined: bool) -> tuple[str, str, int | None] | None:
    if (found := CHECK.match(said)) and not COREUTILS.match(said) and not FIELD.search(found[1]):
        reason = (found[3] or found[2]).lower()
        gone = found[1] in missing or "no such file" in reason or "missing" in reason or "could not" in reason
        unread = "open or read" in reason or found[3] is not None
        return found[1], "missing" if gone else "unreadable" if unread else OUTCOMES[found[2]], None
    if found := CMP_EOF.match(said):
        return found[1], "differs", int(found[2]) + 1 if found[2] else 1
    if found := DIFF.match(said):
        return found[2], "differs", None
    if found := ONLY.match(said):
        return posixpath.join(found[1], found[2]), "missing", None
    if found := RCLONE.match(said):
        return found[1].strip(), "missing" if found["missing"] else "differs", None
    if combined and (found := COMBINED.match(said)):
        return found[2], COMBINED_OUTCOMES[found[1]], None
    if (found := RSYNC.match(said)) and found[1][0] in "+c":
        return found[2], "missing" if found[1][0] == "+" else "differs", None
    return None


def _is_combined(text: Text) -> bool:
    """rclone's --combined has nothing but its markers: a line without one makes it a list in somebody's prose or
    diff.
    """
    lines = [line.text for _, line in zip(range(200), text.lines(), strict=False) if line.text.strip()]
    return bool(lines) and all(COMBINED.match(line[:5000]) for line in lines)


def _fact(
    text: Text,
    message: Message,
    path: str,
    outcome: str,
    first: int | None,
    different: int | None = None,
    against: str | None = None,
) -> ChecksumVerdict:
    return ChecksumVerdict(
        **message.facts(text, path=path),
        severity=SEVERITY.get(outcome, Severity.INFO),
        outcome=outcome,
        first_difference=first,
        different=different,
        against=against,
    )


PARSER = Parser(
    tool="md5sum -c",
    medium="checksums",
    footprint=(
        r"^\S.*: (OK|FAILED|FAILED open or read)$|^\S.*: FAILED \(.*os error|computed checksums? did NOT match"
        r"|^(cmp: )?\S+ \S+ differ: (byte|char) \d"
        r"|^cmp: EOF on|^[$#%>] .{0,400}\bcmp -l \S+ \S+ ?\||, \d{1,18} bytes differ$|^(Binary f|F)iles .+ differ$"
        r"|^Only in \S+: \S|(ERROR|NOTICE) : .*(differ|not in |not found)|^[=*+!-] \S+\.\w+$"
        r"|^[<>ch.][fdLDS](\+{9}|[.c?][.stTpoguaxnb?]{8})[.x?]{0,2} "
    ),
    read=read,
)
