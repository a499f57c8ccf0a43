"""Fixtures for all tests: the real faults live in tests/faults, one file each."""

import pytest
from hypothesis import HealthCheck, settings

from tests.faults.faultfs import faultfs
from tests.faults.local import memory_cgroup, small_disk, tiny_shm
from tests.faults.moosefs import moosefs
from tests.faults.sshfs import sshfs

__all__ = ["faultfs", "memory_cgroup", "moosefs", "small_disk", "sshfs", "tiny_shm"]

# how long an example takes by the clock is the machine's load, not the code's
settings.register_profile("loaded", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("loaded")

FAULTS = {"faultfs", "moosefs", "sshfs", "small_disk", "tiny_shm", "memory_cgroup"}
OF_THE_MACHINE = {"browser", "faults", "live", "panels", "test_docs.py", "test_surroundings.py"}


@pytest.hookimpl(tryfirst=True)  # before the workers read the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Groups for tests side by side (pytest-xdist, `--dist loadgroup`).

    What mounts, stalls or measures the machine runs one after another; any other file is whole in one worker.
    """
    for item in items:
        of_the_machine = OF_THE_MACHINE & set(item.path.parts) or FAULTS & set(getattr(item, "fixturenames", ()))
        item.add_marker(pytest.mark.xdist_group("machine" if of_the_machine else item.path.name))
