"""Shell scripts: what each command does to a name, followed through the script's variables."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .shell_words import Command, commands
from .words import ELSEWHERE, POINTER, STAGING_TEXT, VERIFIES, speaks_of_checkpoint

Hit = tuple[int, str, str]  # line, rule, what it is done to

ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)
VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)(?:[:%#/^,][^}]*)?\}?")
PREFIXES = frozenset("sudo nohup time nice ionice exec command env stdbuf setsid chronic doas srun builtin".split())
COPIES = frozenset("cp scp install rsync gcp pscp".split())
URL = re.compile(r"^(?:s3|gs|az|hf|https?|ftp|sftp|ssh)://|^[\w.-]+@?[\w.-]*:(?!\\)")
FLAGS_WITH_VALUE = {
    "cp": {"-t", "-S", "--suffix", "--target-directory"}, "install": {"-m", "-o", "-g", "-t"},
    "scp": {"-i", "-P", "-o", "-F", "-l", "-c", "-J", "-S"}, "mv": {"-t", "-S"},
    "rsync": {"-e", "--rsh", "--exclude", "--include", "--bwlimit", "--timeout", "-f", "--filter", "--log-file"},
}  # fmt: skip
SIZE_TEST = re.compile(r"(?:stat|du|wc|find)\b")
FLOOR = re.compile(r"^-(?:gt|ge|lt|le)$")


@dataclass
class _Script:
    values: dict[str, str] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)  # staged name -> order of its last write
    hits: list[Hit] = field(default_factory=list)
    renames: list[tuple[int, int, str]] = field(default_factory=list)  # order, line, destination
    syncs: list[int] = field(default_factory=list)
    pointers: list[tuple[int, int, str]] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    verifies: bool = False
    copies_checkpoints: bool = False


def shell_hits(script: str, first_line: int = 1, about: str = "") -> Iterator[Hit]:
    """Every line of a script that breaks a rule; `about` is its name, which may tell what its variables hold."""
    state = _Script(copies_checkpoints=speaks_of_checkpoint([about]))
    pipeline: list[Command] = []
    for order, command in enumerate(commands(script, first_line)):
        _assignments(state, command)
        command.words = _bare(command.words)
        state.verifies |= any(VERIFIES.search(word) for word in command.words[:2])
        _look(state, order, command)
        pipeline.append(command)
        if command.after not in ("|", "|&"):
            _look_at_pipeline(state, pipeline)
            pipeline = []
    _look_at_pipeline(state, pipeline)
    _look_back(state)
    yield from sorted(set(state.hits))


def _assignments(state: _Script, command: Command) -> None:
    while command.words and (found := ASSIGNMENT.fullmatch(command.words[0])):
        state.values[found[1]] = _resolved(state, found[2])
        command.words.pop(0)
    if command.words[:1] == ["for"] and command.words[2:3] == ["in"]:
        state.values[command.words[1]] = " ".join(command.words[3:])
    if command.words and command.words[0] in ("export", "local", "readonly", "declare", "typeset"):
        for word in command.words[1:]:
            if found := ASSIGNMENT.fullmatch(word):
                state.values[found[1]] = _resolved(state, found[2])


def _bare(words: list[str]) -> list[str]:
    """Without what only runs another command: sudo, nice -n 5, timeout 60."""
    while words and (words[0].rpartition("/")[2] in PREFIXES or words[0].rpartition("/")[2] == "timeout"):
        timed = words[0].endswith("timeout")
        words = words[1:]
        while words and (words[0].startswith("-") or ASSIGNMENT.fullmatch(words[0]) or words[0].isdigit()):
            words = words[1:]
        if timed and words and re.fullmatch(r"[\d.]+[smhd]?", words[0]):
            words = words[1:]
    return words


def _resolved(state: _Script, text: str, depth: int = 0) -> str:
    """The text with the script's own variables put in, as far as it assigns them."""
    if depth > 5 or len(text) > 4096:
        return text
    return VARIABLE.sub(lambda found: _value(state, found, depth), text)


def _value(state: _Script, found: re.Match[str], depth: int) -> str:
    value = state.values.get(found[1])
    return found[0] if value is None or found[0] in value else _resolved(state, value, depth + 1)


def _look(state: _Script, order: int, command: Command) -> None:
    name, words = command.name, command.words
    for operator, target in command.redirections:
        if operator.lstrip("0123456789&").startswith(">") and not operator.endswith("&"):
            _writes(state, order, command.line, target, "write-final-name")
    if name in COPIES:
        _copy(state, order, command)
    elif name == "mv":
        _move(state, order, command)
    elif name == "dd":
        for word in words:
            if word.startswith("of="):
                _writes(state, order, command.line, word[3:], "write-final-name")
    elif name in ("wget", "curl", "aria2c"):
        _download(state, order, command)
    elif name in ("aws", "gsutil", "gcloud", "s5cmd", "azcopy"):
        _cloud_copy(state, command)
    elif name == "sync" or (name in ("fsync", "xfs_io") and words[1:]):
        state.syncs.append(order)
    elif name == "ln" and len(words) > 2 and POINTER.search(_resolved(state, words[-1])):
        state.pointers.append((order, command.line, words[-1]))
    elif name in ("rm", "unlink"):
        _remove(state, command)
    elif name == "find" and ("-delete" in words or any("rm" in word.split("/")[-1:] for word in words)):
        _find_delete(state, command)
    if name in ("[", "[[", "test", "find"):
        _size_floor(state, command)


def _writes(state: _Script, order: int, line: int, target: str, rule: str) -> None:
    full = _resolved(state, target)
    if not full or (full.startswith("/dev/") and not full.startswith("/dev/shm")):
        return
    if _is_staged(target, full):
        state.written[full.rstrip("/")] = order
    elif speaks_of_checkpoint([full]) and not full.endswith((".log", ".out", ".err", ".txt", ".md")):
        state.data.append(order)
        state.hits.append((line, rule, target))


def _is_staged(target: str, full: str) -> bool:
    return bool(STAGING_TEXT.search(full.rpartition("/")[2] or full) or STAGING_TEXT.search(target.rpartition("/")[2]))


def _operands(command: Command) -> list[str]:
    takes_value = FLAGS_WITH_VALUE.get(command.name, set())
    found, skip = [], False
    for word in command.words[1:]:
        if skip:
            skip = False
        elif word in takes_value:
            skip = True
        elif not word.startswith("-") or word == "-":
            found.append(word)
    return found


def _target_flag(command: Command) -> str:
    for at, word in enumerate(command.words):
        if word in ("-t", "--target-directory") and command.name in ("cp", "mv", "install"):
            return command.words[at + 1] if at + 1 < len(command.words) else ""
        if word.startswith("--target-directory="):
            return word.partition("=")[2]
    return ""


def _copy(state: _Script, order: int, command: Command) -> None:
    operands = _operands(command)
    target = _target_flag(command)
    if not target and len(operands) > 1:
        target = operands.pop()
    if not target or not operands:
        return
    flags = command.words[1:]
    if command.name == "rsync" and not any(flag.startswith(("--inplace", "--append")) for flag in flags):
        return  # rsync itself stages and renames
    full = _resolved(state, target)
    if _is_staged(target, full):
        state.written[full.rstrip("/")] = order
    elif _about_checkpoints(state, [full, *(_resolved(state, each) for each in operands)]):
        state.data.append(order)
        state.hits.append((command.line, "copy-final-name", target))


def _about_checkpoints(state: _Script, paths: list[str]) -> bool:
    """By the paths themselves; where a path is a variable from outside, by the script's name."""
    return speaks_of_checkpoint(paths) or (state.copies_checkpoints and any("$" in path for path in paths))


def _move(state: _Script, order: int, command: Command) -> None:
    operands = _operands(command)
    target = _target_flag(command) or (operands.pop() if len(operands) > 1 else "")
    if not target or not operands:
        return
    source, full = _resolved(state, operands[0]), _resolved(state, target)
    about_checkpoints = _about_checkpoints(state, [source, full])
    if not about_checkpoints or STAGING_TEXT.search(full.rpartition("/")[2]):
        return
    if ELSEWHERE.search(source) and not _same_top(source, full):
        state.hits.append((command.line, "rename-across-devices", target))
    last_write = state.written.get(source.rstrip("/"))
    if last_write is not None and not any(last_write < sync < order for sync in state.syncs):
        state.hits.append((command.line, "rename-without-fsync", operands[0]))
    state.renames.append((order, command.line, target))
    state.data.append(order)


def _same_top(source: str, target: str) -> bool:
    """Whether both lie below the same one or two leading folders, as far as their text tells."""
    return source.split("/")[1:3] == target.split("/")[1:3] and target.startswith("/")


def _download(state: _Script, order: int, command: Command) -> None:
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word in ("-O", "--output-document", "-o", "--output") and not (command.name == "curl" and word == "-O"):
            if command.name == "wget" and word == "-o":
                continue  # wget's log
            _writes(state, order, command.line, words[at + 1], "download-final-name")
    for word in words:
        if word.startswith(("--output-document=", "--output=")):
            _writes(state, order, command.line, word.partition("=")[2], "download-final-name")
    named_by_server = {"-O", "--remote-name"} & set(words) if command.name == "curl" else command.name == "wget"
    explicit = any(word.startswith(("-O", "-o", "--output")) for word in words[1:]) and command.name != "curl"
    if named_by_server and not explicit:
        for url in (word for word in words[1:] if "://" in word):
            _writes(state, order, command.line, url.rpartition("/")[2], "download-final-name")


def _cloud_copy(state: _Script, command: Command) -> None:
    """From the cloud to a local name; an upload appears whole or not at all."""
    words = command.words
    if not {"cp", "copy", "mv"} & set(words):
        return
    paths = [
        word for word in words[1:] if not word.startswith("-") and word not in ("s3", "storage", "cp", "copy", "mv")
    ]
    if len(paths) > 1 and URL.search(_resolved(state, paths[0])) and not URL.search(_resolved(state, paths[1])):
        source, target = paths[0], paths[1]
        if speaks_of_checkpoint([_resolved(state, source)]) and not _is_staged(target, _resolved(state, target)):
            state.hits.append((command.line, "download-final-name", target))


def _remove(state: _Script, command: Command) -> None:
    text = _resolved(state, " ".join(command.words))
    if re.search(r"ls\b[^)]*-\w*t|sort\b|tail\b|head\b", text) and speaks_of_checkpoint([text]):
        state.hits.append((command.line, "prune-without-guards", command.words[-1]))


def _find_delete(state: _Script, command: Command) -> None:
    text = _resolved(state, " ".join(command.words))
    if speaks_of_checkpoint([text]):
        state.hits.append((command.line, "prune-without-guards", command.words[1] if command.words[1:] else "find"))


def _size_floor(state: _Script, command: Command) -> None:
    words = command.words
    text = _resolved(state, " ".join(words))
    if command.name == "find":
        floor = any(a == "-size" and b.startswith("+") for a, b in itertools.pairwise(words))
    else:
        numbers = (_resolved(state, b) for a, b in itertools.pairwise(words) if FLOOR.match(a))
        floor = bool(SIZE_TEST.search(text)) and any(re.fullmatch(r"[\d$({ *)}]+", number) for number in numbers)
    if floor and speaks_of_checkpoint([text]):
        state.hits.append((command.line, "size-floor", words[1] if words[1:] else command.name))


def _look_at_pipeline(state: _Script, pipeline: list[Command]) -> None:
    """`ls | sort -V | tail -1` chooses the highest step; `ls -t | tail -n +13 | xargs rm` prunes."""
    if len(pipeline) < 2:
        return
    first, names = pipeline[0], [each.name for each in pipeline]
    listed = first.name in ("ls", "find", "printf", "echo") and speaks_of_checkpoint(
        [_resolved(state, " ".join(each.words)) for each in pipeline]
    )
    if not listed:
        return
    if any(each.name == "xargs" and "rm" in each.words for each in pipeline):
        state.hits.append((pipeline[-1].line, "prune-without-guards", " ".join(first.words)))
    elif (
        names[-1] in ("tail", "head") and _takes_one(pipeline[-1]) and ("sort" in names or "-t" in "".join(first.words))
    ):
        state.hits.append((first.line, "highest-step", " ".join(first.words)))


def _takes_one(command: Command) -> bool:
    return any(word in ("-1", "-n1", "--lines=1") for word in command.words) or (
        "-n" in command.words[:-1] and command.words[command.words.index("-n") + 1] == "1"
    )


def _look_back(state: _Script) -> None:
    """What only the rest of the script tells: syncs after a rename, pointers before their data."""
    for order, line, target in state.renames:
        if not any(sync > order for sync in state.syncs):
            state.hits.append((line, "no-directory-fsync", target))
    for order, line, target in state.pointers:
        later = any(data > order for data in state.data)
        last = max((data for data in state.data if data < order), default=None)
        synced = any(last < sync < order for sync in state.syncs) if last is not None else not later
        if not synced:
            state.hits.append((line, "latest-before-data", target))
    if state.verifies:
        state.hits = [hit for hit in state.hits if hit[1] != "highest-step"]
