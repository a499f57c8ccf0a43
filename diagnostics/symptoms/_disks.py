"""What the kernel reports of the disks that the job may have used."""

from __future__ import annotations

from typing import TypeVar

from ..evidence import Evidence
from ..evidence.kernel import (
    BlockDeviceTrouble,
    BlockIoError,
    FilesystemError,
    FilesystemUnmounted,
    RemountedReadOnly,
)
from ..incident import Incident
from ._once import once_per_incident
from ._places import disk
from ._runs import began_after

LAST_WRITES_S = 10.0  # what is written while a filesystem is unmounted fails after the line that says so
Report = TypeVar("Report", BlockDeviceTrouble, BlockIoError, FilesystemError, RemountedReadOnly)


def disk_reports(incident: Incident, *kinds: type[Report]) -> list[Report]:
    """The kernel's reports of the given kinds about disks and their filesystems, in reading order within a kind.

    Those about a filesystem that was unmounted after them, and before the job began, are left out: it ran without it.
    """
    return [report for report in incident.of(*kinds) if not _is_put_away(incident, report)]


def _is_put_away(incident: Incident, report: Evidence) -> bool:
    return any(
        unmounted.source.file == report.source.file
        and _is_of(report, unmounted)
        and _is_earlier(incident, report, unmounted)
        for unmounted in _unmounted_before(incident)
    )


def _is_of(report: Evidence, unmounted: FilesystemUnmounted) -> bool:
    name = (report.subject.device or "").rpartition("/")[2]
    return name in (unmounted.subject.device, disk(unmounted.subject.device))


def _is_earlier(incident: Incident, report: Evidence, unmounted: FilesystemUnmounted) -> bool:
    if report.source.line < unmounted.source.line:
        return True
    later_s = incident.timeline.elapsed_s(unmounted, report)
    return later_s is not None and later_s <= LAST_WRITES_S


@once_per_incident
def _unmounted_before(incident: Incident) -> list[FilesystemUnmounted]:
    """What was unmounted before the job began, but for what lies on a disk that is mounted when somebody looks."""
    return [
        each
        for each in incident.of(FilesystemUnmounted)
        if began_after(incident, each)
        and not any(disk(mount.device) == disk(each.subject.device) for mount in incident.volumes.mounts(each))
    ]
