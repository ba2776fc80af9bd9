"""A file on its way to a model: what it says, where it says it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anaphora.errors import Problem
from anaphora.grammar.suggestions import did_you_mean
from anaphora.models.checking.validation import is_placeholder
from anaphora.models.reading.nodes import MappingNode, NodePath, ScalarNode, node_at
from anaphora.models.reading.scalar_positions import offset_of_character, offset_of_position
from anaphora.models.reading.source import FileDiagnostics
from anaphora.models.schema.model_file import ModelSchema

__all__ = ["ModelDraft"]


@dataclass(frozen=True, slots=True)
class ModelDraft:
    """The validated file beside its tree. Paths lead through both.

    ``written_names`` are the ids that the file gives to elements, with mistakes or without;
    ``imported`` says that the file is one of another program, which may mean more than it says.
    """

    file: ModelSchema
    root: MappingNode
    report: FileDiagnostics
    declared_ids: frozenset[str] = frozenset()
    imported: bool = False

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the model, the default one first."""
        written = self.file.language
        return (written,) if isinstance(written, str) else tuple(dict.fromkeys(written)) or ("en",)

    @property
    def element_ids(self) -> frozenset[str]:
        """Every id that an element has, or would have but for a mistake in it."""
        read = (element.id for element in self.file.elements)
        declared = self.declared_ids.union(id for id in read if not is_placeholder(id))
        return declared.union(self.file.entities)

    def add_error(self, path: NodePath, message: str, hint: str = "") -> None:
        """Reports a mistake in the value at ``path``."""
        self.report.add_error(node_at(self.root, path).start, message, hint)

    def add_key_error(self, path: NodePath, message: str, hint: str = "") -> None:
        """Reports a mistake in the key that ``path`` ends with."""
        parent, key = node_at(self.root, path[:-1]), str(path[-1])
        at = (
            parent.key_offsets.get(key, parent.start)
            if isinstance(parent, MappingNode)
            else parent.start
        )
        self.report.add_error(at, message, hint)

    def add_error_at(self, path: NodePath, index: int, message: str, hint: str = "") -> None:
        """Reports a mistake at the character ``index`` of the text at ``path``."""
        self.report.add_error(self._character_offset(path, index), message, hint)

    def add_warning(self, path: NodePath, message: str, hint: str = "") -> None:
        """Reports what looks like a mistake in the value at ``path``."""
        self.report.add_warning(node_at(self.root, path).start, message, hint)

    def add_warning_at(self, path: NodePath, index: int, message: str, hint: str = "") -> None:
        """Reports what looks like a mistake at the character ``index`` of the text at ``path``."""
        self.report.add_warning(self._character_offset(path, index), message, hint)

    def add_nested_errors(self, path: NodePath, problems: Iterable[Problem]) -> None:
        """Reports mistakes whose lines and columns count within the text at ``path``, or in
        the text that they name."""
        for problem in problems:
            if problem.source:
                self.report.add_imported_error(node_at(self.root, path).start, problem)
                continue
            at = self._problem_offset(path, problem)
            self.report.add_error(at, problem.message, self._comment_hint(path) or problem.hint)

    def add_nested_warnings(self, path: NodePath, problems: Iterable[Problem]) -> None:
        """As :meth:`add_nested_errors`, for what only looks like a mistake."""
        for problem in problems:
            if problem.source:
                self.report.add_imported_warning(node_at(self.root, path).start, problem)
            else:
                self.report.add_warning(
                    self._problem_offset(path, problem), problem.message, problem.hint
                )

    def add_unknown_name(
        self, path: NodePath, what: str, name: str, known: Iterable[str], *, in_key: bool = False
    ) -> None:
        """Reports a name that nothing in the model bears."""
        complain = self.add_key_error if in_key else self.add_error
        complain(path, f"unknown {what} '{name}'", did_you_mean(name, known, label="there is"))

    def check_language(self, path: NodePath, language: str) -> None:
        """Reports the key at the end of ``path`` if it is no language of the model."""
        if language in self.languages or self.is_removed("language"):
            return
        self.add_key_error(
            path,
            f"the model has no language '{language}'",
            f"it has {', '.join(self.languages)}; add others to 'language'",
        )

    def is_removed(self, *path: str | int) -> bool:
        """Whether something at ``path`` was taken out for a mistake that was reported."""
        parent = node_at(self.root, path[:-1])
        return isinstance(parent, MappingNode) and path[-1] in parent.removed_keys

    def line_of(self, path: NodePath) -> int:
        """The line of the file on which the value at ``path`` begins."""
        return self.report.source.line_of(node_at(self.root, path).start)

    def line_at(self, path: NodePath, index: int) -> int:
        """The line of the file with the character ``index`` of the text at ``path``."""
        return self.report.source.line_of(self._character_offset(path, index))

    def _problem_offset(self, path: NodePath, problem: Problem) -> int:
        node = node_at(self.root, path)
        if not problem.line or not isinstance(node, ScalarNode):
            return node.start
        return offset_of_position(node, self.report.source.text, problem.line, problem.column)

    def _character_offset(self, path: NodePath, index: int) -> int:
        node = node_at(self.root, path)
        if not isinstance(node, ScalarNode):
            return node.start
        return offset_of_character(node, self.report.source.text, index)

    def _comment_hint(self, path: NodePath) -> str:
        """What YAML cut off a text without quotes, which is easy to overlook in an intent."""
        node, text = node_at(self.root, path), self.report.source.text
        if (
            not isinstance(node, ScalarNode)
            or node.style
            or self.report.source.name.endswith("json")
        ):
            return ""
        rest = text[node.end : text.find("\n", node.end) + 1 or len(text)]
        is_cut = rest.lstrip().startswith("#")
        return "a # behind a blank begins a comment: put the text into quotes" if is_cut else ""
