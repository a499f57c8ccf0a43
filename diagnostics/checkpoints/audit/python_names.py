"""Expressions of one function: dotted names through imports, and what a path is made of through assignments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .python_calls import TEMPORARY
from .words import TEMPORARY_PLACE, looks_staged, speaks_of_checkpoint

MOST_NAMES = 40  # assignments followed behind one expression
LONGEST = 400
DEEPEST = 8
WRAPPERS = {
    "str",
    "Path",
    "pathlib.Path",
    "os.fspath",
    "os.path.abspath",
    "os.path.realpath",
    "os.path.expanduser",
    "bytes",
}


class Names:
    """What names mean at a point of a function: imports of the module, assignments so far."""

    def __init__(self, imports: dict[str, str], constants: dict[str, ast.expr]) -> None:
        self.imports = imports
        self.values: dict[str, ast.expr] = dict(constants)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.values[target.id] = value
        elif isinstance(target, ast.Attribute):
            self.values[_text(target)] = value
        elif isinstance(target, ast.Tuple | ast.List):  # fd, path = tempfile.mkstemp()
            for each in target.elts:
                self.assign(each, value)

    def dotted(self, node: ast.expr) -> str:
        """`cp` after `from shutil import copy2 as cp` is shutil.copy2; empty for what is no dotted name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.imports.get(node.id, node.id), *reversed(parts)])

    def key(self, node: ast.expr) -> str:
        """The same text for the same path, without `str()` and `Path()` around it."""
        seen = set[str]()
        while True:
            node = self.unwrapped(node)
            if not isinstance(node, ast.Name) or node.id in seen:
                return _text(node)
            seen.add(node.id)
            value = self.values.get(node.id)
            if not isinstance(value, ast.Name | ast.Attribute):
                return node.id
            node = value

    def unwrapped(self, node: ast.expr) -> ast.expr:
        while isinstance(node, ast.Call) and node.args and self.dotted(node.func) in WRAPPERS:
            if len(node.args) > 1:
                break
            node = node.args[0]
        if isinstance(node, ast.Attribute) and node.attr == "name":  # a temporary file's .name
            return node.value
        return node

    def parts(self, node: ast.expr) -> Iterator[ast.expr]:
        """Every node that the expression is made of, assigned values included; each assignment once."""
        waiting, seen = [node], set[str]()
        while waiting:
            for each in ast.walk(waiting.pop()):
                if isinstance(each, ast.expr):
                    yield each
                if isinstance(each, ast.Name | ast.Attribute) and len(seen) < MOST_NAMES:
                    text = _text(each)
                    if text not in seen and (value := self.values.get(text)) is not None:
                        seen.add(text)
                        waiting.append(value)

    def literals(self, node: ast.expr) -> list[str]:
        return [
            each.value for each in self.parts(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]

    def words(self, node: ast.expr) -> list[str]:
        found = self.literals(node)
        for each in self.parts(node):
            if isinstance(each, ast.Name):
                found.append(each.id)
            elif isinstance(each, ast.Attribute):
                found.append(each.attr)
        return found

    def is_checkpoint(self, node: ast.expr) -> bool:
        return speaks_of_checkpoint(self.words(node))

    def is_temporary(self, node: ast.expr) -> bool:
        """Made by `tempfile` without dir=, or a literal path below /tmp, /dev/shm and the like."""
        for each in self.parts(node):
            if isinstance(each, ast.Call) and self.dotted(each.func) in TEMPORARY:
                return not any(keyword.arg == "dir" for keyword in each.keywords)
        return any(TEMPORARY_PLACE.search(text) for text in self.literals(node)[:1])

    def is_staged(self, node: ast.expr) -> bool:
        names = [each.id for each in self.parts(node) if isinstance(each, ast.Name)]
        names += [each.attr for each in self.parts(node) if isinstance(each, ast.Attribute)]
        made = any(isinstance(each, ast.Call) and self.dotted(each.func) in TEMPORARY for each in self.parts(node))
        return made or looks_staged(self.literals(node), names)

    def number(self, node: ast.expr, depth: int = 0) -> float | None:
        """The value of a constant expression: 50_000_000, 50 * 1024**2, 5e7, or a name assigned one."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return float(node.value)
        if depth > DEEPEST:
            return None
        if isinstance(node, ast.BinOp):
            left, right = self.number(node.left, depth + 1), self.number(node.right, depth + 1)
            return None if left is None or right is None else left or right
        if isinstance(node, ast.Name) and isinstance(value := self.values.get(node.id), ast.Constant | ast.BinOp):
            return self.number(value, depth + 1)
        return None


def module_imports(tree: ast.Module) -> dict[str, str]:
    """Each imported name and what it stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    found.setdefault("np", "numpy")
    found.setdefault("dcp", "torch.distributed.checkpoint")
    return found


def module_constants(tree: ast.Module) -> dict[str, ast.expr]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
    return found


def _text(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)[:LONGEST]
