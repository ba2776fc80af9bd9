"""What is tried before the service says that it is there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anaphora.server.processes.startup import close_engine, connection_limit, open_engine
from anaphora.server.settings.model import Settings
from tests.support.plain_models import PLAIN_WEATHER


def test_what_is_made_of_models_is_kept_where_the_settings_say(tmp_path: Path) -> None:
    close_engine(
        *open_engine(Settings(models=(str(PLAIN_WEATHER),), cache=str(tmp_path / "cache")))
    )
    assert list((tmp_path / "cache").glob("model-*"))


UNLIMITED = -1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on open files")
@pytest.mark.parametrize(
    ("soft", "hard", "raised", "limit"),
    [
        pytest.param(4_096, 4_096, None, 1_000, id="enough"),
        pytest.param(UNLIMITED, UNLIMITED, None, 1_000, id="unlimited"),
        pytest.param(256, 4_096, (1_128, 4_096), 1_000, id="raised"),
        pytest.param(256, UNLIMITED, (1_128, UNLIMITED), 1_000, id="raised, no hard limit"),
        pytest.param(256, 1_024, (1_024, 1_024), 896, id="raised, not enough"),
        pytest.param(256, 256, (256, 256), 128, id="the store keeps its share"),
        pytest.param(64, 64, (64, 64), 32, id="hardly any"),
    ],
)
def test_connections_leave_files_to_the_store(
    monkeypatch: pytest.MonkeyPatch,
    soft: int,
    hard: int,
    raised: tuple[int, int] | None,
    limit: int,
) -> None:
    import resource

    assert resource.RLIM_INFINITY == UNLIMITED
    changes: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: changes.append(limits))
    assert connection_limit(Settings(max_connections=1_000, threads=32)) == limit
    assert changes == ([raised] if raised else [])
