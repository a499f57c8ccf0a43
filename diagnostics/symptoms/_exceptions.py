"""Exceptions whose words tell what kind of error a program made."""

from __future__ import annotations

import re

DIVERGED = re.compile(
    r"loss scale already at minimum|minimum loss scale reached|returned nan values|probably exploding"
    r"|reducing loss scale to \d(?:\.\d{1,20})?e-(?:0[5-9]|[1-9]\d)|probability tensor contains either `?inf"
    r"|\b(?:loss|model|training|grad(?:ient)?s?(?: norm)?)\b.{0,40}\b(?:exploded|diverged|is not finite)"
    r"|\b(?:loss|grad(?:ient)?s?(?: norm)?)\b.{0,40}\b(?:is|was|are|became|becomes|turned|contains?|=)[ :]{0,2}"
    r"(?:nan|inf|infinite|non-?finite)\b"
    r"|\b(?:found|detected|encountered|got)\b.{0,20}\b(?:nan|inf)s?\b.{0,30}\b(?:loss|grad|forward|weight|param|logits)"
    r"|\b(?:nan|inf)s? (?:was |were |values? )?(?:found|detected|encountered|occurred|appeared)\b.{0,30}\b"
    "(?:loss|grad|forward|weight|param|logits|input tensor|generator|discriminator)"
    r"|\bDetected inf/nan during batch_number=|\bignored a value of (?:nan|inf)\b"
    r"|\b(?:predicted|output|computed) values? (?:is|are|were|contains?) (?:nan|inf)\b"
    r"|\binvalid value \((?:nan|inf)\) encountered|\bTensor had (?:nan|inf)\b|\bUnexpected result (?:nan|inf)\b"
    r"|\bdetected nan and/or inf\b"
    r"|\binvalid loss, terminat|to satisfy the constraint .{1,80}, but found invalid values"
    r"|\b(?:nan|inf|infinite|non-?finite|invalid) (?:loss|grad(?:ient)?s?(?: norm)?)(?!.{0,60}\b(?:continuing|skip))",
    re.I,
)
# what says by itself that the setup is wrong, whatever the type of the exception and whatever else it names
SETUP = re.compile(
    # packages that were built for one another's other version
    r"undefined symbol: _?Z|version `(?:GLIBC|GLIBCXX|CXXABI)_\S{1,20}' not found|numpy\.dtype size changed"
    r"|binary incompatibility|compiled (?:using|against) (?:NumPy|numpy|PyTorch|torch)\b"
    r"|no kernel image is available|is not compatible with the current PyTorch installation"
    r"|not compiled with CUDA"
    r"|lib(?:cudart|cublas\w{0,4}|cudnn\w{0,20}|nvrtc|cusparse\w{0,4}|nccl"
    r"|mpi\w{0,6})\.so[.\d]{0,12}: cannot open shared object"
    r"|partially initialized module|cannot import name|requires \S{1,60}[<>=]=?\S{1,40} .{0,40}\bbut\b"
    r"|(?:is|are) required for a normal functioning of this module"
    # a call that the library forbids
    r"|daemonic processes are not allowed to have children"
    # an LMDB that outgrew the size, or the readers, that it was opened with, or that was opened before a fork
    r"|\bMDB_(?:MAP_FULL|READERS_FULL|BAD_RSLOT)\b"
    # NCCL: two ranks were given one device
    r"|Duplicate GPU detected ?: rank \d{1,6} and rank \d"
    # a container without a home: the cache would lie in the root directory
    r"|Permission denied: '/\.\w{2,30}(?:/|'|$)"
    # the scheduler's own daemon, of its settings
    r"|\bfatal: (?:gres\.conf duplicate|We were configured to autodetect|Unable to (?:parse|process) \w{2,12}\.conf)"
    r"|Cannot re-initialize CUDA in forked subprocess|start a new process before the\s{1,20}current process"
    r"|without protecting your import\b"
    "|Expected all tensors to be on the same device|modified by an inplace operation"
    r"|^jax\.errors\.(?!JaxRuntimeError\b(?!: INVALID_ARGUMENT\b))\w{1,60}Error\b|logits and labels must"
    r"|process group has not been initialized|Attempting to deserialize object on a CUDA device"
    r"|Weights only load failed|Automatic adjustment of ZeRO's"
    # options and names
    r"|unrecognized arguments|the following arguments are required|invalid choice: |invalid \w{1,20} value: "
    r"|\b40[13] Client Error|GatedRepoError|api_key not configured|No API key configured|Could not consume arg"
    r"|executable file not found in \$PATH|\bexecve\(\): \S{1,200}: (?:No such file|Permission denied)"
    r"|\b(?:configmap|secret) \"[^\"]{1,80}\" not found"
    r"|No matching distribution found|did not match any file\(s\) known to git"
    r"|Could not (?:override|find) '|: line \d{1,6}: \S{1,80}: command not found|can't open file '|No module named"
    r"|gated repo|is not a local folder and is not a valid model identifier|Repository Not Found"
    r"|train_batch_size is not equal|not divisible by|must be divisible by|is not a multiple of",
)
