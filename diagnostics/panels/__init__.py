"""Panels for JupyterLab: the only place that knows ipywidgets.

A panel shows what plain objects say; its repr and its HTML hold the same words, so that a script, an export and
a notebook check without widgets see them too. What may take time runs in a thread: a volume that never answers
blocks a panel's answer, not the kernel.
"""

from __future__ import annotations

from .checkpoints import CheckpointsPanel
from .diagnosis import DiagnosisPanel
from .opening import OpenPanel
from .postmortem import PostmortemPanel
from .probing import ProbePanel
from .timeline import TimelinePanel

__all__ = ["CheckpointsPanel", "DiagnosisPanel", "OpenPanel", "PostmortemPanel", "ProbePanel", "TimelinePanel"]
