"""ps.txt and, three seconds later, ps_again.txt: every process, so that two rows show who used the CPU.

    # 2026-11-29 12:57:15 +0000
      PID  PPID STAT WCHAN                                ELAPSED     TIME COMMAND         COMMAND
    12414     1 D    request_wait_answer                    01:51 00:00:00 pt_data_worker  [pt_data_worker]

ps reads command lines, which can hang on a process in the middle of a mapping; then /proc/PID/stat, which
cannot, gives the same table without them.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, command_piece, question_piece
from ._scope import Scope

PS = ["ps", "-ww", "-eo", "pid,ppid,stat,wchan:36,etime,time,comm:15,args"]
APART_S = 3.0
OURS = re.compile(rb" dx-[0-9a-f]{8} ")  # our own questions, with their programs on the command line


def list_states(say: Any) -> None:
    """The table without command lines."""
    with open("/proc/uptime") as file:
        now = float(file.read().split()[0])
    tick = os.sysconf("SC_CLK_TCK")
    say(text=f"{'PID':>7} {'PPID':>7} STAT {'WCHAN':36} {'ELAPSED':>11} {'TIME':>8} COMMAND\n")
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", errors="replace") as file:
                head, _, tail = file.read().rpartition(")")
            with open(f"/proc/{name}/wchan") as file:
                wchan = file.read() or "-"
        except OSError:
            continue
        fields = tail.split()
        cpu, elapsed = (int(fields[11]) + int(fields[12])) // tick, int(now - int(fields[19]) / tick)
        took = f"{cpu // 3600:02}:{cpu // 60 % 60:02}:{cpu % 60:02}"
        say(text=f"{name:>7} {fields[1]:>7} {fields[0]:4} {wchan:36} {elapsed:>11} {took} {head.partition('(')[2]}\n")


STATES = Question(list_states)


def collect(scope: Scope) -> Iterator[Piece]:
    start = time.monotonic()
    for file in ("ps.txt", "ps_again.txt"):
        head = f"# {datetime.now(UTC):%F %T} +0000\n"
        piece = command_piece(scope, file, PS, deadline_s=5, head=head)
        rows = piece.content.splitlines(keepends=True)
        others = b"".join(row for row in rows if not OURS.search(row))
        yield replace(piece, content=others)
        if not piece.answered:
            spare = question_piece(scope, file.replace("ps", "ps_states"), STATES, deadline_s=5)
            yield Piece(spare.file, head.encode() + spare.content, spare.state, spare.reason, spare.elapsed_s)
        scope.cancel.wait(max(0.0, start + APART_S - time.monotonic()))


COLLECTOR = Collector("the process table, twice", collect)
