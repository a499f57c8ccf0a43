"""How long `collect` takes on a machine with many processes, healthy: python -m benchmarks.live_collect [N]."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from diagnostics.collect import collect


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    sleepers = [subprocess.Popen([sys.executable, "-ISc", "import time; time.sleep(600)"]) for _ in range(wanted)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            collection = collect(Path(folder) / "out")
            print(f"{wanted} Python processes: {collection.elapsed_s:.1f} s, {len(collection.entries)} entries")
    finally:
        for sleeper in sleepers:
            sleeper.kill()
        for sleeper in sleepers:
            sleeper.wait()


if __name__ == "__main__":
    main()
