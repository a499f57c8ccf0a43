"""What batch systems other than Slurm (LSF, PBS, Moab, SGE, HTCondor, Flux), Ray, and a node that shuts down, say of a
job's end.

    TERM_RUNLIMIT: job killed after reaching LSF run time limit.
    =>> PBS: job killed: walltime 3622 exceeded limit 3600
    jobrun: job 20417 CANCELLED DUE TO TIME LIMIT (22s), SIGTERM to 22343, SIGKILL in 5s
    job 3130218 exceeded MEM usage hard limit (2528 > 1126)
    Job exceeded its walltime limit. Job was aborted
    Job has gone over memory limit of 8192 megabytes. Peak usage: 8224 megabytes.
    Pod was terminated in response to imminent node shutdown.
    job 4411 selected, REQUEUE, signal TERM, grace 20s
    Cluster is preempted (status: INIT). Recovering...

    90211   kim    SSUSP  normal  login1   gpu07      pretrain   Mar  3 22:10

A wrapper of another system counts that says it ends a job for its time, or for another job; a run that stops at its own
limit does not. LSF's usage table and PBS's resource lines are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope import unwrap
from ..evidence import Severity, Source
from ..evidence.supervisor import SchedulerEvent
from ..text import Text
from . import Parser

# what is said -> the system, and what it is about
SAYINGS = (
    # TERM_RUNLIMIT: job killed after reaching LSF run time limit.
    ("lsf", "time-limit", r"TERM_(?:RUNLIMIT|CPULIMIT|DEADLINE)\b"),
    # 90211   kim    SSUSP  normal  login1   gpu07      pretrain   Mar  3 22:10
    ("lsf", "suspended", r"^\s{0,8}\d{1,12}\s+\S{1,40}\s+[SU]SUSP\s+\S"),
    ("lsf", "oom-killed", r"TERM_MEMLIMIT\b"),
    ("lsf", "preempted", r"TERM_PREEMPT\b"),
    ("lsf", "cancelled", r"TERM_(?:OWNER|ADMIN|FORCE_OWNER|FORCE_ADMIN)\b"),
    # =>> PBS: job killed: walltime 3622 exceeded limit 3600
    ("pbs", "time-limit", r"PBS: job killed: walltime \d+ exceeded limit \d+"),
    ("pbs", "oom-killed", r"PBS: job killed: p?v?mem\b.{0,40} exceeded limit"),
    ("pbs", "time-limit", r"\b[Jj]ob exceeded its (?:walltime|wall-?clock|cput|cpu time) limit"),
    # Exit_status=-10 (Torque: over its memory, -11 over its time)
    ("pbs", "oom-killed", r"\bExit_status ?= ?-10\b"),
    ("pbs", "time-limit", r"\bExit_status ?= ?-11\b"),
    ("pbs", "preempted", r"\b[Jj]ob preempted by (?:suspen|requeu|checkpoint|job \d)|PBS: job killed: preempted"),
    # job 3130218 exceeded MEM usage hard limit (2528 > 1126)
    ("moab", "oom-killed", r"\bjob \S{1,60} exceeded (?:P?V?MEM|SWAP|memory) usage (?:hard |soft )?limit"),
    (
        "moab",
        "time-limit",
        r"\bjob \S{1,60} exceeded WALL(?:TIME|CLOCK)\b|\b[Jj]ob wall-?clock limit exceeded"
        r"|\bjob exceeded wall-?clock limit\b",
    ),
    # resource allocation expired
    ("flux", "time-limit", r"\btype=timeout\b.{0,40}\bresource allocation expired"),
    # Job has gone over memory limit of 8192 megabytes. Peak usage: 8224 megabytes.
    (
        "condor",
        "oom-killed",
        r"[Jj]ob has gone over (?:cgroup )?memory limit of \d+|memory usage exceeded request_memory",
    ),
    (
        "condor",
        "preempted",
        r"^\s{0,8}(?:Job was evicted|\(0\) Job was not checkpointed|\d{3} \(\d.{0,40} Job was evicted)",
    ),
    # 90211 0.50500 pretrain  kim   S    03/02/2024 22:10:41 gpu.q@node017       8
    (
        "sge",
        "suspended",
        r"^\s{0,8}\d{1,12}\s+\d\.\d{4,5}\s+\S{1,40}\s+\S{1,40}\s+r?[sST]{1,3}\s+\d\d/\d\d/\d{4} \d\d:\d\d",
    ),
    # 90211.head   pretrain   kim   11:02:10 S gpu
    ("pbs", "suspended", r"^\s{0,8}\d{1,12}\.[\w.-]{1,40}\s+\S{1,40}\s+\S{1,40}\s+[\d:]{4,12}\s+S\s+[A-Za-z]"),
    # job 4242 exceeds job hard limit "h_vmem" of queue     Container killed due to memory usage
    ("sge", "oom-killed", r"exceeds job (?:master |slave )?hard limit \"(?:h_vmem|h_rss)\""),
    # failed execd enforced h_vmem limit because:
    ("sge", "oom-killed", r"\bfailed\b.{0,40}\benforced h_(?:vmem|rss) limit"),
    ("sge", "time-limit", r"exceeded hard (?:wallclock|cpu) time"),
    # Container [pid=1,containerID=c_1] is running beyond physical memory limits.      (exit status: -104)
    (
        "yarn",
        "oom-killed",
        r"is running (?:\d{1,12}B )?beyond (?:the )?'?(?:physical|virtual)'? memory limits?"
        r"|killed by YARN for exceeding (?:\w{1,10} )?memory limits|\bexit status: -10[34]\b",
    ),
    # terminationreason=memory
    ("benchexec", "oom-killed", r"\bterminationreason=memory\b"),
    ("nomad", "oom-killed", r"Exit Message: \"OOM Killed\""),
    ("ecs", "oom-killed", r"OutOfMemoryError: Container killed due to memory usage"),
    # job 20417 CANCELLED DUE TO TIME LIMIT (22s)     task t7 killed: wall-time limit of 3600 s exceeded
    (
        "batch",
        "time-limit",
        r"(?i:\b(?:job|task|allocation)s? \S{1,60} (?:(?:was|is|has been) )?(?:being )?"
        "(?:cancell?ed|killed|terminated|ended|stopped)"
        r"(?::| \(|,? (?:(?:since|because|as) it )?(?:due to|because of|for|by|at"
        "|(?:after )?(?:reach|exceed|hit)(?:ing|ed|s)?)) ?(?:(?:its|the|a) )?(?:job |max(?:imum)? )?"
        r"(?:time|wall[- ]?(?:time|clock)|run[- ]?time)[- ]?(?:time )?limit\b)",
    ),
    # job 88 exceeded its wall-time limit of 3600 s, sending SIGTERM     time limit reached, killing job 88
    (
        "batch",
        "time-limit",
        r"(?i:\b(?:job|task|allocation)\b.{0,60}\b(?:reached|exceeded|exceeds|hit|over)\b.{0,30}\b"
        r"(?:time|wall[- ]?(?:time|clock)|run[- ]?time)[- ]limit\b.{0,60}\b"
        "(?:kill|terminat|cancell?|sending sig|SIGTERM|SIGKILL)"
        r"|\b(?:time|wall[- ]?(?:time|clock)|run[- ]?time)[- ]limit\b.{0,40}\b"
        r"(?:reached|exceeded|expired)\b.{0,40}\b(?:kill|terminat|cancell?|sending sig)\w{0,8} (?:signal to )?"
        r"(?:the )?(?:job|task|allocation)\b)",
    ),
    # job 4411 selected, REQUEUE, signal TERM, grace 20s     job 4411 requeued for job 4502 (priority 90 > 10)
    (
        "batch",
        "preempted",
        r"(?i:\b(?:job|task|allocation|trial) \S{1,40}\b"
        r"(?!.{0,160}\b(?:fail|down\b|lost|crash|error|unhealthy|hang|maintenance|retry|attempt)).{0,80}\brequeue"
        r"(?:d|ing)?\b.{0,60}(?:\bsig(?:nal)? ?[:=]?(?:TERM|KILL|INT|USR[12])\b|\bfor job \S{0,2}\d"
        r"|\bhigher[- ]priority|\bpriority \d{1,9} ?[<>]))",
    ),
    # killing job 12 to make room for job 15     task t-17 stopped in favour of t-21     vacating claim 3: owner has
    # returned
    (
        "batch",
        "preempted",
        r"(?i:(?:\b(?:kill|stop|terminat|evict|suspend|vacat|bump|displac|cancel)\w{0,6} (?:the )?"
        r"(?:job|allocation|trial|claim|run) \S{1,40}"
        r"|\b(?:job|allocation|trial|claim|task) \S{1,40} (?:(?:was|is|has been|gets) )?"
        r"(?:kill|stop|terminat|evict|suspend|vacat|bump|displac|cancel)\w{0,6})\b.{0,60}"
        r"(?:\bin favou?r of |\bto make (?:room|way) for "
        r"|\b(?:for|by|because of|due to) (?:a |the )?(?:job \S{1,40} (?:of|with) (?:a )?)?higher[- ]priority"
        r"|\bowner (?:\S{1,20} )?(?:is back|came back|has? returned|reclaim)))",
    ),
    # job 4411 gone, put back in queue, start 4502
    (
        "batch",
        "preempted",
        r"(?i:\b(?:job|task|allocation|trial) \S{1,40}"
        r"(?!.{0,160}\b(?:fail|down\b|lost|crash|error|unhealthy|hang|maintenance|retry|attempt)).{0,60}\b"
        r"(?:put|sent|placed|returned) back (?:in|into|to|on) (?:the |its )?queue\b.{0,40}\b"
        r"(?:start(?:s|ed|ing)? (?:job )?\S{0,2}\d|(?:for|behind) job|higher[- ]priority))",
    ),
    ("pbs", "failed", r"PBS: job killed: node \d+ .{0,40}(?:down|abort)"),
    # Pod was terminated in response to imminent node shutdown.
    ("kubernetes", "evicted", r"terminated in response to imminent node shutdown|deleting pod for node scale down"),
    ("kubernetes", "evicted", r"\b(?:DeletionByTaintManager|EvictionByEvictionAPI|TerminationByKubelet)\b"),
    # pod evicted from worker-3 node by sigs.k8s.io/descheduler
    ("kubernetes", "evicted", r"\bpod evicted from \S{1,120} node by \S{0,20}descheduler|\"Evicted pod\" pod="),
    # pod/train-0, Evicted: Evicted pod      Evicted: The node had condition: [DiskPressure].
    (
        "kubernetes",
        "evicted",
        r"\bEvicted: (?:Evicted pod\b|The node (?:was low on|had condition)|Pod ephemeral local storage)",
    ),
    ("kubernetes", "evicted", r"\b(?:cannot evict|evicting) pod |node/\S{1,80} (?:drained|cordoned)"),
    # container init was OOM-killed (memory limit too low?)
    ("kubernetes", "oom-killed", r"container init was OOM-killed"),
    # The node was low on resource: memory.     Usage of EmptyDir volume "scratch" exceeds the limit "50Gi".
    ("kubernetes", "evicted", r"eviction manager: (?:must evict pod|pod \S{1,200} is evicted)"),
    (
        "kubernetes",
        "evicted",
        r"The node was low on resource: |The node had condition: \[|[Pp]od ephemeral local storage usage exceeds"
        "|Usage of EmptyDir volume .{1,120} exceeds the limit|exceeded its local ephemeral storage limit",
    ),
    # The node ... has been marked dead because the detector has missed too many heartbeats from it.
    (
        "ray",
        "node-failed",
        r"marked dead because the detector has missed|its node has died|terminated: missing too many heartbeats",
    ),
    # job 4127 selected for preemption by 30722     job 4127: all tasks ended, state PREEMPTED
    (
        "scheduler",
        "preempted",
        r"\b[Jj]ob[ :#]{1,2}[\w.-]{1,40}\b.{0,60}(?:\b(?:selected|chosen|picked|marked) "
        r"(?:for preemption|to be preempted)|\bstate[ :=]{1,2}PREEMPTED\b)",
    ),
    # this job is preempted     Cluster is preempted (status: INIT)     Node 10.0.0.4 has been preempted
    (
        "cloud",
        "preempted",
        r"(?i:\b(?:this )?(?:job|cluster|node|instance|vm|machine|worker|task|trial|pod|allocation)(?: \S{1,60})? "
        r"(?:is|was|has been|got) (?:being )?preempted\b)",
    ),
    (
        "cloud",
        "preempted",
        r"(?i:interrupted due to spot capacity|spot capacity (?:is |was )?(?:no longer available|reclaimed))",
    ),
    # spot instance interruption notice, as agents of the clouds log it
    (
        "cloud",
        "preempted",
        r"(?i:spot (?:instance )?(?:interruption|termination|reclaim)\w*|instances?\.preempted"
        "|TERMINATE_ON_HOST_MAINTENANCE)",
    ),
)
PATTERNS = tuple((system, about, re.compile(saying)) for system, about, saying in SAYINGS)


def read(text: Text) -> Iterator[SchedulerEvent]:
    for line in text.matching(PARSER.pattern):
        envelope = unwrap(line.text[:2000])
        for system, about, pattern in PATTERNS:
            if pattern.search(envelope.message):
                yield SchedulerEvent(
                    source=Source(text.name, line.number, line.quote),
                    stamp=envelope.stamp,
                    severity=Severity.WARNING if about == "suspended" else Severity.CRITICAL,
                    system=system,
                    about=about,
                    text=envelope.message.strip()[:300],
                )
                break


PARSER = Parser(
    tool="LSF, PBS, SGE, HTCondor and node shutdowns",
    medium="scheduler",
    footprint="|".join(f"(?:{wording})" for _, _, wording in SAYINGS),
    read=read,
)
