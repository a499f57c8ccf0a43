"""Small looks into /proc, for this process and for the children that carry their source: each is self-contained."""

from __future__ import annotations

import os


def read_file(path: str) -> str:
    """The text of a file of /proc; "" when it is gone or may not be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def numbers_in(folder: str) -> list[int]:
    """The pids in /proc, the threads in /proc/PID/task or the descriptors in /proc/PID/fd, in order."""
    try:
        return sorted(int(name) for name in os.listdir(folder) if name.isdigit())
    except OSError:
        return []


def open_paths(pid: int) -> dict[int, str]:
    """What each descriptor of a process points at; links are read, never followed."""
    found = {}
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            found[int(entry.name)] = os.readlink(entry.path)
    except OSError:
        pass
    return found


def stat_fields(base: str) -> list[str]:
    """The fields of /proc/PID/stat from the third, the state, on: the name before them may hold spaces and brackets."""
    return read_file(f"{base}/stat").rpartition(")")[2].split()


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    found = [pid]
    for each in found:
        for tid in numbers_in(f"/proc/{each}/task"):
            found += [int(child) for child in read_file(f"/proc/{each}/task/{tid}/children").split()]
    return found
