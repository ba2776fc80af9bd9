"""The page about Home Assistant names the languages of its sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anaphora.entities.languages import cached_table

intents = pytest.importorskip("home_assistant_intents")

PAGE = Path(__file__).parents[2] / "docs" / "home-assistant.md"


def test_it_lists_the_languages_of_the_package() -> None:
    listed = re.search(r"The languages are (.*?)\. For", PAGE.read_text("utf-8"), re.DOTALL)
    assert listed is not None
    found = re.findall(r"(\*\*)?`([\w-]+)`", listed[1])
    assert sorted(code for _, code in found) == sorted(intents.get_languages())
    with_table = {code for bold, code in found if bold}
    assert with_table == {code for _, code in found if cached_table(code.partition("-")[0], "home")}
    assert f"in {len(found)} languages" in PAGE.read_text("utf-8")
