"""Work before the first request was counting up when the kubelet's probe ended it: a load, a download, a compilation.

By the phase that the log says last, "13 of 30" or "61 %", or by an unfinished bar of such work. A probe's own limit is
seldom said: where it is, and allows only seconds, a compilation or a warm-up that was begun last is enough, since none
is so short. Silence or a count that stands at its end is no sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..evidence.supervisor import WatchdogFired
from ..evidence.training import ProgressBar
from ..incident import Incident
from ..setting_names import PROBE_ALLOWS
from ._limits import COUNT, last_phase
from ._symptom import Finding, Symptom

PROBE_S = 20.0  # a probe's first look and its failures take at least so long
SECONDS = 10.0  # that a liveness probe allows
KEEPS_BUSY = ("compile", "warmup")
BEFORE_SERVING = ("load", "preprocess", "compile", "download", "warmup")
SHARE = re.compile(r"(?<![\d.])[1-9]\d?(?:\.\d{1,2})? ?%")  # of a whole, which it has not reached
PREPARES = re.compile(r"\b(?:load|download|fetch|compil|captur|convert|quantiz|shard|checkpoint|warm)", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """The last phase and each bar that stood between its begin and its end."""
    kills = [f for f in incident.of(WatchdogFired) if f.watchdog == "kubernetes" and f.action in ("kill", "restart")]
    last = last_phase(incident)
    if not kills:
        return
    counted = COUNT.search(last.text) if last and last.phase in BEFORE_SERVING else None
    share = SHARE.search(last.text) if last and last.phase in BEFORE_SERVING and not counted else None
    if last and share:
        yield Finding(Subject(), (last, kills[0]), f"{last.phase} stood at {share[0]} when the probe failed")
    if last and counted and 0 < int(counted[1]) < int(counted[2]):
        yield Finding(
            Subject(), (last, kills[0]), f"{last.phase} stood at {counted[1]} of {counted[2]} when the probe failed"
        )
    short = [
        probe for probe in incident.of(SettingSeen) if probe.name == PROBE_ALLOWS and float(probe.value) <= SECONDS
    ]
    live = [kill for kill in kills if "liveness" in kill.text]
    if last and last.phase in KEEPS_BUSY and last.edge == "begin" and short and live:
        note = f"{last.phase} was begun last; the probe allows {short[0].value} s without an answer"
        yield Finding(Subject(), (last, short[0], live[0]), note)
    for bar in incident.of(ProgressBar):
        done, total = bar.done or 0, bar.total or 0
        if PREPARES.search(bar.label) and 0 < done < total and (bar.elapsed_s or 0.0) >= PROBE_S:
            yield Finding(Subject(), (bar, kills[0]), f"{bar.label} stood at {done} of {total} when the probe failed")


SYMPTOM = Symptom(
    title="a probe ended work before the first request",
    rule=rule,
    leak=0.001,
    because="probes are given more time than a start takes; a start that they end on its way is rare",
    command="kubectl describe pod POD | grep -A 3 -i probe; kubectl logs --previous POD | tail",
    cost_minutes=1,
)
