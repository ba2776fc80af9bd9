"""Questions in batches: a spaCy pipeline reads several texts at once much faster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from anaphora.core.request import Request, User
from anaphora.engine.bots.bot import Bot
from anaphora.engine.reply import Reply
from anaphora.engine.turn import Turn
from anaphora.entities.prefetch import PrefetchedUtterances, UnreadText

__all__ = ["Question", "ReplyIterator", "prefetch_utterances"]


class Question(Struct, frozen=True):
    """One of the questions of :meth:`Engine.ask_many`, with the arguments of :meth:`Engine.ask`.
    None stands for the argument of ``ask_many``."""

    text: str
    user: str | User | None = None
    model: str | None = None
    at: datetime | None = None
    language: str | None = None
    request: Request | None = None
    explain: bool | None = None

    def with_defaults(self, defaults: Question) -> Question:
        """The question, filled in from ``defaults``."""
        return Question(
            self.text,
            defaults.user if self.user is None else self.user,
            defaults.model if self.model is None else self.model,
            defaults.at if self.at is None else self.at,
            defaults.language if self.language is None else self.language,
            defaults.request if self.request is None else self.request,
            defaults.explain if self.explain is None else self.explain,
        )


_AnswerFunction: TypeAlias = Callable[[Question, PrefetchedUtterances | None], Reply]
_PrefetchFunction: TypeAlias = Callable[[Sequence[Question]], Sequence[PrefetchedUtterances | None]]


class ReplyIterator(Iterator[Reply]):
    """The replies to ``questions``; each question is answered when its reply is requested.

    Questions are taken in batches of ``choose_batch_size()``; a batch of more than one is read by
    ``prefetch``. An error of a question, or of the iterable, is raised in its turn; the iterator
    then goes on with the next question.
    """

    def __init__(
        self,
        questions: Iterable[str | Question],
        defaults: Question,
        *,
        answer: _AnswerFunction,
        prefetch: _PrefetchFunction,
        choose_batch_size: Callable[[], int],
    ) -> None:
        self._questions = iter(questions)
        self._defaults = defaults
        self._answer = answer
        self._prefetch = prefetch
        self._choose_batch_size = choose_batch_size
        self._batch: deque[tuple[Question, PrefetchedUtterances | None]] = deque()
        self._source_error: Exception | None = None

    def __next__(self) -> Reply:
        if not self._batch:
            self._read_batch()
        question, prefetched = self._batch.popleft()
        return self._answer(question, prefetched)

    def _read_batch(self) -> None:
        """Take the next batch of questions. Raises StopIteration if there is none."""
        if self._source_error is not None:
            failure, self._source_error = self._source_error, None
            raise failure
        batch_size = self._choose_batch_size()
        if batch_size == 1:
            self._batch.append((self._with_defaults(next(self._questions)), None))
            return
        try:
            for question in islice(self._questions, batch_size):
                self._batch.append((self._with_defaults(question), None))
        except Exception as error:
            if not self._batch:
                raise
            self._source_error = error  # those that came before it are answered first
        if not self._batch:
            raise StopIteration
        # If prefetching is interrupted, the questions are still in the batch.
        asked = [one for one, _ in self._batch]
        self._batch = deque(zip(asked, self._prefetch(asked), strict=True))

    def _with_defaults(self, question: str | Question) -> Question:
        asked = question if isinstance(question, Question) else Question(question)
        return asked.with_defaults(self._defaults)


def prefetch_utterances(turns: Sequence[Turn | None]) -> list[PrefetchedUtterances | None]:
    """Read the texts of several turns, one batch per bot. None for a text that must be read in its
    turn, and for a turn that is None."""
    utterances: list[PrefetchedUtterances | None] = [None] * len(turns)
    by_bot: dict[Bot, list[tuple[int, UnreadText]]] = {}
    for index, turn in enumerate(turns):
        if turn is not None:
            unread = UnreadText(turn.text, turn.language, turn.now)
            by_bot.setdefault(turn.bot, []).append((index, unread))
    for bot, batch in by_bot.items():
        found = bot.prefetch([unread for _, unread in batch])
        for (index, _), read in zip(batch, found, strict=True):
            utterances[index] = read
    return utterances
