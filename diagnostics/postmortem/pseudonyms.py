"""What may not leave the house, by a name that stays the same: `host-1`, `user-2`, `address-1`, `/p1/p2/p3.bin`.

Secrets are always masked, by `masking`. Hosts, users, paths and addresses on request: a path keeps its shape, so
that one still sees what lies on which mount. The names of the artefacts are paths, too, and a folder that holds what
one machine told is named for a host. No two files get one name, so the citations keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from ..evidence.process import ProcessState
from ..incident import Incident
from ..machines import Machines
from ..masking import mask as mask_secrets

KINDS = ("hosts", "users", "paths", "addresses")
NAMES_LIMIT = 2000
# words of names that every machine and every incident has: they tell nobody anything and keep a path readable
PLAIN_WORDS = frozenset(
    "bin boot dev dist packages etc home lib mnt opt proc python root run sbin self shm site srv sys task tmp torch "
    "usr utils data var venv workspace "
    "after again before clock cpu df dmesg env exit fds free gpu incident iostat journal kern limits log logs lsof "
    "md5sums memory messages mounts network nvidia output ps py pyspy rank smi spy stacks status stderr stdout syslog "
    "train trainer training txt watchdog".split()
)
PART = re.compile(r"[^\W\d_]+")
PLAIN_USERS = frozenset("root nobody daemon".split())

# 10.0.0.1   10.0.0.1:9421
IPV4 = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
# fe80::1ff:fe23:4567:890a   aa:bb:cc:dd:ee:ff
COLONS = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{1,4}(?![\w:])|(?<![\w:])fe80:[0-9a-fA-F:]{2,40}")
# /workspace/mfs/mnt/shard_0012.bin
PATH = re.compile(r"(?<![\w./:])/[\w.@%+~=,-]+(?:/[\w.@%+~=,-]+)*(/?\u2026)?")
HOME = re.compile(r"(?<![\w.])/(?:home|Users)/([\w.-]{1,64})")


class Pseudonyms:
    """A mask that gives the same name to the same thing.

    Parameters
    ----------
    incident : its hosts, servers, users and files are the names to look for
    kinds : which of KINDS to mask beside secrets
    """

    def __init__(self, incident: Incident, kinds: Collection[str] = ()) -> None:
        self.kinds = frozenset(kinds)
        self._given: dict[str, dict[str, str]] = {}
        self._pseudonyms: set[str] = set()
        self._hosts = _words(_hosts(incident)) if "hosts" in self.kinds else None
        self._users = _words(_users(incident)) if "users" in self.kinds else None
        self._files = _words(map(self._named, _files(incident))) if "paths" in self.kinds else None

    def __call__(self, text: str) -> str:
        """The text without what is to be masked."""
        text = self._named(mask_secrets(text))
        if "paths" in self.kinds:
            text = PATH.sub(self._path, text)
        if self._files:
            text = self._files.sub(lambda found: self.name(found[0]), text)
        return text

    def name(self, name: str) -> str:
        """The name of a file or a folder of the incident, or a path, without what is to be masked."""
        name = self._named(mask_secrets(name))
        return "/".join(map(self._part, name.split("/"))) if "paths" in self.kinds else name

    def _named(self, text: str) -> str:
        """The text without addresses, hosts and users."""
        if "addresses" in self.kinds:
            text = COLONS.sub(self._name("address"), IPV4.sub(self._name("address"), text))
        if self._hosts:
            text = self._hosts.sub(self._name("host"), text)
        if self._users:
            text = self._users.sub(self._name("user"), text)
        return text

    def _path(self, found: re.Match[str]) -> str:
        """A path; the name in which a text was cut short is left out, since it may be the beginning of another."""
        whole, cut = found[0], found[1]
        return self.name(whole) if not cut else f"{self.name(whole.rpartition('/')[0])}/\u2026"

    def _name(self, kind: str) -> Callable[[re.Match[str]], str]:
        return lambda found: self._give(kind, f"{kind}-", found[0])

    def _part(self, part: str) -> str:
        stem, dot, ending = part.rpartition(".")
        if PLAIN_WORDS.issuperset(PART.findall(part)) or part in self._pseudonyms:
            return part
        if dot and stem and ending.isalnum() and len(ending) <= 12:
            return f"{self._give('path', 'p', stem)}.{ending}"
        return self._give("path", "p", part)

    def _give(self, kind: str, prefix: str, name: str) -> str:
        given = self._given.setdefault(kind, {})
        if name not in given:
            given[name] = f"{prefix}{len(given) + 1}"
            self._pseudonyms.add(given[name])
        return given[name]


def _files(incident: Incident) -> Iterable[str]:
    """The names of the artefacts, and of their folders where no word of a sentence is spelt like that."""
    files = {fact.source.file for fact in incident.evidence} | {each.file for each in incident.coverage}
    for file in files:
        yield file
        yield from (part for part in file.split("/") if re.search(r"[\d._-]", part))


def _hosts(incident: Incident) -> Iterable[str]:
    for folder in Machines(incident.evidence).folders:
        yield folder.rpartition("/")[2]
    for fact in incident.evidence:
        if fact.subject.host:
            yield fact.subject.host
        if fact.subject.server:
            yield fact.subject.server.rpartition(":")[0] or fact.subject.server


def _users(incident: Incident) -> Iterable[str]:
    for state in incident.of(ProcessState):
        if state.user and state.user not in PLAIN_USERS and not state.user.isdigit():
            yield state.user
    for fact in incident.evidence:
        yield from HOME.findall(fact.subject.path or "")
        yield from HOME.findall(fact.source.quote)


def _words(names: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern that finds any of the names as a whole word, or None where there is none."""
    found = sorted({name for name in names if len(name) > 1}, key=lambda name: (-len(name), name))[:NAMES_LIMIT]
    if not found:
        return None
    return re.compile(rf"(?<![\w-])(?:{'|'.join(re.escape(name) for name in found)})(?![\w-])")
