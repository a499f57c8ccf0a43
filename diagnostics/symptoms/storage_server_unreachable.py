"""Somebody tried the server of a network volume itself (nc, ping, curl, lctl ping) and got no answer.

By the ports of file servers, or by the host that a mount names; what another port of that host says is no word of the
volume. Nor is a refusal of its port mapper, which many a server keeps from its clients. ABSENT where every server of
files that was tried answered on such a port.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.network import Reachability
from ..filesystems import by_filesystem
from ..incident import Incident
from ._network import FILE_PORTS
from ._places import is_served_by, network_mounts
from ._reports import host_and_port
from ._symptom import Finding, Symptom

SILENT = ("timed-out", "unreachable", "unknown-name", "refused")


def rule(incident: Incident) -> Iterator[Finding]:
    tried = [(fact, place) for fact in incident.of(Reachability) if (place := _volume(incident, fact))]
    reached = {host_and_port(fact)[0] for fact, _ in tried if fact.outcome == "answered"}
    told: set[str] = set()
    for fact, place in tried:
        host = host_and_port(fact)[0]
        if fact.outcome in SILENT and host not in reached | told:
            told.add(host)
            yield Finding(place, (fact,), f"{fact.subject.server}: {fact.outcome}")
    answered = tuple(fact for fact, _ in tried if fact.outcome == "answered" and host_and_port(fact)[1])
    if answered and len({host_and_port(fact)[0] for fact in answered}) == len({host_and_port(f)[0] for f, _ in tried}):
        yield Finding(Subject(), answered, "the server of files that was tried answered", present=False)


def _volume(incident: Incident, fact: Reachability) -> Subject | None:
    """What an attempt was about: the mount of the server, else the server alone; None for other hosts."""
    host, port = host_and_port(fact)
    for mount in network_mounts(incident, fact):
        if (
            host
            and is_served_by(mount, host)
            and (not port or _of_files(fact) or f"{host}:{port}" == mount.subject.server)
        ):
            return Subject(mount=mount.subject.mount, server=mount.subject.server)
    return Subject(server=fact.subject.server) if _of_files(fact) else None


def _of_files(fact: Reachability) -> bool:
    server = fact.subject.server or ""
    return not server.endswith(":111") and ("@" in server or FILE_PORTS.search(server) is not None)


SYMPTOM = Symptom(
    title="the server of the volume cannot be reached",
    rule=rule,
    leak=0.002,
    because="a server that serves its clients answers whoever asks, unless a firewall lets only the clients in",
    tells_apart=("mount",),
    command=by_filesystem(
        "ping -c 3 SERVER",
        nfs="nc -vz SERVER 2049",
        moosefs="nc -vz SERVER 9421",
        cephfs="nc -vz SERVER 3300; nc -vz SERVER 6789",
        rbd="nc -vz SERVER 3300; nc -vz SERVER 6789",
        glusterfs="nc -vz SERVER 24007",
        cifs="nc -vz SERVER 445",
        lustre="lctl ping NID",
    ),
    cost_minutes=1,
)
