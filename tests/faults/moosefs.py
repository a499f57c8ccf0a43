"""`moosefs`: a real MooseFS, its master and two chunkservers in network namespaces, that can fail.

A chunkserver refuses a master on the loopback address, hence the namespaces; mfsmount enters the
network namespace alone (nsenter, not `ip netns exec`), so that everybody sees the mount.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import place

MASTER, SERVERS = "10.77.0.1", "10.77.0.2"
EMPTY_METADATA = Path("/var/lib/mfs/metadata.mfs.empty")
_numbers = itertools.count(1)


class MooseFS:
    """The volume is `mount`; `server` is what the mount table names. Faults: freeze, cut, kill; each has a cure."""

    server = f"{MASTER}:9421"

    def __init__(self, folder: Path, retries: int = 8) -> None:
        self.folder = folder
        self.mount = folder / "mnt"
        self.retries = retries  # 8: the client gives up after about 40 s, 3: 10 s; the package's 30: minutes
        tag = f"{os.getpid()}x{next(_numbers)}"
        self.front, self.back = f"mfsf{tag}", f"mfsb{tag}"
        self.link = f"d{tag}"[:13]
        self.daemons: list[subprocess.Popen[bytes]] = []
        self.chunkservers: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self._connect()
        self._configure()
        self.daemons.append(self._run(self.front, "mfsmaster", "-f", "-c", f"{self.folder}/master.cfg", "start"))
        self.revive()
        mounting = ["mfsmount", str(self.mount), "-f", "-H", MASTER, "-o", f"mfsioretries={self.retries}"]
        # the master listens a moment after its start; mfsmount tries once
        place.wait_for(self._master_listens, "the MooseFS master")
        self.daemons.append(self._run(self.front, *mounting))
        place.wait_for(lambda: str(self.mount) in place.mount_points(), "mfsmount")
        place.wait_for(self._serves, "a chunkserver", 60)

    def freeze(self) -> None:
        """Stop the chunkservers: metadata answers, data hangs."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def cut(self) -> None:
        """Take the chunkservers' link down: reads hang, then fail with ENXIO."""
        _ip("-n", self.back, "link", "set", f"{self.link}b", "down")

    def join(self) -> None:
        _ip("-n", self.back, "link", "set", f"{self.link}b", "up")

    def kill(self) -> None:
        """Kill the chunkservers; in mid-write the file is damaged."""
        for server in self.chunkservers:
            place.end(server)

    def revive(self) -> None:
        self.kill()
        self.chunkservers = [
            self._run(self.back, "mfschunkserver", "-f", "-c", f"{self.folder}/cs{number}.cfg", "start")
            for number in (1, 2)
        ]

    def stop(self) -> None:
        place.unmount(self.mount)
        for daemon in [*reversed(self.daemons), *self.chunkservers]:
            place.end(daemon)
        for name in (self.front, self.back):
            _ip("netns", "del", name, check=False)

    def _connect(self) -> None:
        ends = ((self.front, f"{self.link}a", MASTER), (self.back, f"{self.link}b", SERVERS))
        for name, _, _ in ends:
            _ip("netns", "add", name)
        _ip("link", "add", ends[0][1], "netns", self.front, "type", "veth", "peer", ends[1][1], "netns", self.back)
        for name, link, address in ends:
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", link)
            for each in ("lo", link):
                _ip("-n", name, "link", "set", each, "up")

    def _configure(self) -> None:
        for name in ("mnt", "master", "cs1", "cs2", "hdd1", "hdd2"):
            (self.folder / name).mkdir()
        (self.folder / "exports").write_text("10.77.0.0/24 / rw,alldirs,admin,maproot=0:0\n")
        (self.folder / "topology").write_text("")
        (self.folder / "master" / "metadata.mfs").write_bytes(EMPTY_METADATA.read_bytes())
        self._config("master", DATA_PATH=f"{self.folder}/master", EXPORTS_FILENAME=f"{self.folder}/exports",
                     TOPOLOGY_FILENAME=f"{self.folder}/topology", MATOML_LISTEN_HOST=MASTER,
                     MATOCS_LISTEN_HOST=MASTER, MATOCL_LISTEN_HOST=MASTER)  # fmt: skip
        for number in (1, 2):
            (self.folder / f"disks{number}").write_text(f"{self.folder}/hdd{number}\n")
            self._config(f"cs{number}", DATA_PATH=f"{self.folder}/cs{number}",
                         HDD_CONF_FILENAME=f"{self.folder}/disks{number}", MASTER_HOST=MASTER, BIND_HOST=SERVERS,
                         CSSERV_LISTEN_HOST=SERVERS, CSSERV_LISTEN_PORT=f"942{number + 1}",
                         HDD_LEAVE_SPACE_DEFAULT="64MiB")  # fmt: skip

    def _config(self, name: str, **settings: str) -> None:
        lines = {"WORKING_USER": "root", "WORKING_GROUP": "root", **settings}
        text = "".join(f"{key} = {value}\n" for key, value in lines.items())
        (self.folder / f"{name}.cfg").write_text(text)

    def _run(self, namespace: str, *command: str) -> subprocess.Popen[bytes]:
        with open(self.folder / "daemons.log", "ab") as log:
            return subprocess.Popen(
                ["nsenter", f"--net=/run/netns/{namespace}", *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
            )  # fmt: skip

    def _signal(self, number: signal.Signals) -> None:
        for server in self.chunkservers:
            server.send_signal(number)

    def _master_listens(self) -> bool:
        sockets = subprocess.run(
            ["nsenter", f"--net=/run/netns/{self.front}", "cat", "/proc/net/tcp"], capture_output=True, check=True
        )
        return b":24CD " in sockets.stdout  # port 9421

    def _serves(self) -> bool:
        ready = self.mount / ".ready"
        try:
            ready.write_text("a byte makes the round trip")
            ready.unlink()
        except OSError:
            return False
        return True


def _ip(*arguments: str, check: bool = True) -> None:
    subprocess.run(["ip", *arguments], check=check, capture_output=True)


@pytest.fixture
def moosefs(request: pytest.FixtureRequest) -> Iterator[MooseFS]:
    """A volume in order; how often its client retries may be given as the fixture's parameter."""
    place.require("mfsmaster", "mfschunkserver", "mfsmount", "ip", "nsenter", root=True, fuse=True)
    if not EMPTY_METADATA.exists():
        pytest.skip(f"needs {EMPTY_METADATA}: see scripts/install-test-tools.sh")
    with place.scratch("moosefs") as folder:
        volume = MooseFS(folder, *([request.param] if hasattr(request, "param") else []))
        try:
            volume.start()
            yield volume
        finally:
            volume.stop()
