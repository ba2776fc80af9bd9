"""What is tried before the service says that it is there."""

from __future__ import annotations

from pathlib import Path

from anaphora.server.preflight import let_go, tried_engine
from anaphora.server.settings import Settings
from tests.plain import PLAIN_WEATHER


def test_what_is_made_of_models_is_kept_where_the_settings_say(tmp_path: Path) -> None:
    let_go(*tried_engine(Settings(models=(str(PLAIN_WEATHER),), cache=str(tmp_path / "cache"))))
    assert list((tmp_path / "cache").glob("model-*"))
