"""A write-up as a notebook: the text in cells that people edit, and the cells that draw its pictures again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import DiagnosticsError
from .document import Plot, Section
from .markdown import escape, format_appendix, format_section
from .write_up import Postmortem
from .written import HEADER

OPENING = """from diagnostics import diagnose, open_incident, plots

diagnosis = diagnose(open_incident(*PATHS))
diagnosis.verdict.value, sorted({each.slug for each in diagnosis.answer})"""
DRAWN_FROM = {"timeline": "diagnosis.incident", "throughput": "diagnosis.incident"}


def format_notebook(postmortem: Postmortem, paths: Sequence[str | Path]) -> str:
    """The write-up as an unexecuted notebook (nbformat 4.5), the same bytes every time.

    The code cells open the incident at `paths` again; without pictures there are none, since their output
    would show what a mask hides.
    """
    cells = [_prose(f"# {escape(postmortem.title)}\n\n<!-- {HEADER} -->")]
    if postmortem.diagnosis is not None:
        where = json.dumps([str(path) for path in paths])
        cells += [_code(f"PATHS = {where}", "parameters"), _code(OPENING)]
    for section in postmortem.sections:
        cells.append(_prose(format_section(section, postmortem)))
        if postmortem.diagnosis is not None:
            cells += _pictures(section)
    cells.append(_prose(format_appendix(postmortem)))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:03}"
    notebook = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def executed(notebook: str, folder: Path, timeout_s: float = 60.0) -> str:
    """The same notebook with its outputs stored, so that nbval can compare them later.

    Parameters
    ----------
    folder : the working directory of its kernel

    Raises DiagnosticsError when a cell fails or hangs.
    """
    import subprocess

    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    node = nbformat.reads(notebook, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(node, timeout=timeout_s, resources={"metadata": {"path": str(folder)}})
    try:
        client.execute(stderr=subprocess.DEVNULL)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        said = (str(error).strip().splitlines() or ["no word"])[-1]
        raise DiagnosticsError(f"the notebook does not run: {said}", "write .md or .html instead") from None
    for cell in node.cells:
        cell.metadata.pop("execution", None)
    return str(nbformat.writes(node)) + "\n"  # type: ignore[no-untyped-call]


def _pictures(section: Section) -> list[dict[str, Any]]:
    plots = [block for block in section.blocks if isinstance(block, Plot)]
    return [_code(f"plots.plot_{plot.name}({DRAWN_FROM.get(plot.name, 'diagnosis')})") for plot in plots]


def _prose(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str, *tags: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": list(tags)} if tags else {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }
