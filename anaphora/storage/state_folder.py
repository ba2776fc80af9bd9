"""The folder of a user's state."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["state_folder"]


def state_folder() -> Path:
    """Return Anaphora's folder in the state folder of this user.

    Raises RuntimeError for a user without a home folder.
    """
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "anaphora"
