"""Names of errors as C libraries, shells and Python word them."""

from __future__ import annotations

import re

NAMES = {
    1: "EPERM", 2: "ENOENT", 3: "ESRCH", 4: "EINTR", 5: "EIO", 6: "ENXIO", 9: "EBADF", 10: "ECHILD", 11: "EAGAIN",
    12: "ENOMEM", 13: "EACCES", 14: "EFAULT", 16: "EBUSY", 17: "EEXIST", 18: "EXDEV", 19: "ENODEV", 20: "ENOTDIR",
    21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE", 26: "ETXTBSY", 27: "EFBIG", 28: "ENOSPC", 29: "ESPIPE",
    30: "EROFS", 32: "EPIPE", 36: "ENAMETOOLONG", 39: "ENOTEMPTY", 61: "ENODATA", 71: "EPROTO", 74: "EBADMSG",
    84: "EILSEQ", 95: "EOPNOTSUPP", 98: "EADDRINUSE", 99: "EADDRNOTAVAIL", 100: "ENETDOWN", 101: "ENETUNREACH",
    103: "ECONNABORTED", 104: "ECONNRESET", 105: "ENOBUFS", 107: "ENOTCONN", 108: "ESHUTDOWN", 110: "ETIMEDOUT",
    111: "ECONNREFUSED", 112: "EHOSTDOWN", 113: "EHOSTUNREACH", 116: "ESTALE", 117: "EUCLEAN", 121: "EREMOTEIO",
    122: "EDQUOT",
}  # fmt: skip

TEXTS = {
    "operation not permitted": "EPERM",
    "no such file or directory": "ENOENT",
    "input/output error": "EIO",
    "no such device or address": "ENXIO",
    "bad file descriptor": "EBADF",
    "resource temporarily unavailable": "EAGAIN",
    "cannot allocate memory": "ENOMEM",
    "permission denied": "EACCES",
    "device or resource busy": "EBUSY",
    "file exists": "EEXIST",
    "no such device": "ENODEV",
    "invalid argument": "EINVAL",
    "too many open files in system": "ENFILE",
    "too many open files": "EMFILE",
    "file too large": "EFBIG",
    "no space left on device": "ENOSPC",
    "read-only file system": "EROFS",
    "broken pipe": "EPIPE",
    "bad message": "EBADMSG",
    "structure needs cleaning": "EUCLEAN",
    "stale file handle": "ESTALE",
    "stale nfs file handle": "ESTALE",
    "disk quota exceeded": "EDQUOT",
    "quota exceeded": "EDQUOT",
    "remote i/o error": "EREMOTEIO",
    "transport endpoint is not connected": "ENOTCONN",
    "cannot send after transport endpoint shutdown": "ESHUTDOWN",
    "network is unreachable": "ENETUNREACH",
    "network is down": "ENETDOWN",
    "no route to host": "EHOSTUNREACH",
    "host is down": "EHOSTDOWN",
    "connection refused": "ECONNREFUSED",
    "connection reset by peer": "ECONNRESET",
    "connection timed out": "ETIMEDOUT",
    "address already in use": "EADDRINUSE",
}

_NUMBER = re.compile(r"\[Errno (-?\d{1,4})\]|\(os error (\d{1,4})\)|\berrno[ :=]{1,3}(\d{1,3})\b")
_TEXT = re.compile("|".join(re.escape(text) for text in sorted(TEXTS, key=len, reverse=True)), re.IGNORECASE)


def errno_of(text: str) -> str | None:
    """The errno's name that a message gives, by number (`[Errno 5]`) or by wording, or None."""
    if (found := _NUMBER.search(text)) and (
        name := NAMES.get(abs(int(next(group for group in found.groups() if group))))
    ):
        return name
    return TEXTS[found[0].lower()] if (found := _TEXT.search(text)) else None
