"""The command line: one file per command in `commands/`; the folder is the registry.

A command is a module with a docstring (its help: the first line is the summary), `add_arguments(parser)`
and `run(arguments) -> int`. Exit 0: it did its work; 1: it could not, with one line saying why and what
to do; 2: wrong usage. Only the module of the command that was asked for is imported.

A command that touches paths itself, rather than through children, names those arguments in `TOUCHES`: when one
lies on a network volume the command is done in a child that is watched (`supervision.py`). `WRITES` names the
actions that may be slow for a good reason.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from . import __version__
from .errors import DiagnosticsError, UsageError
from .printable import visible

COMMANDS = Path(__file__).with_name("commands")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; never a traceback for bad input.

    Without `argv` this process is the command, and answers also when a volume that it must touch does not.
    """
    if argv is not None:
        return _told(lambda: _run(parse(list(argv))))
    _with_all_streams()
    return _told(lambda: _run_where_it_may_hang(parse(sys.argv[1:])))


def _told(work: Callable[[], int]) -> int:
    """The exit status of some work, whose errors are told in one line."""
    try:
        status = work()
        sys.stdout.flush()
        return status
    except UsageError as error:
        print(f"error: {visible(str(error))}", file=sys.stderr)
        return 2
    except DiagnosticsError as error:
        print(f"error: {visible(str(error))}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == __package__:
            raise
        print(
            f"error: {sys.executable} has no {package}; run `make setup`, then `. .venv/bin/activate`", file=sys.stderr
        )
        return 1
    except BrokenPipeError:  # the reader of our output went away; say nothing more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:  # of the command itself: what it reads is coverage, what it asks is an answer
        where = error.filename or "the output"
        print(
            f"error: {visible(str(where))} cannot be written or read: {error.strerror}; name another place",
            file=sys.stderr,
        )
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter's end fails on it again
        return 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


def _run(parsed: argparse.Namespace) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name in an incident may hold what the locale cannot say
        sys.stdout.reconfigure(encoding="utf-8" if getattr(parsed, "json", False) else None, errors="backslashreplace")
    return int(importlib.import_module(f"diagnostics.commands.{parsed.command}").run(parsed))


def _run_where_it_may_hang(parsed: argparse.Namespace) -> int:
    from .mounttable import read_mount_table

    command = importlib.import_module(f"diagnostics.commands.{parsed.command}")
    named = [getattr(parsed, name, None) for name in getattr(command, "TOUCHES", ())]
    paths = [path for each in named for path in (each if isinstance(each, list) else [each])]
    if not any(row.filesystem.network for row in read_mount_table()):
        return _run(parsed)
    from .supervision import supervised, volume_of

    found = volume_of([path for path in paths if path and "://" not in path])
    if found is None:
        return _run(parsed)
    volume, path = found
    writes = getattr(parsed, "action", None) in getattr(command, "WRITES", ())
    return supervised(lambda: _told(lambda: _run(parsed)), volume, lambda: writes and _answers(path))


def _answers(path: str) -> bool:
    """Whether a volume still takes a few bytes and gives them back."""
    from .evidence.probe import Outcome
    from .probes import ask

    folder = Path(path).parent if Path(path).suffix else Path(path)
    answers = ask("write-chunks", str(folder), 15.0, size=1 << 20)
    return bool(answers) and all(each.outcome is not Outcome.SILENT for each in answers)


def _with_all_streams() -> None:
    """A process that was started without a standard stream gets one that leads nowhere."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, "w" if descriptor else "r", closefd=False))  # noqa: SIM115 - lives as long as we do


def parse(arguments: list[str]) -> argparse.Namespace:
    """What the command line says; `command` is the command's name. Exits with 2 for wrong usage."""
    summaries = command_summaries()
    name = next((word for word in arguments[:1] if word in summaries), None)
    parser = argparse.ArgumentParser(
        prog="python -m diagnostics",
        description="Find the one cause behind the many symptoms of a GPU training run that died.",
        epilog="Start with: python -m diagnostics diagnose PATH",
    )
    parser.add_argument("--version", action="version", version=f"diagnostics {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for each, summary in summaries.items():
        if each != name:
            commands.add_parser(each, help=summary)
            continue
        module = importlib.import_module(f"diagnostics.commands.{each}")
        module.add_arguments(
            commands.add_parser(
                each, help=summary, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
            )
        )
    if not arguments:
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    return parser.parse_args(arguments)


def command_summaries() -> dict[str, str]:
    """Each command's name and the first line of its docstring, without importing any of them."""
    found = {}
    for file in sorted(COMMANDS.glob("[!_]*.py")):
        docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or file.stem
        found[file.stem] = docstring.splitlines()[0]
    return found
