"""Loading of model files by transformers: without console output, with short errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from anaphora.storage.forks import fork_safe_lock, forks_delayed

__all__ = ["first_line", "quiet_transformers"]

_quiet_lock = fork_safe_lock()


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Suppress progress bars and warnings of transformers within the block. These are settings of
    the whole process, so only one thread at a time is in such a block.

    Raises ImportError if transformers cannot be imported.
    """
    with forks_delayed():
        logging: Any = import_module("transformers.utils.logging")
    with _quiet_lock:
        verbosity, has_progress_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            yield
        finally:
            logging.set_verbosity(verbosity)
            if has_progress_bars:
                logging.enable_progress_bar()


def first_line(error: Exception) -> str:
    """The first line of an error's message; its type if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__
