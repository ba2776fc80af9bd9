"""Many questions one after the other, of which as much as can be is read at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from anaphora.entities.ahead import Readings, Unread
from anaphora.grammar.request import Request, User
from anaphora.intents.bot import Bot
from anaphora.intents.reply import Reply

__all__ = ["Ask", "Replies", "read_ahead"]


class Ask(Struct, frozen=True):
    """One of many questions, with what :meth:`Engine.ask` takes. What is None is as
    :meth:`Engine.ask_many` is told for all of them."""

    text: str
    user: str | User | None = None
    model: str | None = None
    at: datetime | None = None
    language: str | None = None
    request: Request | None = None
    explain: bool | None = None

    def completed(self, usual: Ask) -> Ask:
        """The question with what it leaves out as in ``usual``."""
        return Ask(
            self.text,
            usual.user if self.user is None else self.user,
            usual.model if self.model is None else self.model,
            usual.at if self.at is None else self.at,
            usual.language if self.language is None else self.language,
            usual.request if self.request is None else self.request,
            usual.explain if self.explain is None else self.explain,
        )


_Answer: TypeAlias = Callable[[Ask, Readings | None], Reply]
_ReadAhead: TypeAlias = Callable[[Sequence[Ask]], Sequence[Readings | None]]


class Replies(Iterator[Reply]):
    """The replies to ``questions``, each given by ``answer`` when it is asked for.

    ``look_ahead`` says how many questions to take at once; if they are more than one,
    ``read_ahead`` reads them. What a question raises comes in its turn, after which the next one
    can be asked for; so does what ``questions`` raises.
    """

    def __init__(
        self,
        questions: Iterable[str | Ask],
        usual: Ask,
        *,
        answer: _Answer,
        read_ahead: _ReadAhead,
        look_ahead: Callable[[], int],
    ) -> None:
        self._questions = iter(questions)
        self._usual = usual
        self._answer = answer
        self._read_ahead = read_ahead
        self._look_ahead = look_ahead
        self._taken: deque[tuple[Ask, Readings | None]] = deque()
        self._failure: Exception | None = None

    def __next__(self) -> Reply:
        if not self._taken:
            self._take()
        asked, readings = self._taken.popleft()
        return self._answer(asked, readings)

    def _take(self) -> None:
        """Take the next questions; raises StopIteration if there are none."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        most = self._look_ahead()
        if most == 1:
            self._taken.append((self._completed(next(self._questions)), None))
            return
        try:
            for question in islice(self._questions, most):
                self._taken.append((self._completed(question), None))
        except Exception as error:
            if not self._taken:
                raise
            self._failure = error  # those that came before it are answered first
        if not self._taken:
            raise StopIteration
        # Whatever interrupts the reading, they are still to be asked.
        asked = [one for one, _ in self._taken]
        self._taken = deque(zip(asked, self._read_ahead(asked), strict=True))

    def _completed(self, question: str | Ask) -> Ask:
        asked = question if isinstance(question, Ask) else Ask(question)
        return asked.completed(self._usual)


def read_ahead(questions: Sequence[tuple[Bot, Unread] | None]) -> list[Readings | None]:
    """What the bots can read of their questions at once; None for those that must be read in
    their turn, and those that are None."""
    read: list[Readings | None] = [None] * len(questions)
    by_bot: dict[Bot, list[tuple[int, Unread]]] = {}
    for place, one in enumerate(questions):
        if one is not None:
            by_bot.setdefault(one[0], []).append((place, one[1]))
    for bot, wanted in by_bot.items():
        found = bot.read_ahead([unread for _, unread in wanted])
        for (place, _), readings in zip(wanted, found, strict=True):
            read[place] = readings
    return read
