"""The command line: one file per command in `commands/`; the folder is the registry.

A command is a module with a docstring (its help: the first line is the summary), `add_arguments(parser)`
and `run(arguments) -> int`. Exit 0: it did its work; 1: it could not, with one line saying why and what
to do; 2: wrong usage. Only the module of the command that was asked for is imported.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from . import __version__
from .errors import DiagnosticsError, UsageError

COMMANDS = Path(__file__).with_name("commands")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; never a traceback for bad input."""
    try:
        parsed = parse(list(sys.argv[1:] if argv is None else argv))
        return int(importlib.import_module(f"diagnostics.commands.{parsed.command}").run(parsed))
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except DiagnosticsError as error:
        print(f"error: {error}", file=sys.stderr)
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
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


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
