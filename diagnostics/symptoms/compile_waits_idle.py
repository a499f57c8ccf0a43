"""The main thread is inside the compiler's code and waits, while no compiler is at work anywhere.

On a future, a lock or a pool's queue (the lock file of a cache is another symptom); no compiler process in the table,
no CPU time used. Or it waits for the GPU or for the other ranks, of which one waits in a collective, and nothing goes
on. Or it waits, inside of XLA's compiler, for what another process is to write into the store of keys: on a rank that
has a compiler at work nobody would wait so. A traceback of Ctrl-C does not show what the pool's processes did. ABSENT
where compilers run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import NativeStack
from ..incident import Incident
from ._caches import waits_for_builder
from ._compilers import compilers, stands_with_others, waits_for_child, waits_for_ranks
from ._progress import growing
from ._symptom import Finding, Symptom
from ._waits import at_mutex, compiles, compiles_natively, dumps, main_stacks, name_of, native_names

# xla::CoordinationServiceAgent::GetKeyValue      BlockingKeyValueGet      DistributedKeyValueStore::Get
ASKS_PEERS = re.compile(r"\bKeyValueGet\b|::(?:GetKeyValue|BlockingKeyValueGet)\b|KeyValueStore::Get\b")
OF_XLA = re.compile(r"\bxla::(?:gpu::)?\w{0,40}(?:Autotuner\w{0,20}|GpuCompiler|ConfigAssigner)\b|::CompileAndLoad\b")
DEEP = 16
IDLE = frozenset("result wait acquire get select poll _wait_for_tstate_lock join __enter__ wait_futures".split())


def rule(incident: Incident) -> Iterator[Finding]:
    """Each main thread that waits inside the compiler."""
    at_work = [row for row in compilers(incident) if row.state == "R"]
    for stack in main_stacks(incident):
        if not compiles(stack) or not stack.frames or waits_for_builder(stack) or stack.interrupted:
            continue
        if not at_work and waits_for_ranks(stack) and stands_with_others(incident, stack):
            note = f"the compiler waits in {stack.frames[0].function} while another rank is in a collective"
            yield Finding(Subject(pid=stack.subject.pid), (stack,), note)
            continue
        process = incident.links.process_of(stack)
        busy = stack.active or waits_for_child(stack) or (process is not None and growing(process))
        if at_work or busy:
            yield Finding(Subject(), (stack, *at_work[:2]), "the compiler is at work", present=False)
        elif name_of(stack.frames[0]) in IDLE:
            note = f"the main thread waits in {stack.frames[0].function} inside the compiler"
            yield Finding(Subject(pid=stack.subject.pid), (stack,), note)
    yield from _native(incident) if not at_work else ()
    yield from _at_peers(incident) if not at_work else ()


def _at_peers(incident: Incident) -> Iterator[Finding]:
    """Stacks inside of XLA's compiler that wait for what another process is to write into the store of keys."""
    for stack in incident.of(NativeStack):
        names = [frame.function for frame in stack.frames]
        asks = next((place for place, name in enumerate(names[:DEEP]) if ASKS_PEERS.search(name)), None)
        if asks is not None and any(map(OF_XLA.search, names[asks:])):
            note = f"{stack.thread} waits in {names[asks]} inside of the compiler for another process"
            yield Finding(Subject(pid=stack.subject.pid), (stack,), note)


def _native(incident: Incident) -> Iterator[Finding]:
    """Dumps in which every thread that is shown waits for a mutex, one of them inside of a compiler; of a single one,
    inside it twice.
    """
    for threads in dumps(incident):
        waiting = [each for each in threads if at_mutex(each)]
        inside = [each for each in waiting if compiles_natively(each)]
        again = [each for each in inside if len(set(native_names(each, 40))) < len(native_names(each, 40))]
        if inside and len(waiting) == len(threads) and (len(threads) > 1 or again):
            note = f"{len(threads)} threads wait for mutexes, {inside[0].thread} inside of the compiler"
            yield Finding(Subject(pid=inside[0].subject.pid), tuple(threads[:4]), note)


SYMPTOM = Symptom(
    title="the compiler waits and nothing compiles",
    rule=rule,
    leak=0.0004,
    because="a compiler that waits has somebody at work, unless it waits for itself",
    command="py-spy dump --nonblocking --pid JOB_PID; ps -ef --forest; ls -la $TORCHINDUCTOR_CACHE_DIR/locks",
    cost_minutes=2,
)
