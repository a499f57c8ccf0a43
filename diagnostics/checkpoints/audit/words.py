"""Which names speak of a checkpoint, and which of something unfinished."""

from __future__ import annotations

import re
from collections.abc import Iterable

CHECKPOINT = re.compile(
    r"(?i)ckpt|checkpoint|chkpt|model|weight|snapshot|optim|safetensors|latest|resume|shard|mirror|\bbest\b|\blast\b"
    "|(?:^|[^a-z])(?:step|epoch|iter|state)(?:[^a-z]|$)|state_dict|global_step"
    r"|\.(?:pt|pth|bin|ckpt|distcp|npz|gguf)(?![a-z])"
)
STAGING_TEXT = re.compile(
    r"(?i)(?:[._-]|\b)(?:part|partial|tmp|temp|incomplete|staging|stage|staged|inprogress|in_progress|writing|new)"
    r"(?:[._-]|\b|$)"
)
STAGING_NAME = re.compile(
    r"(?i)^_?(?:tmp|temp|temporary|part|partial|staging|staged|stage|incomplete|scratch|unfinished)(?:_|\d|$)"
    r"|_(?:tmp|temp|part|partial|staging|staged|incomplete)$|^(?:tmp|temp|part|staged?)(?:path|file|name|dir)"
)
TEMPORARY_PLACE = re.compile(r"^/(?:tmp|var/tmp|dev/shm|run)\b")
ELSEWHERE = re.compile(TEMPORARY_PLACE.pattern + r"|^/(?:scratch|local|ssd|nvme|mnt/[^/]+)\b")  # on its own filesystem
POINTER = re.compile(r"(?i)(?:^|[^a-z])(?:latest|last|newest|current)(?:[^a-z]|$)")
VERIFIES = re.compile(
    r"(?i)verif|valid|check(?!point)|hash|digest|sha256|md5|whole|complete|intact|resume_point|is_ok|testzip"
)


def speaks_of_checkpoint(words: Iterable[str]) -> bool:
    return any(CHECKPOINT.search(word) for word in words)


def looks_staged(literals: Iterable[str], names: Iterable[str]) -> bool:
    return any(STAGING_TEXT.search(text) for text in literals) or any(STAGING_NAME.search(name) for name in names)
