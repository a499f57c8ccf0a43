"""Who is stuck: for a thread that does not move, the call, the descriptor, the file, the mount and the server.

    pid 11477 (pt_data_worker): read of 12 -> /workspace/data/shard2.bin on /workspace (MooseFS at
    10.0.0.1:9421), state D in folio_wait_bit_common, for at least 1 s

Two looks a second apart: a thread that used no CPU and switched no context between them has not moved since
the first. Everything comes from /proc, in a child; no volume is asked anything. A buffered read waits in D,
close, open, stat and write in S until a signal comes: the state alone tells nothing.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .kernel_waits import BLOCK_WAITS, CLIENT_WAITS, PAGE_WAITS
from .mounttable import MountPoint, absolute, mount_of, read_mount_table
from .procfs import numbers_in, open_paths, read_file, stat_fields
from .question import Question
from .system_calls import ARM64, X86_64

LOOK_S = 1.0
WAITS = (*CLIENT_WAITS, *PAGE_WAITS, *BLOCK_WAITS)
CALLS = ARM64 if os.uname().machine == "aarch64" else X86_64


@dataclass(frozen=True)
class Stuck:
    """A thread that did not move. None = not known, or not allowed to see.

    `path` is the file that the call names; `held` are other files of the process on that mount, where the call
    names none (a killed process that closes its files while it exits).
    """

    pid: int
    tid: int
    comm: str
    state: str
    wchan: str | None
    call: str | None
    descriptor: int | None
    path: str | None
    mount: str | None
    server: str | None
    filesystem: str | None
    held: tuple[str, ...]
    at_least_s: float
    started_s: float

    def as_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))


def waiting_threads(mine: int, waits: Sequence[str]) -> dict[tuple[int, int], tuple[str, ...]]:
    """By (pid, tid): state, wait channel, CPU ticks, start and context switches of whoever waits for a volume."""
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for pid in numbers_in("/proc"):
        if pid in (2, mine) or read_file(f"/proc/{pid}/comm").startswith("dx-"):
            continue
        for tid in numbers_in(f"/proc/{pid}/task"):
            base = f"/proc/{pid}/task/{tid}"
            wchan, fields = read_file(f"{base}/wchan"), stat_fields(base)
            if not fields or fields[1] == "2":  # kernel threads have kthreadd for a parent
                continue
            if fields[0] == "D" or any(wchan.startswith(wait) for wait in waits):
                switches = "".join(line for line in read_file(f"{base}/status").splitlines() if "ctxt" in line)
                found[pid, tid] = (fields[0], wchan, fields[11], fields[12], fields[19], switches)
    return found


def text_at(pid: int, address: int) -> str | None:
    """The path that a system call was given, from the memory of its process."""
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(min(4096, 4096 - address % 4096)).partition(b"\0")[0].decode(errors="replace")
    except (OSError, ValueError, OverflowError):
        return None


def describe(pid: int, tid: int, seen: tuple[str, ...], calls: dict[str, list[Any]]) -> dict[str, Any]:
    base, links = f"/proc/{pid}/task/{tid}", open_paths(pid)
    call, descriptor, path = None, None, None
    words = read_file(f"{base}/syscall").split()
    if words and words[0] in calls:
        call, descriptor_at, path_at = calls[words[0]][:3]
        if descriptor_at is not None:
            descriptor = int(words[1 + descriptor_at], 16)
            path = links.get(descriptor)
        elif path_at is not None:
            path = text_at(pid, int(words[1 + path_at], 16))
    now = float(read_file("/proc/uptime").split()[0])
    return {
        "pid": pid,
        "tid": tid,
        "comm": read_file(f"{base}/comm").strip(),
        "state": seen[0],
        "wchan": seen[1] if seen[1] not in ("", "0") else None,
        "call": call,
        "descriptor": descriptor,
        "path": path,
        "held": sorted({target for target in links.values() if target.startswith("/")}),
        "started_s": now - int(seen[4]) / os.sysconf("SC_CLK_TCK"),
    }


def look(say: Any, mine: int, seconds: float, waits: Sequence[str], calls: dict[str, list[Any]]) -> dict[str, Any]:
    """The threads that wait for a filesystem and did not move while we looked."""
    import time

    first, began = waiting_threads(mine, waits), time.monotonic()
    time.sleep(seconds)
    again, took = waiting_threads(mine, waits), time.monotonic() - began
    still = [(key, seen) for key, seen in again.items() if first.get(key) == seen]
    return {"threads": [describe(*key, seen, calls) | {"at_least_s": took} for key, seen in still]}


LOOK = Question(look, uses=(read_file, numbers_in, open_paths, stat_fields, waiting_threads, text_at, describe))


def who_waits(mount: str | None = None, *, deadline_s: float = 8.0) -> list[Stuck]:
    """The stuck threads of all processes that this user may see, of one mount or of all.

    A thread whose call names no file counts for a network volume on which its process has files open, and
    one that waits for a FUSE daemon without any for the FUSE volume in question.
    """
    answer = LOOK.ask(
        "/proc",
        deadline_s,
        mine=os.getpid(),
        seconds=LOOK_S,
        waits=WAITS,
        calls={str(number): call for number, call in CALLS.items()},
    )
    table = read_mount_table()
    point = mount_of(absolute(mount), table).mount if mount else None
    rows = [_placed(row, point, table) for row in answer.values.get("threads", [])]
    return [row for row in rows if (point is None or row.mount == point)]


def _placed(row: dict[str, Any], point: str | None, table: list[MountPoint]) -> Stuck:
    """The row with the mount that it waits for, as far as it is known."""
    path = row["path"] if (row["path"] or "").startswith("/") else None
    network = {each.mount: each for each in table if each.filesystem.network and each.mount != "/"}
    held = [each for each in row["held"] if mount_of(each, table).mount in network]
    where = None
    if path:
        where = mount_of(path, table)
    elif held:
        where = mount_of(held[0], table)
    elif row["wchan"] == "request_wait_answer":
        # a close has taken its descriptor out of the table before it waits; the volume is some FUSE one
        fuse = [each for each in network.values() if each.type.startswith("fuse")]
        where = next((each for each in fuse if each.mount == point or len(fuse) == 1), None)
    found: dict[str, Any] = {**row, "path": path, "held": () if path else tuple(held[:8])}
    found |= {"mount": None, "server": None, "filesystem": None}
    if where:
        found |= {"mount": where.mount, "server": where.server, "filesystem": where.filesystem.title}
    return Stuck(**found)


def format_stuck(row: Stuck) -> str:
    """One line for people."""
    what = row.call or "a call that may not be seen"
    if row.path:
        what += f" of {row.path}" if row.descriptor is None else f" of {row.descriptor} -> {row.path}"
    elif row.held:
        what += f", with {row.held[0]} open" + (f" and {len(row.held) - 1} more" if len(row.held) > 1 else "")
    server = f" at {row.server}" if row.server else ""
    where = f" on {row.mount} ({row.filesystem}{server})" if row.mount else ""
    thread = "" if row.tid == row.pid else f" thread {row.tid}"
    since = f"for at least {row.at_least_s:.0f} s, at most {row.started_s:.0f} s"
    return f"pid {row.pid}{thread} ({row.comm}): {what}{where}, state {row.state} in {row.wchan or '?'}, {since}"
