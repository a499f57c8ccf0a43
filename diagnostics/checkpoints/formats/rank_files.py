"""A directory with one torch file for each rank: DeepSpeed's global_stepN, Megatron's iter_NNNNNNN/mp_rank_NN.

    global_step77/mp_rank_00_model_states.pt
    global_step77/zero_pp_rank_0_mp_rank_00_optim_states.pt, zero_pp_rank_1_mp_rank_00_optim_states.pt, ...
    iter_0000500/mp_rank_00/model_optim_rng.pt

No file says how many ranks there were, so a missing last rank cannot be proven; a gap in their numbers can.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path

from ..digest import open_plain
from ..finding import Finding, State, complete, truncated, unlisted, unreadable
from . import torch_zip

MODEL = re.compile(r"(?:.*_)?mp_rank_\d+_model_states\.pt|model_optim_rng\.pt|distrib_optim\.pt")
RANK = re.compile(r"(.*?(?:pp_rank|mp_rank|dp_rank)_)(\d+)")


def recognises(path: Path, head: bytes) -> bool:
    return not head and any(MODEL.fullmatch(each.name) for each in _files(path))


def prove(path: Path, deep: bool) -> Finding:
    ranks: dict[str, set[int]] = defaultdict(set)
    files = _files(path)
    for file in files:
        finding = _prove_part(file, deep)
        if finding.state is not State.COMPLETE:
            return Finding(finding.state, f"{file.relative_to(path)}: {finding.because}", missing=finding.missing)
        if found := RANK.match(str(file.relative_to(path))):
            ranks[found[1]].add(int(found[2]))
    for name, numbers in sorted(ranks.items()):
        absent = sorted(set(range(max(numbers))) - numbers)
        if absent:
            return truncated(f"{name}{absent[0]} is missing, while {name}{max(numbers)} is there")
    return complete("rank files", f"all {len(files)} files of the ranks that are there are whole")


def _files(path: Path) -> list[Path]:
    return sorted(file for pattern in ("*.pt", "mp_rank_*/*.pt") for file in path.glob(pattern))


def _prove_part(file: Path, deep: bool) -> Finding:
    if file.is_symlink():
        return unreadable("it is a symbolic link")
    with os.fdopen(open_plain(file), "rb") as opened:
        head = opened.read(64)
    if not head:
        return truncated("it is empty")
    return torch_zip.prove(file, deep) if torch_zip.recognises(file, head) else unlisted("its format proves nothing")
