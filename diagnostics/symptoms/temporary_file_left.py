"""A checkpoint lies there under the name that its writer gives it before it is done.

By a listing: the ending or beginning that torch, Hugging Face, orbax, TensorFlow and downloaders use for files that are
not done. A name that is renamed or gone in a later listing does not count. Never ABSENT: most writers use the final
name at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import FileEntry
from ..incident import Incident
from ._checkpoints import CHECKPOINT
from ._places import place
from ._symptom import Finding, Symptom

UNFINISHED = re.compile(
    r"\.(?:tmp|temp|part|partial|incomplete|inprogress|writing)(?:\.\w{1,20}|[-_]\d{1,20})?$|^(?:tmp|temp)[-_.]"
    r"|\.tempstate\d{5,20}$|orbax-checkpoint-tmp"
    r"|^\.\S{1,200}\.\w{6}$",  # rsync: .model.pt.aB3dE9
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    last = {entry.subject.path: entry for entry in incident.of(FileEntry) if entry.subject.path}
    for path, entry in last.items():
        name = path.rpartition("/")[2]
        if UNFINISHED.search(name) and CHECKPOINT.search(UNFINISHED.sub("", name) or name[1:-7]):
            yield Finding(
                place(incident, path, entry), (entry,), f"{path} still has the name of a file that is being written"
            )


SYMPTOM = Symptom(
    title="a file of a save still has its temporary name",
    rule=rule,
    leak=0.02,
    because="a listing in the middle of a save shows it too, and old ones lie about for months",
    tells_apart=("mount",),
    command="ls -la --full-time CHECKPOINTS",
)
