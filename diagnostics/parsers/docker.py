"""Docker about its containers: `docker inspect`, `docker ps -a`, `docker events`.

    "State": {
        "Status": "exited",
        "OOMKilled": true,
        "ExitCode": 137,

    3f4e5d6c7b8a   train:2   "python train.py"   2 hours ago   Exited (137) 3 minutes ago   trainer

    "IpcMode": "private",
    "ShmSize": 67108864,

    docker run --gpus all --shm-size=8g train:2
    NOTE: The SHMEM allocation limit is set to the default of 64MB.  This may be insufficient for PyTorch.

A whole command that starts a container on GPUs without a word of shared memory leaves it at 64 MB.
A container that was killed for memory may say OOMKilled false when only a child of its first process was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Evidence, Severity
from ..evidence.job import SettingSeen
from ..evidence.supervisor import SchedulerEvent
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Text, whole_number
from . import Parser
from ._job_lines import Message, messages

# "OOMKilled": true     (docker inspect -f '{{json .State}}') {"Status":"exited","OOMKilled":true,
KILLED = re.compile(r"(?:^\s{0,40}|[{,] ?)\"OOMKilled\": ?(true|false)")
CODE = re.compile(r"^\s{0,40}\"ExitCode\": (\d{1,3})")
NAME = re.compile(r"^\s{0,40}\"Name\": \"/([\w.-]{1,120})\"")
ROW = re.compile(
    r"^[0-9a-f]{12}\s.{0,400}?\s(?:Exited|Restarting) \((\d{1,3})\) .{1,40}? ago\s{1,60}"
    r"(?:\S{1,200}\s{1,60})?([\w.-]{1,120})\s*$"
)
# of shared memory: the size counts where the container has its own
SHARED = re.compile(r"^\s{0,40}\"(ShmSize|IpcMode)\": \"?([\w:-]{1,80})\"?,?\s*$")
# docker run --ipc=host --shm-size 8g ...
RUN = re.compile(r"^\S{0,80}[$#%>]? ?(?:sudo )?(?:docker|podman|nvidia-docker) (?:container )?run\b.{0,4000}")
OPTION = re.compile(r"\s--(ipc|shm-size)[= ]([\w:.-]{1,40})")
ON_GPUS = re.compile(
    r"\s--gpus\b|\bnvidia-docker\b|\s--runtime[= ]nvidia\b|\s--device[= ](?:nvidia\.com/gpu|/dev/(?:nvidia|kfd|dri))"
)
UNFINISHED = re.compile(r"\\\s*$|\.\.\.|…|/dev/shm\b")  # the rest stands elsewhere, or a mount brings it
SHM_DEFAULT = 64 << 20  # bytes; source: Docker's reference of `docker run`, --shm-size
# what NVIDIA's images print at their start
SHMEM = re.compile(r"The SHMEM allocation limit is set to the default of (\d{1,6} ?[KMG]B)")
NAMES = {"ipc": "IpcMode", "shm-size": "ShmSize"}
EVENT = re.compile(r"\bcontainer (oom|die|kill) [0-9a-f]{4,64} \((.{0,1000})\)$")
INTERESTING = re.compile(
    r"The SHMEM allocation limit|\"OOMKilled\"|\"ShmSize\"|\"IpcMode\"|\"ExitCode\"|\"Name\": \"/"
    r"|(?:Exited|Restarting) \(\d"
    "|container (?:oom|die|kill) |(?:docker|podman) (?:container )?run "
)


def read(text: Text) -> Iterator[Evidence]:
    killed: Message | None = None
    for message in messages(text, INTERESTING):
        said = message.line.text[:2000]
        if found := KILLED.search(said):
            killed = message if found[1] == "true" else None
            if killed:
                yield _event(text, message, "oom-killed", _name_after(text, message), _code_after(text, message))
        elif (found := CODE.match(said)) and not killed and found[1] != "0":
            yield _event(text, message, "failed", _name_after(text, message), int(found[1]))
        elif found := SHARED.match(said):
            yield SettingSeen(**message.facts(text), name=found[1], value=found[2])
        elif found := SHMEM.search(said):
            yield SettingSeen(**message.facts(text), name="ShmSize", value=str(size_bytes(found[1][:-1])))
        elif RUN.match(said):
            options = OPTION.findall(said)
            for option, value in options:
                size = size_bytes(value.upper()) if option == "shm-size" else None
                yield SettingSeen(**message.facts(text), name=NAMES[option], value=str(size or value))
            if not options and ON_GPUS.search(said) and not UNFINISHED.search(said):
                yield SettingSeen(**message.facts(text), name="ShmSize", value=str(SHM_DEFAULT))
        elif found := ROW.match(said):
            code = int(found[1])
            yield _event(text, message, "completed" if code == 0 else "failed", found[2], code)
        elif found := EVENT.search(message.text):
            fields = dict(part.split("=", 1) for part in found[2].split(", ") if "=" in part)
            status = fields.get("exitCode", "")
            about = {"oom": "oom-killed", "kill": "cancelled"}.get(found[1], "completed" if status == "0" else "failed")
            yield _event(text, message, about, fields.get("name"), whole_number(status))


def _code_after(text: Text, message: Message) -> int | None:
    found = (CODE.match(line.text[:200]) for line in text.after(message.line, limit=6))
    return next((int(code[1]) for code in found if code), None)


def _name_after(text: Text, message: Message) -> str | None:
    """The container's name, which stands some lines below its state."""
    found = (NAME.match(line.text[:400]) for line in text.after(message.line, limit=60))
    return next((name[1] for name in found if name), None)


def _event(text: Text, message: Message, about: str, name: str | None, code: int | None) -> SchedulerEvent:
    known: dict[str, Any] = {"job": name} if name else {}
    return SchedulerEvent(
        **message.facts(text, **known),
        severity=Severity.INFO if about == "completed" else Severity.CRITICAL,
        system="docker",
        about=about,
        text=" ".join(message.line.text[:1000].split()),
        exit_code=code,
        signal=code - 128 if code and 128 < code < 192 else None,
    )


PARSER = Parser(
    tool="docker",
    medium="scheduler",
    footprint=footprint_of(KILLED, SHARED, ROW, RUN, SHMEM, EVENT),
    read=read,
)
