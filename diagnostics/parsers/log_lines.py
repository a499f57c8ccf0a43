"""Lines of any job's log at warning level or above: kept so that nothing that a program complains of is lost.

    cnn3d - ERROR - Error in main function: Pin memory thread exited unexpectedly
    [rank3] WARNING: something odd
    /opt/venv/lib/python3.11/site-packages/torch/x.py:431: UserWarning: This DataLoader will create 3 worker processes
    2026-03-04 07:31:02 rendezvous timed out, giving up

A person's sentences are not read: without a level, only lines of an artefact that is no prose count, and no daemon's.
A line that another parser has read as something worse than information is told there and not again here. Of a message
that repeats with other numbers, the first few are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.job import LogLine
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Message, Words, messages, of_lines
from ._kernel_voice import is_kernel
from ._prose import is_note

KEPT = 5  # of one message that differs only in its numbers
LEVELS = {
    "WARN": "WARNING",
    "WARNING": "WARNING",
    "ERROR": "ERROR",
    "ERR": "ERROR",
    "SEVERE": "ERROR",
    "CRITICAL": "CRITICAL",
    "FATAL": "CRITICAL",
    "PANIC": "CRITICAL",
}
# ERROR: text     [ERROR] text     WARNING - text     name - ERROR - text     level=error msg="text"
# [TensorRT-LLM][ERROR] text
NAMED = re.compile(
    r"^(?:[\w.@/-]{1,60}(?: - |: |\[\d{1,9}\]: )|(?:\[[A-Za-z][\w.-]{1,30}\] ?){1,2}(?=\[))?\[?"
    r"(?i:(warn|warning|error|err|severe|critical|fatal|panic))\]?(?::| - |\] ?| \|)\s*(.*)$"
)
# [1719391911.121] [node1:8123 :0] ucp_context.c:1470 UCX  WARN  network device 'mlx5_9:1' is not available
UCX = re.compile(r"(?i)\bUCX +(WARN|ERROR|FATAL) +(\S.{0,2000})$")
LOGFMT = re.compile(r"(?i)\blevel=\"?(warn|warning|error|critical|fatal|panic)\b")
PYTHON_WARNING = re.compile(r"^(?:<\w{1,40}>|[^\s:]{1,500}\.py):\d{1,7}: (\w{0,40}Warning: .{1,2000})$")
# what NCCL's exceptions say of their reason stands in the line below this one
LAST_ERROR = "Last error:"
# a GPU's runtime says so of a kernel that has failed, whatever level a wrapper gives to what its child prints
OF_A_DEVICE = (
    r"\ban illegal memory access was encountered\b|\b(?:cuda|hip)ErrorIllegalAddress\b|\bCUDA_EXCEPTION_\d{1,2}\b"
    r"|\b(?:CUDA|cuDNN|cuBLAS) failure \d{1,4}\b|\bMemory access fault by GPU\b"
    # indexSelectLargeIndex: block: [316,0,0], thread: [61,0,0] Assertion `srcIndex < srcSelectDimSize` failed.
    r"|\bblock: \[[\d, ]{1,30}\], thread: \[[\d, ]{1,30}\] Assertion `|: Device-side assertion [`']"
    r"|\bPhysX error: |^Px\w{3,60}\.(?:cpp|h) \(\d{1,6}\) : internal error : "
)
FAULT_OF_A_DEVICE = re.compile(f"(?i){OF_A_DEVICE}")
# complaints without a level: one of these tells that an artefact is a program's log
GRAVE = (
    r"\bfailed\b|\bout of GPU memory\b|\bOOM when allocating\b"
    r"|\bonly \d{1,4} ?(?:/|(?:out )?of) ?\d{1,4} .{0,40}\b(?:active|up|linked)\b|\bcould not\b|\bunable to\b"
    r"|\bout of memory\b"
    r"|\bno space left\b|\bnot enough (?:free |disk )?space\b|\binsufficient shared (?:memory|storage)\b"
    r"|\blimit\b.{0,60}\b(?:reached|exceeded)\b|\btimed out\b|\baborted\b|\bthrottling of CPU\b"
    r"|\btoo many open files\b|\breducing loss scale to \d\S{0,20}e-|\bloss scale already at minimum\b"
    r"|\bDetected inf/nan during batch_number=|\bnans? (?:detected|occurred|encountered)\b"
    r"|\bignored a value of (?:nan|inf)\b"
    r"|\bOutOfMemoryError\b"
    r"|\bminimum loss scale reached\b|\bloss is (?:nan|inf|not finite)\b|\binvalid loss\b|\bhw[ _]slowdown\b"
    r"|\bInvalid __\w{1,12}__ (?:read|write|atomic)\b"
    r"|\bretry count(?:er)? (?:\w[\w ]{0,50} )?exceeded\b|RETRY[ _]EXC(?:EEDED ERROR|_ERR)\b"
    r"|\bcompletion (?:with )?(?:error|ERR: status|status) ?[=:]? ?12\b"
    r"|\bSegmentation fault from GPU\b|\b(?:CUDA|HIP) error(?: \d{1,4})?[: ]|\bError Code \d{1,3}: "
    rf"|{OF_A_DEVICE}"
    r"|\bNot enough memory\b|\bworse relative performance\b|\bstragglers? detected\b"
    r"|\bunhandled exception\b|\*{3} SIG(?:BUS|SEGV) received at\b|\bperformance bottleneck on (?:CPU|Disk)\b"
    r"|\binput[- ]bound\b|\bunexpectedly\b|: command not found$|: can't open file '|\bNo module named\b"
)
# these count only in such a log
SLIGHT = (
    r"\bfailure\b|\bfatal\b|\bcannot (?:allocate|open|access|create|write|read|connect|find)\b|\bquota exceeded\b"
    r"|\btimeout\b|\babort\b|\bunrecoverable\b|\bcorrupt(?:ed|ion)?\b|\bthrottl"
    r"|\bcore dumped\b|\bdeadlock|\bnot responding\b|\bstale\b|\bread-only\b|\bunexpected\b|\boversubscri"
    r"|^lock file exists in\b"
)
COMPLAINS = re.compile(f"(?i){GRAVE}|{SLIGHT}")
# write /opt/lib/libcublas.so: no space left on device: nobody writes so but a program
PRINTED = re.compile(
    "(?i): (?:no space left on device|disk quota exceeded|read-only file system|input/output error"
    "|too many open files|cannot allocate memory|stale file handle|transport endpoint is not connected"
    r"|structure needs cleaning)(?:: unknown)?\.?\"?\s{0,3}$"
    r"|^It appears as if there is not enough space for "
    r"|\bperformance bottleneck on (?:CPU|Disk)\b|\bprogram is (?:HIGHLY|MODERATELY) input-bound\b"
    r"|^Lock file exists in build directory: '|^memory allocation of \d{1,20} bytes failed$|^Could not override '"
    r"|\bInvalid loss, terminating\b|\b(?:CUDA|HIP) error(?: \d{1,4})?[: ]|\bError Code \d{1,3}: "
    rf"|{OF_A_DEVICE}"
    r"|\bfault (?:by|from) GPU\b|\bstragglers? detected: |\bdriver version is insufficient for CUDA runtime"
    r"|\b[a-z_]{2,40}\.[A-Za-z]\w{2,40}Error: "
)
# what a filesystem's refusal is called by Rust, MySQL, .NET and Node, which need no other word of complaint
REFUSED = re.compile(
    r"(?i)\bos error (?:28|30|122)\b|\(Errcode: (?:28|30|122)\b|\bkind: (?:ReadOnlyFilesystem|StorageFull)\b"
    r"|\b(?:ENOSPC|EROFS|EDQUOT)(?:: (?:no space left on device|read-only file system|disk quota exceeded)\b"
    r"| \((?:no space left|read-only file system|disk quota))"
    r"|\bIOException: (?:No space left on device|Read-only file system)"
)
# Received SIGTERM: 15     (a program says so without a level, or as a piece of information)
ASKED_TO_END = re.compile(
    r"(?i)\b(?:received|caught|got|bypassing)\b.{0,30}\b(?:SIG(?:TERM|KILL|XCPU|HUP|INT)|signal 15)\b"
)
WORDS = re.compile(r"[A-Za-z]{3}")
FRAME = re.compile(r'^  File "[^"]{1,1000}", line \d')
FILE = re.compile(r"/[^/]{0,200}\.[a-z]\w{0,10}$")
# what is left of an exception that was printed [Errno 5] Input/output error: '/data/x.pkl'      size mismatch for
# head.weight: copying a param with shape torch.Size([0]) from ...
REST_OF_ERROR = re.compile(
    r"^\[Errno \d{1,3}\] [A-Z][\w/ -]{3,60}(?:: |$)"
    r"|^\s{0,16}size mismatch for \S{1,300}: copying a param with shape |^filelock\.(?:\w{1,20}\.)?Timeout: "
    # gzip: day_0.gz: unexpected end of file      tar: Unexpected EOF in archive      (unzip, indented by itself)
    r"|^(?:gzip|tar|bzip2|xz|zstd|unzip|pigz): .{0,300}[Uu]nexpected (?:end of file|EOF)\b"
    r"|^\s{0,16}End-of-central-directory signature not found|^Error while deserializing header: \w"
    r"|^(?:zsh|bash|sh): dis[ck] quota exceeded: "
    # (PBS)  Job 118 killed due to exceeding jobfs quota. Quota: 15.0GB, Used: 15.0GB
    r"|^Job \S{1,60} killed due to exceeding \w{1,20} quota\b"
)
OTHERS = re.compile(
    r"^(?:Traceback|  File|During handling|The above exception|\s{0,200}\^|[+$#>] "
    r"|[{}\[\]\"']{1,3}\s{0,3}[\w\"']{1,80}\"?: |Root Cause|Failures:)"
    r"|\bNCCL (?:INFO|WARN)\b|^\s{0,8}(?:exitcode|traceback|error_file)\s{0,8}:|^\S{1,200} FAILED$|^\w{1,8}sum: WARNING"
)
# a level as any logger or prefix writes it, and what monitors and exceptions are named
LEVELLED = re.compile(
    r"(?i)(?:^|[\]:])[wef](?:20\d\d)?\d{4} \d\d:\d\d:\d\d\.\d|(?:^|[ \]:])[EF] [\w./-]{1,200}:\d{1,6}\] "
    r"|(?:^|[\s\[(|:-])(?:warn|warning|error|critical|fatal|panic)(?:\]|:| -| \|)"
    # (EngineWorker pid=81) ERROR 07-10 11:06:41 engine.py:226] text
    r"|(?:^|[ )\]])(?:warn|warning|error|critical|fatal) \d\d-\d\d \d\d:\d\d:\d\d"
    r"|\d (?:warn|warning|error|critical|fatal) |\w{1,40}Warning: |^\s{0,4}\[errno \d{1,3}\] [a-z]|CPUThrottlingHigh"
    r"|\blast error:\s{0,4}$"
)
INTERESTING = Words(
    r"warn|err|\[errno |severe|critical|fatal|panic|fail|cannot |could not|unable|out of memory|fault from|no space"
    "|not enough|insufficient shared|quota|limit|timed out|timeout|abort"
    "|sigterm|sigkill|sigxcpu|sighup|sigint|signal 15|unrecoverable|corrupt|throttl|exception|core "
    "dumped|sigbus|sigsegv|bottleneck|input-bound|input bound|deadlock|not "
    "responding|stale|read-only|unexpected|oversubscri|loss scale|loss is |invalid loss|slowdown|invalid __|access "
    "fault|last error:|retry count|retry exc|retry_exc|completion err|completion with|completion status|not "
    "found|out of gpu memory|oom when alloc|driver version is insufficient|relative performance|stragglers|can't "
    "open|no module named|inf/nan|nan detected|nans detected|nan occurred|nans occurred|nan encountered|value of nan"
    "|value of inf|outofmemory|illegal memory|illegaladdress|cuda_exception|too many|lock file exists|size mismatch"
    "|filelock",
    start=r"(?:\[\w{1,20}\])?:?\[?[EWF](?:20\d\d)?\d{3,4} "
    r"|(?:\[\d{1,6}\] )?(?:[\d-]{10} [\d:.]{8,20}: )?[EF] [\w./-]{1,200}:\d{1,6}\] ",
)


def read(text: Text) -> Iterator[Evidence]:
    seen: Counter[str] = Counter()
    prose = text.worked_out(is_note)
    told: set[int] = set()
    frame = -1  # the line of a traceback's last frame: its code stands in the next one
    for message in messages(text, INTERESTING):
        if FRAME.match(message.text):
            frame = message.line.number
        elif message.line.number == frame + 1 and message.text.startswith("    "):
            continue
        if message.text.strip()[:80].endswith(LAST_ERROR) and (reason := _below(text, message)):
            told.add(reason.line.number)
            yield LogLine(**reason.facts(text), severity=Severity.WARNING, level="ERROR", text=reason.text.strip())
            continue
        if message.line.number in told:
            continue
        # "DATE Received SIGTERM: 15" and "DATE put shards/7.bin: no space left on device" look like syslog
        if message.program and (message.program.startswith("SIG") or FILE.search(message.program)):
            said = f"{message.host} {message.program}: {message.text}"
            message = message._replace(text=said, host=None, program=None)
        if (
            message.program
            or is_kernel(message.text)
            or OTHERS.search(message.text)
            or not (found := _level(message, prose))
        ):
            continue
        level, said = found
        shape = re.sub(r"\d{1,40}", "0", said)[:200]
        seen[shape] += 1
        if seen[shape] <= KEPT:
            severity = Severity.CRITICAL if level == "CRITICAL" else Severity.WARNING
            yield LogLine(**message.facts(text), severity=severity, level=level, text=said)


def _below(text: Text, message: Message) -> Message | None:
    """The next line of the same writer, unless it is empty."""
    below = of_lines(text.after(message.line, limit=8))
    found = next((each for each in below if (each.rank, each.pid) == (message.rank, message.pid)), None)
    return found if found and WORDS.search(found.text) else None


def _level(message: Message, prose: bool) -> tuple[str, str] | None:
    """The level and the text of a complaint, or None when the line is none."""
    said = message.text.strip()
    if not WORDS.search(said):
        return None
    if found := PYTHON_WARNING.match(said):
        return "WARNING", found[1]
    if (found := ASKED_TO_END.search(said)) and (not prose or (found.start() == 0 and len(said) < found.end() + 30)):
        return "WARNING", said
    if message.level in LEVELS:
        return LEVELS[message.level], said
    if message.level in ("INFO", "DEBUG", "notice", "info"):
        return ("ERROR", said) if FAULT_OF_A_DEVICE.search(said) else None
    if found := NAMED.match(said):
        return LEVELS[found[1].upper()], found[2] or said
    if found := UCX.search(said):
        return LEVELS[found[1].upper()], found[2]
    if found := LOGFMT.search(said):
        return LEVELS[found[1].upper()], said
    if REST_OF_ERROR.match(said):
        return "ERROR", said
    # a line of code in a traceback, a row of a table
    indented = message.text[:1].isspace() and not FAULT_OF_A_DEVICE.search(said)
    prose = prose and not PRINTED.search(said)
    told = REFUSED.search(said) or (not prose and COMPLAINS.search(said))
    return ("ERROR", said) if told and not indented else None


PARSER = Parser(
    tool="a program's log",
    medium="complaints",
    footprint=footprint_of(
        LEVELLED, LOGFMT, UCX, ASKED_TO_END, PRINTED, REFUSED, REST_OF_ERROR, re.compile(f"(?i){GRAVE}")
    ),
    read=read,
    claims="untold",
)
