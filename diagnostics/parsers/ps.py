"""`ps` in any of its column sets: aux, auxf, -ef, -eLf, -eo ..., --forest.

    # 2026-11-29 12:53:26
      PID  PPID STAT WCHAN                                ELAPSED     TIME COMMAND         COMMAND
    21480     1 Dl   folio_wait_bit_common                     71 00:00:00 pt_data_worker  [pt_data_worker]

The header says what the columns are, or the command (`ps -eo pid,ppid,args | grep ...`) or a row's shape where a filter
took the header; a table ends at an empty line, a prompt or the second that is no row. A row of a thread (`-L`) is a
thread's state; its leader's row is the process's state too. A table of threads alone (`ps -L -o lwp,stat,wchan 7741`)
is of the one process that the command names, or of the one whose pid, told above, its first row bears; a row of
`ps -m` with "-" for its pid is a thread of the row above. A STAT without the flag l has one thread. A start time is the
age too where the table's time is known. Skipped: columns without a field (TTY, VSZ, NI ...). When there is no PPID
column the parent is read off the tree, where ps drew one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..durations import seconds
from ..envelope.times import syslog_stamp
from ..evidence import Clock, Evidence, Stamp, Subject
from ..evidence.process import ProcessState, ThreadState
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source, stamp_before, state_severity

# USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
# other tools with a column PID have one of these beside it: top, lsof, fuser
_COLUMN = r"(?!(?:FD|VIRT|NODE|DEVICE|ACCESS)\b)[A-Z%][A-Z%_]{0,20}[ \t]{1,100}"
HEADER = re.compile(
    rf"^[ \t]{{0,40}}(?:{_COLUMN}){{0,30}}?(?:PID|LWP|TID|SPID)[ \t]{{1,100}}(?:{_COLUMN}){{0,30}}?"
    r"(?:COMMAND|CMD|COMM|ARGS|UCMD|UCOMM|STAT|S|WCHAN|RSS|%MEM|TIME)[ \t\r]{0,100}$"
)
COMMANDS = frozenset({"COMMAND", "CMD", "COMM", "ARGS", "UCMD", "UCOMM"})
# |   \_ python3 train.py
TREE = re.compile(r"^[ |]*\\_ ")
# a program's name, where nothing but a state stands before it: an interpreter or launcher, a path, what is in brackets
# or names itself with colons
_PROGRAM = (
    r"(?:\[[\w.:/-]{2,40}\](?: |$)|/[\w.+-]{1,80}/\S|(?:python[\d.]{0,5}|torchrun|deepspeed|accelerate|mpirun|mpiexec"
    r"|bash|sh|julia|luajit|th) |[A-Za-z]\w{1,30}::\w)"
)
# rows of `ps aux` and `ps -ef` tell by their shape what they are, where a filter has dropped the header
HEADLESS = (
    (
        re.compile(r"^\S{1,32} +\d{1,10} +\d{1,4}\.\d +\d{1,3}\.\d +\d{1,12} +\d{1,12} +"
            r"(?:\?|pts/\d+|tty\w+) +[DRSTtZXIKWP][\w<+]* "),
        tuple("USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND".split()),
    ),
    (
        re.compile(r"^\S{1,32} +\d{1,10} +\d{1,10} +\d{1,3} +\S{3,8} +(?:\?|pts/\d+|tty\w+) +"
            r"(?:\d+-)?\d\d:\d\d:\d\d \S"),
        tuple("UID PID PPID C STIME TTY TIME CMD".split()),
    ),
    # carol  2207  0.0 11.2  Ssl  Oct29  4:11 /usr/bin/python3 -m ipykernel_launcher
    (
        re.compile(
            r"^[a-z_]\S{0,31} +\d{1,10} +\d{1,4}\.\d +\d{1,3}\.\d +[DRSTtZXI][sl+<NL]{0,4} +"
            r"(?:[A-Z][a-z]{2}\d\d|\d\d:\d\d) +\d{1,6}:\d\d +\S"
        ),
        tuple("USER PID %CPU %MEM STAT START TIME COMMAND".split()),
    ),
    # 71020     1 Sl  09:40:11 ray::RayTrainWorker
    (
        re.compile(r"^ {0,8}\d{1,10} +\d{1,10} {1,6}[DRSTtZXI][sl+<NL]{0,4} +(?:\d{1,4}-)?\d\d:\d\d(?::\d\d)? +\S"),
        tuple("PID PPID STAT ELAPSED CMD".split()),
    ),
    # 9112 D  fuse_wait  python train.py     where the wait is one of a volume's, a disk's or a lock's
    (
        re.compile(
            r"^ {0,8}\d{1,10} +D[sl+<NL]{0,4} +_{0,2}(?:fuse|nfs|rpc|folio|wait_on|io|autofs|request|jbd2|xfs|ext4"
            r"|btrfs|txg|cv|zio|zfs|dmu|ceph|cl|ll|osc|ptlrpc|call_rwsem|rwsem|bch2|blk|md|p9|v9fs|cifs|smb2|vfs|filemap)\d?_"
            r"[a-z0-9_]{2,40} +[^-\s]"
        ),
        tuple("PID STAT WCHAN COMMAND".split()),
    ),
    # 77120  1201 carol Ssl 2-10:04:11 python -m ipykernel_launcher
    (
        re.compile(r"^ {0,8}\d{1,10} +\d{1,10} +[a-z_][\w-]{0,31} +[DRSTtZXI][sl+<NL]{0,4} +(?:\d{1,4}-)?\d\d:\d\d"
            r"(?::\d\d)? +\S"),
        tuple("PID PPID USER STAT ELAPSED CMD".split()),
    ),
    # 30140     1 S   python train.py      8811     1 Zl  [VLLM::EngineCor] <defunct>
    (
        re.compile(rf"^ {{0,8}}\d{{2,10}} {{1,10}}\d{{1,10}} {{1,6}}[DRSTtZXI][sl+<NL]{{0,4}} {{1,10}}{_PROGRAM}"),
        tuple("PID PPID STAT CMD".split()),
    ),
    # 9034 Z   02:10:40 [python] <defunct>
    (
        re.compile(rf"^ {{0,8}}\d{{2,10}} {{1,10}}[DRSTtZXI][sl+<NL]{{0,4}} {{1,10}}(?:\d{{1,4}}-)?\d\d:\d\d(?::\d\d)?"
            rf" {{1,10}}{_PROGRAM}"),
        tuple("PID STAT ELAPSED CMD".split()),
    ),
    # 8122 Z  [python] <defunct>
    (
        re.compile(rf"^ {{0,8}}\d{{2,10}} {{1,10}}[DRSTtZXI][sl+<NL]{{0,4}} {{1,10}}{_PROGRAM}"),
        tuple("PID STAT CMD".split()),
    ),
)  # fmt: skip
# $ ps -eo pid,ppid,stat,args | grep VLLM::
# $ docker exec box ps -o pid,stat,comm      $ ps -C python -o stat=,etime=,pid=
ASKED = re.compile(
    r"(?:^|[$#] ?|sudo |\b(?:docker|podman) exec (?:-\w{1,4} )?\S{1,60} |\bkubectl exec .{1,80} -- |\bssh \S{1,80} )"
    r"ps (?:-{0,2}[\w=]{1,20} ){0,4}?(?:-[A-Za-z]{0,4}o ?|[A-Za-z]{0,4}o )"
    r"(?P<columns>[a-z%][\w%:]{0,20}=?(?:(?:,| -?o ?)[a-z%][\w%:]{0,20}=?){1,20})"
)
# ps -L -o lwp,stat,wchan:26 7741      ps -T -p 7741 -o tid=,stat=      ps -Lp7741 -o lwp,wchan
COMMAND_LINE = re.compile(r"\bps (-?\w[\w,:=. %-]{0,200})")
PIDS = re.compile(r"(?:(?<= )|(?<=[a-zA-Z][pq])|(?<=-[pq])|(?<=pid=))\d{2,10}(?![\w,:.=])")
NO_PIDS = re.compile(r"--ppid|(?:^| )-?[a-zA-Z]{0,4}[GUgstu] ?\d")  # numbers of parents, groups and users
HEADING_OF = {
    "command": "COMMAND",
    "cmd": "COMMAND",
    "args": "COMMAND",
    "ucmd": "COMMAND",
    "etime": "ELAPSED",
    "etimes": "ELAPSED",
    "state": "S",
    "pcpu": "%CPU",
    "pmem": "%MEM",
    "lstart": "STARTED",
}
WEEKDAYS = frozenset("Mon Tue Wed Thu Fri Sat Sun".split())
# Wed Jun 21 11:50:02 2023      Wed 21 Jun 11:50:02 2023
DATED = re.compile(r"[A-Z][a-z]{2} (?:([A-Z][a-z]{2}) (\d{1,2})|(\d{1,2}) ([A-Z][a-z]{2})) (\d\d:\d\d:\d\d) (\d{4})")
# 11:50      11:50:02      1:52PM
OF_A_DAY = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?([AP]M)?")
DAY_S = 86400.0
STATES = frozenset("RSDTtZXIKWP")
THREADS = ("LWP", "SPID", "TID")
OF_STATE = ("STAT", "S")
STATE = re.compile(r"[DRSTtZXIKWP][<NLsl+]{0,5}")
PROMPT = re.compile(r"^(?:\S{1,80}[$#]|\$) ")  # the next command of a session
STRAYS = 2  # one line of something else may have been printed into a table


@dataclass(frozen=True)
class Table:
    """A header's column names, where the last column starts, and when the table was taken."""

    columns: tuple[str, ...]
    last_start: int
    stamp: Stamp | None
    by_shape: bool = False  # no header: each row tells by its own shape what it is
    pid: str | None = None  # of a table of one process's threads
    wall: Stamp | None = None  # when it was taken, on the clock of its start times

    @property
    def alone(self) -> bool:
        """True where its one row is of the process that was asked for, and no column bears a number of it."""
        return self.pid is not None and not {"PID", *THREADS} & set(self.columns)


def read(text: Text) -> Iterator[Evidence]:
    table: Table | None = None
    tree: list[tuple[int, int]] = []
    strays = 0
    told: set[str] = set()
    last: str | None = None
    for line in text.lines():
        if table is None or table.by_shape:
            columns = headless(line.text)
            if columns and (table is None or table.columns != columns):
                tree, strays = [], 0
            table = Table(columns, 0, None, by_shape=True) if columns else None
        if header := table_of(text, line) or asked_for(text, line):
            table, tree, strays, last = header, [], 0, None
        elif table and (row := cells(table, line.text)) and (row := of_process(table, row, last, told)):
            strays, last = 0, row["PID"]
            told.add(last)
            yield from facts(text, line, table, row, parent_in(tree, row))
            table = None if table.alone else table
        elif table:
            strays += 1
            if strays == STRAYS or not line.text.strip() or PROMPT.match(line.text):
                table = None


def table_of(text: Text, line: Line) -> Table | None:
    """The table that a line is the header of."""
    if len(line.text) > 500 or not HEADER.match(line.text):
        return None
    columns, last_start = tuple(line.text.split()), line.text.rstrip().rfind(" ") + 1
    of_one = next((pid for each in text.before(line, 2) if (pid := pid_asked_for(each.text))), None)
    stamp = stamp_before(text, line)
    return Table(columns, last_start, stamp, pid=of_one, wall=wall(stamp))


def wall(stamp: Stamp | None) -> Stamp | None:
    """A table's time on the clock of its start times, which are in the zone of its machine."""
    return stamp.wall if stamp and stamp.clock is not Clock.UPTIME else None


def pid_asked_for(line: str) -> str | None:
    """The one process that a `ps` command asks for."""
    found = COMMAND_LINE.search(line[:500])
    pids = PIDS.findall(found[1]) if found and not NO_PIDS.search(found[1]) else []
    return pids[0] if len(pids) == 1 else None


def asked_for(text: Text, line: Line) -> Table | None:
    """The table whose columns a command names, since its output comes without a header."""
    found = ASKED.search(line.text[:500])
    if not found:
        return None
    names = [name.rstrip("=").partition(":")[0] for name in re.split(",| -?o ?", found["columns"])]
    columns = tuple(HEADING_OF.get(name, name.upper()) for name in names)
    pid, stamp = pid_asked_for(line.text), stamp_before(text, line)
    tells = "PID" in columns or (pid is not None and any(name in columns for name in (*THREADS, *OF_STATE)))
    return Table(columns, 0, stamp, pid=pid, wall=wall(stamp)) if tells else None


def headless(row: str) -> tuple[str, ...] | None:
    """The columns of a row that no header stands above."""
    return next((columns for shape, columns in HEADLESS if shape.match(row[:400])), None)


def cells(table: Table, row: str) -> dict[str, str] | None:
    """A row's cells by column name; the command's words and its tree drawing stay whole."""
    found: dict[str, str] = {}
    rest = row.rstrip()
    for number, name in enumerate(table.columns):
        last = number == len(table.columns) - 1
        if name in COMMANDS and not last:
            name, (value, rest) = "COMM", middle_command(table, row, rest)
        elif last and name in COMMANDS:
            name, value, rest = "ARGS", rest.removeprefix(" "), ""
        elif name in ("STARTED", "START"):
            value, rest = start_time(rest)
        else:
            value, _, rest = rest.lstrip().partition(" ")
        if name not in found:
            found[name] = value
    numbered = any(re.fullmatch(r"\d{1,10}", found.get(name, "")) for name in ("PID", *THREADS))
    state = found.get("STAT") or found.get("S") or ""
    of_one = table.alone and STATE.fullmatch(state) and tuple(found.values()) != tuple(found)
    return found if numbered or of_one else None


def of_process(table: Table, row: dict[str, str], last: str | None, told: set[str]) -> dict[str, str] | None:
    """A row with its process's pid: its own, that of the row above (`ps -m`), or the one that was asked for."""
    pid = row.get("PID")
    if pid is None:
        first = str(number(row, *THREADS))
        pid = table.pid or last or (first if first in told else None)
    elif pid == "-":
        pid = last
    return {**row, "PID": pid} if pid and re.fullmatch(r"\d{1,10}", pid) else None


def middle_command(table: Table, row: str, rest: str) -> tuple[str, str]:
    """A command's name before another column: it may hold spaces, and reaches to the next column's start."""
    start = len(row.rstrip()) - len(rest.lstrip())
    if start < table.last_start < len(row) and row[table.last_start - 1] == " " and table.columns[-1] in COMMANDS:
        return row[start : table.last_start].strip(), row.rstrip()[table.last_start :]
    value, _, after = rest.lstrip().partition(" ")
    return value, after.lstrip()


def start_time(rest: str) -> tuple[str, str]:
    """A start time: one word, "Mar 02", or the five words of lstart."""
    words = rest.split(None, 5)
    count = 5 if words and words[0] in WEEKDAYS else 2 if words and re.fullmatch(r"[A-Z][a-z]{2}", words[0]) else 1
    parts = rest.split(None, count)
    return " ".join(parts[:count]), parts[count] if len(parts) > count else ""


def parent_in(tree: list[tuple[int, int]], row: dict[str, str]) -> int | None:
    """The pid that the row hangs from in the drawing; `tree` holds the branch from the root to here."""
    drawn = TREE.match(row.get("ARGS", ""))
    depth = drawn.end() if drawn else 0
    while tree and tree[-1][0] >= depth:
        tree.pop()
    parent = tree[-1][1] if tree and drawn else None
    tree.append((depth, int(row["PID"])))
    return parent


def facts(text: Text, line: Line, table: Table, row: dict[str, str], drawn_parent: int | None) -> Iterator[Evidence]:
    pid = int(row["PID"])
    args = TREE.sub("", row.get("ARGS", "")).strip()
    args = "" if args == "-" else args
    state = (row.get("STAT") or row.get("S") or "")[:1]
    state = state if state in STATES else "Z" if args.endswith("<defunct>") else ""
    tid = number(row, *THREADS)
    parent = number(row, "PPID")
    wchan = row["WCHAN"] if row.get("WCHAN", "-") not in ("-", "0", "*") else None
    severity = state_severity(state)
    if tid is not None and (state or wchan):
        yield ThreadState(
            source=source(text, line),
            subject=Subject(pid=pid, tid=tid, comm=comm(row, args)),
            stamp=table.stamp,
            severity=severity,
            state=state or None,
            wchan=wchan,
            parent_pid=parent,
        )
    if tid in (None, pid):
        yield ProcessState(
            source=source(text, line),
            subject=Subject(pid=pid, comm=comm(row, args)),
            stamp=table.stamp,
            severity=severity,
            state=state or None,
            parent_pid=parent if parent is not None else drawn_parent,
            wchan=wchan,
            elapsed_s=seconds(row.get("ELAPSED", "")) if "ELAPSED" in row else age_s(table, row),
            began_s=began(row)[0],
            cpu_s=seconds(row.get("TIME", "")),
            cpu_percent=percent(row),
            rss_kib=number(row, "RSS", "RSZ", "RSSIZE"),
            threads=number(row, "NLWP", "THCNT") or lone_thread(row),
            user=row.get("USER") or row.get("EUSER") or row.get("UID") or row.get("RUSER"),
            command=args,
        )


def began(row: dict[str, str]) -> tuple[float | None, bool]:
    """When a row's process began, in seconds, and whether that is of a day which is not told; a date alone is none."""
    value = row.get("STARTED") or row.get("START") or row.get("STIME") or ""
    if found := DATED.fullmatch(value):
        stamp = syslog_stamp(found[1] or found[4], found[2] or found[3], found[5], found[6])
        return (stamp.seconds if stamp else None), False
    if found := OF_A_DAY.fullmatch(value):
        hour = int(found[1]) % 12 + (12 if found[4] == "PM" else 0) if found[4] else int(found[1])
        return hour * 3600.0 + int(found[2]) * 60 + int(found[3] or 0), True
    return None, False


def age_s(table: Table, row: dict[str, str]) -> float | None:
    """How long before the table was taken a row's process began."""
    began_s, of_a_day = began(row)
    if began_s is None or table.wall is None:
        return None
    passed = table.wall.seconds - began_s
    if of_a_day:
        return passed % DAY_S
    return passed if table.wall.clock is Clock.LOCAL and passed >= 0 else None


def comm(row: dict[str, str], args: str) -> str | None:
    """The kernel's name of the task: its own column, else the command's first word or the name in brackets."""
    if row.get("COMM"):
        return row["COMM"].removesuffix(" <defunct>")
    if args.startswith("["):
        return args[1:].partition("]")[0][:15] or None
    word = args.partition(" ")[0]
    if word.startswith(("/", "./", "../")):  # "kworker/0:1" is a name, not a path
        word = word.rsplit("/", 1)[-1] or word
    return word.rstrip(":")[:15] or None


def number(row: dict[str, str], *names: str) -> int | None:
    return next((found for name in names if (found := whole_number(row.get(name, ""))) is not None), None)


def lone_thread(row: dict[str, str]) -> int | None:
    """1 where the state comes with its flags and the one of several threads is not among them."""
    return 1 if row.get("STAT", "l")[:1] in STATES and "l" not in row["STAT"] else None


def percent(row: dict[str, str]) -> float | None:
    value = row.get("%CPU", row.get("C", ""))
    return float(value) if re.fullmatch(r"\d{1,6}(?:\.\d+)?", value) else None


PARSER = Parser(
    tool="ps",
    medium="process-table",
    footprint=footprint_of(HEADER, *(shape for shape, _ in HEADLESS), ASKED),
    read=read,
)
