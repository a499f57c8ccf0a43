"""A shell session that somebody pasted: commands after a prompt, and what became of them.

    13:01:34 $ timeout 10 dd if=/workspace/mfs/mnt/shards/shard_0003.bin of=/dev/null bs=1M
    (still hanging after 13 s, although timeout has sent SIGTERM)
    12:55:07 $ timeout 10 md5sum -c /workspace/local/scratch/test.md5
    md5sum -c exit status 124
    /mnt/vol-fs # echo ok > pw

    # nvidia-smi
    ^C^C^C

    # kill -9 67637 ; sleep 60 ; ps -o pid,stat -p 67637
    67637 R

    # kill -9 67637 (twice) - still there

    $ timeout 30 cat /mnt/b/0412.tar | wc -c
    0

    1411  huggingface-cli download org/model --local-dir . ^C

A copy or a download that a Ctrl-C ended is one that was interrupted, also in a history. A process that a table
below its `kill -9` still shows, or of which is said beside it that it is still there, makes that kill one that hangs.
A command without a word about its end is taken for no outcome. What `; echo $?` prints is the status. Status 124 or
137 of a `timeout` command means that it ran into its limit, and so does nothing (by wc -c or a digest) out of a
`timeout` command on one file where the same on another file brought something. The tools' own error messages are read
by `tool_errors`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..durations import DURATION, seconds_of
from ..evidence import Evidence, Severity
from ..evidence.storage import CommandOutcome
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

# 13:01:34 $ timeout 10 ls /data     $ md5sum -c MD5SUMS     root@pod:/workspace# df     /mnt/vol-fs # echo ok > pw
_COMMANDS = (
    "timeout|time|sudo|nice|ionice|strace|cd|ls|cp|mv|rm|dd|cat|head|tail|df|du|stat|md5sum|sha\\d{1,3}sum|b2sum|b3s"
    "um|xxhsum|cksum|cmp|diff|rsync|rclone"
    "|scp|touch|echo|sync|mount|umount|find|python\\d?|kubectl|ping|curl|nc|ibstat|ibv_\\w{1,20}|ib_\\w{1,20}|nvidia"
    "-smi|dcgmi|rocm-smi|rocminfo|clinfo|(?:\\./)?deviceQuery|systemctl|fio|iperf3?|kill|pkill"
    "|lsof|fuser|gdb|py-spy|srun|squeue|sacct"
)
# ^C^C^C     (once is how one leaves a command that has more to say)
INTERRUPTED = re.compile(r"^(?:\^C\s{0,2}){2,40}\s*$")
# 1411  huggingface-cli download org/model --local-dir . ^C     tar xf train.tar   ^C (laptop closed)
BROKEN_OFF = re.compile(
    r"(?:^|[$#%>] |\d {1,3}|\d\d:\d\d(?::\d\d)? {1,3})"
    "(?P<command>(?:cp|mv|rsync|scp|tar|unzip|7z|wget|curl|aria2c|axel|gsutil|gcloud|aws s3|rclone|azcopy"
    r"|huggingface-cli download|hf download|git (?:lfs )?(?:clone|pull)|kaggle|modelscope|gdown|dd)\b.{0,600}?) "
    r"{0,8}\^C(?:\s|$)"
)
COMMAND = re.compile(rf"^[\w.@~:/\[\] -]{{0,200}}?[$#%>] (?P<command>(?:{_COMMANDS})\b.{{0,2000}})$")
# 12:47:49 cp test.pt /workspace/mfs/mnt/ckpt/
TIMED = re.compile(
    r"^(?P<command>(?:cp|mv|dd|rsync|scp|md5sum|sha256sum|cat|ls|rm|df|sync|cmp|touch) (?=.*/).{1,2000})$"
)
# (still hanging after 13 s, although timeout has sent SIGTERM)     still running after 2 min
HANGING = re.compile(
    rf"(?i)\b(?:still|is) (?:hanging|hung|stuck|blocked|running|waiting|not back)\b.{{0,40}}?\bafter {DURATION}"
    r"|\bnever (?:returns?|returned|came back|finished)\b|\bhangs?(?: for ?ever)?$"
    rf"|\bno answer (?:after|within) {DURATION}"
)
# exit status 0      cp exit status 1      md5sum -c exit status 124      exit code: 1      rc=1
# kill -9 67637     kill -KILL 67637
KILL = re.compile(r"\bkill -(?:9|KILL|SIGKILL) (\d{1,10})\b")
# 67637 R     user  67637  99.9 ... R
ROW = re.compile(r"^\s{0,20}(?:[a-z][\w+-]{0,30}\s{1,20})?(\d{1,10})\s.{0,200}?(?<!\S)([RSDT][<NLsl+]{0,4})(?:\s|$)")
# kill -9 67637 (twice) - still there     sudo kill -KILL 67637   # no effect
REMAINS = re.compile(
    r"(?i)(?:(?:[-–—:,#(>]|=>) ?|\b(?:but|and) |^)(?:(?:the |it |process |pid ){0,2}(?:is )?"
    r"still (?:there|alive|running|listed|in ps|holds? )|(?:has |had )?no effect\b|nothing happens\b"
    r"|(?:it )?(?:does|did|will|would)(?: not|n't) (?:die|end|exit|go away)\b|(?:it )?(?:survives|survived)\b)"
)
STATUS = re.compile(
    r"(?i)^(?:(?P<tool>[\w.-]{1,40}(?: -[\w-]{1,31}){0,3}) )?(?:exit(?:ed)? (?:status|code)|rc|returned?)"
    r"(?: was)?[ :=]{1,3}(?P<status>\d{1,3})\s*(?:\(.{0,80}\))?$"
)
ASKED = re.compile(r"; ?echo (?:rc=|exit=|status=|\")?\$\?")
NUMBER = re.compile(r"(?:rc=|exit=|status=)?(\d{1,3})$")
TIMED_OUT = re.compile(r"(?i)^(?:timeout: sending signal|command timed out|timed out after)")
# timeout 30 cat /mnt/b/0412.tar | wc -c     timeout 30 head -c 4K /mnt/b/0412.tar | md5sum
LIMITED_PIPE = re.compile(
    r"\btimeout (?:-\S{1,20} ){0,3}\d{1,6}[smh]? (?P<tool>cat|head|tail|dd)\b.{1,600}\| ?(?:wc -c|md5sum|sha256sum)\b"
)
NOTHING = re.compile(r"(?:0|d41d8cd98f00b204e9800998ecf8427e(?:  -)?|e3b0c44298fc1c149afbf4c8996fb924\w{32}(?:  -)?)$")
SOMETHING = re.compile(r"(?:[1-9]\d{0,17}|[0-9a-f]{32}(?:[0-9a-f]{32})?(?:  -)?)$")
PATH = re.compile(r"(?:(?<=[\s=:'\"])|^)(/[\w.@+%=,-]{1,200}(?:/[\w.@+%=,-]{1,200}){0,30}/?)")
NO_PATH = ("/dev/", "/bin/", "/usr/", "/proc/", "/sys/")


def read(text: Text) -> Iterator[Evidence]:
    command: tuple[Message, str] | None = None
    killed: dict[str, tuple[Message, str]] = {}
    piped: list[tuple[Message, tuple[Message, str], bool]] = []
    for message in messages(text, INTERESTING):
        said = message.text.strip()
        if found := BROKEN_OFF.search(message.line.text[:1000]):
            yield _outcome(text, message, (message, found["command"].strip()), "interrupted", None, None)
        elif found := COMMAND.match(message.line.text[:2400].strip()) or (TIMED.match(said) if message.stamp else None):
            command = (message, found["command"].strip())
            if LIMITED_PIPE.search(command[1]) and (below := next(iter(text.after(message.line, 1)), None)):
                answer = below.text[:200].strip()
                if NOTHING.match(answer) or SOMETHING.match(answer):
                    piped.append((message, command, NOTHING.match(answer) is not None))
            if kill := KILL.search(command[1]):
                if REMAINS.search(command[1][kill.end() :][:300]):
                    yield _not_ended(text, message, (message, kill[0]), kill[1])
                else:
                    killed[kill[1]] = (message, kill[0])
        elif killed and (row := ROW.match(message.line.text[:300])) and row[1] in killed:
            yield _not_ended(text, message, killed.pop(row[1]), row[1])
        elif command and INTERRUPTED.match(said):
            yield _outcome(text, message, command, "hanging", None, None)
            command = None
        elif found := HANGING.search(said):
            yield _outcome(text, message, command, "hanging", None, seconds_of(found))
        elif found := STATUS.match(said):
            status = int(found["status"])
            asked = command if command and _is_of(found["tool"], command[1]) else None
            if asked or found["tool"]:
                yield _outcome(text, message, asked or (message, found["tool"]), _word(status, asked), status, None)
        elif command and ASKED.search(command[1]) and (found := NUMBER.match(said)):
            status = int(found[1])
            yield _outcome(text, message, command, _word(status, command), status, None)
            command = None
        elif TIMED_OUT.match(said) and command:
            yield _outcome(text, message, command, "timed-out", None, None)
    for message, asked, nothing in piped if {nothing for _, _, nothing in piped} == {True, False} else ():
        yield _outcome(text, message, asked, "timed-out" if nothing else "ok", None, None)


INTERESTING = re.compile(
    r"\^C(?:\s|$)|[$#%>] (?:\./)?\w|^(?:\^C){2}|^\d{1,3}$|^\s{0,20}(?:[a-z]\S{0,30}\s{1,20})?\d{1,10}\s"
    "|(?i:hang|hung|stuck|blocked|waiting|still running|not back|never|no answer|exit|timeout:|timed out)|^rc"
    r"|return|^\d\d:\d\d:\d\d \w|\d\d:\d\d:\d\d(?:Z|,\d{1,6})? (?:cp|mv|dd|rsync|scp|md5sum|ls|df) "
)


def _is_of(tool: str | None, command: str) -> bool:
    return tool is None or tool.split(" ")[0] in command


def _not_ended(text: Text, message: Message, kill: tuple[Message, str], pid: str) -> CommandOutcome:
    outcome = _outcome(text, message, kill, "hanging", None, None)
    return replace(outcome, subject=replace(outcome.subject, pid=int(pid)))


def _word(status: int, command: tuple[Message, str] | None) -> str:
    if status == 0:
        return "ok"
    limited = status == 124 or (status == 137 and command is not None and "timeout" in command[1])
    return "timed-out" if limited else "failed"


def _outcome(
    text: Text,
    message: Message,
    command: tuple[Message, str] | None,
    outcome: str,
    status: int | None,
    after_s: float | None,
) -> CommandOutcome:
    asked = command[1] if command else ""
    path = next((path for path in PATH.findall(asked) if not path.startswith(NO_PATH)), None)
    facts = message.facts(text, path=path)
    fact = CommandOutcome(
        **facts,
        severity={"ok": Severity.INFO, "failed": Severity.WARNING}.get(outcome, Severity.CRITICAL),
        command=asked,
        outcome=outcome,
        status=status,
        after_s=after_s,
    )
    return replace(fact, stamp=command[0].stamp) if fact.stamp is None and command else fact


PARSER = Parser(
    tool="shell",
    medium="transcript",
    footprint=(
        rf"^[\w.@~:/\[\] -]{{0,200}}[$#%>] ({_COMMANDS})\b|^([\w.-]+( -[\w-]+)* )?exit (status|code)[ :=]+\d{{1,3}}$"
        "|still (hanging|hung|stuck|blocked|running) after"
        r"|(^|[$#%>] |\d {1,3})(cp|mv|rsync|scp|tar|unzip|7z|wget|curl|aria2c|axel|gsutil|gcloud|aws s3|rclone"
        r"|azcopy|huggingface-cli|hf|git|kaggle|modelscope|gdown|dd)\b.{0,600} {0,8}\^C(\s|$)"
    ),
    read=read,
)
