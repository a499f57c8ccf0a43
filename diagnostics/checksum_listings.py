"""Two listings of checksums compared: the copies that differ, although nobody ran a check.

A listing is a run of checksum lines in one artefact. Two of them are of the same files when a path is in both, or
when names below their directories are alike and at least one content is: files that merely bear one name, such as
the models of two runs, are not copies of each other.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from itertools import combinations

from .evidence import Evidence, Severity
from .evidence.storage import Checksum, ChecksumVerdict

Listing = list[Checksum]
LISTINGS_LIMIT = 100  # more are the entries of somebody's archive, and all pairs of them are too many


def derived(evidence: Iterable[Evidence]) -> list[Evidence]:
    """A verdict for each file that two listings name, at the later of its lines."""
    listings = list(_listings(fact for fact in evidence if isinstance(fact, Checksum) and fact.subject.path))
    if len(listings) > LISTINGS_LIMIT:
        return []
    return [verdict for pair in combinations(listings, 2) for verdict in _compare(*pair)]


def _listings(facts: Iterable[Checksum]) -> Iterator[Listing]:
    listing: Listing = []
    for fact in facts:
        if listing and not _follows(listing[-1], fact):
            yield listing
            listing = []
        listing.append(fact)
    if listing:
        yield listing


def _follows(before: Checksum, fact: Checksum) -> bool:
    return (
        before.source.file == fact.source.file
        and before.source.line + 1 == fact.source.line
        and before.algorithm == fact.algorithm
        and posixpath.isabs(before.subject.path or "") == posixpath.isabs(fact.subject.path or "")
    )


def _compare(first: Listing, second: Listing) -> Iterator[ChecksumVerdict]:
    if first[0].algorithm != second[0].algorithm:
        return
    paths = {fact.subject.path: fact for fact in first}
    pairs = [(paths[fact.subject.path], fact) for fact in second if fact.subject.path in paths]
    if not pairs:
        names = _by_name(first)
        pairs = [(names[name], fact) for name, fact in _by_name(second).items() if name in names]
        if not any(one.digest == other.digest for one, other in pairs):
            return
    for one, other in pairs:
        alike = one.digest == other.digest
        yield ChecksumVerdict(
            source=other.source,
            subject=other.subject,
            stamp=other.stamp,
            severity=Severity.INFO if alike else Severity.CRITICAL,
            outcome="ok" if alike else "differs",
        )


def _by_name(listing: Listing) -> dict[str, Checksum]:
    """The entries by their names below the directory that they share."""
    shared = posixpath.commonpath([posixpath.dirname(fact.subject.path or "") for fact in listing])
    return {(fact.subject.path or "").removeprefix(shared).lstrip("/"): fact for fact in listing}
