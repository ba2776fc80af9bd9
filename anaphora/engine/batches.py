"""Many questions one after the other, of which as much as can be is read at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from anaphora.core.request import Request, User
from anaphora.engine.bot import Bot
from anaphora.engine.reply import Reply
from anaphora.entities.prefetch import PrefetchedReadings, UnreadText

__all__ = ["Question", "ReplyIterator", "prefetch_readings"]


class Question(Struct, frozen=True):
    """One of many questions, with what :meth:`Engine.ask` takes. What is None is as
    :meth:`Engine.ask_many` is told for all of them."""

    text: str
    user: str | User | None = None
    model: str | None = None
    at: datetime | None = None
    language: str | None = None
    request: Request | None = None
    explain: bool | None = None

    def with_defaults(self, defaults: Question) -> Question:
        """The question with what it leaves out as in ``usual``."""
        return Question(
            self.text,
            defaults.user if self.user is None else self.user,
            defaults.model if self.model is None else self.model,
            defaults.at if self.at is None else self.at,
            defaults.language if self.language is None else self.language,
            defaults.request if self.request is None else self.request,
            defaults.explain if self.explain is None else self.explain,
        )


_AnswerFunction: TypeAlias = Callable[[Question, PrefetchedReadings | None], Reply]
_ReadAheadFunction: TypeAlias = Callable[[Sequence[Question]], Sequence[PrefetchedReadings | None]]


class ReplyIterator(Iterator[Reply]):
    """The replies to ``questions``, each given by ``answer`` when it is asked for.

    ``look_ahead`` says how many questions to take at once; if they are more than one,
    ``prefetch_readings`` reads them. What a question raises comes in its turn, after which the next
    one can be asked for; so does what ``questions`` raises.
    """

    def __init__(
        self,
        questions: Iterable[str | Question],
        defaults: Question,
        *,
        answer: _AnswerFunction,
        read_ahead: _ReadAheadFunction,
        look_ahead: Callable[[], int],
    ) -> None:
        self._questions = iter(questions)
        self._defaults = defaults
        self._answer = answer
        self._read_ahead = read_ahead
        self._look_ahead = look_ahead
        self._batch: deque[tuple[Question, PrefetchedReadings | None]] = deque()
        self._source_error: Exception | None = None

    def __next__(self) -> Reply:
        if not self._batch:
            self._read_batch()
        asked, readings = self._batch.popleft()
        return self._answer(asked, readings)

    def _read_batch(self) -> None:
        """Take the next questions; raises StopIteration if there are none."""
        if self._source_error is not None:
            failure, self._source_error = self._source_error, None
            raise failure
        most = self._look_ahead()
        if most == 1:
            self._batch.append((self._with_defaults(next(self._questions)), None))
            return
        try:
            for question in islice(self._questions, most):
                self._batch.append((self._with_defaults(question), None))
        except Exception as error:
            if not self._batch:
                raise
            self._source_error = error  # those that came before it are answered first
        if not self._batch:
            raise StopIteration
        # Whatever interrupts the reading, they are still to be asked.
        asked = [one for one, _ in self._batch]
        self._batch = deque(zip(asked, self._read_ahead(asked), strict=True))

    def _with_defaults(self, question: str | Question) -> Question:
        asked = question if isinstance(question, Question) else Question(question)
        return asked.with_defaults(self._defaults)


def prefetch_readings(
    questions: Sequence[tuple[Bot, UnreadText] | None],
) -> list[PrefetchedReadings | None]:
    """What the bots can read of their questions at once; None for those that must be read in
    their turn, and those that are None."""
    read: list[PrefetchedReadings | None] = [None] * len(questions)
    by_bot: dict[Bot, list[tuple[int, UnreadText]]] = {}
    for place, one in enumerate(questions):
        if one is not None:
            by_bot.setdefault(one[0], []).append((place, one[1]))
    for bot, wanted in by_bot.items():
        found = bot.read_ahead([unread for _, unread in wanted])
        for (place, _), readings in zip(wanted, found, strict=True):
            read[place] = readings
    return read
