"""Imports only look down: a room knows the floors below it and its own, never one above."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from diagnostics.symptoms import all_symptoms

PACKAGE = Path(__file__).parents[1] / "diagnostics"

FLOORS = {
    **dict.fromkeys(
        (
            "evidence",
            "errors",
            "noisy_or",
            "printable",
            "procfs",
            "kernel_waits",
            "places",
            "rates",
            "garbage",
            "head_and_tail",
            "setting_names",
            "sizes",
        ),
        0,
    ),
    **dict.fromkeys(
        (
            "durations",
            "hangproof",
            "mounttable",
            "question",
            "masking",
            "durable",
            "stuck",
            "localpath",
            "step_line",
            "system_calls",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "text",
            "haystack",
            "large_text",
            "footprint",
            "ripgrep",
            "envelope",
            "filesystems",
            "archives",
            "supervision",
        ),
        1,
    ),
    **dict.fromkeys(("parsers", "probes", "collectors", "checkpoints"), 2),
    **dict.fromkeys(
        (
            "facts",
            "incident",
            "reading",
            "side_readers",
            "prompts",
            "clocks",
            "timeline",
            "links",
            "runs",
            "volumes",
            "machines",
            "checksum_listings",
            "collectives",
            "collect",
        ),
        3,
    ),
    **dict.fromkeys(("symptoms", "observation"), 4),
    **dict.fromkeys(("causes", "precedents"), 5),
    **dict.fromkeys(("network", "hypothesis", "time_order", "finding", "diagnosis"), 6),
    **dict.fromkeys(("next_probe", "chain", "advice", "explanation", "report", "display", "loop"), 6),
    **dict.fromkeys(("postmortem", "plots"), 7),
    **dict.fromkeys(("watch", "panels", "commands", "cli", "__main__", "__init__"), 8),
}
# a watch makes a diagnosis while the run is still alive, so it stands above the floor that its name suggests


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs: inside functions too, and not what stands there for a type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from statements(node)


def imports_of(path: Path) -> set[str]:
    """The rooms that a file imports."""
    return imports_of_text(path.read_text(), path)


def imports_of_text(text: str, path: Path) -> set[str]:
    """The rooms that the text of a file imports: at its top, inside functions, or by a name in a string ("diagnostics.incident")."""
    found = set()
    parts = path.relative_to(PACKAGE).parts
    for node in statements(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                up = list(parts[: len(parts) - node.level])
                target = [*up, *(node.module or "").split(".")] if node.module else up
                names = [target[0]] if target and target[0] else [alias.name for alias in node.names]
                found |= set(names)
            elif node.module and node.module.split(".")[0] == "diagnostics":
                rest = node.module.split(".")[1:]
                found |= {rest[0]} if rest else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("diagnostics.")}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= set(re.findall(r"^diagnostics\.(\w+)[\w.]*$", node.value))
    return found & set(FLOORS)


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")}
    assert rooms <= set(FLOORS), f"give these a floor: {sorted(rooms - set(FLOORS))}"


def test_imports_only_look_down() -> None:
    upward = [
        f"{path.relative_to(PACKAGE)} (floor {FLOORS[room_of(path)]}) imports {name} (floor {FLOORS[name]})"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in sorted(imports_of(path) - {room_of(path)})
        if FLOORS[name] > FLOORS[room_of(path)]
    ]
    assert not upward, "\n".join(upward)


def test_symptoms_know_kinds_and_no_tool() -> None:
    files = sorted((PACKAGE / "symptoms").glob("*.py"))
    assert not [path.name for path in files if "parsers" in imports_of(path)]
    asking = [path.name for path in files for node in ast.walk(ast.parse(path.read_text()))
              if isinstance(node, ast.Attribute) and node.attr == "parser"]  # fmt: skip
    assert not asking, "ask for a medium, not for the parser that read it"


RULES = set((PACKAGE / "symptoms").glob("[!_]*.py"))


def test_a_rule_imports_no_other_rule() -> None:
    shared = set((PACKAGE / "symptoms").glob("*.py")) - RULES
    assert not {(path.name, other.name) for path in RULES | shared for other in files_imported(path) if other in RULES}


def asked_of(path: Path) -> Iterator[str]:
    """The symptoms whose findings a rule asks for."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "findings_of":
            for name in node.args[1:]:
                if isinstance(name, ast.Starred):
                    assert isinstance(name.value, ast.Name)
                    yield from getattr(importlib.import_module(f"diagnostics.symptoms.{path.stem}"), name.value.id)
                else:
                    yield ast.literal_eval(name)


def test_rules_ask_for_symptoms_that_exist_and_not_in_a_circle() -> None:
    asked = {path.stem.replace("_", "-"): set(asked_of(path)) for path in RULES}
    assert any(asked.values())
    assert set().union(*asked.values()) <= set(all_symptoms())
    TopologicalSorter(asked).prepare()


def test_nobody_above_knows_a_parser_by_its_name() -> None:
    above = [path for path in PACKAGE.rglob("*.py") if FLOORS[room_of(path)] > FLOORS["parsers"]]
    named = [path.name for path in above if re.search(r"^\s*from [.\w]*\bparsers\.\w", path.read_text(), re.M)]
    assert not named


def test_the_rooms_of_a_floor_have_an_order_too() -> None:
    rooms: dict[str, set[str]] = {room: set() for room in FLOORS}
    for path in PACKAGE.rglob("*.py"):
        rooms[room_of(path)] |= imports_of(path) - {room_of(path)}
    TopologicalSorter(rooms).prepare()  # raises CycleError with the circle


def files_imported(path: Path) -> Iterator[Path]:
    """The files of this package that a file imports from: at its top, inside functions, or for a type checker alone."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            origin = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                places = ((origin / alias.name).with_suffix(".py"), origin / alias.name / "__init__.py",
                          origin.with_suffix(".py"), origin / "__init__.py")  # fmt: skip
                yield from [place for place in places if place.exists()][:1]


def test_the_files_of_a_room_have_an_order_too() -> None:
    files = {path: set(files_imported(path)) - {path} for path in PACKAGE.rglob("*.py")}
    TopologicalSorter(files).prepare()


def test_an_import_is_seen_wherever_it_stands() -> None:
    lines = (
        "from ..chain import events",
        "def f(): from ..display import Grid",
        'import_module(f"diagnostics.commands.{name}")',
        "if TYPE_CHECKING: from ..cli import main",
    )
    path = PACKAGE / "plots" / "no_such_file.py"
    seen = {name for line in lines for name in imports_of_text(line, path)}
    assert seen == {"chain", "display", "commands"}
