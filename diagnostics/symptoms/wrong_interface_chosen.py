"""Ranks talk, or try to talk, over an interface or at an address that the other nodes cannot reach.

NCCL or gloo chose loopback, or a bridge or cable of the container runtime, while other interfaces are there or ranks
live on other hosts; or a peer is called at an address that several hosts have for their own, or one that means another
machine on every host: Debian's name for itself (127.0.1.1), Docker's default bridge, libvirt's, a link-local address;
or at loopback, which a list of names on its host gives to the host's own name, or where Gloo found nobody. Or another
rank answers than was called. A fall-back to loopback with which the job made steps is not wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..evidence import Evidence
from ..evidence.collective import NcclMessage, RemoteFailure
from ..evidence.job import SettingSeen
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ._reports import said, words_of
from ._symptom import Finding, Symptom

CHOSEN = re.compile(
    r"(?:Using(?: interface)?|Bootstrap ?:.{0,20}Using)[ :]+(?:\[0\])?"
    r"(lo|docker0|(?:ip6tnl|tunl|sit|dummy)\d+|virbr\d+|br-[0-9a-f]+|veth\w+|cali\w+|cni\d+|flannel\.\d+|lxc\w+)\b"
)
# fe80::14ad:64ff:fe64:b31e%veth1c2b90: the end of a container's cable, and the same name nowhere else
VIRTUAL = re.compile(r"%((?:veth|ip6tnl|docker|br-|virbr|cali|cni|flannel|lxc)[\w.]{0,20})")
INSIDE = re.compile(r"(?:docker|virbr|lxc\w*br|lxdbr|br-[0-9a-f]|cni|podman)")  # within one machine
FORCED = re.compile(r"^=?(?:lo|docker|virbr)")
OWN_NAME, LINK_LOCAL = "127.0.1.1", "169.254."
BRIDGES = re.compile(r"\b(?:172\.17|192\.168\.122|169\.254)\.\d{1,3}\.\d{1,3}\b|\b127\.0\.1\.1\b")
OWN = re.compile(r"\bUsing .{0,40}?:(\d{1,3}(?:\.\d{1,3}){3})<")
# NET/Socket : Using [0]eno3:192.0.2.4<0> [1]lxcbr0:10.0.3.1<0>
LISTED = re.compile(r"[\w.-]{1,40}:(\d{1,3}(?:\.\d{1,3}){3})<")
ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
NO_WAY = re.compile(r"refused|timed? ?out|unreachable|No route|connectFullMesh failed|connection abort", re.I)
# Gloo gives its peers the address of its host's name, and says none when they do not get there
OF_GLOO = re.compile(r"Gloo connectFullMesh failed")
# [../gloo/transport/tcp/pair.cc:761] connect [127.0.1.1]:51388: Connection refused
OWN_NAME_CALLED = re.compile(
    r"gloo/transport/tcp/pair\.cc:\d{1,5}\] connect \[(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)\]\S{0,8} ?"
    r"(?:Connection refused|timed? ?out)",
    re.I,
)
FEWEST_STEPS = 3
FALLS_BACK = re.compile(r"[Uu]sing the loopback address as fallback")


def rule(incident: Incident) -> Iterator[Finding]:
    messages = incident.of(NcclMessage)
    hosts = {message.subject.host for message in messages if message.subject.host}
    for message in messages:
        match = CHOSEN.search(message.text)
        alone = len(hosts) < 2
        if match and not (alone and match[1] == "lo"):  # one host may well talk to itself over loopback
            yield Finding(message.subject, (message,), f"{message.subject.host or 'a node'} chose {match[1]}")
    for setting in incident.of(SettingSeen):
        if setting.name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME") and FORCED.match(setting.value):
            yield Finding(setting.subject, (setting,), f"{setting.name} is {setting.value}")
    yield from _calls(incident)


def _calls(incident: Incident) -> Iterator[Finding]:
    """Calls that failed, to an address that leads elsewhere on every host or after a fall-back to loopback."""
    hosts = {
        fact.subject.host for fact in (*incident.of(NcclMessage), *incident.of(RemoteFailure)) if fact.subject.host
    }
    own = {match[1] for message in incident.of(NcclMessage) if (match := OWN.search(message.text))}
    failed = [*incident.of(RemoteFailure), *incident.of(NcclMessage), *said(incident, NO_WAY)]
    failed = [fact for fact in failed if NO_WAY.search(words_of(fact))]
    shared = _of_several(incident)
    bridges = {
        setting.value: setting
        for setting in incident.of(SettingSeen)
        if setting.name == "interface address" and INSIDE.match(setting.subject.interface or "")
    }
    for fact in failed:
        if bridge := next((bridges[each] for each in ADDRESS.findall(words_of(fact)) if each in bridges), None):
            note = f"a peer was called at {bridge.value}, which is {bridge.subject.interface} on this host"
            yield Finding(fact.subject, (fact, bridge), note)
            continue
        if virtual := VIRTUAL.search(words_of(fact)):
            yield Finding(fact.subject, (fact,), f"a peer was called over {virtual[1]}, which leads to a container")
            continue
        called = ADDRESS.findall(words_of(fact)) if shared else []
        if common := next((each for each in called if each in shared), None):
            yield Finding(
                fact.subject, (fact,), f"a peer was called at {common}, which several hosts have for their own"
            )
            continue
        address = BRIDGES.search(words_of(fact))
        if not address or address[0] in own:
            continue  # ranks of one container call each other at its own address
        # and ranks of one host may call each other at its own name
        several = len(hosts) > 1 if address[0] == OWN_NAME else bool(own)
        if several or address[0].startswith(LINK_LOCAL):
            note = f"a peer was called at {address[0]}, which is another machine on every host"
            yield Finding(fact.subject, (fact,), note)
    yield from _gloo_to_itself(incident, failed)
    yield from _two_addresses(incident, failed)
    yield from _named_loopback(incident, failed)
    for answer in incident.of(RemoteFailure):
        if answer.about == "wrong-peer":
            yield Finding(answer.subject, (answer,), answer.text[:200])
    for fact in said(incident, FALLS_BACK) if failed and not _made_steps(incident) else ():
        yield Finding(fact.subject, (fact, failed[0]), words_of(fact)[:200])


def _made_steps(incident: Incident) -> bool:
    """True where the job made steps: whatever its ranks had chosen, they could reach each other."""
    return any(steps.steps >= FEWEST_STEPS for steps in incident.of(TrainingSteps))


def _gloo_to_itself(incident: Incident, failed: Sequence[Evidence]) -> Iterator[Finding]:
    """A rank of Gloo that calls a peer at loopback and finds nobody, where a host gives its own name that address.

    The peer listens before it gives its address, which is what its host's own name means there: so it is on another.
    """
    names = {each.value: each for each in incident.of(SettingSeen) if each.name.startswith("address of ")}
    for fact in failed:
        called = OWN_NAME_CALLED.search(words_of(fact))
        if called and called[1] in names:
            note = f"a peer gave {called[1]} for its address, and on this host nobody listens there"
            yield Finding(fact.subject, (fact, names[called[1]]), note)
            break


def _of_several(incident: Incident) -> set[str]:
    """The addresses that NCCL lists among the interfaces of more than one host."""
    hosts: dict[str, set[str]] = defaultdict(set)
    for message in incident.of(NcclMessage):
        if "Using" in message.text and message.subject.host:
            for address in LISTED.findall(message.text):
                hosts[address].add(message.subject.host)
    return {address for address, names in hosts.items() if len(names) > 1 and not address.startswith("127.")}


def _two_addresses(incident: Incident, failed: Sequence[Evidence]) -> Iterator[Finding]:
    """A call to this machine's own name that failed, while that name is one of a machine on the network as well."""
    addresses: dict[str, dict[str, SettingSeen]] = defaultdict(dict)
    for setting in incident.of(SettingSeen):
        if setting.name.startswith("address of "):
            addresses[setting.name][setting.value] = setting
    call = next((fact for fact in failed if OWN_NAME in words_of(fact) or OF_GLOO.search(words_of(fact))), None)
    for name, known in addresses.items():
        if call is not None and OWN_NAME in known and len(known) > 1:
            other = next(address for address in known if address != OWN_NAME)
            note = f"{name.removeprefix('address of ')} is {OWN_NAME} on its own host and {other} elsewhere"
            yield Finding(call.subject, (call, known[OWN_NAME], known[other]), note)


def _named_loopback(incident: Incident, failed: Sequence[Evidence]) -> Iterator[Finding]:
    """A call to loopback that failed, while a host of the network gives its own name that address."""
    settings = incident.of(SettingSeen)
    names = [each for each in settings if each.name.startswith("address of ") and each.value.startswith("127.")]
    outside = [s for s in settings if s.name == "interface address" and not s.value.startswith("127.")]
    for fact in failed if names and outside else ():
        called = next((each for each in ADDRESS.findall(words_of(fact)) if each.startswith("127.")), None)
        name = next((each for each in names if each.value == called), None)
        if name:
            note = f"a peer was called at {called}, which is {name.name.removeprefix('address of ')} on its own host"
            yield Finding(fact.subject, (fact, name, outside[0]), note)
            break


SYMPTOM = Symptom(
    title="ranks use an interface that others cannot reach",
    rule=rule,
    leak=0.003,
    because="on one host it does no harm; over several it cannot work",
    command="NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET torchrun ... 2>&1 | grep -E 'Using|NET/'; ip -br address",
    cost_minutes=5,
)
