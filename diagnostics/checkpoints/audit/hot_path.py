"""What a training configuration keeps on network volumes, and a plan for moving it to local disk.

Paths are taken from YAML, JSON and TOML values, from shell assignments and options, and from string
literals in Python. Which volume a path lies on is read from the mount table; where its links lead and how much it
holds is asked under a deadline, because the volume may be the one that hangs.

Only what is seen gets a clean bill: a path that is not there cannot be judged, unless a volume is mounted above it
(`/mnt/data` on this machine's own disk may be a network volume on the pod), and neither can one on a filesystem that
the program does not know.
"""

from __future__ import annotations

import html
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import UnreadableInput
from ...filesystems import UNKNOWN
from ...hangproof import run
from ...mounttable import MountPoint, is_below, mount_of, read_mount_table
from ..health import printable
from ..volume import free_bytes

DU_S, LOOK_S = 20.0, 5.0
LARGEST = 4 << 20  # bytes
CONFIGS = (
    ".yaml",
    ".yml",
    ".json",
    ".toml",
    ".ini",
    ".cfg",
    ".conf",
    ".env",
    ".py",
    ".sh",
    ".sbatch",
    ".slurm",
    ".bash",
    ".txt",
)
ASSIGNED = re.compile(
    r"""(?x)
    (?P<key> [A-Za-z_][\w.\[\]"'-]{0,80}? ) ["'\])]{0,3} \s* (?: [:=] \s* | \s+ ) (?: Path\( | r?["'(\[] | \s ){0,4}
    (?P<path> /[\w.@%+,~{}$*-]+ (?: /[\w.@%+,~{}$*-]* )* )
    """
)

ROLES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("checkpoints", re.compile("(?i)ckpt|checkpoint|save|output|out_dir|resume|snapshot|run_dir|work_dir|logdir"
        "|experiment"),
     "publish to local disk, then copy in the background: Tiers(local, [HubTier(...), SshTier(...)])"),
    ("caches", re.compile(r"(?i)cache|hf_home|torch_home|xdg|tmp|temp|triton|inductor|wandb"),
     "set it to a folder on local disk; it fills itself again"),
    ("data", re.compile(r"(?i)data|train|valid|val_|test_|shard|corpus|token|bin|dataset|image|input|manifest"),
     "copy it to local disk before the start and compare the sizes, or stream it with a local cache"),
    ("code", re.compile(r"(?i)code|repo|src|script|project|pythonpath|venv|conda|workdir|workspace|config|python"),
     "check it out (and make the environment) on local disk: an import from a dead volume hangs as a read does"),
)  # fmt: skip
WHEN_UNKNOWN = ("other", "copy it to local disk")


@dataclass(frozen=True)
class HotItem:
    """One path of a configuration.

    `size` in bytes; None when it was not asked for or not answered. `doubt` is why its volume is not known, "" where
    it is.
    """

    file: str
    line: int
    key: str
    path: str
    role: str
    mount: MountPoint
    size: int | None = None
    doubt: str = ""

    @property
    def is_on_network(self) -> bool:
        return not self.doubt and self.mount.filesystem.network

    @property
    def place(self) -> str:
        """In one word, where it lies."""
        return "unknown" if self.doubt else "network" if self.is_on_network else "local"

    @property
    def told(self) -> str:
        """Its volume, or why that is not known."""
        return f"cannot be judged: {self.doubt}" if self.doubt else f"{self.mount.mount}, {self.mount.filesystem.title}"

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.file, "line": self.line, "key": self.key, "path": self.path, "role": self.role,
            "place": self.place, "doubt": self.doubt or None, "size": self.size,
            "mount": None if self.doubt else self.mount.mount, "source": None if self.doubt else self.mount.source,
            "filesystem": None if self.doubt else self.mount.filesystem.title,
            "network": None if self.doubt else self.is_on_network,
        }  # fmt: skip


@dataclass(frozen=True)
class HotPath:
    """What lies in the way of every step, and what to do about it."""

    items: tuple[HotItem, ...]
    local: str
    local_free: int

    @property
    def on_network(self) -> tuple[HotItem, ...]:
        return tuple(each for each in self.items if each.is_on_network)

    @property
    def unknown(self) -> tuple[HotItem, ...]:
        """The paths that cannot be judged."""
        return tuple(each for each in self.items if each.doubt)

    @property
    def needed(self) -> int:
        """Bytes that moving everything needs on local disk, as far as sizes are known; nested paths count once."""
        return sum(_space(each) for each in _outermost(self.on_network))

    @property
    def plan(self) -> tuple[str, ...]:
        lines = []
        for doubt, doubted in _by_doubt(self.unknown).items():
            paths = ", ".join(each.path for each in _outermost(doubted))
            lines.append(f"cannot be judged: {doubt}: {paths}")
        if lines:
            lines.append("run this where the job runs, or give that machine's /proc/self/mountinfo with --mounts")
        if not self.on_network and len(self.unknown) < max(len(self.items), 1):
            lines.append(f"nothing {'else ' if lines else ''}of it lies on a network volume")
        if not self.on_network:
            return tuple(lines)
        for each in _outermost(self.on_network):
            space = "size unknown" if each.size is None else f"{_space(each):,} bytes"
            lines.append(
                f"{each.role}: {each.path} ({each.mount.filesystem.title}, {each.mount.source}), {space}: "
                f"{_advice(each.role)}"
            )
        fits = (
            "which is enough"
            if self.local_free >= self.needed
            else f"{self.needed - self.local_free:,} too few: grow it first"
        )
        lines.append(f"needs {self.needed:,} bytes on {self.local}, where {self.local_free:,} are free, {fits}")
        return tuple(lines)

    def as_json(self) -> dict[str, Any]:
        return {
            "items": [each.as_json() for each in self.items], "plan": list(self.plan), "needed_bytes": self.needed,
            "local": self.local, "local_free_bytes": self.local_free,
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [
            f"{printable(each.file)}:{each.line}: {each.role:11} {each.place:7} "
            f"{printable(each.key)} = {printable(each.path)}  ({printable(each.told)})"
            for each in self.items
        ]
        return "\n".join([*lines, "plan:", *(f"  {printable(line)}" for line in self.plan)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def hot_path(
    *configs: str | os.PathLike[str], mounts: str | None = None, local: str = "/", measure: bool = True
) -> HotPath:
    """Every absolute path in the configurations, the volume it lies on, and a plan.

    Parameters
    ----------
    mounts : text of another machine's /proc/self/mountinfo; this machine's own unless given
    local : where there is local disk
    measure : ask how large the paths on this machine's network volumes are (each for at most 20 s)

    Raises UnreadableInput for a configuration that cannot be read, and for `mounts` without a row of such a table.
    """
    table = read_mount_table(mounts)
    if not table:
        raise UnreadableInput("no row of /proc/self/mountinfo in the table of mounts", "copy that file of the machine")
    here = mounts is None
    items = []
    for file in _files(configs):
        for line, key, path in paths_in(_text(file)):
            mount, doubt = _resolved(path, table) if here else _by_text(path, table)
            size = _size(path, mount) if here and measure and mount.filesystem.network else None
            items.append(HotItem(str(file), line, key, path, role_of(key, path), mount, size, doubt))
    return HotPath(tuple(items), local, free_bytes(Path(local)))


def paths_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and absolute path of each assignment or option."""
    for number, line in enumerate(text.splitlines(), start=1):
        for found in ASSIGNED.finditer(line[:4096].partition(" #")[0]):
            path = found["path"].rstrip("/,.") or "/"
            if path.count("/") > 1 or found["path"].endswith("/"):
                yield number, re.split(r"[^\w-]+", found["key"].strip("-\"'[]"))[-1], path


def role_of(key: str, path: str) -> str:
    """By the name it is assigned to first, then by the path itself."""
    for text in (key, path):
        for role, pattern, _ in ROLES:
            if pattern.search(text):
                return role
    return WHEN_UNKNOWN[0]


def _advice(role: str) -> str:
    return next((advice for name, _, advice in ROLES if name == role), WHEN_UNKNOWN[1])


def _space(item: HotItem) -> int:
    return item.size or 0


def _outermost(items: Sequence[HotItem]) -> list[HotItem]:
    """Each path once, and none that lies inside another."""
    found: dict[str, HotItem] = {}
    for each in sorted(items, key=lambda item: item.path):
        if not any(is_below(each.path, path) for path in found):
            found[each.path] = each
    return list(found.values())


def _by_doubt(items: Iterable[HotItem]) -> dict[str, list[HotItem]]:
    found: dict[str, list[HotItem]] = {}
    for each in items:
        found.setdefault(each.doubt, []).append(each)
    return found


def _by_text(path: str, table: list[MountPoint]) -> tuple[MountPoint, str]:
    """The mount above a path, and why that does not tell its volume ("" where it does)."""
    mount = mount_of(path, table)
    if not mount.type:
        return mount, "no mount of the table holds it"
    return mount, "its filesystem is unknown" if mount.filesystem is UNKNOWN else ""


def _resolved(path: str, table: list[MountPoint]) -> tuple[MountPoint, str]:
    """As `_by_text`, with this machine's symbolic links followed; each path is asked for at most LOOK_S."""
    mount, doubt = _by_text(path, table)
    if mount.filesystem.network:
        return mount, doubt
    realpath = shutil.which("realpath") or "/usr/bin/realpath"
    finished = run([realpath, "-ez", "--", path], mount=mount.mount, deadline_s=LOOK_S, about=f"look for {path}")
    if finished.status is None:
        return mount, "no answer"
    if finished.status == 0:
        return _by_text(os.fsdecode(finished.output.rstrip(b"\0")), table)
    return mount, doubt if mount.mount != "/" else "not there"


def _size(path: str, mount: MountPoint) -> int | None:
    du = shutil.which("du") or "/usr/bin/du"
    finished = run([du, "-sk", "--", path], mount=mount.mount, deadline_s=DU_S, about=f"du {path}")
    first = finished.output.split(b"\t")[0]
    return int(first) * 1024 if first.isdigit() else None


def _files(configs: Iterable[str | os.PathLike[str]]) -> Iterator[Path]:
    for config in map(Path, configs):
        if config.is_file():
            yield config
        elif config.is_dir():
            yield from sorted(each for each in config.rglob("*") if each.suffix in CONFIGS and each.is_file())
        else:
            raise UnreadableInput(f"{config} does not exist", "name a training configuration")


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST).decode("utf-8", "replace")
    except OSError as error:
        raise UnreadableInput(f"{file} cannot be read ({error.strerror})", "check its permissions") from error
