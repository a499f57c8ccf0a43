"""Write a postmortem: Markdown, HTML, a notebook or PDF, by the ending of FILE.

Every sentence cites the lines it stands on. What people wrote into an earlier FILE (between its people marks) is
kept. Secrets are always masked; --mask also masks hosts, users, paths or addresses, the same one always the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..archives import STDIN
from ..diagnosis import diagnose
from ..errors import DiagnosticsError, UsageError
from ..incident import open_incident
from ..postmortem import FORMATS, MASKS, Rates, read_written, save, write_postmortem
from ._numbers import count, positive

TOUCHES = ("paths", "output", "keep")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="an incident folder, an archive of one, or files; - is standard input"
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help=f"ends in {', '.join(FORMATS)}")
    parser.add_argument("--keep", metavar="FILE", help="take what people wrote from this write-up instead of FILE")
    parser.add_argument("--mask", action="append", choices=MASKS, default=[], help="may be repeated")
    parser.add_argument("--gpus", type=count, metavar="N", help="GPUs that the run held, where no file tells")
    parser.add_argument("--rate", type=positive, metavar="USD", help="cost of one GPU for one hour")


def run(arguments: argparse.Namespace) -> int:
    output = Path(arguments.output)
    if output.suffix not in FORMATS:
        raise UsageError(f"no write-up ends in {output.suffix or 'nothing'}", f"use one of {', '.join(FORMATS)}")
    if output.suffix == ".ipynb" and any(path in STDIN for path in arguments.paths):
        raise UsageError("a notebook cannot read standard input again", "write it to a file first and give that")
    if not output.absolute().parent.is_dir():
        raise DiagnosticsError(
            f"{output} cannot be written: there is no folder {output.parent}",
            "make it first, or give another name with -o",
        )
    written = read_written(output)
    if arguments.keep:
        written |= read_written(arguments.keep)
    diagnosis = diagnose(open_incident(*arguments.paths))
    rates = Rates(arguments.gpus, arguments.rate)
    postmortem = write_postmortem(diagnosis, written=written, rates=rates, mask=arguments.mask)
    if sys.stderr.isatty():
        print(f"writing {output}; a notebook is run once for its outputs (half a minute)", file=sys.stderr)
    save(postmortem, output, incident=arguments.paths)
    print(f"{output}: {len(postmortem.cited)} lines cited, {len(postmortem.blanks)} blanks to fill in")
    return 0
