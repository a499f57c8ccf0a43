"""How long a diagnosis takes: one incident of 100,000 facts on one core, and growth with facts and with causes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from diagnostics import noisy_or
from diagnostics.diagnosis import diagnose
from diagnostics.evidence import Clock, Evidence, Source, Stamp, Subject
from diagnostics.evidence.collective import CollectiveTimeout, NcclMessage, RemoteFailure
from diagnostics.evidence.kernel import LinkChange, PcieError, Xid
from diagnostics.evidence.process import ProcessState
from diagnostics.evidence.supervisor import WatchdogObservation
from diagnostics.incident import Incident


def fact(number: int) -> Evidence:
    """One of many facts of a large job, of eight kinds in turn."""
    source = Source(f"node{number % 64}.log", number, "raw line")
    subject = Subject(host=f"node{number % 64}", rank=number % 512, pid=number % 30000)
    stamp = Stamp(Clock.UTC, 1.7e9 + number * 0.01)
    common: dict[str, Any] = {"source": source, "subject": subject, "stamp": stamp}
    makers: tuple[Callable[[], Evidence], ...] = (
        lambda: NcclMessage(
            **common, level="INFO", about="transport", text=f"Channel {number:02}/0 : 0[0] -> 1[1] via P2P"
        ),
        lambda: CollectiveTimeout(**common, operation="ALLREDUCE", sequence=7, limit_s=600.0),
        lambda: RemoteFailure(**common, about="peer-closed", text="Connection closed by peer"),
        lambda: WatchdogObservation(**common, age_s=5.0),
        lambda: ProcessState(**common, state="S", wchan="futex_do_wait", command="python train.py"),
        lambda: Xid(**common, code=45, meaning="Preemptive cleanup"),
        lambda: PcieError(**common, level="corrected", text="AER: Corrected error received"),
        lambda: LinkChange(**common, up=number % 16 == 0),
    )
    return makers[number % len(makers)]()


def seconds(act: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    act()
    return time.process_time() - start


def show_growth_with_facts() -> None:
    """Time a whole diagnosis of incidents of growing size."""
    diagnose(Incident("warm-up", [fact(0)], []))
    print("facts     seconds")
    for count in (1_000, 10_000, 100_000, 200_000):
        facts = [fact(number) for number in range(count)]
        print(f"{count:7,} {seconds(partial(diagnose, Incident('many', facts, []))):9.2f}")


def show_growth_with_causes() -> None:
    """Time the exact solution for growing numbers of causes that each explain something."""
    print("causes that explain something   sets   seconds")
    draw = np.random.default_rng(0)
    for causes in (10, 20, 40, 60):
        strength = draw.uniform(0.1, 0.9, (causes, 30))
        arguments = (np.full(causes, 0.02), strength, np.full(30, 0.02), draw.random(30) < 0.5)
        sets = len(noisy_or.candidate_sets(strength, arguments[3], noisy_or.MAX_SET))
        print(f"{causes:29} {sets:6,} {seconds(partial(noisy_or.solve, *arguments)):9.2f}")


def main() -> None:
    """Print the growth with facts, then with causes."""
    show_growth_with_facts()
    print()
    show_growth_with_causes()


if __name__ == "__main__":
    main()
