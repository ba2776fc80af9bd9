"""An extension of mkdocstrings: the package's docstrings as Markdown.

References such as ``:class:`Reply``` become links if the name is public, and sessions that begin
with ``>>>`` become code blocks.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|data|attr|exc|obj):`~?([\w.]+)`")
_SESSION = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


class MarkdownDocstrings(griffe.Extension):
    """Rewrites each docstring before it is parsed."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Rewrite the docstrings of a package."""
        self._public = {
            name for name, member in pkg.members.items() if member.is_alias and name[0] != "_"
        }
        self._rewrite(pkg)

    def _rewrite(self, owner: griffe.Object) -> None:
        if owner.docstring:
            text = _ROLE.sub(self._reference, owner.docstring.value)
            owner.docstring.value = _SESSION.sub(r"```pycon\n\g<0>\n```", text)
        for member in owner.members.values():
            if not member.is_alias:
                self._rewrite(member)

    def _reference(self, found: re.Match[str]) -> str:
        name = found[1].rpartition(".")[2]
        return f"[`{name}`][anaphora.{name}]" if name in self._public else f"`{name}`"
