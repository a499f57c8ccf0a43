"""Which processes of a table may be those of a training job."""

from __future__ import annotations

import re

from ..evidence import Evidence

# its interpreter, launcher, the launcher's daemon on a node, worker or shell: torchrun train.py, mpirun, orted,
# hydra_pmi_proxy, ray::Worker, pt_data_worker, bash run.sh
OF_A_JOB = re.compile(
    r"python|torchrun|accelerate|deepspeed|horovod|mpirun|mpiexec|prterun|\borted\b|\bprted\b|pmi_proxy\b|hydra_bstrap_proxy|\bsrun|slurmstepd|\bray\b|ray::|train|finetun|\bpt_|\bvllm"
    r"|megatron|\bjulia\b|\brun\.sh|\bjax|tensorflow|(?<!k)worker|\brank|\bllm|\.py\b",
    re.I,
)
# what a person does beside it, whatever the file's name
BESIDE_IT = re.compile(
    r"^(?:/\S{0,80}/)?(?:n?vim?|nano|emacs|less|more|tail|head|man|watch|h?top|grep|git|tmux|screen)\b"
)


def is_of_the_job(row: Evidence) -> bool:
    """True for a process or thread whose name, or whose command, is of the kind that a job is made of."""
    comm, command = row.subject.comm or "", getattr(row, "command", "")
    return not BESIDE_IT.match(command or comm) and OF_A_JOB.search(f"{comm} {command}") is not None
