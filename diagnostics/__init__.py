"""Find the one cause behind the many symptoms of a GPU training run that died.

    import diagnostics
    incident = diagnostics.open_incident("sample_logs/five_symptoms")
    diagnosis = diagnostics.diagnose(incident)

Importing the package imports neither torch, pandas, matplotlib nor ipywidgets; each is loaded by the
first call that needs it.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "open_incident": "diagnostics.incident",
    "Incident": "diagnostics.incident",
    "diagnose": "diagnostics.diagnosis",
    "Diagnosis": "diagnostics.diagnosis",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
