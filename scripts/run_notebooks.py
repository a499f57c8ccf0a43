"""Run the notebooks top to bottom and store their outputs as `make notebooks` compares them.

    python scripts/run_notebooks.py [NOTEBOOK...]

Live notebooks (tagged `live` in their metadata) are run and keep no outputs. Views of widgets are not stored:
they mean nothing without a kernel, and the HTML beside them says the same.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
CELL_TIMEOUT_S = 60
VIEW = "application/vnd.jupyter.widget-view+json"


def run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=CELL_TIMEOUT_S, resources={"metadata": {"path": str(path.parent)}})
    client.execute(stderr=subprocess.DEVNULL)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(VIEW, None)
        if notebook.metadata.get("live") and cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = {"name": "python"}
    nbformat.write(notebook, path)


def main() -> None:
    for path in [Path(name) for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        print(path.name, flush=True)
        run(path)


if __name__ == "__main__":
    main()
