"""Settings that somebody made: `env`, exported variables, `name=value` files of a loader or launcher, sysctl.

    NCCL_BLOCKING_WAIT=1
    export TORCH_NCCL_ASYNC_ERROR_HANDLING=1
    torch_sharing_strategy=file_system
    kernel.hung_task_timeout_secs = 120
    _target_: lightning.pytorch.callbacks.EarlyStopping
    ddp_timeout: 3600

A setting whose name promises a secret is not kept. One assignment inside another tool's output is no settings file:
at least half of an artefact's lines must be assignments, or the name one that this field knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import SettingSeen
from ..setting_names import GROUP_LIMIT
from ..text import Text
from . import Parser
from ._job_lines import messages

ASSIGNMENT = re.compile(
    r"^\s{0,8}(?:export |declare -x |set |-e |ENV )?([A-Za-z_][\w.]{1,80})(?:=|>| = |: )"
    r"(?:\"([^\"]{0,500})\"|'([^']{0,500})'|(\S{0,500}))\s*(?:#.*)?$"
)
# the names of this field, wherever they are assigned: in an echoed command, a log line, a yaml file
KNOWN = re.compile(
    r"\b((?:NCCL|TORCH_NCCL|TORCH|TORCHINDUCTOR|TORCHELASTIC|GLOO|CUDA|PYTORCH|OMP|UCX|HSA|RCCL|TRITON|FI|OMPI|SLURM"
    r"|HF|XLA|MKL|KMP|DEEPSPEED|LD|MALLOC|TOKENIZERS)_[A-Z0-9_]{2,60})=([^\s'\"]{1,300}|\"[^\"]{1,300}\"|'[^']{1,300}')"
)
# local_rank=4 ib_device=mlx5_4
DEVICE = re.compile(
    r"(?i)\b((?:ib_|rdma_|net_?)?(?:device|hca|nic|ifname|interface))="
    r"((?:mlx\d|bnxt|hfi|irdma|efa|rocep|ib|eth|en[opsx]|bond)[\w.:]{0,30})"
)
# early_stopping_patience: 10     "early_stopping": {     --early_stop 5     config["early_stop"] = 50
# callbacks=EarlyStopping(patience=3)
EARLY = re.compile(
    r"^\s{0,40}(?:\w{1,30}\[)?[\"'{,-]{0,4}((?i:early[-_]?stop\w{0,30})|_target_|callbacks?)[\"']?\]?"
    r"(?:: ?|=| = | )\s{0,4}(\S{0,200})"
)
# ddp_timeout: 3600     --ddp_timeout 1800 \     "dist_timeout": 7200,     --distributed-timeout-minutes 30
GROUPS = re.compile(
    rf"(?i)(?:^|[\s\"'(])(?:--)?({GROUP_LIMIT}(?:[_-](?:s|secs?|seconds|min|minutes))?)"
    r"[\"']?(?:: ?| ?= ?| )[\"']?(\d{1,6})(?![\w.])"
)
SECRET = re.compile(r"(?i)token|secret|passw|credential|api_?key|access_?key|private|auth|cookie|session")


STOP = re.compile(r"(?i)early[-_]?stop")
NAMED = re.compile(
    f"{KNOWN.pattern}|{EARLY.pattern}|(?i:{GROUPS.pattern.removeprefix('(?i)')})|(?i"
    f":{DEVICE.pattern.removeprefix('(?i)')})"
)


def read(text: Text) -> Iterator[Evidence]:
    whole = _is_settings(text)
    for message in messages(text, None if whole else NAMED):
        said = message.text
        pairs = [*KNOWN.findall(said), *DEVICE.findall(said)]
        pairs += [(name.replace("-", "_"), value) for name, value in GROUPS.findall(said)]
        if (early := EARLY.match(message.line.text[:400])) and STOP.search(early[0]):
            pairs.append((early[1], early[2]))
        if whole and (found := ASSIGNMENT.match(message.line.text[:1000])):
            pairs = [(found[1], next((group for group in found.groups()[1:] if group is not None), ""))]
        for name, value in pairs:
            if not SECRET.search(name):
                yield SettingSeen(**message.facts(text), name=name, value=value.strip("'\""))


def _is_settings(text: Text) -> bool:
    lines = [line.text for _, line in zip(range(400), text.lines(), strict=False) if line.text.strip()]
    return sum(ASSIGNMENT.match(line[:1000]) is not None for line in lines) >= 0.5 * len(lines) > 0


PARSER = Parser(
    tool="env",
    medium="settings",
    footprint=(
        r"^\s{0,8}(export |declare -x )?[A-Za-z_][\w.]{1,80}(=| = )\S{0,500}\s*$"
        r"|\b(NCCL|TORCH_NCCL|TORCH|TORCHINDUCTOR|CUDA|PYTORCH|OMP|UCX|GLOO|SLURM|HF)_[A-Z0-9_]{2,60}=\S"
        r"|^\s{0,40}[\"'{,-]{0,4}(?i:early[-_]?stop\w{0,30}[\"']?[:= ]"
        r"|(_target_|callbacks?)[\"']?[:=] ?\S{0,200}earlystop|\w{1,30}\[[\"']early[-_]?stop)"
        rf"|(?i:(^|[\s\"'(])(--)?{GROUP_LIMIT}([_-](s|secs?|seconds|min|minutes))?[\"']?[:= ])"
        r"|(?i:\b(ib_|rdma_|net_?)?(device|hca|nic|ifname|interface)="
        r"(mlx\d|bnxt|hfi|irdma|efa|rocep|ib|eth|en[opsx]|bond))"
    ),
    read=read,
)
