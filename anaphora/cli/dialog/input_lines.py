"""The lines that a user types, or that are piped to a chat."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress

from anaphora.cli.terminal import read_stdin_lines
from anaphora.storage.state_folder import state_folder

__all__ = ["is_typed", "read_lines"]


def is_typed() -> bool:
    """Whether the standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def read_lines(*, ends_on_interrupt: bool = False) -> Iterator[str]:
    """The lines of the standard input; on a terminal, what the user types until Ctrl-D or, if
    ``ends_on_interrupt``, Ctrl-C."""
    if sys.stdin is None:  # closed by the parent process
        return
    if not is_typed():
        yield from read_stdin_lines()
        return
    # No history on Windows, which has no readline, and for users without a home folder.
    with suppress(ImportError, RuntimeError):
        _enable_history()
    while True:
        try:
            yield input("> ")
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            if ends_on_interrupt:
                print()
                return
            print("\n(Ctrl-D or /quit leaves)")


def _enable_history() -> None:
    """Load the input history of earlier chats and save it at exit."""
    import atexit
    import readline

    file = state_folder() / "history"
    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(1_000)

    def save() -> None:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(file)

    atexit.register(save)
