"""How fast a large kernel log and many small files are read.

    python -m benchmarks parse [MEGABYTES]

Start-up is excluded. Prints the ratio to `LC_ALL=C grep -cF` for one word on the same file (the target is at most
twice its time), the memory, and files a second.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from diagnostics.archives import artefacts
from diagnostics.incident import open_incident
from diagnostics.parsers import all_parsers
from diagnostics.reading import read_artefact

QUIET = (
    "usb {a}-{b}: new high-speed USB device number {c} using xhci_hcd",
    'audit: type=1400 audit(1700000000.{a}:{c}): apparmor="DENIED" operation="open" pid={c} comm="ps"',
    "docker0: port {b}(veth{c:x}) entered forwarding state",
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{c:x}: link becomes ready",
    "systemd[1]: Started Session {c} of user u{b}.",
    "perf: interrupt took too long ({c} > {b}), lowering kernel.perf_event_max_sample_rate to {c}",
)
LOUD = (
    "INFO: task python3:{c} blocked for more than 120 seconds.",
    "NVRM: Xid (PCI:0000:b3:00): 79, pid={c}, name=python3, GPU has fallen off the bus.",
    "nfs: server nas01 not responding, still trying",
    "nvme nvme0: I/O {c} QID 2 timeout, aborting",
)
LOUD_LINES = 200
FILES = 10_000


def write(path: Path, size: int) -> None:
    """Write a kernel log of about `size` bytes with 200 lines that matter."""
    dice, uptime, lines = random.Random(7), 0.0, size // 95
    loud = set(dice.sample(range(lines), LOUD_LINES))
    with path.open("w", buffering=1 << 22) as file:
        for number in range(lines):
            uptime += dice.random() * 0.02
            text = dice.choice(LOUD if number in loud else QUIET)
            text = text.format(a=dice.randrange(9), b=dice.randrange(255), c=dice.randrange(99_999))
            file.write(f"[{uptime:12.6f}] {text}\n")


def timed(call: object, *arguments: object) -> tuple[float, float]:
    """Wall-clock and processor seconds (children too) of a call."""
    wall, used = time.perf_counter(), sum(os.times()[:4])
    call(*arguments)  # type: ignore[operator]
    return time.perf_counter() - wall, sum(os.times()[:4]) - used


def grep(path: Path) -> None:
    command = ["grep", "-cF", "Xid", str(path)]
    # a pipe, because grep stops at the first line when nobody reads what it prints
    subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE, check=True)


def main() -> None:
    """Print the two measurements."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for parser in all_parsers().values():
        _ = parser.searched.alternatives, parser.pattern
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "kernel.log")
        write(log, megabytes * 1_000_000)
        grep(log)
        ours, theirs = min(timed(open_incident, log) for _ in range(3)), min(timed(grep, log) for _ in range(3))
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"kernel log, {log.stat().st_size / 1e6:.0f} MB: {ours[0]:.2f} s ({ours[1]:.2f} s of processor)")
        print(f"grep -cF: {theirs[0]:.2f} s ({theirs[1]:.2f} s of processor)")
        searcher = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"ratio {ours[0] / theirs[0]:.1f} (processor {ours[1] / theirs[1]:.1f}), {resident} MiB resident")
        print(f"the largest ripgrep: {searcher} MiB resident")
        log.unlink()
        for number in range(FILES):
            Path(folder, f"{number:05}.txt").write_text(
                f"[ {number}.000000] {LOUD[number % 4].format(c=number)}\n" * 20
            )
        for artefact in islice(artefacts(folder), 20):
            read_artefact(artefact)  # the patterns are compiled: start-up
        wall, used = timed(open_incident, Path(folder))
        print(f"{FILES:,} small files: {FILES / wall:.0f} files/s ({FILES / used:.0f} a second of processor)")


if __name__ == "__main__":
    main()
