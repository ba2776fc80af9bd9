"""The rooms of the package: which may import which, no circular imports, no overfull folder."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import zip_longest
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "anaphora"

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "frozen": set(),
    "gc_control": set(),
    "version": set(),
    "api": {"errors"},
    "core": {"errors", "frozen"},
    "storage": {"errors", "version"},
    "chat_model": {"errors", "storage"},
    "grammar": {"core", "errors", "frozen", "storage"},
    "models": {"core", "errors", "frozen", "gc_control", "grammar", "storage"},
    "entities": {"core", "errors", "frozen", "grammar", "models", "storage"},
    "stm": {"core", "errors", "frozen", "models", "storage"},
    "intents": {"core", "errors", "grammar", "models", "entities", "stm"},
    "ltm": {
        "chat_model",
        "core",
        "errors",
        "grammar",
        "entities",
        "models",
        "stm",
        "storage",
    },
    "engine": {
        "core",
        "errors",
        "frozen",
        "gc_control",
        "storage",
        "grammar",
        "models",
        "entities",
        "stm",
        "intents",
        "ltm",
    },
    "agents": {
        "grammar",
        "api",
        "core",
        "errors",
        "frozen",
        "storage",
        "stm",
        "ltm",
        "models",
        "engine",
        "entities",
        "intents",
        "chat_model",
    },
    "suggestions": {"core", "errors", "grammar", "models", "entities", "stm", "intents"},
    "bots": {"core", "errors", "models", "entities", "intents", "engine", "storage"},
    "server": {
        "agents",
        "api",
        "core",
        "errors",
        "version",
        "grammar",
        "models",
        "entities",
        "stm",
        "ltm",
        "intents",
        "engine",
    },
    "client": {"api", "errors", "version"},
    "mcp": {
        "agents",
        "ltm",
        "api",
        "core",
        "errors",
        "version",
        "grammar",
        "models",
        "entities",
        "stm",
        "intents",
        "engine",
    },
    "wyoming": {"core", "errors", "version", "models", "stm", "engine"},
    "cli": {
        "agents",
        "core",
        "errors",
        "version",
        "grammar",
        "models",
        "entities",
        "stm",
        "ltm",
        "intents",
        "engine",
        "suggestions",
        "server",
        "mcp",
        "wyoming",
        "storage",
    },
}
MAX_ENTRIES = 14


def _modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in PACKAGE.rglob("*.py")
    }


def _imports(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a file imports, anywhere in it: also within functions and
    under ``TYPE_CHECKING``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in modules else node.module


def test_the_picture_of_the_rooms_shows_all_but_the_lowest():
    picture = PACKAGE.parent / "docs" / "figures" / "rooms.svg"
    shown = re.findall(r"fill='#12312e'>(\w+)</text>", picture.read_text(encoding="utf-8"))
    lowest = {"errors", "frozen", "gc_control", "version", "storage"}
    assert set(shown) == MAY_IMPORT.keys() - lowest


def test_every_room_is_on_the_map():
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__main__", "__pycache__", "py"} == set(MAY_IMPORT)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_lies_below_it(room):
    modules = _modules()
    inside = [name for name in modules if name.split(".")[1:2] == [room]]
    assert inside
    for name in inside:
        for imported in _imports(modules[name], modules):
            other = imported.split(".")[1] if "." in imported else ""
            assert other == room or other in MAY_IMPORT[room], f"{name} imports {imported}"


def test_no_imports_run_in_a_circle():
    modules = _modules()
    graph = {name: set(_imports(path, modules)) - {name} for name, path in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' → '.join(error.args[1])}")


def test_the_modules_and_folders_of_a_folder_import_each_other_one_way():
    modules = _modules()
    siblings: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, path in modules.items():
        for imported in _imports(path, modules):
            here, there = name.split("."), imported.split(".")
            shared = next(i for i, pair in enumerate(zip_longest(here, there)) if len({*pair}) > 1)
            if shared < min(len(here), len(there)):
                siblings[tuple(here[:shared])][here[shared]].add(there[shared])
    for folder, graph in siblings.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            pytest.fail(f"a circle in {'.'.join(folder)}: {' → '.join(error.args[1])}")


def test_matching_knows_of_the_memory_its_values_and_rules_and_no_store():
    modules = _modules()
    for name, path in modules.items():
        if name.startswith("anaphora.intents"):
            assert not [one for one in _imports(path, modules) if ".stm.stores" in one], name


def test_the_engine_knows_of_the_long_term_memory_only_what_an_exchange_is():
    for path in sorted((PACKAGE / "engine").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anaphora.ltm"):
                assert node.module == "anaphora.ltm.exchange", path


def test_no_folder_shows_more_entries_than_a_reader_takes_in():
    for folder in (PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())):
        code = [
            path.name
            for path in folder.iterdir()
            if path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
        ]
        entries = {name for name in code if not name.startswith("_")}
        assert folder == PACKAGE or len(entries) <= MAX_ENTRIES, f"{folder}: {sorted(entries)}"
