"""/proc/PID/{stack,wchan,status,syscall}, alone or one after the other for every thread.

    == pid 30506 (python) 13:01:28
    State:	S (sleeping)
    -- tid 31802 (pt_data_worker) State: D (disk sleep) cpu_ticks 8
    wchan: folio_wait_bit_common
    syscall: 0 0xc 0x55ccf5ea58f0 0x80000 0x0 0x0 0x0 0x7ffd3ee78860 0x7f3a58d162ec
    [<0>] folio_wait_bit_common+0x110/0x310

A path (`/proc/31802/task/31818/stack`, as head, tail, grep or a shell prompt print it) names the thread too;
a bare stack has no owner. `status` speaks of the main thread alone, its ShdPnd of the whole process.
A wchan or stack of `0` means that the reader was not allowed to see it, so nothing is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Stamp, Subject
from ..evidence.process import ProcessState, ThreadState
from ..system_calls import ARM64, X86_64
from ..text import Line, Text, whole_number
from . import Parser
from ._call_trace import frame, waiting_function
from ._snapshot import source, stamp_of, state_severity

# == pid 30506 (python) 13:01:28      == 30506 python at 13:01:28      === PID 30506: python      == 30506
PROCESS = re.compile(
    r"^={2,20} (?:[Pp][Ii][Dd] )?(\d{1,10}):?(?:(?: \(([^)]{0,64})\)| ([A-Za-z_][\w.:/+-]{0,40}))(?= |$)|(?: =+)?$)"
)
# -- tid 31805 (python) State: S (sleeping) cpu_ticks 0
THREAD = re.compile(
    r"^-+ tid (\d{1,10})(?: \(([^)]*)\))?(?: State:\s{1,4}([A-Za-z]))?(?: \([^)]*\))?(?: cpu_ticks (\d+))?"
)
# ==> /proc/31802/task/31818/stack <==      /proc/31802/wchan:folio_wait_bit_common
PATH = re.compile(r"/proc/(\d{1,10})(?:/task/(\d{1,10}))?/(stack|wchan|status|syscall|comm)\b(?::[ \t]*(\S.*))?")
# State:	D (disk sleep)
STATUS = re.compile(r"^(Name|State|Tgid|Pid|PPid|VmRSS|SigPnd|ShdPnd):\s+(\S[^\r\n]*)")
# wchan: folio_wait_bit_common
WCHAN = re.compile(r"^wchan:? +([\w.]+)\s*$")
# syscall: 0 0xc 0x55ccf5ea58f0 0x80000 0x0 0x0 0x0 0x7ffd3ee78860 0x7f3a58d162ec
SYSCALL = re.compile(r"^(?:syscall:? +)?(-?\d{1,4}|running)(?: (0x[0-9a-f]+))?(?: 0x[0-9a-f]+){0,8}\s*$")
WORD = re.compile(r"^[A-Za-z_][\w.]*\s*$")
ENTRY = re.compile(r"entry_|do_syscall_|__x64_sys_|__arm64_sys_|x64_sys_call|el0|invoke_syscall|ret_from_|asm_")
SIGKILL = 1 << 8


@dataclass
class Owner:
    """What is being gathered: a process's status, or one thread."""

    line: Line
    pid: int | None = None
    tid: int | None = None
    comm: str | None = None
    status: dict[str, str] = field(default_factory=dict)
    wchan: str | None = None
    syscall: str | None = None
    argument: str | None = None
    frames: list[str] = field(default_factory=list)
    ticks: int | None = None
    stamp: Stamp | None = None
    shared_pending: int = 0
    parent: int | None = None
    state_line: Line | None = None
    by_path: bool = False

    def has(self, file: str) -> bool:
        """True when this file of /proc was read for it: a second one is a later snapshot."""
        read_ = {"wchan": self.wchan, "stack": self.frames, "syscall": self.syscall, "comm": self.comm}
        return bool(read_.get(file))


def read(text: Text) -> Iterator[Evidence]:
    owner: Owner | None = None
    named: dict[tuple[int, int], Owner] = {}  # the owners that a path names: one thread's files may lie apart
    awaited = ""
    for line in text.lines():
        row = line.text[:1000]
        if found := PATH.search(row):
            if owner is not None and not owner.by_path:
                yield from told(text, owner)
            key = int(found[1]), int(found[2] or found[1])
            if key in named and named[key].has(found[3]):
                yield from told(text, named.pop(key))
            owner = named.setdefault(key, Owner(line, *key, by_path=True))
            awaited, row = found[3], found[4] or ""
        elif fresh := heading(line, row, owner):
            if owner is not None and not owner.by_path:
                yield from told(text, owner)
            owner, awaited, row = fresh, "", ""
        if not row:
            continue
        if owner is None and (frame(row) or STATUS.match(row) or WCHAN.match(row)):
            owner = Owner(line)
        if owner is not None and row.startswith("State:"):
            owner.state_line = owner.state_line or line
        if owner is not None and not note(owner, row, awaited) and not row.strip() and owner.pid is None:
            yield from told(text, owner)
            owner = None
    if owner is not None and not owner.by_path:
        yield from told(text, owner)
    for each in named.values():
        yield from told(text, each)


def heading(line: Line, row: str, owner: Owner | None) -> Owner | None:
    """The owner that a heading names."""
    if found := PROCESS.match(row):
        return Owner(line, pid=int(found[1]), comm=found[2] or found[3], stamp=stamp_of(row))
    if (found := THREAD.match(row)) and owner is not None:
        fresh = Owner(line, owner.pid, int(found[1]), found[2] or owner.comm, stamp=owner.stamp)
        fresh.shared_pending = pending(owner.status, "ShdPnd") or owner.shared_pending
        fresh.parent = whole_number(owner.status.get("PPid", "")) if owner.parent is None else owner.parent
        fresh.ticks = int(found[4]) if found[4] else None
        if found[3]:
            fresh.status["State"] = found[3]
        return fresh
    return None


def note(owner: Owner, row: str, awaited: str) -> bool:
    """Write down what a line says of its owner; False when it says nothing."""
    if name := frame(row):
        owner.frames.append(name.split(".", 1)[0])
    elif found := STATUS.match(row):
        owner.status.setdefault(found[1], found[2].strip())
    elif found := WCHAN.match(row):
        owner.wchan = found[1] if found[1] != "0" else None
    elif awaited == "wchan" and WORD.match(row):
        owner.wchan = row.strip()
    elif awaited == "comm" and row.strip():
        owner.comm = row.strip()[:15]
    elif (row.startswith("syscall") or awaited == "syscall") and (found := SYSCALL.match(row)):
        owner.syscall, owner.argument = found[1], found[2]
    else:
        return False
    return True


def told(text: Text, owner: Owner) -> Iterator[Evidence]:
    """The facts about one owner: a process when it has a status of its own, else a thread."""
    status = owner.status
    pid = owner.pid if owner.pid is not None else whole_number(status.get("Tgid") or status.get("Pid", ""))
    state = status.get("State", "")[:1] or None
    comm = owner.comm or status.get("Name")
    parent = whole_number(status.get("PPid", "")) if owner.parent is None else owner.parent
    severity = state_severity(state)
    # the status of another thread than the first says nothing of the process
    of_a_process = bool(status.keys() & {"PPid", "Pid"}) or (owner.pid is not None and owner.tid is None)
    if state and of_a_process and owner.tid in (None, pid):
        yield ProcessState(
            source=source(text, owner.state_line or owner.line),
            subject=Subject(pid=pid, comm=comm),
            stamp=owner.stamp,
            severity=severity,
            state=state,
            parent_pid=parent,
            rss_kib=whole_number(status.get("VmRSS", "").partition(" ")[0]),
        )
    if not (owner.frames or owner.wchan or owner.syscall or (owner.tid is not None and state)):
        return
    number = int(owner.syscall) if owner.syscall and owner.syscall != "running" else None
    yield ThreadState(
        source=source(text, owner.line),
        subject=Subject(pid=pid, tid=owner.tid if owner.tid is not None else pid, comm=comm),
        stamp=owner.stamp,
        severity=severity,
        state=state,
        wchan=owner.wchan,
        syscall=-1 if owner.syscall == "running" else number,
        descriptor=descriptor(number, owner),
        cpu_ticks=owner.ticks,
        parent_pid=parent,
        kill_pending=bool((pending(status, "SigPnd") | pending(status, "ShdPnd") | owner.shared_pending) & SIGKILL),
        frames=tuple(owner.frames),
        function=function_of(owner.frames),
    )


def function_of(frames: list[str]) -> str | None:
    """The guilty frame; of a stack that is nothing but waiting, the one that the system call's entry called."""
    found = waiting_function(frames)
    if found and not ENTRY.match(found):
        return found
    return next((name for name in reversed(frames) if not ENTRY.match(name)), None)


def descriptor(number: int | None, owner: Owner) -> int | None:
    """The first argument of a system call that takes a descriptor there."""
    arm = any("__arm64_" in frame or "el0_svc" in frame for frame in owner.frames)
    call = (ARM64 if arm else X86_64).get(-1 if number is None else number)
    if not call or not call.begins_with_descriptor or not owner.argument:
        return None
    value = int(owner.argument, 16)
    return value if value < 1 << 20 else None


def pending(status: dict[str, str], name: str) -> int:
    value = status.get(name, "0")
    return int(value, 16) if re.fullmatch(r"[0-9a-fA-F]{1,16}", value) else 0


PARSER = Parser(
    tool="/proc/PID",
    medium="kernel-stacks",
    footprint=(
        r"^=+ pid \d+ \(|^\[<[0-9a-f]*>\] [A-Za-z_][\w.]*\+0x|^State:[ \t]+[A-Za-z] \("
        r"|/proc/\d+/(task/\d+/)?(stack|wchan|syscall|status)\b|^wchan: [\w.]+"
    ),
    read=read,
)
