"""Publish, verify, resume, mirror and prune checkpoints.

    python -m diagnostics checkpoint publish /tmp/model.pt runs/17 --step 810
    python -m diagnostics checkpoint verify runs/17 --deep
    python -m diagnostics checkpoint resume runs/17 /backup/17

Every one of them also takes --json. Exit 0: it did its work, whatever it found; `verify --strict` exits 1
when an artefact is broken, and `resume` when there is nothing whole to resume from.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from ..errors import CheckpointError, NotWhole
from ._sizes import size

TOUCHES = ("source", "directory", "side", "primary", "target")
WRITES = ("publish", "mirror", "prune")
HASHES = ("xxh3_128", "blake3", "sha256")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (run, summary, arguments) in ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        action.add_argument("--json", action="store_true", help="print one JSON object")
        arguments(action)
        action.set_defaults(act=run)


def run(arguments: argparse.Namespace) -> int:
    act: Callable[[argparse.Namespace], int] = arguments.act
    return act(arguments)


def _show(result: Any, as_json: bool) -> None:
    print(json.dumps(result.as_json(), indent=2) if as_json else result)


def _publish_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", help="an existing file, or a directory of shards; it is copied")
    parser.add_argument("directory", help="where the checkpoint will be")
    parser.add_argument("--step", type=int, help="training step (unless the name tells it)")
    parser.add_argument("--name", help="name of the checkpoint (unless it keeps the source's)")
    parser.add_argument("--hash", choices=HASHES, default=HASHES[0], help="content hash in the manifest")


def _publish(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from ..checkpoints.directories import publish_copy_of_directory
    from ..checkpoints.publishing import publish_file

    copy = publish_copy_of_directory if Path(arguments.source).is_dir() else publish_file
    options = {"name": arguments.name} if arguments.name else {}
    done = copy(arguments.source, arguments.directory, arguments.step, algorithm=arguments.hash, **options)
    if done:
        _show(done, arguments.json)
    return 0


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", nargs="+")
    parser.add_argument("--deep", action="store_true", help="read every artefact to its end and compare hashes")
    parser.add_argument("--strict", action="store_true", help="exit 1 when an artefact is broken")


def _verify(arguments: argparse.Namespace) -> int:
    from ..checkpoints.health import verify

    found = [verify(each, arguments.deep) for each in arguments.directory]
    if arguments.json:
        objects = [each.as_json() for each in found]
        print(json.dumps(objects[0] if len(objects) == 1 else objects, indent=2))
    else:
        print("\n".join(map(str, found)))
    broken = sum(len(each.broken) for each in found)
    if broken and arguments.strict:
        raise NotWhole(f"{broken} artefacts are broken", "resume from a whole one: `checkpoint resume` names it")
    return 0


def _resume_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("side", nargs="+", help="the primary directory, then its mirrors")
    parser.add_argument("--deep", action="store_true", help="by content hash, not only by size and structure")


def _resume(arguments: argparse.Namespace) -> int:
    from ..checkpoints.resume import resume_point

    _show(resume_point(*arguments.side, deep=arguments.deep), arguments.json)
    return 0


def _mirror_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("primary", help="the directory that is written to")
    parser.add_argument("target", help="a directory on another volume, or a URL: s3://, gs://, sftp://, ...")
    parser.add_argument("--newest", type=int, help="only so many of the newest")
    parser.add_argument("--rate", type=size, metavar="BYTES", help="at most so many bytes a second, e.g. 50M")
    parser.add_argument("--deep", action="store_true", help="compare content hashes of what is there already")
    parser.add_argument("--dry-run", action="store_true", help="only say what differs")
    parser.add_argument(
        "--combined", action="store_true", help="one line a name: = same, * differs, + - one side, ! error"
    )


def _mirror(arguments: argparse.Namespace) -> int:
    from ..checkpoints.mirroring import mirror

    report = mirror(
        arguments.primary,
        arguments.target,
        newest=arguments.newest,
        bytes_per_s=arguments.rate,
        dry_run=arguments.dry_run,
        deep=arguments.deep,
    )
    if arguments.combined and not arguments.json:
        print(report.combined)
    else:
        _show(report, arguments.json)
    if report.failed and not arguments.dry_run:
        raise CheckpointError(
            f"{len(report.failed)} of {len(report.entries)} could not be mirrored", "the lines marked ! say why"
        )
    return 0


def _prune_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("side", nargs="+", help="the primary directory, then its mirrors")
    parser.add_argument("--keep", type=int, default=12, help="newest whole steps to keep [12]")
    parser.add_argument("--every", type=int, help="keep every step that this number divides")
    parser.add_argument("--best", type=int, default=0, help="keep so many of the best by --metric")
    parser.add_argument("--metric", default="loss", help="a metric in the manifests [loss]")
    parser.add_argument("--largest", action="store_true", help="the largest metric is the best")
    parser.add_argument(
        "--make-room", type=size, nargs="?", const=0, metavar="BYTES",
        help="also give up older ones until the next save fits [the size of the largest]",
    )  # fmt: skip
    parser.add_argument("--deep", action="store_true", help="only count as whole what has the right content hash")
    parser.add_argument("--dry-run", action="store_true", help="show the plan and do nothing")


def _prune(arguments: argparse.Namespace) -> int:
    from ..checkpoints.pruning import plan_prune
    from ..checkpoints.retention import Retention

    retention = Retention(arguments.keep, arguments.every, arguments.best, arguments.metric, arguments.largest)
    plan = plan_prune(*arguments.side, retention=retention, make_room=arguments.make_room, deep=arguments.deep)
    if arguments.dry_run:
        _show(plan, arguments.json)
        return 0
    if not arguments.json:
        print(plan)
    outcome = plan.execute()
    _show(outcome, arguments.json)
    if outcome.failed:
        raise CheckpointError(f"{outcome.failed} could not be deleted", "check the volume and its permissions")
    return 0


ACTIONS: dict[
    str,
    tuple[Callable[[argparse.Namespace], int], str, Callable[[argparse.ArgumentParser], None]],
] = {
    "publish": (_publish, "copy a file or directory so that it appears whole or not at all", _publish_arguments),
    "verify": (_verify, "say which checkpoints are whole, cut, altered or still being written", _verify_arguments),
    "resume": (_resume, "name the newest whole checkpoint, and why newer ones were refused", _resume_arguments),
    "mirror": (_mirror, "copy what is whole to a second volume or remote, verified there", _mirror_arguments),
    "prune": (_prune, "delete old checkpoints on all sides, the same steps on each", _prune_arguments),
}
