"""What is known of a line once some of its layers are off."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..evidence import Stamp

LEVELS = "emerg alert crit err warning notice info debug".split()  # by syslog's number


class Envelope(NamedTuple):
    """A line without its wrapping. `stamp` is the time that the outermost layer gave.

    `elapsed_s` is set, and `stamp` is not, where a layer says only how long after the line before it came
    (`dmesg -H`, `dmesg -d`).
    """

    message: str
    stamp: Stamp | None = None
    host: str | None = None
    program: str | None = None  # the syslog tag: "kernel", "mfsmount", "systemd"
    pid: int | None = None
    rank: int | None = None
    level: str | None = None
    uptime: Stamp | None = None  # a kernel line inside syslog carries both clocks
    caller: str | None = None  # "T31" or "C3": the task or CPU that called printk
    elapsed_s: float | None = None


Peel = Callable[[Envelope], Envelope | None]
