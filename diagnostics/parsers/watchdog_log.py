"""Home-made watchdogs, in any wording: what they saw, and when they decided that a run was stuck.

    2026-11-29 12:44:53 [watchdog] watching pid=24944 log=train.log limit=90s
    2026-11-29 12:45:23 [watchdog] pid=24944 alive, log age 2s
    2026-11-29 12:46:53 [watchdog] STALE: no output for 92s (limit 90s), sending SIGKILL to 24944
    [2021-08-10 21:03:07] ***ALERT: run-7b.slurm is not RUNNING or SCHEDULED! Alert someone***

A line fires when it says both that something is silent, stuck or missing and what is done about it, or when it says
so under a watchdog's own tag, or counts an age above the limit that stands beside it. The limit of a watchdog's first
line holds for its later ones. What a line says will be done if, when or once it is silent announces a limit and is no
act. A person whose watchdog speaks otherwise describes it in a few lines of a config file
(`described_watchdog`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..durations import DURATION, seconds_of
from ..evidence import Evidence, Severity
from ..evidence.supervisor import SchedulerEvent, WatchdogFired, WatchdogObservation
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Message, Words, messages
from ._kernel_voice import is_kernel

TAGS = (
    r"watch[-_ ]?dog|watcher|\w{2,16}[-_]?watch"
    r"|hang[-_ ]?(?:detector|monitor|check(?:er)?)|stall[-_ ]?(?:detector|monitor)"
    "|health[-_ ]?(?:check(?:er)?|monitor)"
    r"|babysitter|heart[- ]?beat|keep[-_ ]?alive|monitor|supervisor|guardian|pulse|sentinel|gpu[-_]idle|idle[-_]gpus?"
)
TAG = re.compile(rf"(?i)\b(?:{TAGS})\b")
# [watchdog] text    watchdog: text    watchdog[311]: text    2026-11-29 12:44:53 monitor - text
# WARNING:root:watchdog: text
TAGGED = re.compile(rf"(?i)(?:^|[\d\]Z] |:root:)\[?(?:{TAGS})(?:\[\d{{1,8}}\]:|\]|:| -)")
# beat_age=35s EXPIRED (max 30s)
_TOO_OLD, _EXPIRED = r"(?<![A-Za-z])(?:age|idle|silence)[ :=]{1,3}", r"(?:EXPIRED|STALE|TOO OLD|OVERDUE)\b"
OVERDUE = re.compile(rf"(?i){_TOO_OLD}\d{{1,9}}[\w. ]{{1,12}} {_EXPIRED}")
# something is silent, stuck or missing
SILENT = re.compile(
    r"(?i)\bno (?:new |training |optimizer |completed )?"
    "(?:output|progress|log(?:s| output| line| activity)?|heart[- ]?beat|steps?|updates?|activity|tokens?"
    rf"|iterations?|batch(?:es)?|loss(?: lines?)?|mark_step)\b.{{0,60}}?\b(?:for|in|since|within|after) "
    f"(?:the last |over |more than |at least |> ?)?{DURATION}"
    rf"|\b(?:log|output|loss|step|heart[- ]?beat|process|job|run|training|trainer|rank \d{{1,6}})\b.{{0,60}}?\b"
    "(?:stale|stalled|stuck|hung|hanging|frozen|silent|idle|unchanged|unresponsive"
    rf"|not (?:changed|updated|advanced|moved|responding|progress\w{{0,6}}))\b"
    rf"(?:.{{0,30}}?\b(?:for|since|after) (?:over |more than )?{DURATION})?"
    r"|\b(?:STALE|STALLED|HUNG|STUCK|HANG DETECTED|STALL DETECTED|hang detected|stall detected"
    rf"|deadlock suspected)\b(?:.{{0,60}}?\b(?:for|after) (?:over |more than )?{DURATION})?"
    rf"|\bheart[- ]?beat (?:lost|missed|missing|timed out|timeout|expired)(?:.{{0,40}}?{DURATION})?"
    r"|\bnot (?:RUNNING|SCHEDULED|running|scheduled)\b"
    rf"|{_TOO_OLD}{DURATION},?(?: is| has)? {_EXPIRED}"
    # 21122 seems stuck
    r"|\b\d{2,9} (?:seems|looks|appears|is)(?: to be)? (?:stuck|hung|frozen|stalled|hanging)\b"
    # heartbeat age 50s EXCEEDS 45s      log age 10 min is over the limit of 5 min
    rf"|\b(?:age|idle|silence|silent|quiet)(?: time)?[ :=]{{1,3}}(?:for |of )?{DURATION},?(?: is| has)?"
    r"(?: (?:exceed(?:s|ed|ing)?|over|above|beyond|past|older than)\b| ?> ?\d)"
    # gpu-util 0% for 15m     utilisation 0 % for the last 10 min
    rf"|\b(?:gpu[-_ ]?)?util(?:i[sz]ation)?(?:[ :=]{{1,3}}(?:of |is |at )?|(?= ?<))(?: ?< ?)?[0-5](?:\.\d)? ?%? "
    f"(?:for|since|over) (?:the last |more than )?{DURATION}"
    rf"|\b(?:time(?:d)? ?out|deadline) (?:of )?{DURATION} (?:reached|exceeded|expired|elapsed)"
    r"|\bexceeded (?:the )?(?:stall|hang|idle|watchdog|silence) (?:limit|timeout|threshold)"
)
ACTIONS = (
    ("kill", re.compile(r"(?i)\b(?:send(?:ing|s)?|sent) (?:a )?SIG(?:KILL|TERM|ABRT|INT|QUIT)|\bkill(?:ing|ed|s)?\b"
        r"|\bSIGKILL\b|\bkill -\d|\bterminat(?:e|ing|ed)\b")),
    ("abort", re.compile(r"(?i)\babort(?:ing|ed)?\b|\bstopping (?:the )?(?:job|run|training)\b"
        r"|\bdeclar(?:ing|ed) (?:\w{1,20} ){0,3}(?:unhealthy|dead|failed)\b|\bcancel(?:ling|led|ing)\b|\bscancel\b")),
    ("restart", re.compile(r"(?i)\brestart(?:ing|ed)?\b|\brelaunch\w{0,4}\b|\bre-?queue\w{0,4}\b|\brespawn\w{0,4}\b")),
    ("alert", re.compile(r"(?i)\balert\w{0,4}\b|\bpaging\b|\bpage(?:d)? (?:the )?on-?call\b|\bnotif(?:y|ying|ied)\b"
        r"|\bsent (?:an? )?(?:mail|e-mail|message)\b|\bdump(?:ing)? (?:stacks?|traces?)")),
)  # fmt: skip
LIMIT = re.compile(
    r"(?i)\b(?:limit|timeout|threshold|max(?:imum)?(?:_age| age| silence)?|allowed|grace|deadline|stall[-_ ]?after"
    rf"|patience|exceed(?:s|ed))\b[ :=>of]{{1,6}}{DURATION}|> ?{DURATION}"
)
AGE = re.compile(
    r"(?i)(?<![A-Za-z])(?:log age|age|idle|silent|quiet|heart[- ]?beat"
    r"|last (?:output|step|log|line|update|heart[- ]?beat)(?: was| seen)?"
    rf"|since last \w{{1,12}})[ :=]{{1,3}}(?:for )?{DURATION}"
)
# hb rank0 step=2000 age=615s limit=600s: whoever counts both is a watchdog, by whatever name
# no heartbeat for 18s (limit 14s)
COUNTS = re.compile(
    r"(?i)\b(?:age|idle|silence|silent|no (?:heart[- ]?beat|output|progress))[ :=]{1,2}(?:for )?"
    rf"{DURATION}[ ,;|/(]{{1,3}}(?:over )?(?:limit|timeout|threshold)[ :=]{{1,2}}\d"
)
# heartbeat age 5.7s ok      pid=7079 state=S beat_age=14s step=160 ok      watch: heartbeat 0s
BEAT = re.compile(
    rf"(?i)\b(?:heart[- ]?)?beat(?:'s)?[ _]age[ :=]{{1,3}}{DURATION}|\bheart[- ]?beat[ :=]{{1,3}}{DURATION}"
)
PID = re.compile(
    r"(?i)\bpid[ =:#]{1,2}(\d{1,9})\b|\b(?:to|process|kill(?:ing|ed)?|group|target|alert) (?:pid )?(\d{2,9})\b"
)
# hbmon[6918] pid=6906 state=R beat_age=1s step=36 ok
PROGRAM = re.compile(r"^([A-Za-z][\w-]{2,40})\[\d{1,8}\]")
NO_NAME = re.compile(r"^(?:python|bash|sh|java|node|run|train)\w{0,4}$")  # of whatever it runs
JOB = re.compile(r"(?:^|: )([\w.-]{1,80}) (?:is|was|has) (?:not |waiting|scheduled|running|queued|pending|been)")
# sending SIGKILL to 4242      killing pid 4242
STRIKES = re.compile(
    r"(?i)(?<!would )(?<!will )"
    r"\b(?:(?:send(?:ing|s)?|sent) (?:a )?SIG(?:KILL|TERM|ABRT|INT|QUIT) to|kill(?:ing|ed|s)(?: -9)?|kill -\w{1,7})"
    r" (?:pid |process |group )?\d{1,9}\b"
)
# will kill when log silent > 300s      action: kill      kills the run after 300 s without output
_ACT = (
    r"(?:(?:be )?(?:kill|terminate|abort|restart|relaunch|requeue|re-queue|notify|cancel|stop)(?:l?ed|d)?|alert|page"
    r"|scancel|dump|send (?:a )?SIG[A-Z]{3,4})"
)
_WILL = r"\b(?:will|would|shall|(?:going|configured|set|armed|about) to)(?: (?!be )\w{2,12})? "
AHEAD = re.compile(
    rf"(?i)(?:{_WILL}|'ll ){_ACT}\b|\baction ?[:=] ?{_ACT}\b"
    rf"|\b(?:{_ACT}|kills|terminates|aborts|restarts|alerts|notifies|cancels|stops)(?: it| (?:the|all) \w{{1,12}})?"
    r" (?:if|when|whenever|once|unless|after|on)\b"
)
UNLESS = re.compile(rf"(?i)(?:{_WILL}|'ll ){_ACT}\b.{{0,60}}\b(?:if|unless|when|once|in \d)")
CONDITION = re.compile(r"(?i)\b(?:if|when|whenever|once|unless|after|on)(?: the| its| a)?(?: \w{1,12}){0,2} $")
BEGINS = re.compile(r"(?i)\b(?:watching|monitoring|guarding|polling|started|starting|configured|armed|enabled)\b")
UNDERWAY = re.compile(
    r"(?i)(?<!be )\b(?:kill|terminat|abort|restart|cancel|relaunch)(?:ing|l?ed|ling)\b|\bsen(?:t|ding)\b"
)
SIGNAL = re.compile(r"\bSIG(?:KILL|TERM|ABRT|INT|QUIT|USR1|USR2)\b")
ALIVE = re.compile(
    r"(?i)\balive\b|\bhealthy\b|\bstill running\b|\bis running\b|\bprogressing\b|\bok\b|\bwatching\b|\bmonitoring\b"
    r"|\blog age\b|_age=\d|\bstarted\b|\bheart[- ]?beat\b"
)
# [watchdog] text    watchdog: text    ***ALERT: text: a program's line, where a person who writes of a watchdog has no
# tag
MACHINE = re.compile(
    r"^(?:\[[\w .-]{1,40}\]|[\w.-]{1,40}:|\*{2,}|<\w{1,20}>|(?:WARN(?:ING)?|ERROR|INFO|CRITICAL|ALERT)\b)"
)
# Pager: "stuck" at about the time of a kill. I guess a worker got killed?
PERSON = re.compile(r"\bI\b(?!/)|\b(?:we|guess|think|please|maybe|[Ww]hich one)\b|\?\s*$")
# 18:45 WARN no new loss line from gpt-345m for 5 min     (of a monitor: the run itself says nothing while it is silent)
WARNS = re.compile(
    r"(?:None )?(?:\d\d:\d\d(?::\d\d)? )?WARN(?:ING)? (?:run |job )?(?:\S{1,60}: )?(?:no new|gpu[-_ ]?util)"
    r"|(?:None )?(?:\d\d:\d\d(?::\d\d)? )?GPUs? [\d,-]{1,20} util",
    re.I,
)
# PULSE: run-176b is waiting to be scheduled      run-7b is scheduled to start in 3 days
WAITS = re.compile(r"(?i)\bis (?:waiting to be scheduled|scheduled to start|queued|pending)\b")
# what is likely to be SILENT and to have one of the ACTIONS: a note that says one of the two is no watchdog's log
_STANDS = r"\b(?:stale|stalled|stuck|hung|frozen|unresponsive|not running|not progress\w{0,4}|no output|no progress)\b"
_FOR_SO_LONG = (
    "(?:output|progress|log|heart[- ]?beat|steps?|updates?|activity|iterations?|loss"
    r"|batch(?:es)?)\b.{0,60}(?:for|in|since|within|after) "
)
FIRES = re.compile(
    r"(?i)^(?:[\[\d<(*{]|\w{1,20}: |[a-z]{3} [ \d]\d \d\d:).{0,120}"
    rf"(?:no (?:new |training |optimizer |completed )?{_FOR_SO_LONG}.{{0,40}}(?:kill|restart|abort|alert|terminat|sig)"
    rf"|{_STANDS}.{{0,120}}(?:kill|restart|abort|alert|terminat|sig(?:kill|term)|scancel|notify)"
    rf"|\b(?:kill|restart|abort|terminat)\w{{0,4}}\b.{{0,120}}{_STANDS})"
    rf"|\*+alert|\b(?:alert|warn|warning)\b.{{0,80}}\bno (?:new )?{_FOR_SO_LONG}.{{0,3}}\d"
    r"|util(?:i[sz]ation)?[ :=<]{1,4}(?:of |is |at )?(?:< ?)?[0-5](?:\.\d)? ?%? (?:for|since|over) "
)
# other watchdogs have parsers of their own
OTHERS = re.compile(
    r"ProcessGroupNCCL|collective operation|soft lockup|hard LOCKUP|watchdog: BUG|\.service: |NMI watchdog"
    r"|Process group watchdog|systemd\["
)


def read(text: Text) -> Iterator[Evidence]:
    limit: float | None = None
    charge: dict[str, Any] = {}  # whom the line that says the limit is about
    seen: re.Match[str] | None = None
    programs: set[str] = set()  # those that have spoken as a watchdog and name themselves: hbmon[6918] max_age=60s
    for message in messages(text, INTERESTING):
        said = message.text
        if is_kernel(said) or OTHERS.search(message.line.text[:600]):
            continue
        if not message.stamp and (PERSON.search(said) or not MACHINE.match(said)) and not TAGGED.search(said):
            continue
        if WAITS.search(said):
            facts = message.facts(text, **_subject(said))
            yield SchedulerEvent(**facts, system="queue", about="pending", text=said)
            continue
        counts = COUNTS.search(said)
        named = PROGRAM.match(said)
        program = named[1] if named else message.program
        tagged = counts is not None or TAG.search(said) is not None or program in programs
        if found := LIMIT.search(said):
            limit = seconds_of(found) if tagged or SILENT.search(said) else limit
            programs |= {program} if tagged and program and not NO_NAME.match(program) else set()
            watched = {name: value for name, value in _subject(said).items() if name == "pid"}
            charge = (watched or charge) if tagged else charge
        silent = SILENT.search(said)
        if counts and (seconds_of(counts) or 0.0) > (limit or 0.0) > 0:
            silent = counts
        action = next((action for action, pattern in ACTIONS if pattern.search(said)), None)
        action = action or ("alert" if silent and WARNS.match(f"{message.level} {said}") else None)
        if silent and action and _announces(said, silent):
            if tagged:
                limit = limit if found else seconds_of(silent)
                yield WatchdogObservation(**message.facts(text, **charge | _subject(said)), limit_s=limit)
        elif silent and (action or tagged):
            seen = silent
            yield _fired(text, message, charge, silent, action or "alert", limit)
        elif tagged and seen and STRIKES.search(said):
            yield _fired(text, message, charge, seen, action or "kill", limit)
        elif tagged and (counts or ALIVE.search(said)):
            age = AGE.search(said)
            yield WatchdogObservation(
                **message.facts(text, **charge | _subject(said)),
                age_s=seconds_of(age) if age else None,
                limit_s=limit,
            )


INTERESTING = Words(
    "watch|monitor|supervisor|guardian|pulse|sentinel|heart|health|babysitter|keep|hang|stale|stalled|stuck"
    "|hung|frozen|no output|no new|no progress|no log|no step|no training|no optimizer|no completed|no mark_step|no "
    "iteration|no update|no activity|no token|unresponsive"
    "|scheduled|queued|pending|not running|not responding|not progress|not changed|not updated|unchanged|alert"
    "|kill -|_age=|limit|timeout=|threshold|idle|util|silent|deadlock suspected|deadline|exceeded"
)


def _announces(said: str, silent: re.Match[str]) -> bool:
    """True for a line that says what will be done about a silence that is not there yet."""
    if UNDERWAY.search(said) or not AHEAD.search(said):
        return False
    return CONDITION.search(said, 0, silent.start()) is not None or BEGINS.search(said) is not None


def _fired(
    text: Text, message: Message, charge: dict[str, Any], silent: re.Match[str], action: str, limit: float | None
) -> WatchdogFired:
    said = message.text
    own = LIMIT.search(said)
    signal = SIGNAL.search(said)
    return WatchdogFired(
        **message.facts(text, **charge | _subject(said)),
        severity=Severity.CRITICAL,
        watchdog="home-made",
        action="alert" if UNLESS.search(said) and not UNDERWAY.search(said) else action,
        age_s=seconds_of(silent),
        limit_s=seconds_of(own) if own else limit,
        signal=signal[0] if signal else None,
        text=said,
    )


def _subject(said: str) -> dict[str, Any]:
    pid, job = PID.search(said), JOB.search(said)
    return ({"pid": int(pid[1] or pid[2])} if pid else {}) | ({"job": job[1]} if job else {})


PARSER = Parser(
    tool="watchdog script",
    medium="watchdog-log",
    footprint=footprint_of(TAGGED, FIRES, WAITS, COUNTS, OVERDUE, BEAT),
    read=read,
)
