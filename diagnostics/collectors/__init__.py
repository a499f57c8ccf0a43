"""Collectors: one file per thing that a pod can be asked; this folder is the registry.

A collector module has a docstring (what is written, as which tool would print it, what is left out) and one
constant, `COLLECTOR`. It reads through `hangproof` and `question` alone, each piece under its own deadline;
what was refused or silent is a piece too, with its reason.
"""

from ._collector import Collector, Piece, State, all_collectors
from ._scope import Process, Scope, survey

__all__ = ["Collector", "Piece", "Process", "Scope", "State", "all_collectors", "survey"]
