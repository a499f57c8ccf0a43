"""A checkpoint is at least twice as large as the tensors in it: somebody summed their elements, and the file, or the
memory behind one of them, is far larger.

A serializer writes the whole memory behind a view. ABSENT where the file is about as large as its tensors.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import FileEntry, TensorBytes
from ..incident import Incident
from ._places import place
from ._symptom import Finding, Symptom

FAR_LARGER, ABOUT = 2.0, 1.2
LEAST = 1 << 20  # bytes: a small file is mostly its own directory
FEW, FAR_ABOVE = 4, 16  # no directory is so large


def rule(incident: Incident) -> Iterator[Finding]:
    counts = incident.of(TensorBytes)
    for tensors in (count for count in counts if count.what == "tensors" and count.size > 0):
        name = (tensors.subject.path or "").rpartition("/")[2]
        written: list[tuple[int, TensorBytes | FileEntry]] = [
            (count.size, count)
            for count in counts
            if count.what != "tensors" and count.subject.path == tensors.subject.path
        ]
        written += [
            (entry.size, entry)
            for entry in incident.of(FileEntry)
            if entry.size and name and (entry.subject.path or "").rpartition("/")[2] == name
        ]
        if not written:
            continue
        size, fact = max(written, key=lambda each: each[0])
        subject = place(incident, tensors.subject.path, tensors)
        note = f"{name or 'the file'} holds {tensors.size / 2**20:,.0f} MiB of tensors in {size / 2**20:,.0f} MiB"
        if tensors.size < LEAST and (size < FEW * LEAST or size < FAR_ABOVE * tensors.size):
            continue
        if size >= FAR_LARGER * tensors.size:
            yield Finding(subject, (tensors, fact), note)
        elif size <= ABOUT * tensors.size:
            yield Finding(subject, (tensors, fact), note, present=False)


SYMPTOM = Symptom(
    title="a checkpoint is far larger than the tensors in it",
    rule=rule,
    leak=0.0001,
    because="nothing else in a checkpoint comes near the size of its tensors",
    tells_apart=("path",),
    command="python -c \"import torch; print(sum(v.numel() * v.element_size() for v in torch.load('FILE', "
    'weights_only=True).values()))"; ls -l FILE',
    cost_minutes=3,
)
