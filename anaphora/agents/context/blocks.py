"""Core memory: named blocks of text that are always in the prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anaphora.errors import AgentError
from anaphora.ltm.prompt.escaping import escape

__all__ = ["DEFAULT_LIMIT", "Block", "BlockError", "CoreMemory", "render_blocks"]

DEFAULT_LIMIT = 2_000  # characters
_ADVICE = ": shorten it with core_memory_replace first, or use archival_memory_insert"


class BlockError(AgentError):
    """An edit of the core memory that is refused; the message is meant for the model."""


@dataclass(frozen=True, slots=True)
class Block:
    """A declared block: its ``label``, initial ``value``, what it is for, and its ``limit`` in
    characters. The functions of the agent cannot edit one that is ``read_only``.

    Raises :class:`AgentError` if the value is longer than the limit.
    """

    label: str
    value: str = ""
    description: str = ""
    limit: int = DEFAULT_LIMIT
    read_only: bool = False

    def __post_init__(self) -> None:
        if len(self.value) > self.limit:
            raise AgentError(
                f"the core block '{self.label}' has {len(self.value):,} characters, more than its "
                f"limit of {self.limit:,}: shorten it, or raise the limit"
            )


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """The blocks of an agent with one user: as ``declared``, with the values that were
    ``changed``."""

    declared: tuple[Block, ...]
    changed: Mapping[str, str]

    def __iter__(self) -> Iterator[tuple[Block, str]]:
        return iter(
            [(block, self.changed.get(block.label, block.value)) for block in self.declared]
        )

    def value(self, label: str) -> str:
        """Return the value of a block. Raises :class:`BlockError` for an unknown label."""
        block = self._find(label)
        return self.changed.get(label, block.value)

    def append(self, label: str, content: str) -> str:
        """Return the value of a block with a further line."""
        block, old = self._editable(label)
        return _check_size(block, old, f"{old}\n{content}" if old else content, _ADVICE)

    def replace(self, label: str, old_content: str, new_content: str) -> str:
        """Return the value of a block with every occurrence of ``old_content`` replaced."""
        block, old = self._editable(label)
        if not old_content:
            raise BlockError("old_content is empty: give the exact text to replace")
        if old_content not in old:
            raise BlockError(
                f"'{label}' does not contain this old_content: give the exact text, as it stands "
                "in the block"
            )
        return _check_size(block, old, old.replace(old_content, new_content), _ADVICE)

    def set(self, label: str, value: str) -> str:
        """Return ``value`` if a user may write it to the block."""
        return _check_size(self._find(label), self.value(label), value)

    def _editable(self, label: str) -> tuple[Block, str]:
        block = self._find(label)
        if block.read_only:
            raise BlockError(f"'{label}' is read-only")
        return block, self.changed.get(label, block.value)

    def _find(self, label: str) -> Block:
        for block in self.declared:
            if block.label == label:
                return block
        raise BlockError(
            f"there is no block '{label}'; the blocks are "
            f"{', '.join([block.label for block in self.declared]) or 'none'}"
        )


def render_blocks(core: CoreMemory) -> str:
    """Render the blocks for the system message, each between tags with its size and limit."""
    return "\n".join(
        [
            f'<{block.label} characters="{len(value)}/{block.limit}"{_attributes(block)}>\n'
            f"{escape(value)}\n</{block.label}>"
            for block, value in core
        ]
    )


def _attributes(block: Block) -> str:
    described = f' description="{escape(block.description)}"' if block.description else ""
    return f'{described} read-only="yes"' if block.read_only else described


def _check_size(block: Block, old: str, new: str, advice: str = "") -> str:
    # A value that is too long already (the limit was lowered) may still become shorter.
    if len(new) > max(block.limit, len(old) - 1 if len(old) > block.limit else 0):
        raise BlockError(
            f"'{block.label}' would have {len(new):,} characters, more than its limit of "
            f"{block.limit:,}{advice}"
        )
    return new
