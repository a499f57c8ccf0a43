"""Memory over time: tables of monitoring scripts, and the lines in which a job logs its own use of the host's
memory.

    time      pid    rss_mb
    10:00     4242   2100
    host   phase        used
    node1  batch +0h30  5.2G

    epoch 3, step 2, RAM used: 25.26 GB
    iter 2000 loss: 2.21 mem_rss_gb: 31.9
    epoch 3    used 128 GB
    [2026-03-02 01:00:00,112] [INFO] CPU Virtual Memory:  used = 47.44 GB, percent = 9.4%
    RAM used: 30.1 GB / 31.2 GB
    Memory usage after 1000 prediction(s): 1341.207 MiB
    Memory info of CPU: total:201.37Gb, available: 190.78Gb, percent: 5.3%
    save 19  anon 338.2GB file 0.1GB limit 400GB
    iter 90 usage=61.0GiB anon=58.2 file=2.1     (as a group's memory.stat says it)
    svmem(total=270213128192, available=241201213440, percent=10.7, used=26012131328, ...)
    10:06:00  Mem total 252G used 249G
    20:33 load 181   mem used 91G / 93G
    Mem[||||||||||||||503G/504G]

The header names a memory column (used, rss, memory, resident, heap; whose it is and a unit may be part of the name);
a unit for all columns may stand behind them in parentheses ("time used free (GB, of 110)"). Lines of a GPU's memory
are none. Columns are separated by commas, tabs or two blanks. Rows without a size in that column are skipped, and so
is a table of fewer than three sizes, unless the share or the total is said. Of a range ("12-14G") the lower end
counts.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..evidence import Source, Subject
from ..evidence.storage import MemoryInfo
from ..footprint import footprint_of
from ..sizes import size_kib
from ..text import Line, Text, whole_number
from . import Parser


# rss_mb     used     Memory (GiB)     VmRSS     RES(python)
def _column(names: str) -> str:
    return (
        rf"(?:(?:host|cpu|ram|system|process|node|main|parent|trainer|rank ?\d{{1,4}})[ _])?(?:{names})"
        "(?:[ _]?(?:used|usage|rss|size))?"
        r"(?:\(bytes\)|\((?!bytes|[kmgt]i?b\))[a-z][\w.-]{0,30}\)|[ _]?\(?(?P<unit>[kmgt]i?b)?\)?)"
    )


NAMES = r"used|(?:vm|max|ave?)?rss|mem(?:ory)?|resident|heap"
COLUMN = re.compile(rf"^{_column(NAMES + '|res|usage')}$", re.I)
# what tells a heading: "usage" alone does not say of what, and "res" alone is a column of top
ANY_COLUMN = _column(NAMES + r"|res(?=\()")
HEADING = re.compile(rf"(?:^|[\s,]){ANY_COLUMN}\s*(?:,|\t| {{2}}|(?<=\)) |\(of \d|$)", re.I)
# epoch  ram  s/epoch: of a table over time alone, else it is how much a machine has
TIMES = r"(?:t|time|epochs?|steps?|iter(?:ation)?s?|batch(?:es)?|min(?:utes?)?|hours?|days?|after|uptime|round|save)\b"
OVER_TIME = re.compile(rf"^{TIMES}", re.I)
# step  rss_mb  tf      (a table of several runs, one below the other)
COUNTS = re.compile(
    r"^(?:steps?|epochs?|iter(?:ation)?s?|batch(?:es)?|requests?|calls?|queries|min(?:utes?)?|hours?|days?)$", re.I
)
NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
RAM = re.compile(r"^(?:host |system )?ram$", re.I)
RAM_HEADING = re.compile(rf"^\s{{0,8}}{TIMES}[^\n]{{0,60}}?[ \t,](?:host |system )?ram(?:  |\t|,|\s*$)", re.I)
SPACED = re.compile(r"(?<=\d) (?=[KMGT](?:i?B)?(?:\s|$))")  # 21 G in a cell of its own
OF_ONE = re.compile(r"(?:main|parent|trainer|rank)\b")
# 5.2G     12-14G     2100     6.5 GiB
SIZE = re.compile(r"^(?P<number>\d{1,12}(?:\.\d{1,6})?)(?:-\d{1,12}(?:\.\d{1,6})?)? ?(?P<unit>[KMGT]i?B?)?\b", re.I)
FREE = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,4})?) ?(?P<unit>[KMGT])(?:i?B)?", re.I)
# RAM used: 25.26 GB     CPU Virtual Memory:  used = 47.44 GB     RSS: 2100 MB     host memory usage = 12.1 GiB     RSS
# MEM USE: 5.11G
LOGGED = re.compile(
    r"(?<![\w-])(?:RAM|CPU Virtual Memory|(?:host|sys(?:tem)?|process)[ _]mem(?:ory)?"
    r"|(?:Max|Vm|(?:host|cpu|proc(?:ess)?|worker)_)?RSS|CPU[ _]mem(?:ory)?|cgroup[ _]mem(?:ory)?)\b"
    "(?:[ _]mem(?:ory)?)?[ _:]{0,3}(?:used|usage"
    r"|use|current)?\s{0,3}[:=]?\s{0,3}"
    r"(?P<number>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[KMGT](?:i?B)?)\b",
    re.I,
)
# , percent = 95.3%      / 31.2 GB      (of 64G)
TOTAL = re.compile(
    r"^[ ,;]{0,3}(?:percent ?[=:] ?(?P<percent>\d{1,3}(?:\.\d{1,4})?) ?%"
    r"|(?:/|\(?of) ?(?P<number>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[KMGT]i?B?)\b)",
    re.I,
)
# mem_rss_gb: 12.1     "cpu_memory_mb": 31022     ram_used_GiB=47.2
NAMED = re.compile(
    r"\b(?:\w{0,20}_)?(?:rss|ram|(?:cpu|host)_mem(?:ory)?)(?:_used|_usage)?[_ ]?\(?"
    r"(?P<unit>[kmgt]i?b)\)?[\"']?\s{0,2}[:=|]\s{0,3}(?P<number>\d{1,12}(?:\.\d{1,6})?)\b",
    re.I,
)
# total:201.37Gb, available: 190.78Gb     svmem(total=270213128192, available=241201213440     total: 251G, free: 12G
LEFT = re.compile(
    r"\btotal(?: memory)?\s{0,2}[:=]\s{0,3}(?P<total>\d{1,15}(?:\.\d{1,6})?) ?(?P<unit>[KMGT]i?B?)?[,;] {0,3}"
    r"(?:available|avail|free)(?: memory)?\s{0,2}[:=]\s{0,3}"
    r"(?P<left>\d{1,15}(?:\.\d{1,6})?) ?(?P<of_left>[KMGT]i?B?)?\b",
    re.I,
)
# Mem total 252G used 249G
TOTAL_USED = re.compile(
    r"(?<![\w-])(?:mem(?:ory)?|ram):? {1,4}total[ :=]{1,3}(?P<total>\d{1,9}(?:\.\d{1,3})?) ?"
    r"(?P<of_total>[KMGT]i?B?),? {1,4}used[ :=]{1,3}(?P<number>\d{1,9}(?:\.\d{1,3})?) ?(?P<unit>[KMGT]i?B?)\b",
    re.I,
)
# mem used 91G / 93G     (htop) Mem[||||||||503G/504G]
USED_OF = re.compile(
    r"(?<![\w-])(?:(?:(?:mem(?:ory)?|ram) (?:used|usage|use)|ram)[ :=]{1,4}|mem\[\|{1,200} {0,80})"
    r"(?P<number>\d{1,9}(?:\.\d{1,3})?) ?(?P<unit>[KMGT]i?B?) ?/ ?(?P<total>\d{1,9}(?:\.\d{1,3})?) ?"
    r"(?P<of_total>[KMGT]i?B?)\b",
    re.I,
)
PSUTIL = re.compile(r"\bsvmem\(|\b(?:CPU|RAM|[Hh]ost|[Ss]ystem|[Vv]irtual|MEM|[Mm]em(?:ory)?)\b")
# epoch 3    used 128 GB
BARE = re.compile(
    r"^[\w .:+-]{1,40}?(?: {2,40}|: |\t)(?:(?:mem(?:ory)? )?used|anon(?:ymous)?)[ :=]{1,4}"
    r"(?P<number>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[KMGT]i?B?)(?: (?:file|shmem|swap) [\d.]{1,12} ?[KMGT]i?B?){0,3}"
    r"(?: limit (?P<limit>\d{1,9}(?:\.\d{1,6})?) ?(?P<of_limit>[KMGT]i?B?))?\s*$",
    re.I,
)
# usage=61.0GiB anon=58.2 file=2.1     cur 58.1GB anon 57.2 file 0.1     peak 398GB anon=397.2GB, shmem=0.1GB
ANONYMOUS = re.compile(
    r"\b(?:(?:cur(?:rent)?|usage|used|mem(?:ory)?|total)[ =:]{1,3}\d{1,9}(?:\.\d{1,6})? ?"
    r"(?P<of_all>[KMGT]i?B?)[ ,;]{1,4})?"
    r"anon(?:ymous)?[ =:]{1,3}(?P<number>\d{1,9}(?:\.\d{1,6})?)(?! ?[KMGT]?i?B?/s) ?(?P<unit>[KMGT]i?B?)?[ ,;]{1,4}"
    r"(?:file|shmem|cache|slab|kernel)[ =:]{1,3}\d(?!.{0,80} limit )",
    re.I,
)
# Memory usage after 3 prediction(s): 349.023 MiB     Current memory usage: 1201.42 MB     mem used=512MB
PRINTED = re.compile(
    r"\bmem(?:ory)?[ _](?:usage|used|use|consumption)\b[^:=|\n]{0,60}(?:[:=]|\bis\b)\s{0,4}"
    r"(?P<number>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[KMGT]i?B)\b",
    re.I,
)
OF_A_GPU = re.compile(r"gpu|cuda|vram|device|alloc|reserved|cached|\bhbm\b|\bdisk\b|nvidia|estimate|limit", re.I)
OF_A_DISK = re.compile(r"\bdisk\b|gpu|cuda|vram", re.I)
# what stands above a table of a volume's space
OF_A_VOLUME = re.compile(
    r"\bdf\b|\bdisks?\b|\bfilesystems?\b|\bvolumes?\b|\bmounts?\b|/dev/|\bspace\b|\bpartition\b|\binodes?\b", re.I
)
# time        used      free   (GB, of 110)     iter     used (of 125G)
FOR_ALL = re.compile(
    r"\s{1,40}\((?=[KMGT]i?B|of )(?P<unit>[KMGT]i?B)?"
    r"(?:,? ?(?:of|total) (?P<total>\d{1,9}(?:\.\d{1,3})?) ?(?P<of_total>[KMGT]i?B?)?)?[^()\n]{0,20}\)\s*$",
    re.I,
)
# epoch start   free     (the last column of a table without one of what is used)
LEFT_NAME = r"(?:(?:free|available|avail)(?:[ _]?(?:mem(?:ory)?|ram))?|(?:mem(?:ory)?|ram)[ _](?:free|available|left))"
LEFT_OVER = re.compile(rf"^{LEFT_NAME}$", re.I)
LEFT_HEADING = re.compile(rf"(?: {{2}}|\t|,){LEFT_NAME}\s*$", re.I)
# what somebody varied between the rows of a table
VARIED = ("workers", "num_workers", "run", "config", "setting", "variant", "trial", "pin_memory", "backend", "mode")
OWNERS = ("host", "node", "pod", "hostname", "container", "name")
OF_OTHERS = frozenset({"total_vm", "buff/cache", "buffers"})
FEWEST = 3


class Row(NamedTuple):
    """One measurement of the table."""

    line: Line
    kib: int
    owner: str | None = None
    pid: int | None = None
    total: int | None = None
    varied: str | None = None


def read(text: Text) -> Iterator[MemoryInfo]:
    logged: list[Row] = []
    printed: dict[str, list[Row]] = defaultdict(list)
    tables = Tables()
    for line in text.lines():
        said = line.text[:1000]
        if row := said_in_a_line(line, said):
            logged.append(row)
        elif found := printed_row(line, said):
            wording, row = found
            printed[wording].append(row)
        else:
            tables.take(line)
    for rows in (*tables.used, logged):
        yield from told(text, rows)
    for row in tables.left if len(tables.left) > FEWEST else ():
        yield MemoryInfo(source=Source(text.name, row.line.number, row.line.quote), values_kib={"MemFree": row.kib})
    if not logged and printed:
        yield from told(text, max(printed.values(), key=len))


def said_in_a_line(line: Line, said: str) -> Row | None:
    return logged_row(line, said) or anonymous(line, said) or of_total(line, said) or left_of_total(line, said)


def logged_elsewhere(line: Line, said: str) -> bool:
    """True for a line that is read here, for those who read lines that look alike."""
    return said_in_a_line(line, said) is not None or printed_row(line, said) is not None


def logged_row(line: Line, said: str) -> Row | None:
    """RAM used: 25.26 GB     mem_rss_gb: 31.9     epoch 3    used 128 GB"""
    found = LOGGED.search(said) or NAMED.search(said) or (not OF_A_DISK.search(said) and BARE.match(said[:200]))
    if not found:
        return None
    kib = size_kib(found["number"], found["unit"])
    limit = found.groupdict().get("limit")
    total = size_kib(limit, found["of_limit"]) if limit else None
    return Row(line, kib, total=total or total_of(kib, said[found.end() :]))


def anonymous(line: Line, said: str) -> Row | None:
    """usage=61.0GiB anon=58.2 file=2.1: what no cache holds; a unit may stand at the whole alone."""
    found = ANONYMOUS.search(said)
    unit = found and (found["unit"] or found["of_all"])
    return Row(line, size_kib(found["number"], unit)) if found and unit else None


def of_total(line: Line, said: str) -> Row | None:
    """Mem total 252G used 249G     mem used 91G / 93G"""
    found = TOTAL_USED.search(said) or USED_OF.search(said)
    if not found or OF_A_GPU.search(said):
        return None
    kib, total = size_kib(found["number"], found["unit"]), size_kib(found["total"], found["of_total"])
    return Row(line, kib, total=total if total >= kib else None)


def left_of_total(line: Line, said: str) -> Row | None:
    """Memory info of CPU: total:201.37Gb, available: 190.78Gb"""
    found = LEFT.search(said)
    if not found or not PSUTIL.search(said[: found.start()]) or OF_A_GPU.search(said[: found.start()]):
        return None
    total, left = size_kib(found["total"], found["unit"]), size_kib(found["left"], found["of_left"])
    return Row(line, total - left, total=total) if 0 < left < total else None


def printed_row(line: Line, said: str) -> tuple[str, Row] | None:
    """Memory usage after 3 prediction(s): 349.023 MiB     The wording stands beside the row, without its numbers."""
    found = PRINTED.search(said)
    if not found or OF_A_GPU.search(said):
        return None
    return re.sub(r"\d+", "0", said[: found.start("number")]), Row(line, size_kib(found["number"], found["unit"]))


class Tables:
    """The tables of an artefact, one after the other: rows of what is used, by their heading, and of what is left."""

    def __init__(self) -> None:
        self.used: list[list[Row]] = []
        self.left: list[Row] = []
        self._header: list[str] = []
        self._beside: re.Match[str] | None = None
        self._of_left = False
        self._at: tuple[float, ...] = ()
        self._above = ""

    def take(self, line: Line) -> None:
        """Read a heading, or a row of the table that it stands in."""
        beside = FOR_ALL.search(line.text[:400])
        cells = split(SPACED.sub("", line.text[: beside.start()] if beside else line.text[:400]))
        # the OOM killer's table of tasks counts pages; `free` has a parser of its own
        is_heading = len(cells) > 1 and not OF_OTHERS & set(cells)
        if is_heading and "|" not in line.text and used_columns(cells):
            header = [cell.lower() for cell in cells if cell != "#"]
            if header == self._header:
                return  # the same command again
            self.used.append([])
            self._header, self._beside, self._at = header, beside, ()
        elif is_heading and LEFT_OVER.match(cells[-1]) and not self._header:
            self.left, self._of_left = [], not OF_A_VOLUME.search(f"{self._above} {line.text[:400]}")
        elif self._of_left and cells and (found := FREE.fullmatch(cells[-1])):
            self.left.append(Row(line, size_kib(found["number"], found["unit"])))
        elif self._header and (row := measured(self._header, cells, line, self._beside)):
            at = counted(self._header, cells)
            if self._at and not at:
                return  # what somebody wrote below the table
            if at and self._at and at <= self._at:
                self.used.append([])  # the count begins anew: another run
            self._at = at
            self.used[-1].append(row)
        self._above = line.text[:1000] if line.text.strip() else self._above


def used_columns(cells: Sequence[str]) -> list[str]:
    """The cells of a heading that name memory in use."""
    named = [cell for cell in cells if COLUMN.match(cell)]
    return named or [cell for cell in cells[1:] if RAM.match(cell) and OVER_TIME.match(cells[0])]


def counted(header: Sequence[str], cells: Sequence[str]) -> tuple[float, ...]:
    """What the columns of steps, hours and their like count; empty where there are none, or no numbers in them."""
    found = [cell for name, cell in zip(header, cells, strict=False) if COUNTS.match(name)]
    return tuple(map(float, found)) if all(map(NUMBER.fullmatch, found)) else ()


def taken(header: Sequence[str]) -> str:
    """The column that is read: the whole machine's rather than one process's; empty where there is none."""
    return min(used_columns(header), key=lambda name: OF_ONE.match(name) is not None, default="")


def split(line: str) -> list[str]:
    """The cells of a row: by commas or tabs, else by two blanks, else (all single words) by blanks."""
    separator = "," if "," in line else "\t" if "\t" in line else "  "
    cells = [cell.strip() for cell in line.strip().split(separator) if cell.strip()]
    return cells if len(cells) > 1 else line.split()


def measured(header: list[str], cells: list[str], line: Line, beside: re.Match[str] | None) -> Row | None:
    """The measurement of a row, or None when its memory column holds no size."""
    named = dict(zip(header, cells, strict=False))
    column = taken(header)
    found, default = SIZE.match(named.get(column, "")), COLUMN.match(column)
    unit = (found["unit"] if found else None) or (default["unit"] if default else None) or (beside and beside["unit"])
    unit = unit or ("k" if {"vsz", "rss", "%mem"} <= set(header) else None)  # pidstat
    if not found or not unit:
        return None
    owner = next((named[name] for name in OWNERS if name in named), None)
    total = size_kib(beside["total"], beside["of_total"] or unit) if beside and beside["total"] else None
    varied = ", ".join(f"{name} {named[name]}" for name in VARIED if name in named)
    kib = size_kib(found["number"], unit)
    return Row(line, kib, owner, whole_number(named.get("pid", "")), total, varied or None)


def total_of(kib: int, rest: str) -> int | None:
    """The total that the text after a size gives, by a share of it or as a size."""
    found = TOTAL.match(rest)
    if not found:
        return None
    if found["percent"]:
        return round(100 * kib / float(found["percent"])) if float(found["percent"]) > 0 else None
    total = size_kib(found["number"], found["unit"])
    return total if total >= kib else None


def told(text: Text, rows: list[Row]) -> Iterator[MemoryInfo]:
    """The facts of one table."""
    # a column whose value is another in each row counts what grew
    varied = {each for each, count in Counter(row.varied for row in rows).items() if count >= FEWEST}
    for row in rows if len(rows) >= FEWEST else [row for row in rows if row.total]:
        known = {"MemTotal": row.total, "MemAvailable": row.total - row.kib} if row.total else {}
        yield MemoryInfo(
            source=Source(text.name, row.line.number, row.line.quote),
            subject=Subject(host=row.owner, pid=row.pid, job=row.varied if varied else None),
            values_kib={"MemUsed": row.kib, **known},
        )


PARSER = Parser(
    tool="a table of memory over time",
    medium="memory",
    footprint=footprint_of(
        LOGGED, NAMED, BARE, ANONYMOUS, TOTAL_USED, USED_OF, LEFT, PRINTED, HEADING, LEFT_HEADING, RAM_HEADING
    ),
    read=read,
)
