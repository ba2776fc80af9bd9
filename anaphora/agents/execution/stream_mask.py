"""Secrets in a stream of pieces of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["StreamMask"]


class StreamMask:
    """Passes pieces on to ``receive`` with ``secrets`` (the longest first) replaced. It holds back
    as much text as may be the beginning of a secret, until :meth:`flush`."""

    def __init__(self, receive: Callable[[str], object], secrets: Sequence[str]) -> None:
        self._receive, self._secrets, self._held = receive, secrets, ""
        self._delay = max(map(len, secrets)) - 1

    def __call__(self, piece: str) -> None:
        text = self._held + piece
        end = self._find_end(text)
        self._held = text[end:]
        self._pass_on(text[:end])

    def flush(self) -> None:
        """Pass on what was held back."""
        text, self._held = self._held, ""
        self._pass_on(text)

    def _find_end(self, text: str) -> int:
        """Return where the text can be cut: before what may be a part of a secret."""
        end, before = max(0, len(text) - self._delay), -1
        while end != before:
            before = end
            for secret in self._secrets:
                start = text.rfind(secret, 0, end + len(secret) - 1)
                if 0 <= start < end < start + len(secret):
                    end = start
        return end

    def _pass_on(self, text: str) -> None:
        for secret in self._secrets:
            text = text.replace(secret, "…")
        if text:
            self._receive(text)
