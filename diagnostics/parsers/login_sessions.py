"""Login sessions as systemd-logind and PAM log them, and what `loginctl` and logind.conf say becomes of a user's
memory.

    Jun 23 11:06:52 c07 sshd[20911]: pam_unix(sshd:session): session closed for user bench
    Jun 23 11:06:52 c07 systemd-logind[1711]: Removed session 41.
    Linger=no
    #RemoveIPC=yes
    .RemoveIPC     property  b   true   const

A commented line of the shipped logind.conf shows the default, which is in force. PAM names the user and no session;
what it says of sudo, su and cron is skipped. What D-Bus answers stands in its table, or below the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Source
from ..evidence.job import SettingSeen
from ..evidence.people import LoginSession
from ..footprint import unnamed
from ..text import Text
from . import Parser
from ._job_lines import messages

SESSION = re.compile(
    r"^(?P<new>New session|Removed session|Session) (?P<id>\w{1,12})(?: of user (?P<user>[\w.-]{1,64})| logged out)?\."
)
PAM = re.compile(
    r"^pam_unix\((?:sshd|login|gdm-\w{1,20}|sddm|lightdm):session\): session (?P<edge>opened|closed) for user "
    r"(?P<user>[\w.-]{1,64})"
)
SETTING = re.compile(r"^[ \t]{0,8}#?(?P<name>Linger|RemoveIPC|KillUserProcesses)[=:] ?(?P<value>yes|no)\s*$")
# $ busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager RemoveIPC
ASKED = re.compile(r"\bbusctl\b.{0,40} get-property .{0,160}\b(?P<name>Linger|RemoveIPC|KillUserProcesses)\s*$")
ANSWER = re.compile(r"^b (?P<value>true|false)\s*$")
# .RemoveIPC                              property  b         true                                     const
OF_TABLE = re.compile(
    r"^\.?(?P<name>Linger|RemoveIPC|KillUserProcesses) {1,60}property {1,20}b {1,20}(?P<value>true|false)\b"
)
AS_WRITTEN = {"true": "yes", "false": "no"}


def read(text: Text) -> Iterator[Evidence]:
    yield from _of_the_bus(text)
    for message in messages(text, PARSER.pattern):
        if found := SETTING.match(message.text):
            source = Source(text.name, message.line.number, message.line.quote)
            yield SettingSeen(source=source, name=found["name"], value=found["value"])
        elif found := SESSION.match(message.text):
            edge = "begin" if found["new"].startswith("New") else "end"
            yield LoginSession(**message.facts(text), session=found["id"], edge=edge, user=found["user"])
        elif found := PAM.match(message.text):
            edge = "begin" if found["edge"] == "opened" else "end"
            yield LoginSession(**message.facts(text), session="", edge=edge, user=found["user"])


def _of_the_bus(text: Text) -> Iterator[SettingSeen]:
    asked: str | None = None
    for line in text.lines():
        row, answer = OF_TABLE.match(line.text), ANSWER.match(line.text) if asked else None
        name, said = (row["name"], row) if row else (asked, answer)
        if name and said:
            source = Source(text.name, line.number, line.quote)
            yield SettingSeen(source=source, name=name, value=AS_WRITTEN[said["value"]])
        question = ASKED.search(line.text[:400])
        asked = question["name"] if question else None


PARSER = Parser(
    tool="systemd-logind",
    medium="system-log",
    footprint=r"pam_unix\((?:sshd|login|gdm-\w{1,20}|sddm|lightdm):session\): session (?:opened|closed) for user "
    r"|systemd-logind\[\d+\]: (?:(?:New|Removed) session \w+|Session \w+ logged out)"
    r"|^[ \t]{0,8}#?(?:Linger|RemoveIPC|KillUserProcesses)[=:] ?(?:yes|no)\s*$"
    rf"|{unnamed(OF_TABLE.pattern)}|{unnamed(ASKED.pattern)}",
    read=read,
)
