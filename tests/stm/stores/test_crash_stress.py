"""Processes that share a store are killed at any moment, and no answer is lost."""

from __future__ import annotations

from contextlib import closing

import pytest

from anaphora.stm.stores.urls import store_at
from tests.stm.stores.crash_stress import Hammer


@pytest.mark.parametrize(
    ("url", "first", "tasks", "killed"),
    [
        ("sqlite:///{folder}/bot.db", "", 0, 6),
        ("sqlite:///{folder}/bot.db", "", 4, 6),
        # As where locks of open files are not known (macOS).
        pytest.param(
            "sqlite:///{folder}/bot.db",
            "import fcntl; vars(fcntl).pop('F_OFD_SETLK', None)",
            0,
            6,
            marks=pytest.mark.thorough,
        ),
        ("{redis}?prefix=hammer&lease=1", "", 0, 6),
        ("{redis}?prefix=loops&lease=1", "", 4, 6),
        ("{postgres}?lease=1&schema={schema}", "", 0, 6),
    ],
    ids=[
        "sqlite",
        "sqlite in loops",
        "sqlite with locks of processes",
        "redis",
        "redis in loops",
        "postgres",
    ],
)
def test_no_answer_is_lost_when_processes_are_killed_at_any_moment(
    url, first, tasks, killed, tmp_path, request
):
    if has_leases := "lease=" in url:
        name = "redis" if "{redis}" in url else "postgres"
        server = request.getfixturevalue(f"{name}_server")
        schema = server.schema() if name == "postgres" else ""
        url = url.format(**{name: server.url, "schema": schema})
    else:
        url = url.format(folder=tmp_path)
    with Hammer(url, tmp_path, first=first, tasks=tasks) as hammer:
        hammer.start(4)
        for number in range(killed):
            hammer.go_on(hammer.random.randint(1, 25))
            hammer.kill_one(answering=number % 2 == 0)
        hammer.go_on(50)
        hammer.stop()
        with closing(store_at(url)) as store:
            report = hammer.report(store)
    report.check()
    assert report.faults == killed
    assert report.died_answering > 0
    # One that was slow may lose its lease, and is told so; files know no leases.
    assert set(report.failed.values()) <= ({"Conflict"} if has_leases else set())
