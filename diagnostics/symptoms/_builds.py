"""What a build of native code lacked: a header, a library to link, a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import LogLine, PythonException
from ..incident import Incident
from ._reports import words_of

# main.c:5:10: fatal error: Python.h: No such file or directory     x.cc:1:10: fatal error: 'cuda.h' file not found
# /usr/bin/ld: cannot find -lcuda     ld: library not found for -lomp     /bin/sh: 1: nvcc: not found
LACKS = re.compile(
    r"fatal error: ['\"]?(?!/)[\w.+/-]{1,200}\.(?:h|hh|hpp|hxx|cuh)['\"]?(?:: No such file| file not found)"
    r"|\bld(?:\.\w{2,5})?: (?:cannot|unable to) find (?:library )?-l\w|\blibrary not found for -l\w"
    r"|\bsh: (?:line )?(?:\d{1,6}: )?\S{0,200}?(?:nvcc|gcc|g\+\+|c\+\+|cc|clang(?:\+\+)?|ninja|hipcc): "
    r"(?:command )?not found"
)
# what a program raises when its build has failed, whatever it was that failed
FAILED = re.compile(
    r"CalledProcessError|non-zero exit status|Error building extension|Error compiling objects|\bninja\b|raised:"
    r"|BackendCompilerFailed|InductorError|Cpp?Compile\w{0,8}Error|CompilationError|command '[^'\n]{1,400}' failed"
)
# said by the one that wanted to build, when it found nothing to build with
NO_TOOLS = re.compile(
    r"Failed to find C compiler|No working C\+\+ compiler found|libcuda\.so cannot found"
    r"|CUDA_HOME environment variable is not set|Ninja is required to load C\+\+ extensions"
    r"|[Cc]ould not find nvcc|nvcc(?: executable)? not found"
    r"|No such file or directory: '(?:[^'\n]{1,200}/)?(?:nvcc|gcc|g\+\+|c\+\+|cc|clang(?:\+\+)?|ninja|hipcc|ptxas)'"
)


def lacking(incident: Incident) -> Iterator[LogLine | PythonException]:
    """The lines in which a compiler or linker names what it lacks, where the program that called it raised, and the
    exceptions of who found nothing to build with.

    Who only tries whether something could be built (an optional operator) raises nothing, and goes on.
    """
    raised = {fact.source.file for fact in incident.of(PythonException) if FAILED.search(words_of(fact))}
    for line in incident.of(LogLine):
        if line.source.file in raised and LACKS.search(line.source.quote):
            yield line
    for fact in incident.of(PythonException):
        if NO_TOOLS.search(words_of(fact)):
            yield fact
