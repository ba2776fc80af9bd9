"""The subjects of the scaling curves: an engine built for a size, and rounds of varied questions.

When it is ready, a subject yields ``build`` (seconds) and ``memory`` (additional bytes) where these
are meaningful, and then ``ask`` (seconds, the median of a round) for each round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import cycle, islice
from random import Random
from statistics import median

from msgspec.structs import replace

from anaphora import Conversation, Engine, Entity, Model
from anaphora.grammar.idl.compiler import compile_intents
from anaphora.models.domain import ConversationSettings
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.records import dump, load
from anaphora.stm.rules import record_match
from anaphora.stm.stores.memory import MemoryStore
from benchmarks.models import element, model_of_intents, model_of_synonyms, names
from benchmarks.process_memory import resident
from benchmarks.report.workloads import questions, timing
from benchmarks.report.workloads.subject_process import Values

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
DIFFERENT = 500  # questions that are asked in turn
_IDLE = timedelta(days=1)


@cache
def warm() -> None:
    """Load everything that a process loads only once."""
    Engine(model_of_synonyms(10), clock=_clock).ask("order")


def of_synonyms(size: int, asked: int) -> Iterator[Values]:
    """A model with ``size`` synonyms."""
    known = names(size)
    return _rounds(
        lambda: model_of_synonyms(size), questions.orders(known, _different(asked)), asked
    )


def of_intents(size: int, asked: int) -> Iterator[Values]:
    """A model with ``size`` intents."""
    known = names(size)
    return _rounds(
        lambda: model_of_intents(size), questions.topics(known, _different(asked)), asked
    )


def of_words(size: int, asked: int) -> Iterator[Values]:
    """Questions of ``size`` words."""
    texts = questions.long_orders(names(1_000), 100, length=size)
    engine = Engine(model_of_synonyms(1_000), max_characters=1_000_000, clock=_clock)
    return _asking(engine, texts, max(3, asked // (10 + size)))


def of_remembered(size: int, asked: int) -> Iterator[Values]:
    """A conversation that remembers ``size`` entities before each question."""
    engine = Engine(_model_of_things(size), clock=_clock)
    key = ConversationKey("user", "things")
    held = _remembering(engine, key, size)
    texts = cycle(questions.orders(names(1_000), _different(asked)))
    yield {}
    while True:
        times = []
        for text in islice(texts, asked):
            with engine.store.open(key, _IDLE) as session:
                session.commit(held)
            times.append(timing.time_call(lambda text=text: engine.ask(text)))  # type: ignore[misc]
        yield {"ask": median(times)}


def of_conversations(size: int, asked: int) -> Iterator[Values]:
    """``size`` conversations in the store of the process, each question in another one."""
    first, *others = _CAFE
    engine = Engine("cafe", clock=_clock, store=MemoryStore(_clock))
    engine.ask(first, user="pattern")
    pattern = engine.store.peek(ConversationKey("pattern", "cafe"))
    assert pattern is not None
    record = dump(pattern)
    before = resident()
    for user in range(size):
        # Read anew, for conversations share nothing with each other.
        one = replace(load(record), user=f"user-{user:07}")
        with engine.store.open(one.key, _IDLE) as session:
            session.commit(one)
    yield {"memory": resident() - before}
    random, texts = Random(3), cycle(others)
    while True:
        who = [f"user-{random.randrange(size):07}" for _ in range(asked)]
        times = timing.time_calls(lambda user: engine.ask(next(texts), user=user), who)
        yield {"ask": median(times)}


def of_threads(size: int, asked: int) -> Iterator[Values]:
    """``size`` threads that ask at the same time, each in its own conversation; the result is the
    wall-clock time per question of all threads."""
    engine = Engine(model_of_synonyms(1_000), clock=_clock)
    texts = questions.orders(names(1_000), _different(asked))
    share = asked // size

    def ask(user: int) -> None:
        for text in islice(cycle(texts), user * share, (user + 1) * share):
            engine.ask(text, user=str(user))

    ask(0)
    yield {}
    with ThreadPoolExecutor(size) as pool:
        while True:
            spent = timing.time_call(lambda: list(pool.map(ask, range(size))))
            yield {"ask": spent / (share * size)}


def _rounds(make: Callable[[], Model], texts: Sequence[str], asked: int) -> Iterator[Values]:
    """An engine for the model that is made, with what making it costs."""
    warm()
    before = resident()
    engines: list[Engine] = []
    build = timing.time_call(lambda: engines.append(Engine(make(), clock=_clock)))
    yield from _asking(engines[0], texts, asked, build=build, memory=resident() - before)


def _asking(engine: Engine, texts: Sequence[str], asked: int, **costs: float) -> Iterator[Values]:
    for text in texts:
        engine.ask(text)
    yield costs
    turn = cycle(texts)
    while True:
        yield {"ask": median(timing.time_calls(engine.ask, islice(turn, asked)))}


def _different(asked: int) -> int:
    """The number of different questions; fewer for short rounds."""
    return min(DIFFERENT, 3 * asked)


def _clock() -> datetime:
    return AT


def _model_of_things(count: int) -> Model:
    """As a model of synonyms, with ``count`` things that a conversation may remember beside."""
    intent = (
        "intent=order term={# == 'order'} term(name)~{# == 'name'} term(thing)~{# == 'thing0'}?"
    )
    return Model(
        id="things",
        elements=(
            element("order"),
            element("name", values=names(1_000)),
            *(element(f"thing{number}") for number in range(count)),
        ),
        intents=compile_intents(intent),
        conversation=ConversationSettings(depth=1_000_000),
    )


def _remembering(engine: Engine, key: ConversationKey, count: int) -> Conversation:
    """A conversation with the engine that remembers ``count`` things (three of them in groups that
    they share), each of a question of its own."""
    assert engine.ask(f"order {names(1)[0]}").status == "matched"
    conversation = engine.store.peek(key)
    assert conversation is not None
    for number in range(count):
        id = f"thing{number}"
        thing = Entity(id, frozenset({id}), id)
        conversation, _ = record_match(conversation, AT, intent="order", new=[thing], used=())
    return conversation


_CAFE = (
    "How much is a coffee at Starbucks?",
    "And a large tea?",
    "And at Costa?",
    "A small coffee?",
    "And how much is it at Starbucks?",
    "And a medium one?",
)
