"""How processes ended, in the words of the shell, script or supervisor that waited for them.

    /workspace/run/run.sh: line 4:  3399 Killed                  python -u /workspace/train/trainer.py
    2026-11-29 12:41:18 run.sh: trainer exited with status 137
    subprocess.CalledProcessError: Command '[...]' died with <Signals.SIGKILL: 9>.

    $ echo $?
    0

    10:58:41 exit 0                (with a time before it: else it is a script's line)

A progress bar ends no line, so that the shell's word may stand right behind it. bash may print its "Killed" line into
the next run's log; it says which pid, not when.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.supervisor import ProcessEnded
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Message, Words, messages
from ._signals import signal_named, signal_of_status

_WORDS = (
    "Killed|Terminated|Aborted|Segmentation fault|Bus error|Illegal instruction|Floating point exception|Hangup"
    "|Quit|User defined signal [12]|CPU time limit exceeded|File size limit exceeded|Trace/breakpoint trap"
)


_OF_A_PROCESS = (
    r"(?:process|job|trainer|training|script|command|worker|program|run|launcher|python\d?|torchrun|srun|mpirun"
    r"|deepspeed|accelerate|[\w-]{1,40}\.(?:py|sh))"
)
_NAMED_END = re.compile(
    rf"(?i)(?:^|[\s/:]){_OF_A_PROCESS}(?: (?:process|run|job|script)\b)?(?: \(?pid[ =:](?P<pid>\d{{1,8}})\)?)?"
    r"(?: (?:has )?(?:exited|ended|finished|terminated|died|stopped|done)[ ,:;-]{1,3}\(?(?:with )?"
    r"(?:exit |return )?(?:status|code)|(?: (?:has )?[a-z]{3,12})?[ ,:;>-]{1,4}\(?(?:with )?"
    r"(?:exit[ _]?(?:status|code)|return ?code|rc))[ :=]{1,3}(?P<status>-?\d{1,3})\b"
)


class End(NamedTuple):
    """What one line says of an end."""

    status: int | None
    signal: str | None = None
    pid: int | None = None
    comm: str | None = None


def _shell(found: re.Match[str]) -> End:
    return End(None, signal_named(found["word"]), int(found["pid"]) if found["pid"] else None, found["command"] or None)


def _status(found: re.Match[str]) -> End:
    status = int(found["status"])
    pid = found.groupdict().get("pid")
    return End(status, signal_of_status(status), int(pid) if pid else None)


def _signal(found: re.Match[str]) -> End:
    pid = found.groupdict().get("pid")
    return End(None, signal_named(found["signal"]), int(pid) if pid else None)


# rank 2 pid 6908 exit code 137        pid=4242: exit status 1
BY_PID = re.compile(
    r"(?i)\bpid[ =:](?P<pid>\d{1,8})\)?[ ,:;-]{1,3}(?:(?:has |was )?(?:exited|ended|left|returned|finished),? )?"
    r"(?:with )?(?:exit |return )(?:status|code)[ :=]{1,3}(?P<status>-?\d{1,3})\b"
)
# job.sh: rank 1 exit code 1      rank 3 exited, status 1      rank 0 rc=1
BY_RANK = re.compile(
    r"(?i)(?<!local )\brank[ =:](?P<rank>\d{1,6})[ ,:]{1,3}(?:(?:has |was )?(?:exited|ended|left|finished),? )?"
    r"(?:(?:with )?(?:exit |return )?(?:status|code)|rc)[ :=]{1,3}(?P<status>-?\d{1,3})\b"
)
# 40/900 [=>......] - ETA: 11:20 - loss: 0.20Killed       12%|#2   | 12/100 [00:10<01:13, 1.20it/s]Terminated
BEHIND_A_BAR = re.compile(
    rf"\d/\d{{1,9}} ?\[[^\n]{{0,300}}[\d\])%s](?P<word>{_WORDS})(?: \(core dumped\))?(?P<pid>)(?P<command>)$"
)
# 10:58:41 exit 0
LEFT = re.compile(r"^exit (?P<status>\d{1,3})$")
# what libraries print of a signal that they catch
CAUGHT = (
    # (UCX) [n07:3039 :0:3095] Caught signal 7 (Bus error: nonexistent physical address)
    re.compile(r"(?:^\[[\w.-]{1,80}:(?P<pid>\d{1,8}) ?:\d{1,3}:\d{1,8}\] )?\bCaught signal (?P<signal>\d{1,2}) \("),
    # (Open MPI) [n07:12345] Signal: Segmentation fault (11)
    re.compile(r"(?:^\[[\w.-]{1,80}:(?P<pid>\d{1,8})\] )?\bSignal: [A-Z][\w /]{1,40} \((?P<signal>\d{1,2})\)\s*$"),
    # (abseil, glog) *** SIGSEGV received at time=1690000000 on cpu 3 ***      *** SIGBUS (@0x7f) received by PID 4242
    # (TID 0x7f)
    re.compile(r"^\*\*\* (?P<signal>SIG[A-Z]{3,6})(?: \(@0x[0-9a-f]{1,16}\))? received "
        r"(?:at time=|by PID (?P<pid>\d{1,8}))"),
    # (MPICH) YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Bus error (signal 7)
    re.compile(r"\bEXIT STRING: [A-Z][\w /]{1,40} \(signal (?P<signal>\d{1,2})\)"),
    # (Intel MPI) =   KILLED BY SIGNAL: 7 (Bus error)
    re.compile(r"^=?\s{0,8}KILLED BY SIGNAL: (?P<signal>\d{1,2}) \("),
    # (gdb) Thread 9 "all_reduce_perf" received signal SIGBUS, Bus error.
    re.compile(r"\breceived signal (?P<signal>SIG(?:BUS|SEGV|ABRT|ILL|FPE)), [A-Z]"),
    # (Julia) [4242] signal (7.2): Bus error
    re.compile(r"^(?:\[(?P<pid>\d{1,8})\] )?signal \((?P<signal>[4678]|11)(?:\.\d{1,2})?\): [A-Z]"),
    # 'zmc -m 1' crashed, signal 7
    re.compile(r"\bcrashed, signal (?P<signal>\d{1,2})\b"),
)  # fmt: skip
PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], End]], ...] = (
    # run.sh: line 4:  3399 Killed                  python -u train.py
    (re.compile(rf"^[\w./@+-]{{1,300}}: line \d{{1,7}}: +(?P<pid>\d{{1,8}}) +(?P<word>{_WORDS})"
        rf"(?: {{1,40}}\(core dumped\))?(?: +(?P<command>[^\s(]{{1,300}}).*)?$"), _shell),
    # [1]+  Killed                  python train.py          Killed
    (re.compile(rf"^(?:\[\d{{1,4}}\][+-]? +(?P<pid>\d{{1,8}})? *)?(?P<word>{_WORDS})(?: \(core dumped\))?"
        rf"(?: {{2,}}(?P<command>\S{{1,300}}).*)?$"), _shell),
    (BEHIND_A_BAR, _shell),
    # [1]    4121 killed     python train.py     (zsh)
    (re.compile(r"^\[\d{1,4}\] {1,6}(?:[+-] {1,4})?(?P<pid>\d{1,8}) "
        r"(?P<word>killed|terminated|segmentation fault|bus error|abort|hangup|quit)(?: {1,4}\(core dumped\))? {2,}"
        r"(?P<command>\S{1,300}).*$"), _shell),
    # Process finished with exit code 139 (interrupted by signal 11: SIGSEGV)
    (re.compile(r"\b(?:exited|finished|ended|terminated|returned|failed) with "
        r"(?:(?:non-zero )?(?:exit )?(?:status|code)|exitcode|return code)[ :=]{1,2}(?P<status>-?\d{1,3})\b"), _status),
    # run.sh: trainer ended, status 1      torchrun finished (rc=0)      train.py -> rc=137: no epoch and no request
    (_NAMED_END, _status),
    (BY_PID, _status),
    (BY_RANK, _status),
    # trainer (pid 4242) exited, code=137
    (re.compile(r"\((?:pid |PID )(?P<pid>\d{1,8})\) (?:has )?(?:exited|died|ended)\b.{0,40}?"
        r"(?:status|code|exitcode)[ :=]{1,2}(?P<status>-?\d{1,3})\b"), _status),
    (re.compile(r"^(?:the )?(?:process|job|trainer|training|script|command|worker|program)\b.{0,80}?\b"
        r"(?:exit(?:ed)? (?:status|code)|exitcode|returned non-zero exit status)[ :=]{1,2}(?P<status>-?\d{1,3})\b",
        re.IGNORECASE), _status),
    (re.compile("^(?:exit(?:ed)? (?:code|status)|exitcode|exit_code|returncode|rc)[ :=]{1,3}"
        r"(?P<status>-?\d{1,3})\s*(?:\(.{0,80}\))?$", re.IGNORECASE), _status),
    (re.compile(r"\breturned non-zero exit status (?P<status>-?\d{1,3})\b"), _status),
    # mpirun noticed that process rank 3 with PID 4242 on node n01 exited on signal 9 (Killed).
    (re.compile(r"\bprocess rank (?P<rank>\d{1,6}) with PID (?P<pid>\d{1,8}) on node "
        r"(?P<host>[\w.-]{1,120}) exited on signal (?P<signal>\d{1,2})\b"), _signal),
    # [launch.py:321:sigkill_handler] ['/usr/bin/python', ...] exits with return code = -9
    (re.compile(r"\bexits with return code ?= ?(?P<status>-?\d{1,3})\b"), _status),
    # died with <Signals.SIGKILL: 9>
    (re.compile(r"\bdied with <Signals\.(?P<signal>SIG[A-Z0-9]{2,8})"), _signal),
    # process 4242 was terminated by signal 9      killed by signal: SIGKILL      worker pid 311: killed, signal 9
    (re.compile(r"(?:\bpid[ =](?P<pid>\d{1,8})\b.{0,60}?)?\b(?:terminated|killed|died|exited|interrupted)"
        r"(?: (?:by|on|due to|with)|[,:;])? \(?signal[ :=]{1,2}(?P<signal>SIG[A-Z0-9]{2,8}|\d{1,2})\b"), _signal),
    *((pattern, _signal) for pattern in CAUGHT),
    # Process SpawnProcess-1 terminated with signal SIGKILL
    (re.compile(r"\b[Pp]rocess \S{1,80} terminated with signal (?P<signal>SIG[A-Z0-9]{2,8})\b"), _signal),
)  # fmt: skip
# what a launcher was told of its process: ['python', '-u', 'train.py', '--local_rank=1'] exits with return code = -6
RANKED = re.compile(
    r"\bprocess rank (\d{1,6}) with PID \d{1,8} on node ([\w.-]{1,120})|--local_rank=(\d{1,4})'.{0,4000}exits with"
    r"|\b[Rr]ank[ =:](\d{1,6})[ ,:;(]{1,3}pid[ =:]\d"
    r"|(?<!local )\b[Rr]ank[ =:](\d{1,6})[ ,:]{1,3}(?:exit|ended|left|finished|code|status|rc[ :=]|has |was )"
)
NAMES: tuple[tuple[str, int, Callable[[str], Any]], ...] = (
    ("rank", 1, int), ("host", 2, str), ("rank", 3, int), ("rank", 4, int), ("rank", 5, int),
)  # fmt: skip
# watchdog: pid 4242 is gone     MEMORY: proc python(4242) exited
GONE = re.compile(
    r"\bpid[= ](\d{1,8}) (?:is gone|has exited|no longer exists|not running|vanished)"
    r"|\bproc(?:ess)? [\w.+-]{1,40}\((\d{1,8})\) (?:has )?exited\b(?! with)"
)
# a process that torchrun, Slurm or a DataLoader speaks of is read by their own parsers
OTHERS = re.compile(
    r"DataLoader worker|local_rank: \d|^(?:srun|slurmstepd|systemd)\b|\.service: |^\s*exitcode  :|NCCL|^\s*Exit Code:"
)
INTERESTING = Words(
    "killed|terminated|aborted|segmentation|bus error|illegal instruction|floating point|hangup|quit"
    "|user defined|cpu time|file size limit|trace/breakpoint|exit|signal|is gone|no longer exists|not running"
    "|vanished|returncode|return code|status|died|received by|received at|rc=",
    start=r"rc=",
)


# $ echo $?
ASKED = re.compile(r"^\S{0,80}[$#>] ?echo (?:\"?exit\w{0,10}[:= ]{1,2})?\$\?\"?\s*$")
# $ ps -p 5719
LOOKED_FOR = re.compile(r"^\S{0,80}[$#>] ?ps (?:-\w{1,3} ){0,2}-?p ?(?P<pid>\d{1,10})\s*$")
PS_HEADING, PS_ROW = re.compile(r"^\s{0,8}(?:\w{1,8} {1,8})?PID\b"), re.compile(r"^\s{0,8}(?:\w{1,32} {1,8})?\d")
ANSWER = re.compile(r"^\s{0,4}(\d{1,3})\s*$")


def read(text: Text) -> Iterator[Evidence]:
    yield from _asked(text)
    yield from _looked_for(text)
    for message in messages(text, INTERESTING):
        if found := GONE.search(message.text):
            yield ProcessEnded(**message.facts(text, pid=int(found[1] or found[2])), status=None, text=message.text)
        elif not OTHERS.search(message.text) and (end := _end(message)):
            known = {"comm": end.comm} if end.pid is None else {"pid": end.pid, "comm": end.comm}
            yield ProcessEnded(
                **message.facts(text, **known, **_where(message.text)),
                severity=Severity.INFO if end.status == 0 else Severity.CRITICAL,
                status=end.status,
                signal=end.signal,
                text=message.text,
            )


def _asked(text: Text) -> Iterator[ProcessEnded]:
    """The status of a session's last command, where the shell was asked for it."""
    for line in text.matching(ASKED):
        answer = next(text.after(line, limit=1), None)
        found = ANSWER.match(answer.text[:20]) if answer else None
        if answer and found and int(found[1]) <= 255:
            status = int(found[1])
            yield ProcessEnded(
                source=Source(text.name, answer.number, answer.quote),
                severity=Severity.INFO if status == 0 else Severity.CRITICAL,
                status=status,
                signal=signal_of_status(status),
                text=f"{line.text.strip()}: {status}",
            )


def _looked_for(text: Text) -> Iterator[ProcessEnded]:
    """A process that somebody looked for and that is not there: `ps -p` prints its heading alone."""
    for line in text.matching(LOOKED_FOR):
        found = LOOKED_FOR.match(line.text[:200])
        below = [each.text[:200] for each in text.after(line, limit=2)]
        alone = bool(below) and PS_HEADING.match(below[0]) and not (below[1:] and PS_ROW.match(below[1]))
        if found and alone:
            pid = int(found["pid"])
            source = Source(text.name, line.number, line.quote)
            yield ProcessEnded(source=source, subject=Subject(pid=pid), status=None, text=f"ps shows no process {pid}")


def _where(text: str) -> dict[str, Any]:
    found = RANKED.search(text)
    return {name: value(found[group]) for name, group, value in NAMES if found and found[group]}


def _end(message: Message) -> End | None:
    for pattern, made in PATTERNS:
        if found := pattern.search(message.text):
            return made(found)
    left = LEFT.match(message.text) if message.stamp else None
    return _status(left) if left else None


PARSER = Parser(
    tool="shell",
    medium="exit-status",
    footprint=(
        r"^\[\d+\] +([+-] +)?\d+ (killed|terminated|segmentation fault|bus error|abort|hangup|quit)"
        rf"( +\(core dumped\))?  +\S|: line \d+: +\d+ ({_WORDS})\b"
        rf"|^(\[\d+\][+-]? +)?({_WORDS})( \(core dumped\))?(  .*)?$"
        "|(exited|finished|ended|terminated|returned|failed) with (exit |non-zero |return )*"
        r"(status|code|exitcode)[ :=]+-?\d"
        r"|^\S{0,80}[$#>] ?echo .{0,20}\$\?|^\S{0,80}[$#>] ?ps (-\w{1,3} ){0,2}-?p ?\d{1,10}\s*$"
        r"|\bEXIT STRING: [A-Z]|\bKILLED BY SIGNAL: \d|\breceived signal SIG(BUS|SEGV|ABRT|ILL|FPE), "
        r"|^(\[\d{1,8}\] )?signal \(([4678]|11)(\.\d{1,2})?\): [A-Z]|\bcrashed, signal \d"
        r"|exit status(?:: |, )the process ha[sd] not ended"
        r"|^(exit(ed)? (code|status)|exitcode|returncode|rc)[ :=]+-?\d+\s*$"
        r"|\d\]? exit \d{1,3}\s*$"
        "|returned non-zero exit status|died with <Signals"
        r"|(terminated|killed|died|exited)( (by|on|with|due to)|[,:;])? \(?signal[ :=]"
        r"|pid[= ]\d+ (is gone|has exited)|proc(ess)? [\w.+-]+\(\d+\) (has )?exited|exits with return code ?="
        r"|on node \S{1,120} exited on signal"
        rf"|{footprint_of(*CAUGHT, _NAMED_END, BY_PID, BY_RANK, BEHIND_A_BAR)}"
    ),
    read=read,
)
