"""Records that several threads read at once, from the first one on."""

from __future__ import annotations

import subprocess
import sys


def test_what_reads_records_is_complete_once_it_is_imported():
    """msgspec crashes if two threads prepare a type at the same time, for their first record."""
    script = (
        "from anaphora.stm import records; kinds = records._ConversationFields, "
        "records._EntityFields; print(all('__msgspec_cache__' in vars(kind) for kind in kinds))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"
