"""`sshfs`: a volume served by a local sshd whose sftp-server can be stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults import place

SFTP_SERVER = Path("/usr/lib/openssh/sftp-server")


class SSHFS:
    """`mount` shows `remote` through ssh. While frozen even stat hangs, and ssh's keep-alive notices nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mount, self.remote = folder / "mnt", folder / "remote"
        self.daemons: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self.mount.mkdir()
        self.remote.mkdir()
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / name)], check=True)
        Path("/run/sshd").mkdir(exist_ok=True)
        port = _free_port()
        (self.folder / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1:{port}\nHostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/client.pub\n"
            f"PidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nSubsystem sftp {SFTP_SERVER}\n"
        )
        self._run("/usr/sbin/sshd", "-D", "-e", "-f", str(self.folder / "sshd_config"))
        place.wait_for(lambda: _answers(port), "sshd")
        options = (
            f"IdentityFile={self.folder}/client,StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null,"
            f"port={port},attr_timeout=0,entry_timeout=0"
        )
        self._run("sshfs", "-f", f"root@127.0.0.1:{self.remote}", str(self.mount), "-o", options)
        # sshfs mounts first and connects afterwards
        place.wait_for(lambda: str(self.mount) in place.mount_points() and self._servers(), "sshfs")

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        place.unmount(self.mount)
        self._signal(signal.SIGKILL)
        for daemon in reversed(self.daemons):
            place.end(daemon)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._servers():
            os.kill(pid, number)

    def _servers(self) -> list[int]:
        """The sftp-servers below our sshd."""
        import psutil

        family = psutil.Process(self.daemons[0].pid).children(recursive=True) if self.daemons else []
        found = []
        for child in family:
            with suppress(psutil.NoSuchProcess):  # a killed server takes its sshd along
                found += [child.pid] if child.name() == "sftp-server" else []
        return found

    def _run(self, *command: str) -> None:
        with open(self.folder / "daemons.log", "ab") as log:
            self.daemons.append(
                subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True
                )
            )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def sshfs() -> Iterator[SSHFS]:
    place.require("sshfs", "sshd", "ssh-keygen", root=True, fuse=True)
    if not SFTP_SERVER.exists():
        pytest.skip(f"needs {SFTP_SERVER}: see scripts/install-test-tools.sh")
    with place.scratch("sshfs") as folder:
        volume = SSHFS(folder)
        try:
            volume.start()
            yield volume
        finally:
            volume.stop()
