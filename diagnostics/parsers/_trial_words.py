"""How people say in a table of trials what they tried and how it went."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..evidence import Severity, Source, Subject
from ..evidence.people import Trial
from ..text import Line, Text

LARGEST = 256 << 10  # bytes: nobody writes down more by hand
LONGEST_ROW = 240
FEWEST_ROWS = 2
FAR_BELOW = 0.5  # of the best

# done and past: a log says so of its steps, too
PAST = r"(?:finished|completed|succeeded|worked)(?=$|[,;.(]| (?!\d))(?!.{0,120}\b(?:then|but|until|before)\b)"
_ALL_WELL = r"all (?:\w{1,20} ){1,2}(?:finish|complete|pass|succeed|load|save|run|trained|done)"
_WELL = (
    r"ok|okay|works|trains|clean(?=$|[,;.(]| \d)|exits(?: cleanly| normally)?$"
    r"|fine|baseline|stable|survives|(?:stays|stayed) up"
    r"|ran (?:for )?\d{1,5}|pass(?:es|ed)?|ends(?=$|[,;])"
    rf"|{PAST}"
    r"|(?:finished|completed|done),? (?:in |after )?(?:about |~ ?)?\d[\d.]{0,6} ?"
    r"(?:s|sec(?:onds?)?|min(?:utes?)?|h(?:ours?)?|days?)"
    "|completes|finishes|succeeds|returns(?: at once| normally)?$|runs (?:through|fine|well)|runs(?=$|[,;.])"
    "|serves(?=$|[,;.])"
    r"|first batch (?:after|in) \d{1,6}|(?:first )?step(?: \d+)? (?:after|in) \d{1,6}"
    r"|(?:init|start|startup|load) \d[\d.]{0,8} ?\w{1,3}, trains"
    r"|no (?:crash(?:es)?|errors?|hangs?|failures?|problems?|reboots?|resets?|lock-?ups?)"
    rf"|{_ALL_WELL}"
    r"|\d{1,4} (?:min(?:utes?)?|h(?:ours?)?|days?|weeks?|months?|years?),? "
    r"(?:ok|fine|no (?:crash|error|hang|failure|problem|reboot|reset|lock-?up)\w{0,2})"
)
# 6 failures      0 of 12 runs      3/5 runs hang
_COUNTED = (
    r"\d{1,6} (?:failures?|crash(?:es)?|hangs|errors)|0(?: of |/)\d{1,6}(?: (?:runs|times|tries|starts|attempts))?$"
    r"|\d{1,6}(?: of |/)\d{1,6} (?:\w{1,12} ){0,2}(?:crash|fail|hang|pass|complet|finish)(?:e[sd]|s|ed)?"
)
# it would have ended:   killed at the limit of 2 h, 30 % done      not finished after 90 min
_UNDONE = (
    r"(?:killed|cancell?ed|stopped|ended|given up) (?:at|after|by) [^|%]{1,40}?\d{1,3} ?%"
    r"(?: (?:done|complete|through))?"
    r"|not (?:done|finished|complete|through) (?:after|within|in) (?:about |~ ?)?\d{1,6}"
)
_ILL = (
    rf"{_UNDONE}|"
    r"sometimes|faults?(?=$|[,;.(]| (?:at|in|after|step))"
    r"|(?:about |~)?\d+(?:\.\d+)?x slower|(?:very |much )?slow|hangs?|hung|stuck|dead ?locks?|freezes|froze"
    r"|frozen|blocks|blocked|waits|stands(?=$|[,;.(]| (?:until|still|for|at|in|after|before|as|\d))"
    r"|never \w+|(?:soft |hard )?lock-?ups?"
    r"|\w{2,30}(?:Error|Exception): \w+|no (?:\w+ )?(?:batch(?:es)?|lines?|output|progress|steps?|answer|response)"
    r"|(?:\w{2,20} ){0,2}(?:time[sd] out|timeout)|killed|OOM|out of memory|seg(?:mentation )?faults?|unreachable"
    "|refused"
    r"|(?:\w{2,20} )?SIG(?:ABRT|SEGV|BUS|KILL|ILL)|(?:does|did)(?: not|n't) \w+|fail(?:s|ed)?|crash(?:es|ed)?|dies"
    "|died|aborts|aborted|errors?(?!:)"
    r"|(?:loss is |loss )?nan|Xid \d{1,3}|wrong result|differs|bus error"
    r"|(?:\w{1,30}Error: )?(?:CUDA|HIP|ROCm|Triton) (?:runtime )?(?:error|failure)"
    r"|(?:an )?illegal memory access|(?:cuda|hip)ErrorIllegalAddress|(?:\w{1,30}Error: )?CUDA out of memory"
    r"|(?:torch\.)?(?:cuda\.)?OutOfMemoryError|off|dark|powers? off"
    r"|shuts? down|shutdown|reboots?|restarts?|gone|resets?|lost|(?:\w{2,20} ){0,2}marked dead"
)
# host goes dark      that lane hangs
_WHO = (
    r"(?:(?:the |that |this )?(?:host|gpu|job|it|machine|box|node|server|system|pc|card|training|run|program|process"
    r"|thread|worker|lane|pod|pipeline|replica|stage) )"
)
WHO = re.compile(rf"^{_WHO}", re.I)
# 3 of 5 runs fail      host goes dark
SAID = (
    r"(?:\d{1,4} ?(?:of|/) ?\d{1,4},? (?:(?:runs?|times|tries|attempts) )?)?"
    rf"{_WHO}?"
    r"(?:goes |went |is |was |turns |turned )?"
    rf"(?P<outcome>{_WELL}|{_COUNTED}|{_ILL})\b"
)
# the end of a row: looking for the condition before it takes many times as long
# looks back from the words: a run of blanks is tried once
OUTCOME = re.compile(rf"(?:(?<=:[ \t])|(?<=[ \t]{{2}})|(?<=[ \t]\|[ \t]))(?P<text>{SAID})", re.I)
OUTCOMES = (
    ("varies", re.compile(r"\bok(?:ay)? or\b|\bsometimes\b|\bintermittent", re.I)),
    ("slow", re.compile(rf"slow|^(?:{_UNDONE})", re.I)),
    # hung 0 of 10
    (
        "ok",
        re.compile(
            r"^(?:hangs?|hung|fail(?:s|ed)?|crash(?:es|ed)?|errors?|lost|died|stuck|froze) 0(?: ?/ ?| (?:out )?of )\d",
            re.I,
        ),
    ),
    (
        "ok",
        re.compile(
            r"^(?:ok|okay|works?\b|pass|fine|clean|baseline|stable|survives|(?:stays|stayed) up"
            r"|ran (?:for )?\d(?!.{0,120}\b(?:then|until|before)\b)|\d{1,4} \w{1,7},? (?:ok|fine|no )"
            r"|no (?:crash|error|hang|failure|problem|reboot|reset|lock-?up)"
            rf"|{_ALL_WELL}"
            rf"|{PAST}|finished|completed|done"
            r"|runs|serves|returns|ends|completes|finishes|succeeds|exits|(?:first )?(?:step|batch)\b"
            r"|(?:\w+ [^,]{1,20}, )?trains"
            r"|0 |0/|\d{1,6}(?: of |/)\d{1,6} (?:\w{1,12} ){0,2}(?:pass|complet|finish))",
            re.I,
        ),
    ),
    (
        "hang",
        re.compile(
            r"hang|hung|stuck|stands|lock|lock-?up|freez|froze|wait|never|^no |time[sd]? ?out"
            r"|did(?: not|n't)|does(?: not|n't)",
            re.I,
        ),
    ),
    (
        "off",
        re.compile(
            r"^(?:(?:host|gpu|it|machine|box|node|server|system|pc|card) )?(?:goes |went |is |was |turns |turned )?"
            r"(?:off|dark|powers? off|shut|gone|lost|reset|reboot|restart)",
            re.I,
        ),
    ),
    ("fail", re.compile(r"fail|fault|crash|dies|died|abort|error|nan|wrong|differs", re.I)),
)
# 3 of 3 ok      0/5 fail
COUNT = re.compile(
    r"^(\d{1,4}) ?(?:of|/) ?(\d{1,4}),? (?:(?:runs?|times|tries|attempts) )?(?=\D)"
    r"(?!(?:runs?|times|tries|starts|attempts)\s*$)"
)
# nodes=40      2 nodes      3+ nodes x 8 GPU; in "job 8812 nodes n3,n4" the number is the job's
NODES = re.compile(
    r"\bnodes?\s?=\s?(\d{1,6})|(?<!job )(?<!run )(?<!id )\b(\d{1,6})\+?\s?(?:nodes?|machines?|hosts?)\b", re.I
)
GPU = re.compile(r"\bGPU ?(\d{1,2})\b(?!\s*(?:x|GPU))")


# NAME        READY   STATUS      RESTARTS   AGE
OF_KUBECTL = re.compile(r"(?:NAMESPACE {1,40})?NAME {1,120}[A-Z].{0,160} (?:RESTARTS|AGE)\b")


def short_lines(text: Text) -> list[Line]:
    """The lines of an artefact that may be rows; none of one that nobody wrote by hand."""
    lines = [line for line in text.lines() if len(line.text) < LONGEST_ROW] if len(text.data) <= LARGEST else []
    return [] if any(OF_KUBECTL.match(line.text) for line in lines) else lines


def are_most_of(text: Text, rows: Sequence[object]) -> bool:
    """True when an artefact is a table: it has rows, and little else."""
    return len(rows) >= FEWEST_ROWS and 2 * len(rows) >= sum(1 for line in text.lines() if line.text.strip())


def outcome_of(text: str) -> str:
    """The kind of outcome that plain words say; of none of several runs it is the other."""
    counted = COUNT.match(text)
    said = WHO.sub("", text[counted.end() :] if counted else text)
    outcome = next((name for name, pattern in OUTCOMES if pattern.search(said)), "fail")
    if counted and int(counted[1]) == 0 < int(counted[2]):
        return "fail" if outcome == "ok" else "ok"
    return outcome


def pace(reached: float, best: float) -> str:
    """The outcome of a trial of which only the speed is known."""
    return "slow" if reached < FAR_BELOW * best else "ok"


def trial(text: Text, line: Line, condition: str, said: str, outcome: str) -> Trial:
    """One row; a GPU and a number of nodes are read off its condition."""
    nodes, gpu = NODES.search(condition), GPU.search(condition)
    return Trial(
        source=Source(text.name, line.number, line.quote),
        subject=Subject(gpu=int(gpu[1])) if gpu else Subject(),
        severity=Severity.INFO if outcome == "ok" else Severity.WARNING,
        condition=condition,
        outcome=outcome,
        text=said,
        nodes=int(nodes[1] or nodes[2]) if nodes else None,
    )
