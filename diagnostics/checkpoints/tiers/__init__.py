"""Three tiers at once: the newest two on local disk, weights to a hub, the full file to another machine.

    tiers = Tiers("/local/run", [HubTier("me/model"), SshTier("backup", "/data/run")], keep=2)
    with publish("/local/run", step=810) as file:
        torch.save(state, file)
    tiers.saved(step=810, weights=weights_path)     # returns at once
    print(tiers.status())

Each tier has a thread of its own, one checkpoint under way and at most one waiting (a newer one replaces
it), retries with back-off, and counts a step as done only when the far end has proven it holds the bytes.
A tier that fails is loud in the log and in `status()`; it never fails the save.
"""

from .background import Tiers, TiersStatus, TierStatus
from .hub import HubTier
from .ssh import SshTier
from .volume import VolumeTier

__all__ = ["HubTier", "SshTier", "TierStatus", "Tiers", "TiersStatus", "VolumeTier"]
