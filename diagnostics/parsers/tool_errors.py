"""Error messages of everyday tools about a file: cp, dd, ls, md5sum, rm, tar, rsync, scp, the shell, mount, curl.

    cp: error writing '/workspace/ckpt/test.pt': No such device or address
    /bin/sh: can't create pw: Input/output error
    dd: error reading '/data/shard.bin': Input/output error
    rsync: [receiver] write failed on "/mnt/x": No space left on device (28)

    mfschunkserver[3368]: hdd_io_begin: file:/data/chunks/6F/chunk_02C1D4C2_00000001.mfs - open error: ENOSPC (No space left on device)

Only messages that end in the words of an errno count, so that usage errors and warnings do not; of a daemon's, whose
name may be any, only those of a disk that refuses.
"""  # noqa: E501

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.storage import ToolError
from ..filesystems import CLIENTS
from ..text import Text
from . import Parser
from ._errno import MESSAGES, errno_in
from ._job_lines import Message, messages

_TOOLS = (
    "cp|mv|rm|dd|ls|cat|head|tail|stat|du|df|md5sum|sha\\d{1,3}sum|b2sum|b3sum|xxhsum|cksum|cmp|diff|tar|gzip|zstd|r"
    "sync|scp|sftp|touch|mkdir|rmdir|ln|chmod|chown|sync"
    "|find|tee|truncate|fallocate|mount|umount|sh|bash|dash|zsh|ash|rclone|fusermount3?|fsck|mkfs|install|wc|sort|gr"
    "ep|split|unzip|git|fio|ioping|mfsmount|sshfs"
)
LINE = re.compile(
    rf"^-?(?:/(?:usr/)?(?:local/)?s?bin/)?(?P<tool>{_TOOLS})(?:\(\d{{1,9}}\))?: "
    rf"(?:line \d{{1,6}}: |\d{{1,6}}: |\[\w{{1,20}}\] )?(?P<said>.{{3,2000}})$"
)
# mfschunkserver[3368]: text      minio[811]: text
DAEMON = re.compile(r"(?:^|\s)(?P<tool>[a-z][\w.-]{1,40})\[\d{1,9}\]: (?P<said>.{3,1000})$")
NO_TOOLS = ("kernel", "python", *CLIENTS)  # they have parsers of their own
REFUSALS = (
    "[Nn]o space left on device|ENOSPC|[Rr]ead-only file system|EROFS|[Dd]isk quota exceeded|EDQUOT|[Ii]nput/output "
    "error|\\bEIO"
    "|[Tt]oo many open files|EMFILE|ENFILE|[Ss]tale (?:NFS )?file handle|ESTALE|[Tt]ransport endpoint is not "
    "connected|[Ss]tructure needs cleaning"
)
REFUSED = re.compile(
    rf"(?:{REFUSALS})"
    r"(?: ?\([^()\n]{1,60}\))?[.!]?\s{0,4}$"
)
# VFS: file-max limit 808512 reached     (the kernel)
FILE_MAX = re.compile(r"VFS: file-max limit \d{1,20} reached")
# with its errno's text at the end, perhaps with its number
ERRNO = re.compile(
    rf"(?i):? ?\b({'|'.join(re.escape(text) for text in MESSAGES)})(?: \(\d{{1,3}}\)| \(os error \d{{1,3}}\))?\.?$"
    rf"|\[Errno \d{{1,3}}\]"
)
PATH = re.compile(r"(?:^|[\s'\"(=:])(/[^\s'\":,;)]{1,400})")
QUOTED = re.compile(r"[\"'‘“`]([^\"'’”`]{1,1000})[\"'’”`]")
# can't create pw: text     /data/x: text     cannot open /data/x for reading: text
BARE = re.compile(
    "(?:can't|cannot|can not|could not|failed to) (?:create|open|access|stat|remove|read|write|touch|execute)"
    r"(?: directory| file)? ([^\s:]{1,1000})(?::| for )|^([^\s:]{1,1000}): (?!.*: .*: )"
)
OPERATIONS = (
    ("close", re.compile(r"(?i)fail(?:ed|ure) to close|error closing|close failed|\bclose\b")),
    ("fsync", re.compile(r"(?i)fsync|error syncing")),
    ("write", re.compile(r"(?i)error writing|write (?:error|failed)|writing output|failed to write")),
    ("read", re.compile(r"(?i)error reading|read (?:error|failed)|reading input|failed to read")),
    ("rename", re.compile(r"(?i)cannot move|rename")),
    ("remove", re.compile(r"(?i)cannot remove|unlink")),
    ("create", re.compile(r"(?i)(?:can't|cannot) (?:create|touch)|cannot make|mkdir|mkstemp")),
    ("stat", re.compile(r"(?i)cannot (?:access|stat|statx)|failed to get attributes")),
    ("open", re.compile(r"(?i)(?:cannot|can't|failed to) open|for reading")),
    ("list", re.compile(r"(?i)reading directory")),
)  # fmt: skip
# where a relative name lies, as the prompt or a `cd` shows it: /mnt/vol-fs # echo ok > pw
PROMPT = re.compile(
    r"^(?:[\w.-]{1,40}@[\w.-]{1,80}:)?(/[^\s$#]{0,500}) ?[$#] |^(?:\d\d:\d\d:\d\d )?[$#%] cd (/[^\s;&|]{0,500})"
)


def read(text: Text) -> Iterator[Evidence]:
    directory = ""
    for message in messages(text, INTERESTING):
        if found := PROMPT.match(message.line.text[:600]):
            directory = found[1] or found[2]
        elif (found := LINE.match(message.text)) and ERRNO.search(found["said"]):
            yield _error(text, message, found["tool"], found["said"], directory)
        elif found := FILE_MAX.search(message.line.text[:400]):
            yield ToolError(
                **message.facts(text), severity=Severity.CRITICAL, tool="kernel", error="ENFILE", text=found[0]
            )
        elif (found := DAEMON.search(message.line.text[:1200])) and _is_refused(found["tool"], found["said"]):
            yield _of_daemon(text, message, found["tool"], found["said"])


def _is_refused(tool: str, said: str) -> bool:
    """True where a daemon's disk refused; clients of network volumes have parsers of their own."""
    return REFUSED.search(said) is not None and not tool.startswith(NO_TOOLS)


INTERESTING = re.compile(
    r"VFS: file-max limit \d|"
    rf"\w\[\d{{1,9}}\]: .{{0,1000}}(?:{REFUSALS})|"
    rf"(?:^|[\s/-])(?:{_TOOLS})(?:\(\d{{1,9}}\))?: |^[\w@.:-]{{0,120}}/\S{{0,500}} ?[$#] |[$#%] cd /"
)


def _error(text: Text, message: Message, tool: str, said: str, directory: str) -> ToolError:
    quoted, bare = QUOTED.search(said), BARE.search(said)
    name = quoted[1] if quoted else (bare[1] or bare[2]) if bare else None
    error = errno_in(said)
    return ToolError(
        **message.facts(text, path=posixpath.join(directory, name) if name else None),
        severity=Severity.WARNING if error in ("ENOENT", "EACCES", "EEXIST", "EPERM", "EINVAL") else Severity.CRITICAL,
        tool=tool,
        error=error,
        text=said,
        operation=next((operation for operation, pattern in OPERATIONS if pattern.search(said)), None),
    )


def _of_daemon(text: Text, message: Message, tool: str, said: str) -> ToolError:
    path = PATH.search(said)
    return ToolError(
        **message.facts(text, path=path[1] if path else None),
        severity=Severity.CRITICAL,
        tool=tool,
        error=errno_in(said),
        text=said,
    )


PARSER = Parser(
    tool="cp",
    medium="transcript",
    footprint=rf"VFS: file-max limit \d+ reached|\w\[\d{{1,9}}\]: .{{0,1000}}(?:{REFUSALS})"
    rf"|(^|[\s/-])({_TOOLS})(\(\d+\))?: .*(?i:{'|'.join(text.replace('/', '.') for text in MESSAGES)})",
    read=read,
)
