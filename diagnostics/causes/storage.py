"""Storage: volumes that are not served, disks that fail, space that is gone, bytes that changed."""

from __future__ import annotations

from . import Cause, Check, Effect, Role

CAUSES = (
    Cause(
        slug="network-filesystem-fault",
        title="a fault of the network volume",
        what="the server side of a network or FUSE volume stopped answering, so everything that touches it waits",
        prior=0.06,
        source="Meta, The Llama 3 Herd of Models (2024), table 5: network and storage faults among the causes of "
        "unexpected interruptions",
        on=("mount",),
        effects=(
            Effect(
                "volume-io-blocked",
                0.9,
                "reads, closes and stats of a volume that is not served wait in its client by construction",
                "process {pid} waited in the kernel for {filesystem} at {server}; it is the victim, not the culprit",
                Role.INITIATING,
            ),
        ),
        now=("Copy what is still readable to a local disk, then restart the run from there",),
        for_good=("Keep data, code and checkpoints off the network volume while training",),
        mistaken_for=(("fork-deadlock", "the main thread waits in the same poll() of the loader's queue"),),
        checks=(Check("does a read of the volume come back", "python -m diagnostics probe MOUNT"),),
    ),
)
