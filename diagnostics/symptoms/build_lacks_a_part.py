"""A build of native code ended the run, and the compiler or linker names what the machine lacks: a header, a library to
link; or there was no compiler to build with.

torch.compile, Triton, an extension that is built at the first import. Where the build was only a trial (an operator
that is optional) nobody raises, and a file with a whole path was there before: who took it away is a cache's matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._builds import lacking
from ._reports import words_of
from ._runs import went_on_after
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each line or exception that names what is lacking, and that nothing went on after."""
    for fact in lacking(incident):
        if not went_on_after(incident, fact):
            yield Finding(Subject(rank=fact.subject.rank), (fact,), words_of(fact).splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a build lacks a header, a library or a compiler",
    rule=rule,
    leak=0.0002,
    because="who raises over a failed build needed it, and compilers do not miss a file that is there",
    command="grep -n -m 5 -E 'fatal error|cannot find -l|not found' *.log; gcc --version; nvcc --version",
)
