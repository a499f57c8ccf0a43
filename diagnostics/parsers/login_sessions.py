"""Login sessions as systemd-logind and PAM log them, and what `loginctl` and logind.conf say becomes of a user's
memory.

    Jun 23 11:06:52 c07 sshd[20911]: pam_unix(sshd:session): session closed for user bench
    Jun 23 11:06:52 c07 systemd-logind[1711]: Removed session 41.
    Linger=no
    #RemoveIPC=yes

A commented line of the shipped logind.conf shows the default, which is in force. PAM names the user and no session;
what it says of sudo, su and cron is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Source
from ..evidence.job import LoginSession, SettingSeen
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


def read(text: Text) -> Iterator[Evidence]:
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


PARSER = Parser(
    tool="systemd-logind",
    medium="system-log",
    footprint=r"pam_unix\((?:sshd|login|gdm-\w{1,20}|sddm|lightdm):session\): session (?:opened|closed) for user "
    r"|systemd-logind\[\d+\]: (?:(?:New|Removed) session \w+|Session \w+ logged out)"
    r"|^[ \t]{0,8}#?(?:Linger|RemoveIPC|KillUserProcesses)[=:] ?(?:yes|no)\s*$",
    read=read,
)
