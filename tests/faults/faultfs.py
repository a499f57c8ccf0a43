"""`faultfs`: a FUSE volume whose faults a test switches on and off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults import place

DAEMON = Path(__file__).with_name("faultfs_daemon.py")


@dataclass
class FaultFS:
    """A mounted fault filesystem: `mount` is the volume, `backing` the healthy folder behind it."""

    folder: Path
    daemon: subprocess.Popen[bytes] | None = None

    @property
    def mount(self) -> Path:
        return self.folder / "mnt"

    @property
    def backing(self) -> Path:
        return self.folder / "backing"

    def fail(self, **faults: Any) -> None:
        """Replace the faults by these, e.g. fail(hang=["read"], only=".bin"); see faultfs_daemon."""
        staged = self.folder / "control.part"
        staged.write_text(json.dumps(faults), encoding="utf-8")
        staged.replace(self.folder / "control.json")

    def heal(self) -> None:
        """Switch every fault off: whoever hangs goes on."""
        self.fail()

    def start(self) -> None:
        self.mount.mkdir()
        self.backing.mkdir()
        self.heal()
        log = os.open(self.folder / "daemon.log", os.O_WRONLY | os.O_CREAT)
        self.daemon = subprocess.Popen(
            [sys.executable, str(DAEMON), str(self.backing), str(self.mount), str(self.folder / "control.json")],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
        )  # fmt: skip
        os.close(log)
        place.wait_for(lambda: str(self.mount) in place.mount_points(), "the fault filesystem to be mounted")

    def kill(self) -> None:
        """End the daemon as a crash would: everybody who waits gets ENOTCONN."""
        if self.daemon is not None:
            place.end(self.daemon)

    def stop(self) -> None:
        self.heal()
        place.unmount(self.mount)
        self.kill()


@pytest.fixture
def faultfs() -> Iterator[FaultFS]:
    place.require("fusermount3", root=True, fuse=True)
    pytest.importorskip("mfusepy")
    with place.scratch("faultfs") as folder:
        volume = FaultFS(folder)
        try:
            volume.start()
            yield volume
        finally:
            volume.stop()
