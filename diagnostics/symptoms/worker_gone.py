"""A worker is gone: it raised, exited or is a zombie, while the one that needs it waits or notices.

"exited unexpectedly" and its like, an exception while the main thread still waits for its batch, or a waiting main
thread (for a loader, a pool, an executor, or the event, queue or pipe of another process) with a dead child, no child
left in a table that shows other processes too, or one in a dead one's place: begun long after its equals and without
any work done, as a pool replaces what it lost (where some thread of the waiting process is in a pool's module). A
shell's or a tool's zombie is what a command that is over has left. What a log says of a worker that died of a bus error
is that symptom (loader-worker-bus-error) told again. ABSENT where the waiting process's workers are all alive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Evidence, Subject
from ..evidence.job import PythonException
from ..evidence.process import ProcessState, PythonStack
from ..incident import Incident
from ..runs import job_ends
from ._errors import matching
from ._jobs import is_of_the_job
from ._registry import findings_of
from ._symptom import Finding, Symptom
from ._waits import main_stacks, name_of, waits_for_helpers

GONE = re.compile(
    r"[Pp]in memory thread exited|(?:exited|workers? exit) unexpectedly|\bLost all workers\b"
    "|process pool was terminated abruptly|BrokenProcessPool"
    r"|worker .{0,60}(?:died|crashed|is gone|exited|unexpectedly terminated)|cannot schedule new futures after",
)

LATER_S, WAITED_S, IDLE_S, DAY_S = 10.0, 120.0, 1.0, 86400.0
OF_POOLS = frozenset(("iflatmap_unordered", "_handle_workers"))  # what no other module has


def rule(incident: Incident) -> Iterator[Finding]:
    """Each sign that a helper is gone."""
    by_bus_error = {finding.evidence[0].source.file for finding in findings_of(incident, "loader-worker-bus-error")}
    for said in matching(incident, GONE):
        if said.fact.source.file not in by_bus_error:
            yield Finding(Subject(pid=said.fact.subject.pid), (said.fact,), said.text.splitlines()[0][:160])
    for stack in main_stacks(incident):
        if waits_for_helpers(stack) and not stack.crashed:
            yield from _of_waiting(incident, stack)


def _of_waiting(incident: Incident, stack: PythonStack) -> Iterator[Finding]:
    """What became of the helpers of one process that waits for them."""
    subject = Subject(pid=stack.subject.pid)
    by_itself = any(end.status is not None and not end.signal for end in job_ends(incident))
    raised: list[Evidence] = [] if by_itself or stack.interrupted else list(incident.of(PythonException))
    if raised:
        yield Finding(subject, (stack, raised[0]), "a helper raised and the main thread still waits for it")
        return
    # a zombie whose parent is 1 was orphaned first: it is what a kill left, not what the main thread waited for
    links = incident.links
    key = links.key_of(stack)
    rows = [row for child in (links.children.get(key, ()) if key else ()) for row in links.processes[child].states]
    states = [row for row in rows if row.parent_pid == stack.subject.pid]
    dead = [state for state in states if state.state in ("Z", "X") and _is_helper(incident, stack, state)]
    if stack.subject.pid is None and not dead:
        dead = _of_the_only_parent(incident, stack)
    if not states and not dead:
        dead = _of_a_table_without_parents(incident, stack)
    waits_for_loader = any(name_of(frame) == "_try_get_data" for frame in stack.frames)
    table = incident.reads("process-table", "some-processes")
    seen_in = {row.source.file for row in incident.of(ProcessState) if links.key_of(row) == key}
    others = [row for row in incident.of(ProcessState) if links.key_of(row) != key and row.source.file in seen_in]
    # a table of that process alone was asked for no other; where no parents are told, others of the job may be its own
    whole = bool(others) and not any(row.parent_pid is None and is_of_the_job(row) for row in others)
    if dead:
        yield Finding(
            subject, (stack, *dead), f"child {dead[0].subject.pid} is a zombie and the main thread waits for it"
        )
    elif waits_for_loader and table and whole and not states:
        yield Finding(subject, (stack, *table), "the process that waits for its workers has none")
    elif late := _replaced(incident, stack, states):
        note = f"child {late[0].subject.pid} was begun long after the others and idles: it stands for one that is gone"
        yield Finding(subject, (stack, *late), note)
    elif states:
        yield Finding(subject, (stack, *states), "the workers are alive", present=False)


def _is_helper(incident: Incident, stack: PythonStack, zombie: ProcessState) -> bool:
    """True for a zombie of the waiting process's own name or of one that helpers have: no shell, and no tool."""
    process, name = incident.links.process_of(stack), zombie.subject.comm
    return name is None or is_of_the_job(zombie) or (process is not None and name == process.comm)


def _of_the_only_parent(incident: Incident, stack: PythonStack) -> list[ProcessState]:
    """The zombies of a table in which one process alone has any, all of its children and of its name, and lives
    itself.
    """
    processes, machine = incident.links.processes, incident.links.machines.of(stack)
    rows = {
        parent: [row for child in children for row in processes[child].states if row.parent_pid == parent[1]]
        for parent, children in incident.links.children.items()
        if parent[0] == machine
    }
    left = {parent: of for parent, of in rows.items() if any(row.state in ("Z", "X") for row in of)}
    if len(left) != 1:
        return []
    ((parent, of),) = left.items()
    lives = parent in processes and any(row.state not in ("Z", "X") for row in processes[parent].states)
    names = {row.subject.comm for row in processes[parent].states} | {"pt_data_worker"} if lives else set()
    return of if all(row.state in ("Z", "X") and row.subject.comm in names for row in of) else []


def _of_a_table_without_parents(incident: Incident, stack: PythonStack) -> list[ProcessState]:
    """The zombies of a table that tells no parents, where others of the waiting process's command live on."""
    key_of = incident.links.key_of
    mine = [row for row in incident.of(ProcessState) if key_of(row) == key_of(stack)]
    rows = [row for row in incident.of(ProcessState) if mine and row.source.file == mine[0].source.file]
    if any(row.parent_pid is not None for row in rows):
        return []
    alike = [row for row in rows if row.command == mine[0].command and row.state not in ("Z", "X")] if mine else []
    name = mine[0].subject.comm if mine else None
    return [row for row in rows if row.state in ("Z", "X") and row.subject.comm == name] if len(alike) > 1 else []


def _replaced(incident: Incident, stack: PythonStack, states: Sequence[ProcessState]) -> list[ProcessState]:
    """The pool's children that were begun long after their equals and have done nothing, and one of the equals; the
    equals were begun together and are no fewer, and all sleep.
    """
    process = incident.links.process_of(stack)
    frames = [frame for each in (stack, *(process.stacks if process else ())) for frame in each.frames]
    if not states or not any((each.file or "").endswith("/pool.py") or name_of(each) in OF_POOLS for each in frames):
        return []
    source, stamp = states[-1].source.file, states[-1].stamp
    table = [row for row in (*(process.states if process else ()), *states) if row.source.file == source]
    ages = _ages(list({row.subject.pid: row for row in table if row.stamp == stamp}.values()), stack)
    aged = sorted((age, row.source.line, row) for row, age in ages if row.subject.pid != stack.subject.pid)
    if len(aged) < 2 or any(row.state == "R" for *_, row in aged):
        return []
    (eldest, _, old), apart = aged[-1], LATER_S
    if all(row.began_s is not None and row.began_s % 60 == 0 for *_, row in aged):
        apart += 60  # their table tells no seconds
    aged = [each for each in aged if _without_numbers(each[-1]) == _without_numbers(old)]
    young = [each for each in aged if eldest - each[0] > apart]
    at_work = any(row.cpu_s is None or row.cpu_s > IDLE_S or age < WAITED_S for age, _, row in young)
    return [*(row for *_, row in young), old] if young and 2 * len(young) <= len(aged) and not at_work else []


def _ages(table: Sequence[ProcessState], stack: PythonStack) -> list[tuple[ProcessState, float]]:
    """How old each process of a table was, as far as it tells; where it tells but when they began, at the least: a
    process has lived as long as makes its share of a CPU of its time on one.
    """
    if any(row.elapsed_s is not None for row in table):
        return [(row, row.elapsed_s) for row in table if row.elapsed_s is not None]
    own = next((row.began_s for row in table if row.subject.pid == stack.subject.pid), None)
    times = [(row, row.began_s) for row in table if row.began_s is not None]
    first = min((began_s for _, began_s in times), default=0.0) if own is None else own
    later = [(row, (began_s - first) % DAY_S if began_s < DAY_S else began_s - first) for row, began_s in times]
    now = max((after_s + _lived(row) for row, after_s in later), default=0.0)
    return [(row, now - after_s) for row, after_s in later]


def _lived(row: ProcessState) -> float:
    """The least seconds that a process has lived by its CPU time and its share, which ps rounds down."""
    if row.cpu_s is None or row.cpu_percent is None or row.cpu_percent >= 99:
        return 0.0
    return 100 * row.cpu_s / (row.cpu_percent + (1.0 if row.cpu_percent.is_integer() else 0.1))


def _without_numbers(row: ProcessState) -> str:
    """A command without its numbers: spawned children differ in those of their pipes."""
    return re.sub(r"\d+", "#", row.command)


SYMPTOM = Symptom(
    title="a worker is gone",
    rule=rule,
    leak=0.001,
    because="helpers live as long as their owner unless something ended them",
    command="ps -ef --forest; py-spy dump --nonblocking --pid JOB_PID; grep -n -i 'exited\\|exception in thread' *.log",
    cost_minutes=1,
)
