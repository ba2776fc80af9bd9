"""``anaphora partition``."""

from __future__ import annotations

from contextlib import closing

import pytest
from typer.testing import CliRunner

from anaphora.cli import app
from anaphora.errors import AnaphoraError
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.urls import open_recall_store
from tests.ltm.retrieval.store_contract import ANN, make_new_exchange, questions
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture


def test_a_memory_in_use_is_spread_over_partitions(postgres_server):  # noqa: F811
    url = f"{postgres_server.url}?schema={postgres_server.schema()}"
    opened = open_recall_store(url, settings=HistorySettings())
    with closing(opened.store) as store:
        store.add([make_new_exchange(ANN, "one")])
        result = CliRunner().invoke(app, ["partition", url, "2"])
        assert result.output.startswith("2 partitions, after ")
        store.add([make_new_exchange(ANN, "two")])
        assert questions(store.latest(ANN, 9)) == ["two", "one"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sqlite:///memory.db", "2"], "only a long-term memory in PostgreSQL"),
        (["postgresql://localhost/bots", "0"], "1 to 1024 partitions, not 0"),
    ],
)
def test_what_cannot_be_partitioned_is_refused(arguments, message):
    with pytest.raises(AnaphoraError, match=message):
        CliRunner().invoke(app, ["partition", *arguments], catch_exceptions=False)
