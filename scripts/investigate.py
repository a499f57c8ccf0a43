"""Copies of the notebooks about an incident of your own: `python scripts/investigate.py INCIDENT [FOLDER] [--run]`.

The cells tagged `parameters` get the path; outputs are taken out, or made with --run. The notebooks in the
repository stay as they are. Prints the folder (default: investigations/NAME).
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

import nbformat
from run_notebooks import FOLDER, run

ROOT = FOLDER.parent


def about(path: Path, incident: Path, target: Path) -> None:
    """One notebook about one incident, without outputs."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        if "parameters" in cell.metadata.get("tags", ()):
            lines = cell.source.splitlines()
            cell.source = "\n".join(
                f"INCIDENT = {str(incident)!r}" if line.startswith("INCIDENT = ") else line for line in lines
            )
        # the look-alike is part of the sample's story, at its place in the repository
        cell.source = cell.source.replace('"../sample_logs/', f'"{ROOT}/sample_logs/')
    nbformat.write(notebook, target / path.name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("incident", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--run", action="store_true")
    arguments = parser.parse_args()
    if not arguments.incident.exists():
        print(f"error: {arguments.incident} does not exist; give a folder, an archive or files", file=sys.stderr)
        return 1
    incident = arguments.incident.resolve()
    target = arguments.folder or ROOT / "investigations" / incident.name.split(".")[0]
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(FOLDER.glob("*.ipynb")):
        about(path, incident, target)
    if arguments.run:
        for path in sorted(target.glob("0*.ipynb")):
            run(path)
    shutil.copy(ROOT / "tests" / "nbval.cfg", target / "nbval.cfg")
    print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
