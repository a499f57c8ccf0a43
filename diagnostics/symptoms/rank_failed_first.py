"""One rank ended by itself, and what the others report follows from it.

The launcher or a shell shows a rank that was ended by a signal or left with an error, and other ranks report a closed
connection or a time-out, or had to be ended by the launcher; or one rank raised an error of its own while the others
only complain of their peers. Where nobody complains and several ranks have failed, none is known for the first.
A launcher's "root cause" whose own words are a closed connection is a victim and does not count, nor does a rank whose
own log says so, or that ended after another had failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..evidence import Evidence
from ..evidence.collective import CollectiveTimeout, RemoteFailure
from ..evidence.job import PythonException
from ..evidence.supervisor import LauncherFailure, ProcessEnded, SchedulerEvent
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ._limits import ABORTED, aborted_at_limit
from ._peers import CLOSED, GAVE_UP, SHUT_DOWN, is_victim, tasks_ended
from ._reports import said
from ._symptom import Finding, Symptom

AT_ONCE_S = 1.5  # stamps of whole seconds
SIGNAL_OF_A_SUPERVISOR = ("SIGTERM", "SIGINT")


def rule(incident: Incident) -> Iterator[Finding]:
    victims: list[Evidence] = [*incident.of(RemoteFailure, CollectiveTimeout), *said(incident, GAVE_UP)]
    victims += [*said(incident, CLOSED), *said(incident, SHUT_DOWN)]
    gave_up = incident.of(CollectiveTimeout)
    at_limit = any(aborted_at_limit(incident))
    ranks_of_victims = {fact.subject.rank for fact in victims}
    logs_of_victims = {fact.source.file for fact in victims if fact.subject.rank is None}
    # a status of 1 is the exception's of some rank, and says nothing new where it is not known whose
    unnamed = [each for each in incident.of(PythonException) if each.subject.rank is None and not is_victim(each)]
    failures = incident.of(LauncherFailure)
    # where one alone has failed, those that its launcher had to end were alive until then
    closed = [ended for ended in incident.of(ProcessEnded) if CLOSED_BY_AGENT.search(ended.text)]
    survivors = victims or (closed if len(failures) == 1 else [])
    for fact in failures:
        crashed = fact.exit_code is not None and (fact.exit_code < 0 or fact.exit_code > 128)
        if fact.exit_code in ABORTED and fact.subject.rank is None and gave_up:
            continue  # NCCL's watchdog itself aborts its rank
        if fact.exit_code in ABORTED and at_limit:
            continue  # so it does where its words were not kept, and work stands at a limit
        own_end = crashed or (bool(fact.exit_code) and bool(survivors) and not unnamed)
        if own_end and fact.exit_code not in (-15, 143) and fact.subject.rank not in ranks_of_victims:
            note = f"rank {fact.subject.rank} ended with {fact.exit_code}"
            yield Finding(fact.subject, (fact, *survivors[:2]), note)
    yield from _of_the_agent(incident, victims)
    for ended in incident.of(ProcessEnded):
        if at_limit and (ended.signal == "SIGABRT" or ended.status in ABORTED):
            continue
        if ended.subject.rank is None or ended.signal in SIGNAL_OF_A_SUPERVISOR or ended.status == 0:
            continue
        if not (ended.signal or ended.status or victims):  # it is gone, and it may have been done
            continue
        if not victims and not _has_others(incident, ended):
            continue
        if _has_earlier_end(incident, ended) or (ended.source.file in logs_of_victims and _is_alone(incident, ended)):
            continue
        if ended.subject.rank not in ranks_of_victims:
            note = f"rank {ended.subject.rank} ended with {ended.signal or ended.status}"
            yield Finding(ended.subject, (ended, *victims[:2]), note)
    yield from _tasks(incident, ranks_of_victims)
    own = [each for each in incident.of(PythonException) if each.subject.rank is not None and not is_victim(each)]
    if victims and len({each.subject.rank for each in own}) == 1:  # what every rank raises, no rank was first with
        note = f"rank {own[0].subject.rank} raised {own[0].type}"
        yield Finding(own[0].subject, (own[0], *victims[:2]), note)


# Sending process 21545 closing signal SIGTERM
CLOSED_BY_AGENT = re.compile(r"\bSending process \d{1,9} closing signal SIG")
# failed (exitcode: -6) local_rank: 0 (pid: 21544) of binary: /opt/venv/bin/python3
BY_AGENT = re.compile(r"\bfailed \(exitcode: -?\d{1,4}\) local_rank: (\d{1,6}) ")


def _has_others(incident: Incident, ended: ProcessEnded) -> bool:
    """True where another rank of the job has made steps or was ended, but for those that failed as well: where nobody
    complains, none of several is known for the first.
    """
    ends = incident.of(ProcessEnded)
    failed = {each.subject.rank for each in ends if each.status or each.signal not in (None, *SIGNAL_OF_A_SUPERVISOR)}
    others = {fact.subject.rank for fact in (*ends, *incident.of(TrainingSteps))} - {None, ended.subject.rank}
    return bool(others - failed)


def _has_earlier_end(incident: Incident, ended: ProcessEnded) -> bool:
    """True where another rank failed seconds before."""
    others = (each for each in incident.of(ProcessEnded) if each.subject.rank not in (None, ended.subject.rank))
    gaps_s = (incident.timeline.elapsed_s(each, ended) for each in others if each.status or each.signal)
    return any(gap_s is not None and gap_s > AT_ONCE_S for gap_s in gaps_s)


def _is_alone(incident: Incident, ended: ProcessEnded) -> bool:
    """True where the log that tells of an end tells of no other rank's: its errors are that rank's own."""
    return all(
        each.subject.rank == ended.subject.rank
        for each in incident.of(ProcessEnded)
        if each.source.file == ended.source.file
    )


def _of_the_agent(incident: Incident, victims: list[Evidence]) -> Iterator[Finding]:
    """The one process that torchrun's agent saw fail, where its summary is not there, nor any word of a time-out."""
    if incident.of(LauncherFailure, CollectiveTimeout):
        return
    seen = [(ended, found) for ended in incident.of(ProcessEnded) if (found := BY_AGENT.search(ended.text))]
    if len({(ended.source.file, found[1]) for ended, found in seen}) == 1:
        ended, found = seen[0]
        aborted = ended.status in ABORTED and (not victims or any(aborted_at_limit(incident)))  # by a watchdog, maybe
        if ended.status not in (0, -15, 143) and not aborted:
            yield Finding(ended.subject, (ended, *victims[:2]), f"local rank {found[1]} ended with {ended.status}")


def _tasks(incident: Incident, victims: set[int | None]) -> Iterator[Finding]:
    """The first task that Slurm saw end by itself, where it is one alone; its tasks are the job's ranks.

    What ends in the logs of several jobs has a reason that they share.
    """
    ended = tasks_ended(incident.of(SchedulerEvent))
    if len({(event.source.file, match[1]) for event, match in ended}) == 1:
        event, match = ended[0]
        if int(match[1]) not in victims:
            subject = replace(event.subject, rank=int(match[1]))
            yield Finding(subject, (event,), f"task {match[1]} ended first: {match[2]}")


SYMPTOM = Symptom(
    title="one rank ended by itself before the others complained",
    rule=rule,
    leak=0.05,
    because="it says who was first and not why",
    tells_apart=("rank",),
    command="grep -nE 'exitcode|Signal|Traceback' *.log; sacct -j JOB -o JobID,State,ExitCode,NodeList",
)
