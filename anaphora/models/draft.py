"""A file on its way to a model: what it says, where it says it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anaphora.errors import Problem
from anaphora.models.hints import did_you_mean
from anaphora.models.inner_text import offset_inside, offset_of_place
from anaphora.models.nodes import MapNode, Path, TextNode, node_at
from anaphora.models.schema import ModelSchema
from anaphora.models.source import Report
from anaphora.models.validation import is_placeholder

__all__ = ["Draft"]


@dataclass(frozen=True, slots=True)
class Draft:
    """The validated file beside its tree. Paths lead through both.

    ``written_names`` are the ids that the file gives to elements, with mistakes or without;
    ``imported`` says that the file is one of another program, which may mean more than it says.
    """

    file: ModelSchema
    root: MapNode
    report: Report
    written_names: frozenset[str] = frozenset()
    imported: bool = False

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the model, the default one first."""
        written = self.file.language
        return (written,) if isinstance(written, str) else tuple(dict.fromkeys(written)) or ("en",)

    @property
    def element_names(self) -> frozenset[str]:
        """Every id that an element has, or would have but for a mistake in it."""
        read = (element.id for element in self.file.elements)
        declared = self.written_names.union(id for id in read if not is_placeholder(id))
        return declared.union(self.file.entities)

    def complain(self, path: Path, message: str, hint: str = "") -> None:
        """Reports a mistake in the value at ``path``."""
        self.report.add(node_at(self.root, path).start, message, hint)

    def complain_of_key(self, path: Path, message: str, hint: str = "") -> None:
        """Reports a mistake in the key that ``path`` ends with."""
        parent, key = node_at(self.root, path[:-1]), str(path[-1])
        at = parent.keys.get(key, parent.start) if isinstance(parent, MapNode) else parent.start
        self.report.add(at, message, hint)

    def complain_at(self, path: Path, index: int, message: str, hint: str = "") -> None:
        """Reports a mistake at the character ``index`` of the text at ``path``."""
        self.report.add(self._inside(path, index), message, hint)

    def warn(self, path: Path, message: str, hint: str = "") -> None:
        """Reports what looks like a mistake in the value at ``path``."""
        self.report.warn(node_at(self.root, path).start, message, hint)

    def warn_at(self, path: Path, index: int, message: str, hint: str = "") -> None:
        """Reports what looks like a mistake at the character ``index`` of the text at ``path``."""
        self.report.warn(self._inside(path, index), message, hint)

    def complain_inside(self, path: Path, problems: Iterable[Problem]) -> None:
        """Reports mistakes whose lines and columns count within the text at ``path``, or in
        the text that they name."""
        for problem in problems:
            if problem.source:
                self.report.adopt(node_at(self.root, path).start, problem)
                continue
            at = self._place(path, problem)
            self.report.add(at, problem.message, self._comment_hint(path) or problem.hint)

    def warn_inside(self, path: Path, problems: Iterable[Problem]) -> None:
        """As :meth:`complain_inside`, for what only looks like a mistake."""
        for problem in problems:
            if problem.source:
                self.report.adopt_warning(node_at(self.root, path).start, problem)
            else:
                self.report.warn(self._place(path, problem), problem.message, problem.hint)

    def complain_of_unknown(
        self, path: Path, what: str, name: str, known: Iterable[str], *, in_key: bool = False
    ) -> None:
        """Reports a name that nothing in the model bears."""
        complain = self.complain_of_key if in_key else self.complain
        complain(path, f"unknown {what} '{name}'", did_you_mean(name, known, what="there is"))

    def check_language(self, path: Path, language: str) -> None:
        """Reports the key at the end of ``path`` if it is no language of the model."""
        if language in self.languages or self.is_spoilt("language"):
            return
        self.complain_of_key(
            path,
            f"the model has no language '{language}'",
            f"it has {', '.join(self.languages)}; add others to 'language'",
        )

    def is_spoilt(self, *path: str | int) -> bool:
        """Whether something at ``path`` was taken out for a mistake that was reported."""
        parent = node_at(self.root, path[:-1])
        return isinstance(parent, MapNode) and path[-1] in parent.lost

    def line(self, path: Path) -> int:
        """The line of the file on which the value at ``path`` begins."""
        return self.report.source.line(node_at(self.root, path).start)

    def line_at(self, path: Path, index: int) -> int:
        """The line of the file with the character ``index`` of the text at ``path``."""
        return self.report.source.line(self._inside(path, index))

    def _place(self, path: Path, problem: Problem) -> int:
        node = node_at(self.root, path)
        if not problem.line or not isinstance(node, TextNode):
            return node.start
        return offset_of_place(node, self.report.source.text, problem.line, problem.column)

    def _inside(self, path: Path, index: int) -> int:
        node = node_at(self.root, path)
        if not isinstance(node, TextNode):
            return node.start
        return offset_inside(node, self.report.source.text, index)

    def _comment_hint(self, path: Path) -> str:
        """What YAML cut off a text without quotes, which is easy to overlook in an intent."""
        node, text = node_at(self.root, path), self.report.source.text
        if not isinstance(node, TextNode) or node.style or self.report.source.name.endswith("json"):
            return ""
        rest = text[node.end : text.find("\n", node.end) + 1 or len(text)]
        is_cut = rest.lstrip().startswith("#")
        return "a # behind a blank begins a comment: put the text into quotes" if is_cut else ""
