"""What batch systems know of a node: its CPUs, how many of them jobs have, and its load.

    queuename                      qtype resv/used/tot. load_avg arch          states
    all.q@n07.cluster              BIP   0/48/64        1032.87  lx-amd64      a          (qstat -f, of SGE)
    HOSTNAME                ARCH         NCPU NSOC NCOR NTHR  LOAD  MEMTOT  MEMUSE        (qhost)
    n07                     lx-amd64       64    2   32   64 1032.87  251.6G   31.2G
       CPUAlloc=48 CPUEfctv=64 CPUTot=64 CPULoad=1032.87                                  (scontrol show node)
         status = ...,state=free,loadave=1032.87,ncpus=64,...                             (pbsnodes, of Torque)
    NODELIST   NODES PART       STATE CPUS CPU_LOAD REASON                                (sinfo -N -o ...)
    n07            1 gpu    allocated   64  1032.87 none
    Hostname       Partition     Node Num_CPU  CPUload  Memsize  Freemem  Joblist         (pestat)
    n07                  gpu    alloc  64  64 1032.87*   257000   131000  ...

The load is that over five minutes. SGE counts slots, of which a CPU is mostly one. A node that does not answer has no
load (-NA-, N/A) and is skipped, and so are the jobs below a queue, and rows of several nodes (48+). Of a node that
sinfo calls idle, down or drained nobody has a CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Text, whole_number
from . import Parser

NUMBER = r"\d{1,7}(?:\.\d{1,4})?"
# queuename                      qtype resv/used/tot. load_avg arch          states
HEADING = re.compile(r"^queuename +qtype +(?:resv/)?used/tot\. +load_avg\b|^HOSTNAME +ARCH +NCPU\b")
# all.q@n07.cluster              BIP   0/48/64        1032.87  lx-amd64      a
QUEUE = re.compile(
    rf"^[\w.-]{{1,60}}@(?P<host>[\w.-]{{1,120}}) +[A-Z]{{1,6}} +(?:\d{{1,6}}/)?(?P<taken>\d{{1,6}})/"
    rf"(?P<cpus>\d{{1,6}}) +(?P<load>{NUMBER}) +\S*-"
)
# n07                     lx-amd64       64    2   32   64 1032.87  251.6G   31.2G
HOST = re.compile(
    rf"^(?P<host>[\w.-]{{1,120}}) +[a-z]{{2,6}}\w{{0,6}}-\w{{1,12}} +(?P<cpus>\d{{1,6}})(?: +\d{{1,6}}){{0,3}} +"
    rf"(?P<load>{NUMBER}) +[\d.]{{1,9}}[KMGT]\b"
)
#    CPUAlloc=48 CPUEfctv=64 CPUTot=64 CPULoad=1032.87
SLURM = re.compile(
    rf"\bCPUAlloc=(?P<taken>\d{{1,6}}) (?:CPUErr=\d{{1,6}} |CPUEfctv=\d{{1,6}} )?CPUTot=(?P<cpus>\d{{1,6}}) CPULoad="
    rf"(?P<load>{NUMBER})(?![\w.])"
)
NODE = re.compile(r"^NodeName=(?P<host>[\w.-]{1,120})")
#      status = ...,state=free,loadave=1032.87,ncpus=64,...
TORQUE = re.compile(
    rf"^\s{{1,8}}status = .{{0,2000}}?\bloadave=(?P<load>{NUMBER}),(?:.{{0,400}}?,)?ncpus=(?P<cpus>\d{{1,6}})\b"
)
# Hostname       Partition     Node Num_CPU  CPUload  Memsize  Freemem  Joblist
PESTAT = re.compile(r"^Hostname +Partition +Node +Num_CPU +CPUload\b")
# n07                  gpu    alloc  64  64 1032.87*   257000   131000
PESTAT_ROW = re.compile(
    r"^ {0,8}(?P<host>[\w.-]{1,120}) +[\w.*-]{1,60} +[a-z]{3,12}[$*~#!%@^+-]{0,2}"
    rf" +(?P<taken>\d{{1,6}}) +(?P<cpus>\d{{1,6}}) +(?P<load>{NUMBER})\*? "
)
TABLES = (QUEUE, HOST)
LINES = (SLURM, TORQUE)
# NODELIST   NODES PART       STATE CPUS CPU_LOAD REASON     (with REASON last, as it has blanks)
SINFO = re.compile(r"^(?=[^\n]{0,200}\b(?:NODELIST|HOSTNAMES)\b)(?=[^\n]{0,200}\bCPUS\b)[^\n]{0,200}\bCPU_LOAD\b")
AITO = "CPUS(A/I/O/T)"
WITHOUT_JOBS = ("idle", "down", "drained", "maint", "reserved")


def read(text: Text) -> Iterator[IoStatistics]:
    host: str | None = None
    in_table, in_pestat = False, False
    columns: list[str] = []
    for line in text.lines():
        said = line.text[:3000]
        in_table = in_table or HEADING.match(said) is not None
        if found := NODE.match(said):
            host = found["host"]
        in_pestat = in_pestat or PESTAT.match(said) is not None
        if SINFO.match(said):
            columns = said.split()
            continue
        if columns and (row := _sinfo(columns, said.split())):
            node, values = row
            yield IoStatistics(
                source=Source(text.name, line.number, line.quote), subject=Subject(host=node), values=values
            )
            continue
        patterns = (*LINES, *(TABLES if in_table else ()), *((PESTAT_ROW,) if in_pestat else ()))
        if found := next((found for pattern in patterns if (found := pattern.search(said))), None):
            groups = found.groupdict()
            values = {"load_5min": float(groups["load"]), "cpus": float(groups["cpus"])}
            if groups.get("taken"):
                values["cpus_taken"] = float(groups["taken"])
            yield IoStatistics(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(host=groups.get("host") or host),
                values=values,
            )


def _sinfo(columns: list[str], cells: list[str]) -> tuple[str | None, dict[str, float]] | None:
    """The node of a row of sinfo, and its CPUs and load; nothing for a row of several nodes or without a load."""
    named = dict(zip(columns, cells, strict=False))
    load, cpus = named.get("CPU_LOAD", ""), named.get("CPUS", "")
    shares = named.get(AITO, "").split("/")
    if len(shares) == 4:
        cpus = shares[-1]
    if not re.fullmatch(NUMBER, load) or whole_number(cpus) is None or named.get("NODES", "1") != "1":
        return None
    values = {"load_5min": float(load), "cpus": float(cpus)}
    if len(shares) == 4 and whole_number(shares[0]) is not None:
        values["cpus_taken"] = float(shares[0])
    elif named.get("STATE", "").startswith(WITHOUT_JOBS):
        values["cpus_taken"] = 0.0
    return named.get("NODELIST") or named.get("HOSTNAMES"), values


PARSER = Parser(
    tool="qstat -f, qhost, scontrol show node, sinfo, pestat, pbsnodes",
    medium="pressure",
    footprint=footprint_of(HEADING, SINFO, PESTAT, *LINES),
    read=read,
)
