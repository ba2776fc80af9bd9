"""What shells complete: the names of bundled models and agents, and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["complete_agent", "complete_database", "complete_model", "complete_model_or_agent"]

_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_DATABASE_SUFFIXES = frozenset({".db", ".sqlite", ".sqlite3"})


def complete_model(incomplete: str) -> list[str]:
    """The bundled models and the model files that begin with ``incomplete``."""
    from anaphora.models.catalog import model_names

    return _find(model_names(), incomplete)


def complete_agent(incomplete: str) -> list[str]:
    """The bundled agents and the agent files that begin with ``incomplete``."""
    from anaphora.agents.files.bundled import bundled_agents

    return _find(bundled_agents(), incomplete)


def complete_model_or_agent(incomplete: str) -> list[str]:
    """The bundled models and agents, and the files, that begin with ``incomplete``."""
    from anaphora.agents.files.bundled import bundled_agents
    from anaphora.models.catalog import model_names

    return _find(sorted({*model_names(), *bundled_agents()}), incomplete)


def complete_database(incomplete: str) -> list[str]:
    """The SQLite files that begin with ``incomplete``."""
    return _find((), incomplete, _DATABASE_SUFFIXES)


def _find(names: Iterable[str], incomplete: str, suffixes: frozenset[str] = _SUFFIXES) -> list[str]:
    found = [name for name in names if name.startswith(incomplete)]
    found += _find_files(incomplete, suffixes)
    if len(found) == 1 and found[0].endswith("/"):
        # Bash would put a space after a folder that is the only choice.
        return _find((), found[0], suffixes)
    return found


def _find_files(incomplete: str, suffixes: frozenset[str]) -> list[str]:
    """The files with these suffixes, and the folders, whose paths begin with ``incomplete``."""
    folder, separator, name = incomplete.rpartition("/")
    try:
        return sorted(_iter_paths(f"{folder}{separator}", name, suffixes))
    except OSError:  # no such folder, or none to read
        return []


def _iter_paths(folder: str, name: str, suffixes: frozenset[str]) -> Iterator[str]:
    for path in Path(folder or ".").expanduser().iterdir():
        is_hidden = path.name.startswith(".") and not name.startswith(".")
        if not path.name.startswith(name) or is_hidden:
            continue
        if path.is_dir():
            yield f"{folder}{path.name}/"
        elif path.suffix.lower() in suffixes:
            yield f"{folder}{path.name}"
