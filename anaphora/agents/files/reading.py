"""Reads agent files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from anaphora.agents.context.blocks import Block
from anaphora.agents.execution.limits import AgentLimits
from anaphora.agents.files.agent_file import AgentFile, FilePack, HttpPack, ModelDeclaration
from anaphora.agents.files.bundled import bundled_agents, bundled_path
from anaphora.agents.files.checking import check_structure, key_offset, value_offset
from anaphora.agents.files.references import AgentReferences, find_references
from anaphora.agents.files.schema import (
    AgentSchema,
    BlockSchema,
    ConversationSchema,
    CoreSchema,
    GenerativeSchema,
    LimitsSchema,
    MemorySchema,
    ModelSettings,
    PackSchema,
    SemanticSchema,
    StateSchemaFile,
)
from anaphora.agents.memories.declarations import (
    ConversationMemory,
    Declarations,
    GenerativeMemory,
    MachineState,
    Memory,
    PartMemory,
    Reflection,
    SemanticMemory,
    StateMemory,
    Weights,
)
from anaphora.agents.memories.state_schema import StateField, StateSchema
from anaphora.core.name_hints import did_you_mean
from anaphora.errors import AgentError, ModelError, Problem
from anaphora.models.reading.files import FileFormat, file_format, read_text
from anaphora.models.reading.json_reader import read_json
from anaphora.models.reading.nodes import MappingNode, to_data
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml
from anaphora.models.schema.field_types import describe_value

__all__ = ["find_agent_file", "load_agent_file", "parse_agent_file", "resolve_agent_file"]

_RESERVED_BLOCKS = ("persona", "human")


def load_agent_file(source: str | Path) -> AgentFile:
    """Read an agent file, or the bundled agent with that name; nothing is opened.

    Raises :class:`~anaphora.errors.ModelError` with all errors of the file, or with the reason why
    it cannot be read.
    """
    path = find_agent_file(source)
    return parse_agent_file(read_text(path), path, format=file_format(path))


def resolve_agent_file(source: str | Path) -> tuple[AgentFile, AgentReferences]:
    """Read an agent file as :func:`load_agent_file` does, and find what it names: modules are
    imported, models loaded. The caller closes the references.

    Raises :class:`~anaphora.errors.ModelError` with all errors, those of names included.
    """
    path = find_agent_file(source)
    file, root, diagnostics = _read(read_text(path), path, file_format(path))
    references = find_references(file, root, path.parent, diagnostics)
    try:
        diagnostics.raise_if_any()
        return _build(file, root, path, diagnostics), references
    except BaseException:
        references.close()
        raise


def parse_agent_file(text: str, path: Path, *, format: FileFormat = "yaml") -> AgentFile:
    """Read the text of the agent file at ``path``, from which its paths are relative. Raises as
    :func:`load_agent_file`."""
    file, root, diagnostics = _read(text, path, format)
    diagnostics.raise_if_any()
    return _build(file, root, path, diagnostics)


def _read(
    text: str, path: Path, format: FileFormat
) -> tuple[AgentSchema, MappingNode, FileDiagnostics]:
    """Read a file whose structure is right; the diagnostics have the names that are not."""
    diagnostics = FileDiagnostics(SourceText(str(path), text))
    root = read_json(diagnostics) if format == "json" else read_yaml(diagnostics)
    if root is None:
        diagnostics.abort(0, "the file is empty", "an agent file begins with 'agent: some-name'")
    if not isinstance(root, MappingNode):
        found = describe_value(to_data(root))
        diagnostics.abort(
            root.start, f"an agent file is a mapping with keys such as agent, not {found}"
        )
    file = check_structure(root, diagnostics)
    _check_names(file, root, diagnostics)
    return file, root, diagnostics


def find_agent_file(source: str | Path) -> Path:
    """Return the path of an agent file, from a path or the name of a bundled agent.

    Raises :class:`~anaphora.errors.ModelError` if there is no such file.
    """
    path, name = Path(source), str(source)
    try:
        if path.is_file():
            return path
    except (OSError, ValueError) as error:
        raise ModelError(Problem(f"'{name[:200]}' cannot be read: {error}")) from error
    bundled = bundled_agents()
    if name in bundled:
        return bundled_path(name)
    raise ModelError(
        Problem(
            f"there is neither a file nor a bundled agent '{name}'; the bundled agents are "
            f"{', '.join(bundled)}",
            hint=did_you_mean(name, bundled),
        )
    )


def _check_names(file: AgentSchema, root: MappingNode, diagnostics: FileDiagnostics) -> None:
    """Check that names refer to something, and that parts fit each other."""
    memories = list(file.memories)
    state_memories = [n for n, one in file.memories.items() if isinstance(one, StateSchemaFile)]

    def check(path: tuple[str | int, ...], name: str, known: Iterable[str], what: str) -> None:
        if name not in (listed := list(known)):
            hint = did_you_mean(name, listed, label="there is")
            diagnostics.add_error(value_offset(root, path), f"there is no {what} '{name}'", hint)

    for name, memory in file.memories.items():
        _check_word(("memories", name), name, root, diagnostics)
        if isinstance(memory, StateSchemaFile) and memory.after:
            others = [one for one in state_memories if one != name]
            check(("memories", name, "after"), memory.after, others, "other memory of type state")
    if file.states and not file.memories:
        diagnostics.add_error(key_offset(root, ("states",)), "states need memories")
    for name, state in file.states.items():
        if state.until:
            path = ("states", name, "until")
            check(path, state.until, state_memories, "memory of type state")
        if state.next:
            check(("states", name, "next"), state.next, file.states, "state")
        for at, used in enumerate(state.uses or ()):
            check(("states", name, "uses", at), used, memories, "memory")
    if memories and not any(isinstance(one, CoreSchema) for one in file.memories.values()):
        for key in ("human", "blocks"):
            if key in root.items:
                diagnostics.add_error(
                    key_offset(root, (key,)),
                    f"the model does not see '{key}' without core memory",
                    "add 'core: {type: core}' to the memories",
                )
    for label in file.blocks:
        if label in _RESERVED_BLOCKS:
            at = key_offset(root, ("blocks", label))
            diagnostics.add_error(at, f"the block '{label}' is the key '{label}' of the agent")
        _check_word(("blocks", label), label, root, diagnostics)
    if (file.model.max_tokens or 0) > file.model.window // 2:
        at = value_offset(root, ("model", "max_tokens"))
        diagnostics.add_error(at, "an answer (max_tokens) may take at most half of the window")


def _check_word(
    path: tuple[str, ...], name: str, root: MappingNode, diagnostics: FileDiagnostics
) -> None:
    if not (name.isidentifier() and name.isascii()):
        hint = "use letters of English, digits and '_'"
        diagnostics.add_error(key_offset(root, path), f"'{name}' cannot be a name here", hint)


def _build(
    file: AgentSchema, root: MappingNode, path: Path, diagnostics: FileDiagnostics
) -> AgentFile:
    folder = path.parent
    names = [one for one in file.functions if isinstance(one, str)]
    packs = [one for one in file.functions if isinstance(one, PackSchema)]

    def fail(section: tuple[str, ...], error: AgentError) -> NoReturn:
        diagnostics.abort(key_offset(root, section), str(error))

    blocks: list[Block] = []
    for label, one in {
        "persona": BlockSchema(value=file.persona),
        "human": BlockSchema(value=file.human),
        **file.blocks,
    }.items():
        try:
            blocks.append(Block(label, one.value, one.description, one.limit, one.read_only))
        except AgentError as error:
            fail((label,) if label in _RESERVED_BLOCKS else ("blocks", label), error)
    memories: Declarations | None = None
    if file.memories:
        try:
            memories = Declarations(
                tuple([_build_memory(name, one) for name, one in file.memories.items()]),
                tuple(
                    [
                        MachineState(
                            name,
                            one.prompt,
                            one.until or "",
                            one.next or "",
                            None if one.uses is None else tuple(one.uses),
                            None if one.tools is None else tuple(one.tools),
                        )
                        for name, one in file.states.items()
                    ]
                ),
            )
        except AgentError as error:
            fail(("states",), error)
    return AgentFile(
        path=path,
        id=file.agent,
        name=file.name or file.agent,
        description=file.description,
        language=file.language or "",
        model=_build_model(file.model),
        persona=file.persona,
        human=file.human,
        blocks=tuple(blocks[2:]),
        instructions=file.instructions,
        prompt=file.prompt,
        memories=memories,
        functions=tuple(names),
        packs=tuple([pack for one in packs for pack in _build_packs(one, folder)]),
        engines=tuple(file.engines),
        documents=tuple([folder / one for one in file.documents]),
        limits=_build_limits(file.limits),
        texts=dict(file.texts),
    )


def _build_model(file: ModelSettings) -> ModelDeclaration:
    return ModelDeclaration(
        file.url,
        file.name,
        file.window,
        file.max_tokens,
        file.calls,
        60.0 if file.timeout is None else file.timeout.total_seconds(),
        file.api_key_env or "",
        file.options,
    )


def _build_packs(file: PackSchema, folder: Path) -> Iterable[FilePack | HttpPack]:
    if file.files is not None:
        yield FilePack(folder / file.files.root, file.files.writable)
    if file.http is not None:
        yield HttpPack(tuple(file.http.hosts))


def _build_limits(file: LimitsSchema) -> AgentLimits:
    return AgentLimits(**file.model_dump())


def _build_memory(name: str, file: MemorySchema) -> Memory:
    match file:
        case ConversationSchema():
            return ConversationMemory(name, file.last)
        case SemanticSchema():
            return SemanticMemory(name, file.k)
        case GenerativeSchema():
            return GenerativeMemory(
                name,
                file.k,
                Weights(file.weights.recency, file.weights.relevance, file.weights.importance),
                Reflection(file.reflect.after_importance, file.reflect.every),
            )
        case StateSchemaFile():
            return _build_state_memory(name, file)
        case _:
            return PartMemory(name, file.type)


def _build_state_memory(name: str, file: StateSchemaFile) -> StateMemory:
    fields = {} if isinstance(file.value, str) else file.value
    schema = StateSchema(
        {
            key: StateField(one)
            if isinstance(one, str)
            else StateField(one.type, one.description, tuple(one.choices), one.required)
            for key, one in fields.items()
        },
        file.limit,
    )
    whole = file.when == "complete"
    return StateMemory(name, schema, file.update, whole, file.after or "", file.prompt)
