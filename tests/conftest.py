"""Fixtures for all tests: the real faults live in tests/faults, one file each."""

from hypothesis import HealthCheck, settings

from tests.faults.faultfs import faultfs
from tests.faults.local import memory_cgroup, small_disk, tiny_shm
from tests.faults.moosefs import moosefs
from tests.faults.sshfs import sshfs

__all__ = ["faultfs", "memory_cgroup", "moosefs", "small_disk", "sshfs", "tiny_shm"]

# how long an example takes by the clock is the machine's load, not the code's
settings.register_profile("loaded", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("loaded")
