"""Daemons that kill before the kernel has to: earlyoom, systemd-oomd, nohang, Ray's memory monitor.

    earlyoom[1460]: sending SIGKILL to process 291787 uid 61876 "python": badness 900, VmRSS 14110 MiB
    systemd-oomd[932]: Killed /user.slice/.../train.scope due to memory used (66571059200) / total (67108864000) ...
    (raylet) node_manager.cc:3277: 2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed
    Memory on the node (IP: 10.0.0.7, ID: 5b) where the task (actor ID: 1c, name=f, pid=9) was running was 30.2GB / 31.4GB
        (0.9618), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 0d) because it was the most

They watch the whole machine (or, with a limit on it, the whole container), so a kill is the machine's.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import OomKill
from ..text import Text
from . import Parser
from ._job_lines import messages

# sending SIGKILL to process 291787 uid 61876 "python": badness 900, VmRSS 14110 MiB
EARLYOOM = re.compile(
    r"sending SIG(?:TERM|KILL) to process (?P<pid>\d{1,10})(?: uid \d{1,10})? \"?(?P<comm>[^\":]{1,64})\"?: .{0,80}?"
    r"(?:VmRSS (?P<mib>\d{1,9}) MiB|$)"
)
# Memory pressure for /user.slice/user-1000.slice is greater than 10 for more than 10 seconds and there was reclaim
# activity (before systemd 248)
OOMD = re.compile(
    r"^(?:systemd-oomd\S{0,12}: )?(?:Killed (?P<cgroup>/\S{1,500}) due to memory (?:used|pressure)\b"
    r"|Memory pressure for /\S{1,500} is greater than \d{1,3} for more than \d{1,6} seconds and there was reclaim)"
)
NOHANG = re.compile(
    r"(?:Sending|sending) SIG(?:TERM|KILL) to the victim|Implement a corrective action: Send SIG(?:TERM|KILL)"
)
RAY = re.compile(r"(?P<count>[1-9]\d{0,5}) Workers \(tasks / actors\) killed due to memory pressure \(OOM\)")
RAY_WORKER = re.compile(
    r"Memory on the node \(IP: .{1,80}?\) where the (?:lease|task|actor|worker) \(.{1,400}?"
    r"(?:pid=(?P<pid>\d{1,10}).{0,80}?)?\) was running was .{1,60}?, which exceeds the memory usage threshold"
)
PATTERNS = (EARLYOOM, OOMD, RAY, RAY_WORKER, NOHANG)
INTERESTING = re.compile(
    r"SIG(?:TERM|KILL) to |Send SIG|due to memory |Memory pressure for /|exceeds the memory usage threshold"
)


def read(text: Text) -> Iterator[OomKill]:
    for message in messages(text, INTERESTING):
        found = next((found for pattern in PATTERNS if (found := pattern.search(message.text))), None)
        if found:
            named = found.groupdict()
            pid = named.get("pid")
            known = {"comm": named.get("comm"), "cgroup": named.get("cgroup"), "pid": int(pid) if pid else None}
            yield OomKill(
                **message.facts(text, **known),
                severity=Severity.CRITICAL,
                scope="global",
                anon_rss_kib=int(named["mib"]) * 1024 if named.get("mib") else None,
            )


PARSER = Parser(
    tool="earlyoom, systemd-oomd, Ray",
    medium="system-log",
    footprint=r"sending SIG(TERM|KILL) to process \d|Killed /\S{1,500} due to memory (used|pressure)"
    r"|Memory pressure for /\S{1,500} is greater than \d"
    "|SIG(TERM|KILL) to the victim|Implement a corrective action: Send SIG"
    r"|Workers \(tasks / actors\) killed due to memory pressure|exceeds the memory usage threshold",
    read=read,
)
