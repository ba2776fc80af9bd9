"""Generated entities and conversations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st
from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.stm.conversation import (
    Conversation,
    FlowStep,
    Offers,
    PendingQuestion,
    RecallOffer,
    RememberedEntity,
)

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)

groups = st.frozensets(st.sampled_from("ABCDE"), min_size=1, max_size=4)
times = st.builds(
    lambda offset, zone: (BEGIN + offset).astimezone(timezone(timedelta(hours=zone))),
    st.timedeltas(min_value=timedelta(), max_value=timedelta(days=1)),
    st.integers(-11, 12),
)
names = st.text(min_size=1, max_size=5)
json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=4,
)
data = st.dictionaries(names, json, max_size=2)

entities = st.builds(
    Entity,
    element=names,
    groups=groups,
    text=names,
    tokens=st.lists(st.integers(0, 20), max_size=3).map(tuple),
    value=st.none() | names,
    ancestors=st.lists(names, max_size=2).map(tuple),
    meta=data,
    topic=st.booleans(),
    exact=st.booleans(),
    is_from_phrase=st.booleans(),
    gaps=st.integers(0, 3),
    marks=st.frozensets(st.sampled_from(["misspelt", "stop"])),
    negated=st.booleans(),
    quantity=st.none() | st.integers(0, 10**6) | st.floats(-1e6, 1e6),
)
remembered = st.builds(
    RememberedEntity,
    entities,
    st.integers(1, 50),
    times,
    times,
    used_match=st.integers(0, 50),
    by=st.sampled_from(["user", "bot"]),
)
bundles = st.lists(entities, min_size=1, max_size=3).map(tuple)
offers = st.lists(st.tuples(bundles, names), min_size=1, max_size=3).flatmap(
    lambda pairs: st.builds(
        Offers,
        names,
        st.just(tuple(bundle for bundle, _ in pairs)),
        times,
        idle=st.integers(0, 3),
        declined=st.lists(bundles, max_size=2).map(tuple),
        intents=st.sampled_from([(), tuple(intent for _, intent in pairs)]),
        then=st.just("") | names,
        taken=st.none() | st.integers(0, len(pairs) - 1),
        meant=st.none() | st.tuples(st.integers(0, len(pairs) - 1), st.integers(1, 9)),
    )
)
speakers = st.sampled_from(["user", "bot"])
recall_offers = st.lists(st.tuples(entities, st.integers(0, 9), speakers), max_size=3).flatmap(
    lambda held: st.builds(
        RecallOffer,
        question=st.text(max_size=5),
        language=st.sampled_from(["en", "ru"]),
        at=times,
        entities=st.just(tuple(entity for entity, _, _ in held)),
        ages=st.just(tuple(age for _, age, _ in held)),
        speakers=st.just(tuple(speaker for _, _, speaker in held)),
        exchange=st.integers(0, 50),
        said_at=times,
        declined=st.booleans(),
    )
)
questions = st.builds(
    PendingQuestion,
    names,
    st.lists(entities, max_size=2).map(tuple),
    st.lists(names, max_size=2).map(tuple),
    times,
    unused=st.lists(names, max_size=2).map(tuple),
    confirms=st.booleans(),
    asked=st.lists(names, max_size=2).map(tuple),
    afresh=st.booleans(),
)
conversations = st.builds(
    Conversation,
    user=names,
    model=names,
    remembered=st.lists(remembered, max_size=4).map(tuple),
    flow=st.lists(st.builds(FlowStep, names, times), max_size=3).map(tuple),
    pending=st.none()
    | st.builds(
        lambda pending, suspended: replace(pending, suspended=suspended),
        questions,
        st.none() | questions,
    ),
    data=data,
    last=st.none() | times,
    questions=st.integers(0, 50),
    matches=st.integers(0, 50),
    rejections=st.integers(0, 3),
    language=st.sampled_from(["", "en", "ru"]),
    tenant=st.just("") | names,
    model_fingerprint=st.sampled_from(["", "a1b2"]),
    recall_offer=st.none() | recall_offers,
    offers=st.none() | offers,
    earlier=st.lists(remembered, max_size=2).map(tuple),
)
