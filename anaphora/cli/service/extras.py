"""Optional dependencies of commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anaphora.errors import AnaphoraError

__all__ = ["SERVER_EXTRA", "require_extra"]

SERVER_EXTRA = (
    *("server", "fastapi", "limits", "prometheus_client", "pydantic_settings", "starlette"),
    *("structlog", "uvicorn"),
)


@contextmanager
def require_extra(extra: str, *modules: str) -> Iterator[None]:
    """Raise :class:`AnaphoraError` with the command that installs ``extra`` if the block fails to
    import one of ``modules``."""
    try:
        yield
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in modules:
            raise
        raise AnaphoraError(
            f"this command needs the package {missing}: pip install 'anaphora[{extra}]'"
        ) from error
