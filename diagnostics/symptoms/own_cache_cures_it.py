"""The same work fails where ranks share one folder of compiled code and goes through where each has its own.

From a table of trials: the one that went well names a cache, a build or kernels and a folder for each rank (process,
worker, host, job); none that names such a folder failed, and one failed that names none. Caches of data or of models
hold no compiled code, and somewhere in the incident compiled code is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import LogLine, PythonException
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom

HOLDS_CODE = re.compile(
    r"cache|\bbuild(?:s|_dir|ing)?\b|compil|jit|kernel|triton|inductor|extension"
    r"|(?:^|[\s_])(?:TRITON|TORCHINDUCTOR|NUMBA|CUPY|MIOPEN)_",
    re.I,
)
CODE = re.compile(
    r"compil|\bjit\b|triton|inductor|kernel|\bbuild|numba|extension|nvcc|\bninja\b|\.so\b|\.cubin\b", re.I
)
OF_DATA = re.compile(
    r"data ?set|\bHF_|hugging ?face|\bhub\b|tokeni[sz]er|page cache|model cache|features|latents|checkpoint", re.I
)
WHO = r"(?:rank|process|proc|worker|node|host|job|gpu|instance)"
# .cache_rank{0..7}     CACHE_DIR per worker     one folder each     own cache     private build folders
OWN = re.compile(
    rf"\b(?:per|for (?:each|every))[- ]{WHO}\b|_{WHO}"
    rf"(?:\{{|\$|<|%|\d)|/(?:\$\{{?\w{{0,20}}|<){WHO}|\bdir/{WHO}\b|\b{WHO}[- ](?:local|private|specific|own)\b"
    r"|\b(?:own|separate|private|isolated|unique) (?:\w{1,20} ){0,2}(?:cache|build|folder|dir)"
    r"|\b(?:cache|folder|dir(?:ectory)?|root)s? each\b",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    trials = [each for each in incident.of(Trial) if HOLDS_CODE.search(each.condition)]
    failed = [trial for trial in trials if trial.outcome in ("fail", "hang")]
    own = [trial for trial in trials if OWN.search(trial.condition)]
    codes = not any(OF_DATA.search(trial.condition) for trial in trials)
    said = [each.condition for each in trials]
    said += [each.text for each in incident.of(LogLine)] + [each.text for each in incident.of(PythonException)]
    codes = codes and any(map(CODE.search, said))
    if codes and own and failed and all(trial.outcome == "ok" for trial in own):
        yield Finding(Subject(), (own[0], *failed[:3]), "it goes through with a folder of compiled code for each")


SYMPTOM = Symptom(
    title="a cache of compiled code for each rank makes it work",
    rule=rule,
    leak=0.0002,
    because="what is compiled is the same in every folder; only who writes into it differs",
    command="TRITON_CACHE_DIR=/tmp/triton-$RANK TORCHINDUCTOR_CACHE_DIR=/tmp/inductor-$RANK and the same job again",
    cost_minutes=15,
)
