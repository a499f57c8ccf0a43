"""publish, verify, resume, mirror and prune checkpoints

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

from ..errors import NotWhole

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


ACTIONS: dict[
    str,
    tuple[Callable[[argparse.Namespace], int], str, Callable[[argparse.ArgumentParser], None]],
] = {
    "publish": (_publish, "copy a file or directory so that it appears whole or not at all", _publish_arguments),
    "verify": (_verify, "say which checkpoints are whole, cut, altered or still being written", _verify_arguments),
    "resume": (_resume, "name the newest whole checkpoint, and why newer ones were refused", _resume_arguments),
}
