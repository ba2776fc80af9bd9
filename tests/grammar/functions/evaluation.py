"""A sentence with all that surrounds it, and what expressions give there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from anaphora.core.request import Company, Request, User
from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError, GrammarError
from anaphora.grammar.context import EntityContext, ModelInfo, QuestionContext
from anaphora.grammar.functions import FUNCTIONS
from anaphora.grammar.idl.compiler import compile_expression

TEXT = "Fly me to big Tokyo tomorrow morning"

FLIGHT = Entity("flight", frozenset({"travel"}), "Fly", start=0, end=3)
TOKYO = Entity(
    "city",
    frozenset({"place", "geo"}),
    "big  Tokyo",
    start=10,
    end=19,
    value="Tokyo",
    ancestors=("settlement", "location"),
    stem="big tokyo",
    lemma="big tokyo",
    pos="ADJ PROPN",
    gaps=1,
    meta={
        "population": 14_000_000,
        "mayors": frozenset({"b", "a"}),
        "one": 1,
        "half": 0.5,
        "name": "x",
        "yes": True,
        "map": {"k": "v"},
        "texts": ["b", "a"],
        "none": None,
    },
)
DAY = Entity("day", frozenset({"day"}), "tomorrow", start=20, end=28, aliases=("when", "whenever"))
MORNING = Entity("daytime", frozenset({"daytime"}), "morning", meta={"from": 6})
DATE = Entity(
    "date",
    frozenset({"time"}),
    "tomorrow morning",
    start=20,
    end=36,
    ancestors=("moment",),
    is_from_phrase=False,
    parts=(DAY, MORNING),
)

AROUND = QuestionContext(
    entities=(FLIGHT, TOKYO, DATE),
    text=TEXT,
    at=datetime(2026, 8, 9, 23, 5, 59, 999_999, tzinfo=UTC),
    request=Request("r1", "192.0.2.1", "curl/8", {"k": "request"}),
    user=User(
        "ann",
        "Ann",
        "Lee",
        "ann@example.com",
        admin=True,
        signed_up=datetime(1970, 1, 2, tzinfo=UTC),
        company=Company(
            "acme",
            "Acme",
            "acme.example",
            "Ireland",
            "Munster",
            "Cork",
            "1 Quay",
            "T12",
            {"k": "company"},
        ),
        meta={"k": "user"},
    ),
    model=ModelInfo("travel", "Travel", "1.2", "http://example.com", {"k": "model"}),
    intent_meta={"k": "intent"},
    conversation_data={"k": "conversation"},
    environment={"HOME": "/home/ann"},
    random=lambda: 0.25,
)
NOTHING = QuestionContext(entities=())


def context(entity: Entity | None = TOKYO, around: QuestionContext = AROUND) -> EntityContext:
    made = EntityContext(entity, around)
    made.arguments = {"k": "fragment"}
    return made


def evaluate(text: str, entity: Entity | None = TOKYO, around: QuestionContext = AROUND) -> Any:
    """What the expression gives."""
    return compile_expression(text)(context(entity, around))


def call(name: str, *arguments: Any) -> Any:
    """What the function gives for Python's values."""
    return FUNCTIONS[name].call(name, *arguments)


def evaluation_error(
    text: str, entity: Entity | None = TOKYO, around: QuestionContext = AROUND
) -> str:
    """Why the expression has no value in this context."""
    try:
        found = evaluate(text, entity, around)
    except EvaluationError as error:
        return str(error)
    raise AssertionError(f"{text} gives {found!r}")


def grammar_error(text: str) -> str:
    """What is found wrong with the expression before it is evaluated."""
    try:
        compile_expression(text)
    except GrammarError as error:
        return error.message
    raise AssertionError(f"nothing is wrong with {text}")


def is_same(found: Any, expected: Any) -> bool:
    """Whether the two are equal and of one class, so that 1 is neither 1.0 nor true."""
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(is_same, found, expected))
    return type(found) is type(expected) and (found == expected or found != found != expected)
