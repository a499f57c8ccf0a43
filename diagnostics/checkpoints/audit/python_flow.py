"""One function of Python, statement by statement: which paths it writes, syncs, renames and deletes, in order."""

from __future__ import annotations

import ast
import functools
import re

from . import python_calls as known
from .python_calls import RECEIVER, Takes
from .python_names import Names
from .python_parts import (
    DIRECTORY_SYNC,
    FILE_SYNC,
    STREAM_NAMES,
    Event,
    Function,
    Handle,
    Helpers,
    argument,
    is_mkstemp,
    is_path_rename,
    mode_of,
    opens_to_write,
    own_expressions,
    own_nodes,
    shell_text,
    shell_word,
)
from .shell_source import shell_hits
from .words import POINTER, VERIFIES, speaks_of_checkpoint


def _fetches(node: ast.AST, names: Names) -> bool:
    """requests.get, urlopen, response.iter_content: the function fetches something over the network."""
    if not isinstance(node, ast.Call):
        return False
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return names.dotted(node.func) in known.FETCHERS or method in known.FETCHING_METHODS


class Flow:
    """Walks one function and collects its events; nested functions are walked on their own."""

    def __init__(self, function: Function, names: Names, helpers: Helpers, context: str = "") -> None:
        self.function = function
        self.names = names
        self.helpers = helpers
        self.events: list[Event] = []
        self.hits: list[tuple[int, str, str]] = []
        self.handles: dict[str, Handle] = {}
        self.order = 0
        self.nodes = list(own_nodes(function))
        self.downloads = any(_fetches(each, names) for each in self.nodes)
        self.about_checkpoints = speaks_of_checkpoint([context])
        self._statements(function.body)

    @functools.cached_property
    def verifies(self) -> bool:
        """Whether the function calls anything that sounds like a check of content."""
        calls = (node.func for node in self.nodes if isinstance(node, ast.Call))
        return any(
            VERIFIES.search(each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")) for each in calls
        )

    def _statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            self._expression(node.value)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._assigned(target, node.value)
            return
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._expression(item.context_expr)
                if item.optional_vars is not None:
                    self._assigned(item.optional_vars, item.context_expr)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._expression(node.iter)
            self.names.assign(node.target, node.iter)
        else:
            for expression in own_expressions(node):
                self._expression(expression)
        for name in ("body", "orelse", "finalbody"):
            self._statements(getattr(node, name, []))
        for handler in getattr(node, "handlers", []) + getattr(node, "cases", []):
            self._statements(handler.body)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        opened = self._opened(value) if isinstance(value, ast.Call) else None
        if opened and isinstance(target, ast.Name | ast.Attribute):
            self.handles[self.names.key(target)] = opened
        elif (
            isinstance(value, ast.Call) and is_mkstemp(self.names.dotted(value.func)) and isinstance(target, ast.Tuple)
        ) and len(target.elts) == 2:
            self.handles[self.names.key(target.elts[0])] = Handle(self.names.key(target.elts[1]), buffered=False)
        self.names.assign(target, value)

    def _expression(self, node: ast.expr) -> None:
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        for call in sorted(calls, key=lambda each: (each.end_lineno or 0, each.end_col_offset or 0)):
            self.order += 1
            self._call(call)

    def _call(self, call: ast.Call) -> None:
        name = self.names.dotted(call.func)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else name
        if name in known.OPENERS or method == "open":
            self._open(call, name)
        elif name in known.COPIERS:
            self._copy(call, "copy-final-name")
        elif (
            name in known.MOVERS
            or name in known.RENAMERS
            or (method in ("rename", "replace") and is_path_rename(call, name))
        ):
            self._rename(call, name)
        elif takes := known.WRITERS.get(name) or known.WRITING_METHODS.get(method):
            surely = name.startswith(known.ONLY_CHECKPOINTS) or method.startswith("save_")
            self._write(call, self._path(call, takes), "write-final-name", method == "write_text", surely)
        elif takes := known.DOWNLOADERS.get(name) or known.DOWNLOADING_METHODS.get(method):
            self._write(call, self._path(call, takes), "download-final-name")
        elif name in known.LINKERS or method in ("symlink_to", "hardlink_to"):
            target = (
                call.func.value
                if method.endswith("_to") and isinstance(call.func, ast.Attribute)
                else argument(call, 1, "dst")
            )
            self._event("link", call, target)
        elif name in known.DELETERS or method in ("unlink", "rmdir"):
            receiver = call.func.value if name not in known.DELETERS and isinstance(call.func, ast.Attribute) else None
            self._event("delete", call, receiver or argument(call, 0, "path"))
        elif name in known.SHELLS:
            self._shell(call)
        else:
            self._sync_or_flush(call, name, method)

    # -- what each call means ------------------------------------------------------------------

    def _open(self, call: ast.Call, name: str) -> None:
        opened = self._opened(call)
        if not opened or opened.directory:
            return
        path = self._open_path(call, name)
        if path is None or not opens_to_write(call, name):
            return
        self._write(call, path, "write-final-name", "b" not in mode_of(call, name))

    def _open_path(self, call: ast.Call, name: str) -> ast.expr | None:
        if name in known.OPENERS or name == "os.open":
            return argument(call, 0, "file")
        return call.func.value if isinstance(call.func, ast.Attribute) else None

    def _opened(self, call: ast.Call) -> Handle | None:
        """The handle that a call returns, if it opens something."""
        name = self.names.dotted(call.func)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else name
        if name == "os.fdopen" and call.args:
            behind = self.handles.get(self.names.key(call.args[0]))
            return Handle(behind.key) if behind else None
        if name.rpartition(".")[2] in ("NamedTemporaryFile", "TemporaryFile"):
            return Handle("", buffered=True)
        if name not in known.OPENERS and method != "open":
            return None
        path = self._open_path(call, name)
        if path is None:
            return None
        if name == "os.open":
            flags = ast.unparse(call.args[1]) if len(call.args) > 1 else ""
            return Handle(
                self.names.key(path), buffered=False, directory=not re.search("O_WRONLY|O_RDWR|O_CREAT", flags)
            )
        unbuffered = any(each.arg == "buffering" and self.names.number(each.value) == 0 for each in call.keywords)
        return Handle(self.names.key(path), buffered=not unbuffered)

    def _write(
        self, call: ast.Call, path: ast.expr | None, rule: str, text: bool = False, surely: bool = False
    ) -> None:
        if path is None:
            return
        if isinstance(path, ast.Call) and self._opened(path):  # torch.save(state, open(path, "wb"))
            self.hits.append((call.lineno, "close-not-checked", self.names.key(path)))
            return
        key = self.names.key(path)
        if key in self.handles:
            self.handles[key].dirty = True
            self._add("touch", call, self.handles[key].key)
            return
        if self._is_stream(path):
            return
        if self.downloads and not text and rule == "write-final-name":
            rule, surely = "download-final-name", True
        self._event("write", call, path, rule=rule, text=text, checkpoint=surely)

    def _is_stream(self, path: ast.expr) -> bool:
        if not isinstance(path, ast.Name):
            return isinstance(path, ast.Call) and self.names.dotted(path.func) in known.IN_MEMORY
        value = self.names.values.get(path.id)
        if isinstance(value, ast.Call):
            made_by = self.names.dotted(value.func)
            return made_by in known.IN_MEMORY or made_by.rpartition(".")[2] in known.SAFE_STREAMS
        return value is None and bool(STREAM_NAMES.match(path.id))

    def _copy(self, call: ast.Call, rule: str) -> None:
        source, target = argument(call, 0, "src"), argument(call, 1, "dst")
        if target is not None:
            checkpoint = source is not None and self.names.is_checkpoint(source)
            self._event("write", call, target, rule=rule, checkpoint=checkpoint)

    def _rename(self, call: ast.Call, name: str) -> None:
        if name in known.MOVERS or name in known.RENAMERS:
            source, target = argument(call, 0, "src"), argument(call, 1, "dst")
        else:
            source = call.func.value if isinstance(call.func, ast.Attribute) else None
            target = argument(call, 0, "target")
        if source is None or target is None:
            return
        self._add(
            "rename",
            call,
            self.names.key(source),
            about=ast.unparse(target)[:80],
            staged=self.names.is_staged(source),
            checkpoint=self._is_checkpoint(target) or self._is_checkpoint(source),
            temporary=self.names.is_temporary(source) and not self._same_place(source, target),
            target=self.names.key(target),
            rule="move" if name in known.MOVERS else "rename",
        )

    def _same_place(self, source: ast.expr, target: ast.expr) -> bool:
        """The source's name is built from the target's, or both from one directory."""
        ours = {ast.unparse(each) for each in self.names.parts(source) if isinstance(each, ast.Name | ast.Attribute)}
        theirs = {ast.unparse(each) for each in self.names.parts(target) if isinstance(each, ast.Name | ast.Attribute)}
        return bool((ours & theirs) - {"os", "os.path", "os.path.join", "Path", "str", "tempfile", "step", "name"})

    def _shell(self, call: ast.Call) -> None:
        first = call.args[0] if call.args else None
        if isinstance(first, ast.List | ast.Tuple):
            words = [shell_word(each) for each in first.elts]
            script = " ".join(words)
        elif first is not None:
            script = shell_text(first)
        else:
            return
        self.hits += [(call.lineno, rule, about) for _, rule, about in shell_hits(script, call.lineno)]

    def _sync_or_flush(self, call: ast.Call, name: str, method: str) -> None:
        short = name.rpartition(".")[2] or method
        if name in known.SYNCERS and call.args:
            self._sync(call)
        elif name == "os.sync":
            self._add("sync", call, "")
            self._add("sync-directory", call, "")
        elif short in self.helpers.directories or DIRECTORY_SYNC.search(short):
            self._add("sync-directory", call, "")
        elif short in self.helpers.files or FILE_SYNC.search(short):
            self._add("sync", call, self.names.key(call.args[0]) if call.args else "")
        elif method in ("flush", "close") and isinstance(call.func, ast.Attribute):
            if handle := self.handles.get(self.names.key(call.func.value)):
                handle.dirty = False
        elif isinstance(call.func, ast.Attribute) and method in ("write", "writelines"):
            if handle := self.handles.get(self.names.key(call.func.value)):
                handle.dirty = True
                self._add("touch", call, handle.key)
        else:  # json.dump(state, file), pickle.dump(state, file), shutil.copyfileobj(source, file)
            for argument in call.args:
                if handle := self.handles.get(self.names.key(argument)):
                    handle.dirty = True
                    self._add("touch", call, handle.key)

    def _sync(self, call: ast.Call) -> None:
        argument = call.args[0]
        through_fileno = isinstance(argument, ast.Call) and isinstance(argument.func, ast.Attribute)
        inner = (
            argument.func.value
            if isinstance(argument, ast.Call) and isinstance(argument.func, ast.Attribute)
            else argument
        )
        handle = self.handles.get(self.names.key(inner))
        if handle is None:
            self._add("sync", call, "")
            self._add("sync-directory", call, "")  # what it syncs cannot be told; the benefit of the doubt
            return
        if handle.directory:
            self._add("sync-directory", call, handle.key)
        if through_fileno and handle.buffered and handle.dirty:
            self.hits.append((call.lineno, "fsync-before-flush", self.names.key(inner)))
        self._add("sync", call, handle.key)

    # -- bookkeeping ---------------------------------------------------------------------------

    def _path(self, call: ast.Call, takes: Takes) -> ast.expr | None:
        if takes.position == RECEIVER:
            return call.func.value if isinstance(call.func, ast.Attribute) else None
        return argument(call, takes.position, takes.keyword)

    def _event(
        self,
        kind: str,
        call: ast.Call,
        path: ast.expr | None,
        rule: str = "",
        text: bool = False,
        checkpoint: bool = False,
    ) -> None:
        if path is None:
            return
        self._add(
            kind,
            call,
            self.names.key(path),
            about=ast.unparse(path)[:80],
            staged=self.names.is_staged(path),
            checkpoint=checkpoint or self._is_checkpoint(path),
            temporary=self.names.is_temporary(path),
            rule=rule,
            text=text,
        )

    def _is_checkpoint(self, path: ast.expr) -> bool:
        """By the words of the path; in a function or class that is about checkpoints, by anything but a log's
        ending.
        """
        plain = any(text.endswith(known.NO_CHECKPOINT) for text in self.names.literals(path))
        return not plain and (self.about_checkpoints or self.names.is_checkpoint(path))

    def _add(self, kind: str, call: ast.Call, key: str, **more: object) -> None:
        self.events.append(Event(kind, self.order, call.lineno, key, **more))  # type: ignore[arg-type]

    def points_at_latest(self, event: Event) -> bool:
        return bool(POINTER.search(event.about)) or bool(POINTER.search(event.target))
