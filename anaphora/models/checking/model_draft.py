"""A validated model file with source positions and collected diagnostics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import GrammarError, Problem
from anaphora.grammar.diagnostics import Level
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.models.checking.validation import is_placeholder
from anaphora.models.hassil.summary import HomeSentences
from anaphora.models.nlpcraft.legacy_dialect import LegacyIntents
from anaphora.models.reading.nodes import MappingNode, NodePath, ScalarNode, node_at
from anaphora.models.reading.scalar_positions import offset_of_character, offset_of_position
from anaphora.models.reading.source import FileDiagnostics
from anaphora.models.reading.yaml_comments import COMMENT_HINT
from anaphora.models.schema.model_file import ModelSchema

__all__ = ["ModelDraft"]


@dataclass(frozen=True, slots=True)
class ModelDraft:
    """A validated file with its tree; a path leads to a value in both.

    ``declared_ids`` are the ids of all elements in the file, valid or not. ``code`` finds the
    functions that the file names. ``legacy_intents`` rewrites the intents of a file that was
    translated from NLPCraft's format, which may be incomplete; None for one of Anaphora.
    ``sentences`` are those of the files that it names.
    """

    file: ModelSchema
    root: MappingNode
    diagnostics: FileDiagnostics
    declared_ids: frozenset[str] = frozenset()
    code: FunctionLoader = field(default_factory=FunctionLoader)
    legacy_intents: LegacyIntents | None = None
    sentences: HomeSentences | None = None

    @property
    def imported(self) -> bool:
        """Whether the file was translated from NLPCraft's format."""
        return self.legacy_intents is not None

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the model without their regions, the default first."""
        return tuple(self.locales)

    @property
    def locales(self) -> dict[str, str]:
        """The tag of each language as it is written, with a region if it has one."""
        written = self.file.language
        tags = [written] if isinstance(written, str) else written or ["en"]
        first = {tag.partition("-")[0]: tag for tag in reversed(tags)}
        return {code: first[code] for code in (tag.partition("-")[0] for tag in tags)}

    @property
    def element_ids(self) -> frozenset[str]:
        """The ids of all elements, including those with errors."""
        read = (element.id for element in self.file.elements)
        declared = self.declared_ids.union(id for id in read if not is_placeholder(id))
        return declared.union(self.file.entities)

    def add(
        self,
        level: Level,
        path: NodePath,
        message: str,
        hint: str = "",
        *,
        index: int | None = None,
    ) -> None:
        """Report an error in the value at ``path``, or a warning about it; with ``index``, at that
        character of the text."""
        self.diagnostics.add(level, self.offset_of(path, index), message, hint)

    def add_error(
        self, path: NodePath, message: str, hint: str = "", *, index: int | None = None
    ) -> None:
        """Report an error like :meth:`add`."""
        self.add("error", path, message, hint, index=index)

    def add_key_error(self, path: NodePath, message: str, hint: str = "") -> None:
        """Report an error in the last key of ``path``."""
        self.diagnostics.add_error(self.offset_of_key(path), message, hint)

    def add_nested(self, level: Level, path: NodePath, problems: Iterable[Problem]) -> None:
        """Report errors or warnings whose positions are relative to the text at ``path``, or to the
        text that they name."""
        for problem in problems:
            if problem.source:
                self.diagnostics.add_imported(level, self.offset_of(path), (problem,))
                continue
            hint = (self._comment_hint(path) if level == "error" else "") or problem.hint
            self.diagnostics.add(level, self._problem_offset(path, problem), problem.message, hint)

    def add_function_error(self, path: NodePath, module: str, error: GrammarError) -> None:
        """Report that a function at ``path`` cannot be found. If the module under ``code`` is to
        blame, the error is reported there, once."""
        if not module and self.file.code:
            try:
                self.code.import_default_module()
            except GrammarError:
                if self.is_removed("code"):
                    return
                self.root.removed_keys |= {"code"}
                path = ("code",)
        self.add_error(path, error.message, error.hint)

    def add_unknown_name(
        self, path: NodePath, what: str, name: str, known: Iterable[str], *, in_key: bool = False
    ) -> None:
        """Report an unknown name, with a suggestion."""
        add = self.add_key_error if in_key else self.add_error
        add(path, f"unknown {what} '{name}'", did_you_mean(name, known, label="there is"))

    def check_language(self, path: NodePath, language: str) -> None:
        """Report the last key of ``path`` unless it is a language of the model."""
        if language in self.languages or self.is_removed("language"):
            return
        self.add_key_error(
            path,
            f"the model has no language '{language}'",
            f"it has {', '.join(self.languages)}; add others to 'language'",
        )

    def is_removed(self, *path: str | int) -> bool:
        """Whether something at ``path`` was removed because of a reported error."""
        parent = node_at(self.root, path[:-1])
        return isinstance(parent, MappingNode) and path[-1] in parent.removed_keys

    def offset_of(self, path: NodePath, index: int | None = None) -> int:
        """The offset in the file of the value at ``path``; with ``index``, that of this character
        of the text."""
        node = node_at(self.root, path)
        if index is None or not isinstance(node, ScalarNode):
            return node.start
        return offset_of_character(node, self.diagnostics.source.text, index)

    def offset_of_key(self, path: NodePath) -> int:
        """The offset of the last key of ``path``, or of the mapping that lacks it."""
        parent = node_at(self.root, path[:-1])
        offsets = parent.key_offsets if isinstance(parent, MappingNode) else {}
        return offsets.get(str(path[-1]), parent.start)

    def line_of(self, path: NodePath, index: int | None = None) -> int:
        """The line of the file on which the value at ``path`` begins; with ``index``, that of this
        character of the text."""
        return self.diagnostics.source.line_of(self.offset_of(path, index))

    def _problem_offset(self, path: NodePath, problem: Problem) -> int:
        node = node_at(self.root, path)
        if not problem.line or not isinstance(node, ScalarNode):
            return node.start
        return offset_of_position(node, self.diagnostics.source.text, problem.line, problem.column)

    def _comment_hint(self, path: NodePath) -> str:
        """A hint for an unquoted text that a YAML comment truncates."""
        node, text = node_at(self.root, path), self.diagnostics.source.text
        if (
            not isinstance(node, ScalarNode)
            or node.style
            or self.diagnostics.source.name.endswith("json")
        ):
            return ""
        rest = text[node.end : text.find("\n", node.end) + 1 or len(text)]
        is_cut = rest.lstrip().startswith("#")
        return COMMENT_HINT if is_cut else ""
