"""What the SQLite files of this package hold, by SQLite's application_id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["AGENTS", "CONTENT_NAMES", "CONVERSATIONS", "KNOWLEDGE_GRAPH", "LONG_TERM_MEMORY"]

CONVERSATIONS = 0x416E6170  # "Anap"
LONG_TERM_MEMORY = 0x416E614C  # "AnaL"
AGENTS = 0x416E4167  # "AnAg"
KNOWLEDGE_GRAPH = 0x416E6147  # "AnaG"

CONTENT_NAMES: Mapping[int, str] = MappingProxyType(
    {
        CONVERSATIONS: "conversations",
        LONG_TERM_MEMORY: "a long-term memory",
        AGENTS: "agents",
        KNOWLEDGE_GRAPH: "a knowledge graph",
    }
)
"""The content of a file, for messages."""
