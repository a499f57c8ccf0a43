"""`powerloss`: a FUSE volume that can lose its power, and with it all that nobody synced."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults import place

DAEMON = Path(__file__).with_name("powerloss_daemon.py")


@dataclass
class PowerLoss:
    """`mount` is the volume in use; after `cut` what the disk holds is in `disk`, a plain folder."""

    folder: Path
    daemon: subprocess.Popen[bytes] | None = None

    @property
    def mount(self) -> Path:
        return self.folder / "mnt"

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    def start(self) -> None:
        self.mount.mkdir(exist_ok=True)
        self.disk.mkdir(exist_ok=True)
        with open(self.folder / "daemon.log", "ab") as log:
            self.daemon = subprocess.Popen(
                [sys.executable, str(DAEMON), str(self.disk), str(self.mount)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
            )  # fmt: skip
        place.wait_for(lambda: str(self.mount) in place.mount_points(), "the volume to be mounted")

    def cut(self) -> None:
        """Lose the power: what was not synced is gone."""
        if self.daemon is not None:
            place.end(self.daemon)
        place.unmount(self.mount)


@pytest.fixture
def powerloss() -> Iterator[PowerLoss]:
    place.require("fusermount3", root=True, fuse=True)
    pytest.importorskip("mfusepy")
    with place.scratch("powerloss") as folder:
        volume = PowerLoss(folder)
        try:
            volume.start()
            yield volume
        finally:
            volume.cut()
            assert not os.path.ismount(volume.mount)
