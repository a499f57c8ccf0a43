"""Python files: the rules, asked of every function's events."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from . import python_calls as known
from .python_flow import Flow
from .python_names import Names, module_constants, module_imports
from .python_parts import DIRECTORY_SYNC, Event, Function, Helpers
from .words import speaks_of_checkpoint

Hit = tuple[int, str, str]


def python_hits(source: str) -> Iterator[Hit]:
    """Every line that breaks a rule. SyntaxError, ValueError or RecursionError when it is no Python."""
    tree = ast.parse(source)
    imports, constants = module_imports(tree), module_constants(tree)
    helpers = _helpers(tree, Names(imports, constants))
    hits: set[Hit] = set()
    for function, context in _functions(tree):
        flow = Flow(function, Names(imports, constants), helpers, context)
        hits.update(flow.hits)
        hits.update(_written(flow))
        hits.update(_renamed(flow))
        hits.update(_pointers(flow))
        hits.update(_deleted(flow))
        hits.update(_judged(flow))
    names = Names(imports, constants)
    hits.update(_unpickled(tree, names))
    yield from sorted(hits)


def _functions(tree: ast.Module) -> Iterator[tuple[Function, str]]:
    """Every function with its own name and its class's, and the module itself."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, context = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            context = f"{context}.{node.name}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            yield node, context
        waiting.extend((child, context) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))


def _helpers(tree: ast.Module, names: Names) -> Helpers:
    """The module's own functions that sync a file or a directory."""
    helpers = Helpers()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        calls = [names.dotted(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)]
        if not known.SYNCERS & set(calls):
            continue
        opens_directory = "O_DIRECTORY" in ast.unparse(node) or DIRECTORY_SYNC.search(node.name)
        (helpers.directories if opens_directory else helpers.files).add(node.name)
    return helpers


def _written(flow: Flow) -> Iterator[Hit]:
    """Writes onto a name that is neither staged nor renamed later in the same function."""
    renamed = {event.key: event.order for event in flow.events if event.kind == "rename"}
    for event in flow.events:
        if event.kind != "write" or event.staged or event.temporary or not event.checkpoint or _is_pointer(flow, event):
            continue
        if renamed.get(event.key, -1) > event.order:
            continue
        yield event.line, event.rule, event.about


def _renamed(flow: Flow) -> Iterator[Hit]:
    for event in flow.events:
        if event.kind != "rename":
            continue
        writes = [
            each
            for each in flow.events
            if each.kind in ("write", "touch") and each.key == event.key and each.order < event.order
        ]
        if not (writes or event.checkpoint or event.staged):
            continue
        if event.temporary:
            yield event.line, "rename-across-devices", event.about
        if writes and not _synced_between(flow, event.key, writes[-1].order, event.order):
            yield event.line, "rename-without-fsync", event.about
        if (writes or event.staged) and not any(
            each.kind == "sync-directory" and each.order > event.order for each in flow.events
        ):
            yield event.line, "no-directory-fsync", event.about
        if event.rule == "move" and not writes and not event.staged and not event.temporary and event.checkpoint:
            yield event.line, "copy-final-name", event.about


def _synced_between(flow: Flow, key: str, start: int, end: int) -> bool:
    return any(
        each.kind == "sync" and start < each.order < end and each.key in (key, "") for each in flow.events
    ) or any(each.kind == "sync" and start == each.order and each.key == key for each in flow.events)


def _pointers(flow: Flow) -> Iterator[Hit]:
    """`latest` (a link or a small text) put in place before the data that it points to is synced or renamed."""
    data = [
        each
        for each in flow.events
        if each.kind in ("write", "rename") and each.checkpoint and not _is_pointer(flow, each)
    ]
    for event in flow.events:
        if not _is_pointer(flow, event):
            continue
        later = any(each.order > event.order for each in data)
        before = [each for each in data if each.order < event.order]
        synced = before and any(
            each.kind.startswith("sync") and each.order > before[-1].order - 1 and each.order < event.order
            for each in flow.events
        )
        durable = before and (synced or (before[-1].kind == "rename" and _any_sync_before(flow, before[-1])))
        if (later and not before) or (before and not durable):
            yield event.line, "latest-before-data", event.about


def _any_sync_before(flow: Flow, event: Event) -> bool:
    return any(each.kind == "sync" and each.order < event.order for each in flow.events)


def _is_pointer(flow: Flow, event: Event) -> bool:
    return flow.points_at_latest(event) and (event.kind == "link" or (event.kind == "write" and event.text))


def _deleted(flow: Flow) -> Iterator[Hit]:
    """A delete of what is written next, and deletes in a loop over old ones that ask nothing first."""
    for event in flow.events:
        if event.kind == "delete" and event.checkpoint:
            rewritten = (
                each
                for each in flow.events
                if each.kind == "write" and each.key == event.key and each.order > event.order
            )
            if not event.staged and next(rewritten, None):
                yield event.line, "delete-before-write", event.about
    if _asks_the_time(flow) or flow.verifies:
        return
    lines = {event.line: event.about for event in flow.events if event.kind == "delete" and not event.staged}
    for loop in flow.nodes:
        if (isinstance(loop, ast.For) and _takes_the_old(loop.iter, flow.names)) or (
            isinstance(loop, ast.While) and "len(" in ast.unparse(loop.test)
        ):
            over = flow.names.words(loop.iter) if isinstance(loop, ast.For) else []
            context = speaks_of_checkpoint([*over, ast.unparse(loop), getattr(flow.function, "name", "")])
            for node in ast.walk(loop):
                if context and isinstance(node, ast.Call) and node.lineno in lines:
                    yield node.lineno, "prune-without-guards", lines[node.lineno]


def _takes_the_old(iterated: ast.expr, names: Names) -> bool:
    """`sorted(...)[:-3]`, `found[12:]`, or a name assigned such a slice."""
    value = names.values.get(iterated.id, iterated) if isinstance(iterated, ast.Name) else iterated
    while isinstance(value, ast.Call) and value.args:
        value = value.args[0]
    return isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)


def _judged(flow: Flow) -> Iterator[Hit]:
    """Whole or not by a size floor; the newest by name or time alone."""
    name = getattr(flow.function, "name", "")
    for node in flow.nodes:
        if isinstance(node, ast.Compare):
            yield from _size_floor(node, flow, name)
        elif isinstance(node, ast.Call | ast.Subscript) and not flow.verifies:
            yield from _highest(node, flow, name)


def _size_floor(node: ast.Compare, flow: Flow, name: str) -> Iterator[Hit]:
    sides = [node.left, *node.comparators]
    ordered = all(isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE) for op in node.ops)
    sizes = [each for each in sides if _is_size(each, flow.names)]
    floors = [each for each in sides if flow.names.number(each) is not None and not _is_ceiling(each)]
    words = [name, *(word for each in sizes for word in flow.names.words(each))]
    if ordered and sizes and floors and speaks_of_checkpoint(words):
        yield node.lineno, "size-floor", ast.unparse(node)[:80]


def _is_ceiling(node: ast.expr) -> bool:
    return bool(re.search(r"(?i)max|limit", ast.unparse(node)))


def _is_size(node: ast.expr, names: Names) -> bool:
    for each in names.parts(node):
        if isinstance(each, ast.Call) and names.dotted(each.func) in known.SIZES:
            return True
        if isinstance(each, ast.Attribute) and each.attr == "st_size":
            return True
    return False


def _highest(node: ast.Call | ast.Subscript, flow: Flow, name: str) -> Iterator[Hit]:
    names = flow.names
    if isinstance(node, ast.Call) and names.dotted(node.func) == "max" and node.args:
        listed = node.args[0]
    elif isinstance(node, ast.Subscript) and _is_end(node.slice):
        listed = node.value
        if not _is_sorted(listed, names):
            return
    else:
        return
    words = [name, *names.words(listed)]
    if _lists_a_directory(listed, names) and speaks_of_checkpoint(words):
        yield node.lineno, "highest-step", ast.unparse(node)[:80]


def _is_end(index: ast.expr) -> bool:
    return ast.unparse(index) in ("-1", "0")


def _is_sorted(node: ast.expr, names: Names) -> bool:
    return any(
        isinstance(each, ast.Call) and names.dotted(each.func) in ("sorted", "natsorted", "natsort.natsorted")
        for each in names.parts(node)
    ) or (isinstance(node, ast.Name) and node.id in names.values and "sort" in ast.unparse(names.values[node.id]))


def _lists_a_directory(node: ast.expr, names: Names) -> bool:
    for each in names.parts(node):
        if isinstance(each, ast.Call):
            method = each.func.attr if isinstance(each.func, ast.Attribute) else ""
            if names.dotted(each.func) in known.LISTERS or method in known.LISTING_METHODS:
                return True
    return False


def _unpickled(tree: ast.Module, names: Names) -> Iterator[Hit]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = names.dotted(node.func)
        options = {each.arg: ast.unparse(each.value) for each in node.keywords}
        about = ast.unparse(node)[:80]
        if (
            name in known.UNPICKLERS
            or (name == "torch.load" and options.get("weights_only") != "True")
            or (name == "numpy.load" and options.get("allow_pickle") == "True")
        ):
            yield node.lineno, "unpickle-untrusted", about


def _asks_the_time(flow: Flow) -> bool:
    for node in flow.nodes:
        if isinstance(node, ast.Attribute) and node.attr.startswith("st_mtime"):
            return True
        if isinstance(node, ast.Call) and flow.names.dotted(node.func) == "time.time":
            return True
    return False
