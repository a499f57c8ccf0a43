"""Checkpoints that exist only when they are whole: staged, verified, published, recorded.

from diagnostics.checkpoints import publish, resume_point

with publish(directory, step=810) as file:
    torch.save(state, file)
state = torch.load(resume_point(directory, mirror).path)
"""

from .directories import publish_directory
from .health import Artefact, DirectoryHealth, verify
from .mirroring import MirrorReport, mirror
from .pruning import PrunePlan, plan_prune
from .publishing import publish, publish_bytes, publish_file, publish_path
from .resume import ResumePoint, resume_point
from .retention import Retention

__all__ = [
    "Artefact",
    "DirectoryHealth",
    "MirrorReport",
    "PrunePlan",
    "ResumePoint",
    "Retention",
    "mirror",
    "plan_prune",
    "publish",
    "publish_bytes",
    "publish_directory",
    "publish_file",
    "publish_path",
    "resume_point",
    "verify",
]
