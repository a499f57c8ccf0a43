"""Names of signals as shells, launchers and schedulers word them."""

from __future__ import annotations

from ..text import whole_number

NAMES = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    17: "SIGCHLD", 18: "SIGCONT", 19: "SIGSTOP", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}  # fmt: skip

WORDS = {
    "hangup": "SIGHUP",
    "interrupt": "SIGINT",
    "quit": "SIGQUIT",
    "illegal instruction": "SIGILL",
    "trace/breakpoint trap": "SIGTRAP",
    "trace/bpt trap": "SIGTRAP",
    "aborted": "SIGABRT",
    "abort": "SIGABRT",
    "bus error": "SIGBUS",
    "floating point exception": "SIGFPE",
    "killed": "SIGKILL",
    "user defined signal 1": "SIGUSR1",
    "segmentation fault": "SIGSEGV",
    "user defined signal 2": "SIGUSR2",
    "broken pipe": "SIGPIPE",
    "alarm clock": "SIGALRM",
    "terminated": "SIGTERM",
    "cpu time limit exceeded": "SIGXCPU",
    "file size limit exceeded": "SIGXFSZ",
    "bad system call": "SIGSYS",
}


def signal_of_status(status: int | None) -> str | None:
    """The signal that an exit status stands for: 128+N as shells count, -N as Python does."""
    if status is None:
        return None
    return NAMES.get(status - 128) if 128 < status < 192 else NAMES.get(-status) if status < 0 else None


def signal_named(word: str) -> str | None:
    """The signal's name from a shell's words ("Bus error"), a number, or a name with or without SIG."""
    word = word.strip().rstrip(".")
    if (number := whole_number(word)) is not None and len(word) < 4:
        return NAMES.get(number)
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    name = word.upper() if word.upper().startswith("SIG") else f"SIG{word.upper()}"
    return name if name in NAMES.values() else None
