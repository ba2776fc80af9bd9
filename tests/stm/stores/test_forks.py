"""A process that uses a store may fork, whatever its threads are doing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.stm.stores.store_homes import PATIENCE

ROOT = Path(__file__).parents[3]

_BEGIN = """
    import os, sys, threading, time, warnings
    from contextlib import closing
    from msgspec.structs import replace
    from datetime import timedelta
    from anaphora.errors import Conflict
    from anaphora.stm.conversation import ConversationKey
    from anaphora.stm.stores.urls import store_at

    warnings.simplefilter("ignore")  # that threads and forks don't go together: they do here
    url, store, ann = sys.argv[1], store_at(sys.argv[1]), ConversationKey("ann", "weather")

    def ask(store, said, key=ann):
        with store.open(key, timedelta(minutes=5)) as session:
            session.commit(replace(session.conversation, data={"said": said}))
"""


_CLUSTER = pytest.param("redis_cluster", marks=pytest.mark.cluster)


@pytest.fixture(
    params=["memory", "sqlite", "sqlite with locks of processes", "redis_server", _CLUSTER]
)
def run(request, tmp_path):
    """Runs a script in a process of its own, which has a store; what it prints."""
    first, url = "", "memory:"
    if request.param.startswith("redis"):
        url = f"{request.getfixturevalue(request.param).url}?prefix={tmp_path.name}"
    elif request.param != "memory":
        url = f"sqlite:///{tmp_path}/bot.db?synchronous=normal"
    if "processes" in request.param:
        first = "import fcntl; vars(fcntl).pop('F_OFD_SETLK', None)\n"

    def told(script: str) -> list[str]:
        text = first + dedent(_BEGIN) + dedent(script)
        done = subprocess.run(
            [sys.executable, "-c", text, url],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE * 4,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return told


def test_a_forked_process_neither_ends_nor_answers_the_question_of_its_parent(run):
    told = run("""
        def leave_in_child(commit):
            child = None
            try:
                with store.open(ann, timedelta(minutes=5)) as session:
                    child = os.fork()
                    if child == 0:
                        if commit:
                            session.commit(replace(session.conversation, data={"said": "child"}))
                    else:
                        print("child:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                        if not url.startswith("memory"):
                            other = store_at(url + ("&" if "?" in url else "?") + "wait=0.05")
                            with closing(other):
                                try:
                                    ask(other, "other")
                                except Conflict:
                                    print("still held")
                        else:
                            print("still held")
                        session.commit(replace(session.conversation, data={"said": "parent"}))
            except Conflict as error:
                if child == 0:
                    os._exit(7 if "parent goes on" in str(error) else 8)
                raise
            if child == 0:
                os._exit(0)
            print(store.peek(ann).data["said"], flush=True)

        sys.stdout.reconfigure(line_buffering=True)
        leave_in_child(commit=False)
        leave_in_child(commit=True)
        store.close()
    """)
    assert told == ["child: 0", "still held", "parent", "child: 7", "still held", "parent"]


def test_forked_processes_can_ask_whatever_the_threads_of_their_parent_were_doing(run):
    """Those that are not forked as well may be asking, or making a store of their own."""
    told = run("""
        done, numbers = threading.Event(), iter(range(10**9))

        def asking():
            while not done.is_set():
                ask(store, "thread")

        def making():
            while not done.is_set():
                with closing(store_at(url.replace("bot.db", f"{next(numbers) % 3}.db"))) as made:
                    made.peek(ann)

        ask(store, "first")  # what Python imports meanwhile no child could import any more
        threads = [threading.Thread(target=target) for target in (asking, asking, making)]
        for thread in threads:
            thread.start()
        for number in range(15):
            child = os.fork()
            if child == 0:
                ask(store, "child")
                with closing(store_at(url.replace("bot.db", "0.db"))) as made:
                    ask(made, "child", ConversationKey("ben", "weather"))
                os._exit(0)
            deadline = time.monotonic() + 20
            while not (ended := os.waitpid(child, os.WNOHANG))[0]:
                if time.monotonic() > deadline:
                    os.kill(child, 9)
                time.sleep(0.001)
            if ended[1]:
                print("the child", number, "ended with", ended[1])
                break
        done.set()
        for thread in threads:
            thread.join()
        store.close()
    """)
    assert told == []
