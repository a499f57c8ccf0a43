"""Who differs from most: grouped, the odd ones first, a line of each group cited."""

from __future__ import annotations

from pathlib import Path

from diagnostics import open_incident
from diagnostics.evidence import Source, Subject, each_once
from diagnostics.evidence.collective import CollectiveTimeout
from diagnostics.observation import Observation, State, observe
from diagnostics.symptoms._odd_ones import grouped, listed, one_of_each

CAUGHT = (
    "[rank{0}]:[E1003 11:30:11.551001 ProcessGroupNCCL.cpp:616] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum={2}, OpType={1}, NumelIn=1024, NumelOut=1024, Timeout(ms)=600000) ran for 600012 milliseconds "
    "before timing out.\n"
)


def seen(folder: Path, calls: dict[int, str], number: int = 10233) -> dict[str, Observation]:
    """The symptoms of ranks that timed out in some calls."""
    (folder / "torchrun.log").write_text("".join(CAUGHT.format(rank, call, number) for rank, call in calls.items()))
    return {each.symptom: each for each in observe(open_incident(folder)) if each.state is State.PRESENT}


def test_the_odd_rank_is_named_first_and_cited(tmp_path: Path) -> None:
    found = seen(tmp_path, {rank: "BROADCAST" if rank == 4 else "ALLREDUCE" for rank in range(8)})
    said = {
        "ranks-in-different-collectives": "call 10233: rank 4 in BROADCAST; 7 ranks in ALLREDUCE",
        "timed-out-in-different-calls": "rank 4 in BROADCAST #10233; 7 ranks in ALLREDUCE #10233",
        "collective-timed-out": "rank 4 gave up on BROADCAST after its limit of 600 s; "
        "7 ranks gave up on ALLREDUCE after its limit of 600 s",
    }
    assert {name: found[name].notes[0] for name in said} == said
    assert all([source.line for source in found[name].sources[:2]] == [5, 1] for name in said)


def test_two_of_one_place_are_one_group(tmp_path: Path) -> None:
    found = seen(tmp_path, {0: "ALLREDUCE", 1: "ALLREDUCE", 2: "ALLREDUCE", 3: "_ALLGATHER_BASE", 5: "_ALLGATHER_BASE"})
    note = found["timed-out-in-different-calls"].notes[0]
    assert note == "ranks 3 and 5 in _ALLGATHER_BASE #10233; ranks 0, 1 and 2 in ALLREDUCE #10233"


def timeout(rank: int | None, line: int) -> CollectiveTimeout:
    return CollectiveTimeout(source=Source("a.log", line, ""), subject=Subject(rank=rank), operation="ALLREDUCE")


def test_of_many_groups_the_smallest_and_the_largest_are_told() -> None:
    told = [(f"call {rank % 6}", timeout(rank, rank)) for rank in range(20)]
    assert listed(grouped(told)).count(";") == 4
    assert "2 groups more" in listed(grouped(told))
    assert {fact.subject.rank for fact in one_of_each(grouped(told))} == set(range(20))


def test_a_rank_that_says_it_thrice_is_one_of_its_group() -> None:
    groups = grouped(
        [("A", timeout(0, 1)), ("A", timeout(0, 2)), ("A", timeout(0, 3)), ("B", timeout(1, 4)), ("B", timeout(2, 5))]
    )
    assert listed(groups) == "rank 0 in A; ranks 1 and 2 in B"


def test_ranks_without_a_number_are_not_counted() -> None:
    assert listed(grouped([("A", timeout(None, 1)), ("A", timeout(None, 2))])) == "processes in A"


def test_a_line_is_cited_once_whatever_part_of_it_is_quoted() -> None:
    once = each_once([Source("a", 4, "x"), Source("a", 27, "left"), Source("a", 27, "left, right")])
    assert once == (Source("a", 4, "x"), Source("a", 27, "left"))
