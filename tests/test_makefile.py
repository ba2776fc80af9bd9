"""The Makefile names what exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_each_path_of_the_quick_tests_exists():
    paths = re.findall(r"\btests/\S+", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists()]
