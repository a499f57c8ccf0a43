"""Flight-recorder dumps of several ranks: exactly the ranks that never joined are named."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence.collective import CollectiveMismatch, CollectiveStuck, PickleRefused
from diagnostics.incident import Incident, open_incident

START_NS = 1_700_000_000_000_000_000


def group(name: str, ranks: tuple[int, ...], completed: int, *waiting: str, first: int | None = None) -> dict[str, Any]:
    """One group on one rank: what is complete, and the operations that are asked for and are not."""
    begin = completed + 1 if first is None else first
    return {
        "name": name,
        "ranks": ranks,
        "completed": completed,
        "entries": [(begin + number, operation) for number, operation in enumerate(waiting)],
    }


def dump(*groups: dict[str, Any]) -> bytes:
    """A rank's dump with only what is outstanding, as a time-out writes it."""
    entries = [
        {
            "pg_id": number,
            "process_group": (each["name"], f"GROUP_{each['name']}"),
            "collective_seq_id": sequence,
            "profiling_name": f"nccl:{operation}",
            "state": "scheduled",
            "time_created_ns": START_NS + sequence,
            "is_p2p": False,
        }
        for number, each in enumerate(groups)
        for sequence, operation in each["entries"]
    ]
    config = {g["name"]: {"desc": f"GROUP_{g['name']}", "ranks": str(list(g["ranks"]))} for g in groups}
    status = {
        str(number): {
            "last_enqueued_collective": each["completed"] + len(each["entries"]),
            "last_completed_collective": each["completed"],
        }
        for number, each in enumerate(groups)
    }
    return pickle.dumps({"version": "2.9", "pg_config": config, "pg_status": status, "entries": entries}, protocol=2)


def incident(folder: Path, dumps: dict[int, bytes]) -> Incident:
    for rank, data in dumps.items():
        (folder / f"_dump_{rank}").write_bytes(data)
    return open_incident(folder)


def missing(found: Incident) -> list[tuple[int, ...]]:
    return [fact.missing_ranks for fact in found.of(CollectiveStuck)]


def test_a_rank_that_left_the_loop(tmp_path: Path) -> None:
    world = tuple(range(8))
    dumps = {rank: dump(group("0", world, 40, "all_reduce")) for rank in world}
    dumps[5] = dump(group("0", world, 40))
    stuck = incident(tmp_path, dumps).of(CollectiveStuck)
    assert [(fact.missing_ranks, fact.sequence, fact.operation) for fact in stuck] == [((5,), 41, "all_reduce")]
    assert stuck[0].joined_ranks == (0, 1, 2, 3, 4, 6, 7)


def test_a_device_that_finishes_nothing_more(tmp_path: Path) -> None:
    # rank 1 goes on asking, but its device stands at 40 while the others wait in 43
    world = tuple(range(4))
    dumps = {rank: dump(group("0", world, 42, "all_reduce")) for rank in world}
    dumps[1] = dump(group("0", world, 40, "all_reduce", "all_reduce", "all_reduce"))
    assert missing(incident(tmp_path, dumps)) == [(1,)]


def test_victims_of_a_chain_are_not_named(tmp_path: Path) -> None:
    # rank 3 never joins {2, 3}; 2 therefore never joins {1, 2}, nor 1 the group {0, 1}
    dumps = {
        0: dump(group("a", (0, 1), 7, "all_gather")),
        1: dump(group("a", (0, 1), 7), group("b", (1, 2), 5, "all_gather")),
        2: dump(group("b", (1, 2), 5), group("c", (2, 3), 9, "all_reduce")),
        3: dump(group("c", (2, 3), 9)),
    }
    assert missing(incident(tmp_path, dumps)) == [(3,)]


def test_waiting_where_others_wait_too_is_no_excuse(tmp_path: Path) -> None:
    # 0 lacks in {0, 1, 2, 3}; 2 waits there as 3 does, but only 3 went on to the next collective of {2, 3}
    world = (0, 1, 2, 3)
    dumps = {
        0: dump(group("w", world, 6)),
        1: dump(group("w", world, 6, "all_reduce")),
        2: dump(group("w", world, 6, "all_reduce"), group("t", (2, 3), 20)),
        3: dump(group("w", world, 6, "all_reduce"), group("t", (2, 3), 20, "all_gather")),
    }
    assert sorted(missing(incident(tmp_path, dumps))) == [(0,), (2,)]


def test_two_that_wait_for_each_other_are_both_named(tmp_path: Path) -> None:
    dumps = {
        0: dump(group("a", (0, 1), 7, "all_gather"), group("b", (0, 1), 5)),
        1: dump(group("a", (0, 1), 7), group("b", (0, 1), 5, "all_reduce")),
    }
    assert sorted(missing(incident(tmp_path, dumps))) == [(0,), (1,)]


def test_everybody_is_there(tmp_path: Path) -> None:
    dumps = {rank: dump(group("0", (0, 1), 40, "all_reduce")) for rank in (0, 1)}
    assert missing(incident(tmp_path, dumps)) == []


def test_a_dead_rank_leaves_no_dump(tmp_path: Path) -> None:
    world = tuple(range(8))
    dumps = {rank: dump(group("0", world, 40, "all_reduce")) for rank in world if rank != 6}
    stuck = incident(tmp_path, dumps).of(CollectiveStuck)
    assert [(fact.missing_ranks, fact.state) for fact in stuck] == [((6,), "no dump")]


def test_two_dumps_of_many_name_nobody(tmp_path: Path) -> None:
    world = tuple(range(8))
    dumps = {rank: dump(group("0", world, 40, "all_reduce")) for rank in (0, 1)}
    assert missing(incident(tmp_path, dumps)) == []


def test_different_operations_under_one_number(tmp_path: Path) -> None:
    dumps = {
        0: dump(group("0", (0, 1), 8, "all_reduce")),
        1: dump(group("0", (0, 1), 8, "broadcast")),
    }
    (mismatch,) = incident(tmp_path, dumps).of(CollectiveMismatch)
    assert mismatch.calls == {"0": "all_reduce", "1": "broadcast"}


def test_two_runs_are_not_mixed(tmp_path: Path) -> None:
    for name, absent in (("first", 0), ("second", 1)):
        (tmp_path / name).mkdir()
        for rank in (0, 1, 2):
            waits = () if rank == absent else ("all_reduce",)
            (tmp_path / name / f"_dump_{rank}").write_bytes(dump(group("0", (0, 1, 2), 40, *waits)))
    assert sorted(missing(open_incident(tmp_path))) == [(0,), (1,)]


def test_a_hostile_dump_runs_nothing(tmp_path: Path) -> None:
    witness = tmp_path / "witness"

    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (witness,))

    folder = tmp_path / "incident"
    folder.mkdir()
    hostile = pickle.dumps({"version": "2.9", "pg_config": {}, "entries": [Hostile()]})
    found = incident(folder, {0: hostile, 1: dump(group("0", (0, 1), 40, "all_reduce"))})
    assert not witness.exists()
    (refused,) = found.of(PickleRefused)
    assert refused.wants and "touch" in f"{refused.wants} {refused.reason}"


@pytest.mark.parametrize("cut", [1, 20, 100, 300])
def test_a_torn_dump_is_reported(tmp_path: Path, cut: int) -> None:
    whole = dump(group("0", (0, 1), 40, "all_reduce"))
    found = incident(tmp_path, {0: whole[: len(whole) - cut]})
    assert [fact.wants for fact in found.of(PickleRefused)] == [None]
