"""What the walk of one function is made of: events, open handles, and small questions about a call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import python_calls as known

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module

DIRECTORY_SYNC = re.compile(r"(?i)(?:f?sync|flush).*(?:dir|parent|folder)|(?:dir|parent|folder).*f?sync")

FILE_SYNC = re.compile(r"(?i)fsync|fdatasync|sync_file|durabl")

STREAM_NAMES = re.compile(
    r"(?i)^(?:f|fh|fp|fd|file|fileobj|file_obj|buf|buffer|stream|handle|out|sink|bio|tar|archive|zf)\d?$"
)


@dataclass(frozen=True)
class Event:
    """Something that happens to a path. `key` compares paths; `order` is the place in the function."""

    kind: str
    order: int
    line: int
    key: str
    about: str = ""
    staged: bool = False
    checkpoint: bool = False
    temporary: bool = False
    target: str = ""
    rule: str = ""
    text: bool = False


@dataclass
class Handle:
    """A variable that holds an open file or descriptor, and the path behind it."""

    key: str
    buffered: bool = True
    directory: bool = False
    dirty: bool = False


@dataclass
class Helpers:
    """Functions of the module that sync: by their own os.fsync."""

    files: set[str] = field(default_factory=set)
    directories: set[str] = field(default_factory=set)


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The function's nodes without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def own_expressions(node: ast.stmt) -> Iterator[ast.expr]:
    for value in ast.iter_child_nodes(node):
        if isinstance(value, ast.expr):
            yield value


def argument(call: ast.Call, position: int, keyword: str) -> ast.expr | None:
    for each in call.keywords:
        if each.arg == keyword:
            return each.value
    if position < len(call.args) and not any(isinstance(each, ast.Starred) for each in call.args[: position + 1]):
        return call.args[position]
    return None


def mode_of(call: ast.Call, name: str) -> str:
    position = 1 if name in known.OPENERS else 0
    node = argument(call, position, "mode")
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "r"


def opens_to_write(call: ast.Call, name: str) -> bool:
    if name == "os.open":
        return bool(re.search("O_WRONLY|O_RDWR", ast.unparse(call)))
    return bool(set(mode_of(call, name)) & set("wx"))


def is_path_rename(call: ast.Call, name: str) -> bool:
    """Path.replace takes one argument and str.replace two; a rename of columns is no rename of files."""
    return len(call.args) == 1 and not call.keywords and not name.startswith(("re.", "dataclasses."))


def is_mkstemp(name: str) -> bool:
    return name == "tempfile.mkstemp"


def shell_word(node: ast.expr) -> str:
    text = shell_text(node)
    return "'" + text.replace("'", "'\\''") + "'" if text else "''"


def shell_text(node: ast.expr) -> str:
    """A literal as it is; what is put in at run time as a shell variable of that name."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(shell_text(each) for each in node.values)
    if isinstance(node, ast.FormattedValue):
        return shell_text(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return shell_text(node.left) + shell_text(node.right)
    return "$" + re.sub(r"\W+", "_", ast.unparse(node))[:60]
