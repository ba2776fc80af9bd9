"""Finds what an agent file names outside of itself: functions, models, folders and documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from anaphora.agents.files.checking import value_offset
from anaphora.agents.files.schema import AgentSchema, PackSchema, StateSchemaFile
from anaphora.agents.functions.function import AgentFunction
from anaphora.agents.functions.intents import intent_functions
from anaphora.agents.functions.outside import file_functions, http_functions
from anaphora.agents.memories.declarations import PART_FUNCTIONS
from anaphora.core.name_hints import did_you_mean
from anaphora.engine.engine import Engine
from anaphora.errors import AgentError, GrammarError, ModelError
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.models import catalog
from anaphora.models.loader import load_model
from anaphora.models.reading.nodes import MappingNode
from anaphora.models.reading.source import FileDiagnostics

__all__ = ["AgentReferences", "find_references"]


@dataclass(frozen=True, slots=True)
class AgentReferences:
    """The functions that an agent file names, and the engines that answer some of them."""

    functions: tuple[AgentFunction, ...] = ()
    engines: tuple[Engine, ...] = ()

    def close(self) -> None:
        """Close the engines."""
        for engine in self.engines:
            engine.close()


def find_references(
    file: AgentSchema, root: MappingNode, folder: Path, diagnostics: FileDiagnostics
) -> AgentReferences:
    """Find what a file in a ``folder`` names. What does not exist, or cannot be used, is added to
    the diagnostics."""
    finder = _ReferenceFinder(root, folder, diagnostics)
    loader = FunctionLoader(folder=folder)
    for at, one in enumerate(file.functions):
        if isinstance(one, PackSchema):
            finder.add_pack(("functions", at), one)
        else:
            finder.add_function(("functions", at), one, loader)
    for at, name in enumerate(file.engines):
        finder.add_engine(("engines", at), name)
    for at, name in enumerate(file.documents):
        finder.check_document(("documents", at), name)
    if not finder.has_gaps:
        for state, declared in file.states.items():
            for at, name in enumerate(declared.tools or ()):
                finder.check_tool(("states", state, "tools", at), name, _memory_tools(file))
    return AgentReferences(tuple(finder.functions.values()), tuple(finder.engines))


def _memory_tools(file: AgentSchema) -> list[str]:
    """Return the names of the memories and of their functions."""
    tools = list(file.memories)
    for name, memory in file.memories.items():
        if isinstance(memory, StateSchemaFile):
            can_write = memory.update != "every_turn"
            tools += [f"write_{name}", f"correct_{name}"] if can_write else []
        else:
            tools += PART_FUNCTIONS.get(memory.type, ())
    return tools


@dataclass(slots=True)
class _ReferenceFinder:
    """The functions and engines found so far. ``has_gaps``: some functions are unknown."""

    root: MappingNode
    folder: Path
    diagnostics: FileDiagnostics
    functions: dict[str, AgentFunction] = field(default_factory=dict)
    engines: list[Engine] = field(default_factory=list)
    has_gaps: bool = False

    def add_function(self, path: tuple[str | int, ...], name: str, loader: FunctionLoader) -> None:
        module, sign, function = name.partition("#")
        if not (sign and module and function):
            self._fail(path, f"the function '{name}' is written as module#function")
            return
        try:
            self._add(path, [AgentFunction.from_callable(loader.find(module, function))])
        except GrammarError as error:
            meant = ""
            if f"no Python module '{module}'" in error.message:
                meant = did_you_mean(module, [one.stem for one in self.folder.glob("*.py")])
            self._fail(path, error.message, meant or error.hint)
        except AgentError as error:
            self._fail(path, str(error))

    def add_pack(self, path: tuple[str | int, ...], pack: PackSchema) -> None:
        if pack.files is not None:
            root = pack.files.root
            try:
                found = file_functions(self.folder / root, writable=pack.files.writable)
                self._add((*path, "files"), found)
            except AgentError as error:
                self._fail((*path, "files", "root"), str(error), self._similar_path(root))
        if pack.http is not None:
            try:
                self._add((*path, "http"), http_functions(pack.http.hosts))
            except AgentError as error:
                self._fail((*path, "http", "hosts"), str(error))

    def add_engine(self, path: tuple[str | int, ...], name: str) -> None:
        """Open the engine of a model: a path from the file, or the name of a bundled one."""
        file, bundled = self.folder / name, catalog.model_names()
        if not file.is_file() and name not in bundled:
            hint = did_you_mean(name, bundled) or self._similar_path(name)
            listed = f"the bundled models are {', '.join(bundled)}"
            message = f"there is neither a file nor a bundled model '{name}'"
            self._fail(path, message, hint or listed)
            return
        try:
            engine = Engine(load_model(file if file.is_file() else name))
        except ModelError as error:
            self.has_gaps = True
            at = value_offset(self.root, path)
            self.diagnostics.add_imported("error", at, error.problems)
            return
        self.engines.append(engine)
        self._add(path, intent_functions(engine))

    def check_document(self, path: tuple[str | int, ...], name: str) -> None:
        if not (self.folder / name).exists():
            at = value_offset(self.root, path)
            message = f"there is no file or folder '{name}'"
            self.diagnostics.add_error(at, message, self._similar_path(name))

    def check_tool(self, path: tuple[str | int, ...], name: str, of_memories: list[str]) -> None:
        known = [*of_memories, *self.functions]
        if name not in known:
            at = value_offset(self.root, path)
            message = f"there is neither a function nor a memory '{name}'"
            self.diagnostics.add_error(at, message, did_you_mean(name, known, label="there are"))

    def _add(self, path: tuple[str | int, ...], functions: Iterable[AgentFunction]) -> None:
        for one in functions:
            if one.name in self.functions:
                self._fail(path, f"two functions have the name '{one.name}': rename one")
            self.functions[one.name] = one

    def _fail(self, path: tuple[str | int, ...], message: str, hint: str = "") -> None:
        self.has_gaps = True
        self.diagnostics.add_error(value_offset(self.root, path), message, hint)

    def _similar_path(self, name: str) -> str:
        """Return a hint that names the most similar path beside a missing one."""
        folder = (self.folder / name).parent
        if not folder.is_dir():
            return ""
        return did_you_mean(name, [str(Path(name).with_name(one.name)) for one in folder.iterdir()])
