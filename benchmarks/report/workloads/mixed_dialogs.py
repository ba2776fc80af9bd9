"""Questions like those to a service: many users, each in the middle of a sample dialog of a bundled
model, without network access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from anaphora import Engine, Model
from anaphora.models import catalog
from anaphora.models.domain import AskStep, PauseStep

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_BETWEEN_QUESTIONS = timedelta(seconds=5)
_BETWEEN_DIALOGS = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """A question with its user and time."""

    model: str
    user: str
    text: str
    language: str | None
    at: datetime


def bundled_engine(names: Sequence[str] = ()) -> Engine:
    """An engine with the named bundled models, or with all."""
    return Engine(*(names or catalog.model_names()), clock=lambda: BEGIN)


def ask(engine: Engine, one: UserQuestion) -> str:
    """Ask a question and return the status of the reply."""
    reply = engine.ask(one.text, user=one.user, model=one.model, language=one.language, at=one.at)
    return reply.status


def sample_dialogs(models: Sequence[Model]) -> list[tuple[str, tuple[AskStep | PauseStep, ...]]]:
    """The sample dialogs without explicit resets and without a long-term memory, each with the id
    of its model."""
    return [
        (model.id, tuple(step for step in dialog.steps if isinstance(step, AskStep | PauseStep)))
        for model in models
        for dialog in model.samples
        if not dialog.long_term
    ]


def all_dialogs(models: Sequence[Model]) -> Iterator[UserQuestion]:
    """The questions of all dialogs in sequence, each dialog with its own user."""
    for number, (model, steps) in enumerate(sample_dialogs(models)):
        yield from _of_user(f"first {number}", model, steps, BEGIN)


def random_questions(
    models: Sequence[Model], *, users: int, seed: int = 11
) -> Iterator[UserQuestion]:
    """An endless stream of questions, each of a random user, who continues a dialog or, after its
    end, starts another one an hour later."""
    random, dialogs = Random(seed), sample_dialogs(models)
    going: list[Iterator[UserQuestion]] = [iter(())] * users
    times = [BEGIN] * users
    while True:
        user = random.randrange(users)
        one = next(going[user], None)
        while one is None:
            times[user] += _BETWEEN_DIALOGS
            going[user] = _of_user(f"user {user}", *random.choice(dialogs), times[user])
            one = next(going[user], None)
        times[user] = one.at
        yield one


def _of_user(
    user: str, model: str, steps: Sequence[AskStep | PauseStep], at: datetime
) -> Iterator[UserQuestion]:
    for step in steps:
        if isinstance(step, PauseStep):
            at += step.duration
            continue
        at += _BETWEEN_QUESTIONS
        yield UserQuestion(model, user, step.text, step.language, at)
