"""An agent file as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from anaphora.agents.context.blocks import Block
from anaphora.agents.execution.limits import AgentLimits, TextKind
from anaphora.agents.memories.declarations import Declarations

__all__ = ["AgentFile", "FilePack", "FunctionPack", "HttpPack", "ModelDeclaration"]


@dataclass(frozen=True, slots=True)
class ModelDeclaration:
    """The endpoint of an agent; ``api_key_env`` names the environment variable with its key."""

    url: str = ""
    name: str = ""
    window: int = 8192
    max_tokens: int | None = None
    calls: Literal["auto", "tools", "json", "text"] = "auto"
    timeout: float = 60.0
    api_key_env: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FilePack:
    """Functions for the files below a folder."""

    root: Path
    writable: bool = False


@dataclass(frozen=True, slots=True)
class HttpPack:
    """Functions for requests to hosts."""

    hosts: tuple[str, ...]


FunctionPack = FilePack | HttpPack


@dataclass(frozen=True, slots=True)
class AgentFile:
    """What an agent file declares. ``memories`` is None if the agent manages core, recall and
    archival memory itself. ``functions`` are names like ``module#function``; ``documents`` are
    paths of files and folders."""

    path: Path
    id: str
    name: str = ""
    description: str = ""
    language: str = ""
    model: ModelDeclaration = field(default_factory=ModelDeclaration)
    persona: str = ""
    human: str = ""
    blocks: tuple[Block, ...] = ()
    instructions: str | None = None
    prompt: str = ""
    memories: Declarations | None = None
    functions: tuple[str, ...] = ()
    packs: tuple[FunctionPack, ...] = ()
    engines: tuple[str, ...] = ()
    documents: tuple[Path, ...] = ()
    limits: AgentLimits = field(default_factory=AgentLimits)
    texts: Mapping[TextKind, str] = field(default_factory=dict)
