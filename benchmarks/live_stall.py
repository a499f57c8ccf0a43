"""From a real MooseFS's failure to the verdict that `watch` writes: python -m benchmarks.live_stall [ROUNDS].

Each round starts a MooseFS and a training run on it, freezes, cuts or kills the chunkservers by turns, and
takes the time until a diagnosis lies there. Needs root, FUSE and scripts/install-test-tools.sh.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.faults import place
from tests.faults.moosefs import MooseFS

TRAINER = Path(__file__).parents[1] / "tests" / "live" / "trainer.py"
FAULTS = ("freeze", "cut", "kill")


def one(fault: str) -> tuple[float, str, str]:
    """Seconds to the verdict, the verdict with its answer, and the subject's mount as expected or not."""
    with place.scratch("moosefs") as folder, place.scratch("watch") as out:
        volume = MooseFS(folder)
        try:
            volume.start()
            for number in range(4):
                (volume.mount / f"shard_{number}.bin").write_bytes(os.urandom(1 << 20))
            watch = [sys.executable, "-m", "diagnostics", "watch", "--out", str(out)]
            run = subprocess.Popen(
                [*watch, "--", sys.executable, str(TRAINER), "--data", str(volume.mount)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            log = out / "run.log"
            place.wait_for(lambda: log.exists() and b"step 10 " in log.read_bytes(), "ten steps", 90)
            start = time.monotonic()
            getattr(volume, fault)()
            place.wait_for(lambda: list(out.glob("*.diagnosis.json")), "a diagnosis", 90)
            took = time.monotonic() - start
            found = json.loads(next(out.glob("*.diagnosis.json")).read_text())
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            top = found["causes"][0]
            rivals = ", ".join(f"{each['cause']} {each['posterior']:.2f}" for each in found["causes"][:3])
            return (
                took,
                f"{found['verdict']} {found['answer']} of {rivals}",
                str(top["subject"].get("mount") == str(volume.mount)),
            )
        finally:
            volume.stop()


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for number in range(rounds):
        fault = FAULTS[number % len(FAULTS)]
        took, verdict, subject = one(fault)
        print(f"{number + 1:2} {fault:6} {took:5.1f} s  {verdict}  right mount: {subject}", flush=True)


if __name__ == "__main__":
    main()
