"""How the files of a model are found and read: without a word on the console, and with one clear
error for whatever may be wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from anaphora.errors import SummaryError
from anaphora.storage.forks import fork_safe_lock, forks_delayed

__all__ = [
    "context_window",
    "import_library",
    "load_pretrained",
    "quiet_transformers",
    "require_packages",
    "resolve_model",
]

_T = TypeVar("_T")
_quiet_lock = fork_safe_lock()


def require_packages(*packages: str) -> None:
    """Raises :class:`SummaryError` if one of these is not installed. It imports none."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise SummaryError(
            f"BART needs {' and '.join(missing)}: pip install 'anaphora[bart]'",
        )


def import_library(name: str) -> Any:
    """The package of that name. Raises :class:`SummaryError` if it cannot be imported."""
    try:
        with forks_delayed():
            return import_module(name)
    except (ImportError, OSError) as error:  # it is there, but something that it needs is not
        raise SummaryError(f"{name} cannot be imported: {error}") from error


def resolve_model(model: str | Path) -> str:
    """The folder of a model, or its id on the hub. Raises :class:`SummaryError` for what reads as
    a folder and is none."""
    path = Path(model).expanduser()
    if path.is_dir():
        return str(path)
    text = str(model)
    # An id of the hub is "name" or "owner/name".
    if isinstance(model, Path) or text.startswith(("/", ".", "~")) or text.count("/") > 1:
        raise SummaryError(f"there is no folder {text}: name one that holds a model of BART")
    return text


def load_pretrained(model: str, load: Callable[..., _T], **options: Any) -> _T:
    """``load(model, **options)``. Raises :class:`SummaryError` if that fails, for whatever
    reason: the files are missing, cannot be fetched, are damaged or are those of another
    model."""
    try:
        with quiet_transformers():
            return load(model, **options)
    except SummaryError:
        raise
    except Exception as error:  # each library below fails in ways of its own
        raise SummaryError(
            f"the model {model} could not be loaded: {_first_line(error)}; {_suggest_fix(model)}"
        ) from error


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """transformers shows no progress and warns of nothing meanwhile; afterwards it is as it was."""
    logging = import_library("transformers.utils.logging")
    with _quiet_lock:
        verbosity, shows = logging.get_verbosity(), logging.is_progress_bar_enabled()
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            yield
        finally:
            logging.set_verbosity(verbosity)
            if shows:
                logging.enable_progress_bar()


def context_window(config: Any) -> int | None:
    """How many tokens the model of this configuration reads at most, None if there is no end."""
    for name in ("max_encoder_position_embeddings", "max_position_embeddings"):
        found = getattr(config, name, None)
        if isinstance(found, int):
            return found
    return None


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__


def _suggest_fix(model: str) -> str:
    if Path(model).is_dir():
        return (
            "the folder must hold config.json, the weights (model.safetensors) and the tokenizer "
            "(tokenizer.json), as save_pretrained writes them"
        )
    return f"fetch it once where there is a network (hf download {model}), or name a folder"
