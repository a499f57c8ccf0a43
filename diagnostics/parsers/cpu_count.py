"""How many CPUs there are for the job: `nproc`, `lscpu`, the quota in `cpu.max`, and what a batch job asks for.

    nproc 368
    CPU(s):                          64
    cpu.max: 400000 100000
    Local parallelism: 16 workers (host cores: 32)
    #SBATCH --cpus-per-task=4
    UserWarning: This DataLoader will create 32 worker processes in total. Our suggested max number of worker in current
        system is 2, which is smaller than what this DataLoader is going to create.

What Slurm gives to each task is told as `cpus of a task`. `nproc`'s bare number is read below its command. The value is
the number of CPUs, a quota's with its fraction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser

# nproc 368      nproc=96, 2 sockets, 48 cores/socket
SAID = re.compile(
    r"^(?:[$#%>] ?)?nproc(?: --all)?[:= ]{1,4}(\d{1,5})(?:[,;] [^\n]{0,60}\b(?:sockets?|cores?|numa)\b[^\n]{0,80})?\s*$"
    r"|^CPU\(s\): {1,60}(\d{1,5})\s*$"
)
# (host cores: 32)      Available CPUs: 8      number of CPU cores = 16      os.cpu_count(): 64      cpu_count=64
COUNTED = re.compile(
    r"(?<![\w-])(?:(?:host|node|machine|logical|available|total|usable|number of|system)[ _](?:cpu )?"
    r"(?:cores|v?cpus)|os\.cpu_count\(\)|cpu_count)"
    r"(?: available)?\"?\s?[:=]{1,2} ?(\d{1,5})(?![\d.%])",
    re.I,
)
CREATES = re.compile(r"\bThis DataLoader will create (\d{1,5}) worker processes")
SUGGESTED = re.compile(r"\bOur suggested max number of worker in current system is (\d{1,5})\b")
COMMAND = re.compile(r"^(?:\S{0,80}[$#%>] ?)nproc\s*$")
BARE = re.compile(r"^(\d{1,5})\s*$")
QUOTA = re.compile(r"^(?:\S{0,200}cpu\.max:? {1,4})(\d{4,9}) (\d{4,9})\s*$")
# #SBATCH --cpus-per-task=4      srun -n 2 --cpus-per-task=4 python x.py      cpus-per-task=4
OF_A_TASK = re.compile(r"^(?:#SBATCH )?(?:[^\n#]{0,200}\s)?(?:--)?cpus[-_]per[-_]task(?:=| ?: ?| )(?P<cpus>\d{1,4})\b")
# #SBATCH --ntasks-per-node=8 --gres=gpu:8 --nodes=2
ASKED = re.compile(
    r"(?:^|\s)(?:--)?(?P<name>ntasks(?:[-_]per[-_]node)?|nodes|gpus(?:[-_]per[-_](?:node|task))?)[= ]"
    r"(?:[a-z]\w{0,20}:)?(?P<value>\d{1,5})\b"
    r"|(?:^|\s)(?:--)?(?P<gres>gres)=gpu:(?:[a-z]\w{0,20}:)?(?P<gpus>\d{1,3})\b"
    r"|(?:^|\s)(?P<short>-[nN]) ?(?P<number>\d{1,5})\b"
)
SHORT = {"-n": "ntasks", "-N": "nodes"}


def read(text: Text) -> Iterator[SettingSeen]:
    asked = False
    for line in text.lines():
        row = line.text[:300]
        value = None
        if found := SAID.match(row):
            value = found[1] or found[2]
        elif (found := SUGGESTED.search(line.text[:2000]) or COUNTED.search(row)) or (
            asked and (found := BARE.match(row))
        ):
            value = found[1]
        elif found := QUOTA.match(row):
            value = f"{int(found[1]) / max(int(found[2]), 1):.2f}".rstrip("0").rstrip(".")
        if created := CREATES.search(line.text[:2000]):
            source = Source(text.name, line.number, line.quote)
            yield SettingSeen(source=source, name="loader workers", value=created[1])
        if given := OF_A_TASK.match(row):
            source = Source(text.name, line.number, line.quote)
            yield SettingSeen(source=source, name="cpus of a task", value=given["cpus"])
        if given or row.startswith("#SBATCH "):
            source = Source(text.name, line.number, line.quote)
            for asked_for in ASKED.finditer(row):
                name = asked_for["name"] or SHORT.get(asked_for["short"] or "", "gpus")
                number = asked_for["value"] or asked_for["gpus"] or asked_for["number"]
                yield SettingSeen(source=source, name=name.replace("-", "_"), value=number)
        asked = COMMAND.match(row) is not None
        if value:
            yield SettingSeen(source=Source(text.name, line.number, line.quote), name="cpus", value=value)


PARSER = Parser(
    tool="nproc, lscpu and Slurm's --cpus-per-task",
    medium="cpu-count",
    footprint=footprint_of(SAID, COUNTED, COMMAND, QUOTA, SUGGESTED, OF_A_TASK),
    read=read,
)
