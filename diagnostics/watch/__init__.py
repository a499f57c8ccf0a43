"""A black box for a run: notice that it stalls, and collect before anybody's watchdog kills the evidence."""

from .blackbox import BlackBox, watch_command, watch_process
from .settings import Settings

__all__ = ["BlackBox", "Settings", "watch_command", "watch_process"]
