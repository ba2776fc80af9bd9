"""A process that answers may fork at any moment, and its children answer as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.forked_process import TIMEOUT
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture
from tests.support.redis_server import redis_server  # noqa: F401 - a fixture

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")

_BEGIN = """
    import os, sys, threading, warnings
    from anaphora import Engine
    from anaphora.ltm.retrieval.store import UserKey
    from anaphora.storage import forks
    from tests.support.forked_process import run_forked

    warnings.simplefilter("ignore")  # that threads and forks don't go together: they do here
    store, long_term, cache, children = *sys.argv[1:4], int(sys.argv[4])
    engine = Engine("weather", "time", store=store, long_term=long_term, cache=cache)
    QUESTIONS = [
        ("weather", "whether in Tokio tomorow", None),
        ("weather", "wie wird das Wetterr in Berlin", None),
        ("time", "what time is it in Pariss", "en"),
        ("weather", "какая погода в Москве завтра", None),
        ("weather", "quel temps fait-il à Lyon", None),
    ]

    def ask(user, word=""):
        for model, text, language in QUESTIONS:
            engine.ask(f"{text} {word}", user=user, model=model, language=language)
        engine.long_term.recall(
            UserKey(user), "weather in Tokyo", language=["en", "de", "fr", "es", "ru"]
        )
        return 0
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """What the engine of the first process has compiled, which the next ones load."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(
    params=["sqlite", pytest.param("postgres", marks=pytest.mark.thorough), "redis and sqlite"]
)
def run(request, tmp_path, compiled):
    """Runs a script in a process of its own, which has an engine; what it prints."""
    store = f"sqlite:///{tmp_path}/bot.db?synchronous=normal"
    long_term = f"sqlite:///{tmp_path}/history.db?synchronous=normal"
    if "redis" in request.param:
        store = f"{request.getfixturevalue('redis_server').url}?prefix={tmp_path.name}"
    if request.param == "postgres":
        server = request.getfixturevalue("postgres_server")
        store = long_term = f"{server.url}?schema={server.schema()}"
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path)}

    def told(script: str, children: int = 0) -> list[str]:
        text = dedent(_BEGIN) + dedent(script)
        done = subprocess.run(
            [sys.executable, "-c", text, store, long_term, str(compiled), str(children)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT * 4,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return told


def test_children_answer_whatever_the_threads_of_their_parent_were_doing(run):
    children = int(os.environ.get("FORKED_CHILDREN", "4"))
    told = run(
        """
        done = threading.Event()

        def asking(user):
            count = 0
            while not done.is_set():
                count += 1
                ask(user, f"word{count}")  # a word that nobody has stemmed yet

        ask("first")
        threads = [threading.Thread(target=asking, args=(user,)) for user in ("ann", "ben")]
        for thread in threads:
            thread.start()
        for number in range(children):
            if code := run_forked(lambda: ask(f"child {number}", f"child{number}")):
                print("the child", number, "ended with", code)
                break
        done.set()
        for thread in threads:
            thread.join()
        engine.close()
        """,
        children,
    )
    assert told == []


def test_children_answer_though_another_thread_held_every_lock(run):
    told = run("""
        held, over = threading.Event(), threading.Event()

        def hold():
            locks = [lock for lock in tuple(forks._locks) if lock.acquire(blocking=False)]
            held.set()
            over.wait()
            for lock in locks:
                lock.release()

        ask("first")
        engine.long_term.flush()
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        print(run_forked(lambda: ask("child", "more")))
        over.set()
        thread.join()
        print(ask("ann", "again"))
        engine.close()
    """)
    assert told == ["0", "0"]


def test_workers_that_are_forked_from_one_that_has_answered_answer_too(run):
    """As Celery and the servers do that load first and fork then."""
    told = run("""
        from multiprocessing import get_context

        def asked(number):
            return ask(f"user {number}")

        ask("first")
        with get_context("fork").Pool(4) as workers:
            print(sum(workers.map(asked, range(12), chunksize=1)))
        workers.join()
        print(ask("first", "again"))
        engine.close()
    """)
    assert told == ["0", "0"]
