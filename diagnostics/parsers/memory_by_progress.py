"""Tables of memory over the progress of a job, whose headings say in the writer's own words whose memory it is.

    step,rss_gb_compile_on,rss_gb_compile_off
    2000,19.8,11.0

    batches    RSS worker 3    RES java    used (GB of 60)
    500        3.1G            2.2g        31

    epoch    %MEM of python
    1        14.3

    hour,proc.memory.availableMB
    6,604310

    epoch  trainer_rss_gb  shm_manager_rss_gb  avail_gb
    2      38.1            31.6                812

The first column counts (steps, requests, hours), a heading speaks of memory in use, or of what is left of the
machine's, and the unit stands in the heading or in the cell. Each column is a thing of its own. Rows whose first cell
shows no number, or begins anew, are skipped from there on: a start of another run. Memory of a device, of a disk or
of a heap that its runtime limits is none, and a process is one whatever it serves; columns that `memory_series` reads
are left to it. In a file that is called after the memory (rss.txt, mem.csv), columns of sizes count whatever their
headings say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.storage import MemoryInfo
from ..footprint import footprint_of
from ..sizes import size_kib
from ..text import Line, Text
from . import Parser
from .memory_series import taken

_AXIS = (
    r"(?:h(?:ours?)? (?:after|of|since) [\w ]{1,20}|(?:after )?(?:t|time|epochs?|steps?|iter(?:ation)?s?|batch(?:es)?"
    r"|min(?:utes?)?|hours?|days?(?: of uptime)?|uptime|rounds?|saves?|requests?|calls?|queries|runs?|samples?|files?"
    r"|episodes?|generations?|fits?(?: no\.?)?|trials?|games?|passes|days?)"
    r"(?: (?:served|read|done|seen|of \w{1,20}|no\.?|end))?(?: ?\((?:h|min|s|days?)\))?)"
)
AXIS = re.compile(rf"^{_AXIS}$", re.I)
# RSS worker 3     gcs_server RSS     host used (GB), workers 4     main_pss_GB     ru_maxrss_mb     %MEM (256 GB)
_IN_USE = r"(?:(?:ru_)?(?:vm|max)?rss|pss|RES|%? ?mem(?:ory)?|working[ _]set|ram|used|usage)"
IN_USE = re.compile(
    rf"(?:^|[^A-Za-z]){_IN_USE}(?:$|[^A-Za-z])|(?<=[a-z])(?:RSS|PSS)\b|[a-z._]mem(?:ory)?[._](?!avail)", re.I
)
LEFT = re.compile(
    r"(?:^|[._ ])(?:mem(?:ory)?|ram)[._ ]?(?:available|avail|free|left)"
    r"|^(?:host[._ ]|mem)?avail(?:able)?(?:[._ ]?\(?[KMGT]i?B\)?)?$",
    re.I,
)
FREE = re.compile(r"free", re.I)
# shm_manager_rss_gb     GPU worker RSS: a process, whatever it serves
PROCESS = re.compile(
    r"(?:shm|gpu|cuda|device|cpu)[_ -](?:manager|server|worker|proc(?:ess)?|daemon|child|client|reader|loader)s?"
    r"(?=[_ ](?:rss|pss)(?:$|[^A-Za-z]))",
    re.I,
)
OTHER = re.compile(
    r"gpu|cuda|vram|\bhbm\b|device|(?<!m)alloc|reserved|shm|swap|disk|spill|cpu|util|limit$|limit,|heap|object|store|tokens?"
    r"|\bof limit|inode|/|cache|slab|virtual|vsz|virt|quota|percent of|time|it/s|busy",
    re.I,
)
UNIT = re.compile(r"(?:^|[^A-Za-z])(?P<unit>[KMGT]i?B?)(?:$|[^A-Za-z])|(?P<end>[KMGT]i?B)$", re.I)
PERCENT = re.compile(r"%|percent", re.I)
OF_TOTAL = re.compile(r"\(?\bof (?P<total>\d{1,6}(?:\.\d{1,3})?) ?(?P<unit>[KMGT])?", re.I)
# rss.txt      memory_by_step.csv      host-mem.log
OF_MEMORY = re.compile(r"(?<![A-Za-z])(?:mem(?:ory)?|rss|pss|ram)(?![A-Za-z])", re.I)
COUNT = re.compile(r"^[^\d\n]{0,12}(?P<number>\d{1,12}(?:\.\d{1,6})?)(?: ?[kKmMhs]| ?min| ?h)?$")
AMOUNT = re.compile(r"^(?P<number>\d{1,12}(?:\.\d{1,6})?) ?(?P<unit>[KMGT](?:i?B)?|%)?$", re.I)
BLANKS = re.compile(r" {2,40}|\t")
CELLS = re.compile(r" ?, ?")
# a heading's first cell that counts, and one behind it that speaks of memory
HEADING = re.compile(
    rf"^[ \t#]{{0,8}}{_AXIS}(?:,|\t| {{2}})[^\n]{{0,160}}?(?:(?<=[\s,_.])|(?<=%)|(?<=max)|(?<=Vm)){_IN_USE}(?![a-z])"
    rf"|^[ \t#]{{0,8}}{_AXIS}(?:,|\t| {{2}})[^\n]{{0,160}}?(?:mem(?:ory)?[._ ]?(?:avail|free|left)|[_ (][KMGT]i?B\b)"
    rf"|^[ \t#]{{0,8}}{_AXIS}(?:,|\t| {{2}})[^\n]{{1,200}}\n"
    rf"[^\n]{{1,60}}[, \t]\d{{1,12}}(?:\.\d{{1,6}})? ?[KMGT]i?B?\b",
    re.I,
)
FEWEST, MOST_COLUMNS = 3, 8


def read(text: Text) -> Iterator[MemoryInfo]:
    heading: list[str] = []
    rows: list[tuple[Line, list[str]]] = []
    for line in text.lines():
        said = line.text[:300].strip().lstrip("# ")
        cells = (BLANKS if BLANKS.search(said) else CELLS).split(said) if said else []
        if 1 < len(cells) <= MOST_COLUMNS + 1 and AXIS.match(cells[0]) and not cells[1][:1].isdigit():
            yield from told(text, heading, rows)
            heading, rows = cells, []
        elif heading and len(cells) > 1:
            rows.append((line, cells))
    yield from told(text, heading, rows)


def told(text: Text, heading: list[str], rows: list[tuple[Line, list[str]]]) -> Iterator[MemoryInfo]:
    """The facts of one table, column by column."""
    rows = list(_of_one_run(heading, rows))
    known = taken([name.lower() for name in heading])
    by_file = OF_MEMORY.search(text.name.rpartition("/")[2])
    for place, name in enumerate(heading):
        left = LEFT.search(name) is not None
        told_by_file = by_file and (UNIT.search(name) or all(_has_unit(cells, place) for _, cells in rows))
        if (
            place == 0
            or AXIS.match(name)
            or OTHER.search(PROCESS.sub("", name))
            or not (left or IN_USE.search(name) or told_by_file)
        ):
            continue
        if name.lower() == known:
            continue
        found = [(line, amount) for line, cells in rows if (amount := _amount(name, cells, place)) is not None]
        if len(found) < FEWEST:
            continue
        for line, (kib, percent) in found:
            source = Source(text.name, line.number, line.quote)
            subject = Subject(job=name)
            if percent is not None:
                yield MemoryInfo(source=source, subject=subject, values_kib={}, used_percent=percent)
            elif kib is not None:
                yield MemoryInfo(source=source, subject=subject, values_kib=_values(name, kib, left=left))


def _has_unit(cells: list[str], place: int) -> bool:
    """True for a cell that is a size with its unit, or no size at all (a row that says how it ended)."""
    found = AMOUNT.match(cells[place]) if place < len(cells) else None
    return found is None or bool(found["unit"])


def _of_one_run(heading: list[str], rows: list[tuple[Line, list[str]]]) -> Iterator[tuple[Line, list[str]]]:
    """The rows up to where the count begins anew."""
    places = [place for place, name in enumerate(heading) if AXIS.match(name)]
    before: tuple[float, ...] = ()
    for line, cells in rows:
        found = [COUNT.match(cells[place]) if place < len(cells) else None for place in places]
        numbers = tuple(float(each["number"]) for each in found if each)
        if len(numbers) < len(places) or (before and numbers <= before):
            return
        before = numbers
        yield line, cells


def _amount(name: str, cells: list[str], place: int) -> tuple[int | None, float | None] | None:
    """A cell as KiB or as percent; None where it is neither."""
    found = AMOUNT.match(cells[place]) if place < len(cells) else None
    if not found:
        return None
    unit = found["unit"]
    if unit == "%" or (not unit and PERCENT.search(name)):
        return None, min(float(found["number"]), 100.0)
    named = UNIT.search(OF_TOTAL.sub(" ", name)) or OF_TOTAL.search(name)
    unit = unit or (named and (named.groupdict().get("end") or named["unit"]))
    return (size_kib(found["number"], unit), None) if unit else None


def _values(name: str, kib: int, *, left: bool) -> dict[str, int]:
    if left:
        return {"MemFree" if FREE.search(name) else "MemAvailable": kib}
    of = OF_TOTAL.search(name)
    total = size_kib(of["total"], of["unit"] or "G") if of else 0
    return {"MemUsed": kib, **({"MemTotal": total, "MemAvailable": total - kib} if total >= kib > 0 and of else {})}


PARSER = Parser(tool="memory over progress", medium="memory", footprint=footprint_of(HEADING), read=read)
