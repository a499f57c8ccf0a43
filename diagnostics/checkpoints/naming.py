"""Names: what a reader may take for a checkpoint, which step it is, and what is still being written."""

from __future__ import annotations

import re

from ..durable import staged_for
from ..errors import UsageError

SUFFIXES = (".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".npz", ".gguf")
# Names under which writers in wide use stage: ours, curl and wget, huggingface_hub, Lightning, NVRx, orbax, rsync.
STAGING = re.compile(
    r"""(?x)
    .*\.(?:part|partial|tmp|temp|incomplete|dirty|crdownload|download|writing|orbax-checkpoint-tmp[-.\d]*)
    | (?:tmp|temp)[-_.].* | \.tmp.* | .*\.(?:part|tmp)[-.]?\d+ | \..+\.[A-Za-z0-9]{6}
    """
)
STEP_AFTER_WORD = re.compile(
    r"(?:global_?step|step|iter(?:ation)?|checkpoint|ckpt)[-_=]?(\d{1,18})(?!\d)", re.IGNORECASE
)
LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,18})(?!\d)(?!.*\d)", re.DOTALL)
ONE_OF_MANY = re.compile(r"\d{5}-of-\d{5}")  # a shard of Hugging Face's, which is no checkpoint of its own
LONGEST = 120  # leaves room for the writer and the hash in staging and manifest names (NAME_MAX is 255 bytes)


def artefact_name(step: int, suffix: str = ".pt") -> str:
    return f"step_{step:08d}{suffix}"


def step_of(name: str) -> int | None:
    """The step that a name speaks of: the number after `step`, `checkpoint` or `iter`, else the last number.

    >>> step_of("epoch=3-step=810.ckpt"), step_of("checkpoint-1200"), step_of("model_17.pt"), step_of("best.pt")
    (810, 1200, 17, None)
    """
    stem = name
    for suffix in SUFFIXES:
        stem = stem.removesuffix(suffix)
    if ONE_OF_MANY.search(stem):
        return None
    found = list(STEP_AFTER_WORD.finditer(stem)) or list(LAST_NUMBER.finditer(stem))
    return int(found[-1][1]) if found else None


def says_step(name: str) -> bool:
    """Whether a name speaks of a step in words, and not only by holding some number."""
    return STEP_AFTER_WORD.search(name) is not None and not ONE_OF_MANY.search(name)


def is_staging(name: str) -> bool:
    return staged_for(name) is not None or STAGING.fullmatch(name) is not None


def checked_name(name: str) -> str:
    """`name` itself when it is a plain name for a finished checkpoint; UsageError otherwise."""
    if not name or name in (".", "..") or "/" in name or "\0" in name:
        raise UsageError(f"{name!r} is not a file name", "give a name without folders")
    if name.startswith(".") or is_staging(name):
        raise UsageError(f"{name!r} would look unfinished to a reader", "choose a name like step_00000810.pt")
    if len(name.encode()) > LONGEST:
        raise UsageError(f"the name {name[:40]!r}... is too long", f"stay below {LONGEST} bytes")
    return name
