"""Where the ranks of a job were: one position per trainer process, from stack dumps, else from tracebacks.

A position is "collective:<name>", "backward" (which hides the gradients' all-reduce), "loader", or the innermost frame
of the job that is none of these. Where a module's hook gathers its sharded parameters (ZeRO-3, FSDP), the collective
has the name of the job's own call too: other calls gather other parameters. A rank that the kernel shows stopped is
"stopped": its stack tells where that happened, not what it waits for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..evidence import Evidence, Subject
from ..evidence.collective import CollectiveProgress, CollectiveTimeout
from ..evidence.job import PythonException
from ..evidence.process import Frame, PythonStack
from ..incident import Incident
from ..links import ProcessKey
from ..runs import Run
from ._waits import is_child, main_stacks

COLLECTIVES = (
    "all_reduce", "allreduce", "all_reduce_coalesced", "barrier", "broadcast", "all_gather", "all_gather_into_tensor",
    "all_gather_object", "_all_gather_base", "all_to_all", "all_to_all_single", "broadcast_object_list", "gather",
    "gather_object", "monitored_barrier", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter",
    "scatter_object_list", "_reduce_scatter_base", "gather_all_tensors", "_gpu_gather", "_gpu_gather_one",
    "pad_across_processes", "wait_for_everyone",
)  # fmt: skip
OF_RANKS = ("distributed", "deepspeed/comm", "accelerate/accelerator", "accelerate/utils/operations")
POINT_TO_POINT = ("send", "recv", "isend", "irecv", "batch_isend_irecv", "_batch_p2p_ops")
BACKWARD = re.compile(r"deepspeed/runtime/engine|accelerate/(?:accelerator|utils/deepspeed)")
LAUNCHER = re.compile(r"torch/distributed/(?:elastic|run|launcher|launch)|accelerate/commands|deepspeed/launcher")
# what waits for the parameters of a module that are sharded over the ranks
HOOKS = re.compile(
    r"deepspeed/runtime/zero/(?:partition_parameters|partitioned_param_coordinator|parameter_offload)"
    "|torch/distributed/(?:fsdp|_composable/fsdp)/|fairscale/nn/data_parallel/fully_sharded"
    "|colossalai/(?:zero|gemini)/"
)
WAITS = re.compile(
    r"^(?:wait|synchronize|all_gather_\w{1,40}|_?all_?gather\w{0,40}|fetch_sub_module|_?wait_\w{0,30}"
    r"|_?unshard\w{0,20})$"
)
LIBRARIES = re.compile(
    "(?:^|/)(?:torch|deepspeed|transformers|accelerate|peft|trl|lightning|pytorch_lightning|diffusers|fairscale"
    r"|colossalai|contextlib|functools|runpy|threading)(?:/|\.py)|<frozen|<string>|/(?:site|dist)-packages/"
)
WAITS_OF_STEPS = ("loader", "collective:", "backward", "point-to-point")
STOPPED, CALCULATES = "stopped", "backward on a CPU"
FRAME_TEXT = re.compile(r"^(?P<function>\S+) \((?P<file>.*?)(?::(?P<line>\d+))?\)$")


FAR = 20  # calls from the start


class Position(NamedTuple):
    """Where one process was: its name for people, and the fact that shows it."""

    subject: Subject
    where: str
    fact: Evidence

    @property
    def in_collective(self) -> bool:
        return self.where.startswith("collective:")

    @property
    def waits_for_ranks(self) -> bool:
        """True also in the backward pass, where a data-parallel rank waits for the others' gradients."""
        return self.in_collective or self.where in ("backward", "point-to-point")


def positions(incident: Incident) -> list[Position]:
    """One position per trainer process: its last stack dump; from tracebacks where nobody dumped stacks."""
    found: dict[ProcessKey, Position] = {}
    for stack in incident.of(PythonStack):
        key = incident.links.key_of(stack) or _of_rank(stack)
        if key is None or stack.thread != "MainThread" or not stack.frames or _is_no_rank(stack.frames):
            continue
        found[key] = Position(stack.subject, _place_of(incident, stack), stack)
    if found:
        return _as_told_by_idleness(list(found.values()))
    by_rank: dict[int, Position] = {}
    for raised in incident.of(PythonException):
        rank, frames = raised.subject.rank, frames_of(raised.frames)
        if rank is not None and frames and rank not in by_rank and not _is_no_rank(frames):
            by_rank[rank] = Position(raised.subject, where(frames), raised)
    return list(by_rank.values())


def _as_told_by_idleness(seen: list[Position]) -> list[Position]:
    """The positions; a backward pass that is on a CPU calculates where a rank that waits in a collective is idle, as
    Gloo's are and NCCL's are not.
    """
    stacks = {id(each.fact): each.fact.active for each in seen if isinstance(each.fact, PythonStack)}
    if not any(each.in_collective and stacks.get(id(each.fact)) is False for each in seen):
        return seen
    return [
        each._replace(where=CALCULATES) if each.where == "backward" and stacks.get(id(each.fact)) else each
        for each in seen
    ]


def _place_of(incident: Incident, stack: PythonStack) -> str:
    """As `where`; a rank that is stopped stands nowhere, and one that was on a CPU at each look calculates."""
    if _is_stopped(incident, stack):
        return STOPPED
    place = where(stack.frames)
    process = incident.links.process_of(stack)
    runs = process is not None and bool(process.states) and all(row.state == "R" for row in process.states)
    return CALCULATES if place == "backward" and stack.active and runs else place


def stands_idle(incident: Incident, run: Run) -> bool:
    """True where nobody says how a run ended, and a look found a main thread idle at a place where no step waits."""
    if run.finished or run.ended:
        return False
    looks = (stack for stack in main_stacks(incident) if not stack.active and not is_child(stack))
    return not all(where(stack.frames).startswith(WAITS_OF_STEPS) for stack in looks)


def behind(incident: Incident) -> list[tuple[CollectiveProgress, CollectiveTimeout | CollectiveProgress]]:
    """The ranks that have made a call fewer than others and have none outstanding, each with a rank that waits in it.

    By the counts that the watchdogs print, within one group; where none names its group, by counts so far from the
    start that those of two groups would not meet by chance.
    """
    stands = [
        fact
        for fact in incident.of(CollectiveProgress)
        if fact.operation is None and (fact.group is not None or (fact.enqueued or 0) >= FAR)
    ]
    found = []
    for rank in (fact for fact in stands if fact.enqueued is not None and fact.enqueued == fact.completed):
        wants = (rank.enqueued or 0) + 1
        others: list[CollectiveTimeout | CollectiveProgress] = [
            fact
            for fact in incident.of(CollectiveTimeout)
            if fact.sequence == wants and fact.group in (None, rank.group) and fact.completed in (None, rank.completed)
        ]
        others += [
            fact
            for fact in stands
            if fact.group == rank.group and fact.completed == rank.completed and (fact.enqueued or 0) >= wants
        ]
        others = [fact for fact in others if fact.subject.rank not in (None, rank.subject.rank)]
        if others and rank.subject.rank is not None:
            found.append((rank, others[0]))
    return found


def _is_stopped(incident: Incident, stack: PythonStack) -> bool:
    """True where the kernel shows the process stopped, by a signal or by a debugger."""
    process = incident.links.process_of(stack)
    if process is None:
        return False
    of_main = [thread.state for thread in process.threads if thread.subject.tid in (process.pid, None)]
    return any(state in ("T", "t") for state in (*(each.state for each in process.states), *of_main))


def _of_rank(stack: PythonStack) -> ProcessKey | None:
    """A key for a rank whose process nobody names, which is no process's."""
    return None if stack.subject.rank is None else ("", -1 - stack.subject.rank)


def frames_of(texts: Iterable[str]) -> list[Frame]:
    """Frames from the "function (file:line)" of a traceback."""
    found = []
    for text in texts:
        if match := FRAME_TEXT.match(text):
            line = int(match["line"]) if match["line"] else None
            found.append(Frame(match["function"], match["file"], line))
    return found


def _is_no_rank(frames: Sequence[Frame]) -> bool:
    """True for the launcher and for loader workers, which belong to a rank but are none."""
    return any(frame.function == "_worker_loop" or LAUNCHER.search(frame.file or "") for frame in frames)


def where(frames: Sequence[Frame]) -> str:
    """The position that a stack (innermost first) shows."""
    place = _where(frames)
    hook = next((at for at, frame in enumerate(frames) if HOOKS.search(frame.file or "")), None)
    if hook is None or not (place.startswith("collective:") or WAITS.match(frames[0].function.rpartition(".")[2])):
        return place
    kind = place if place.startswith("collective:") else "collective:gather"
    caller = next((frame for frame in frames[hook:] if not LIBRARIES.search(frame.file or "")), None)
    return f"{kind} of parameters for {caller.function} ({caller.file})" if caller else kind


def _where(frames: Sequence[Frame]) -> str:
    for frame in frames:
        name = frame.function.rpartition(".")[2]
        distributed = any(part in (frame.file or "") for part in OF_RANKS)
        if distributed and name in COLLECTIVES:
            return f"collective:{name}"
        if distributed and name in POINT_TO_POINT:
            return "point-to-point"
        if name in ("_try_get_data", "_next_data"):
            return "loader"
        if name == "backward" and BACKWARD.search(frame.file or ""):
            return "backward"
        if name == "_engine_run_backward" or "autograd/__init__.py" in (frame.file or ""):
            return "backward"
    return f"{frames[0].function} ({frames[0].file}:{frames[0].line})"
