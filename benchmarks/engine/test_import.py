"""How long does a process take until its first answer?"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.plain_models import PLAIN_WEATHER

STATEMENTS = {
    "python alone": "pass",
    "import anaphora": "import anaphora",
    "import spacy": "import spacy",
    "first answer": f"import anaphora; anaphora.Engine({PLAIN_WEATHER!r}).ask('weather in Tokyo')",
}


@pytest.mark.parametrize("what", STATEMENTS)
def test_start(benchmark, what):
    command = [sys.executable, "-c", STATEMENTS[what]]
    benchmark.pedantic(subprocess.run, (command,), {"check": True}, rounds=5, warmup_rounds=1)
