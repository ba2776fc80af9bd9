"""Make entities of a model's elements from the values that a bot gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain
from typing import Any

from msgspec.structs import replace

from anaphora.core.name_hints import did_you_mean
from anaphora.core.utterance import Entity
from anaphora.engine.bots.bot import Bot
from anaphora.errors import HandlerError
from anaphora.intents.match import Slot
from anaphora.models.domain import Element, RecognizerSpec
from anaphora.models.element_values import value_names
from anaphora.models.templates.entity_text import EntityText
from anaphora.models.templates.formatting.filters import FILTERS, FormatLocale

__all__ = ["build_bundle"]

_DETAILS = ("value", "text", "meta")
_NUMBERS = (int, float, Decimal)  # which a language may read as others: 1.234


def build_bundle(
    bot: Bot, spec: Any, language: str, at: datetime, *, source: str
) -> tuple[Entity, ...]:
    """Make entities of ``spec``: a mapping from elements to values, an entity, a slot, or several
    of these. Texts are read in ``language`` (else in the others of the model) at the local time
    ``at``. Empty values are left out.

    Raises :class:`HandlerError`, with ``source`` as its subject, for what cannot be an entity.
    """
    return tuple(_EntityBuilder(bot, language, at, source).iter_entities(spec))


@dataclass(frozen=True, slots=True)
class _EntityBuilder:
    bot: Bot
    language: str
    at: datetime
    source: str

    def iter_entities(self, spec: Any) -> Iterator[Entity]:
        match spec:
            case None:
                return
            case Entity():
                yield self._adopt(spec)
            case Slot():
                yield from map(self._adopt, spec.entities)
            case Mapping():
                for id, value in spec.items():
                    yield from self._iter_values(self._element(id), value)
            case Iterable() if not isinstance(spec, str | bytes):
                for one in spec:
                    yield from self.iter_entities(one)
            case _:
                raise self._error(
                    f"{spec!r} is no entity", "give a mapping from elements to values, or a slot"
                )

    def _adopt(self, entity: Entity) -> Entity:
        """An entity with what its element says of it."""
        element = self._element(entity.element)
        return replace(
            entity,
            groups=element.groups,
            ancestors=element.ancestors,
            topic=element.topic,
            aliases=(),
        )

    def _element(self, id: Any) -> Element:
        elements = self.bot.pipeline.elements
        if id in elements:
            return elements[id]
        hint = did_you_mean(str(id), sorted(elements), label="there are")
        raise self._error(f"the model has no element '{id}'", hint)

    def _iter_values(self, element: Element, value: Any) -> Iterator[Entity]:
        match value:
            case EntityText():
                yield from self._iter_values(element, value.entity)
            case Slot():
                yield from self._iter_values(element, value.entities)
            case Entity():
                same = value.element == element.id
                yield self._adopt(value) if same else self._read(element, value.value_or_text)
            case Mapping():
                yield from self._iter_detailed(element, value)
            case bool():
                yield from self._iter_flag(element, value)
            case str():
                if text := value.strip():
                    yield self._read(element, text)
            case None:
                return
            case int() | float() | Decimal() | date() | time() | timedelta():
                yield self._read(element, value)
            case Iterable() if not isinstance(value, bytes):
                for one in value:
                    yield from self._iter_values(element, one)
            case _:
                raise self._value_error(element, value)

    def _iter_flag(self, element: Element, value: bool) -> Iterator[Entity]:  # noqa: FBT001 - a value
        """A yes or no as the built-in entity; else whether an element without values is there."""
        recognizer = element.recognition
        if recognizer is not None and recognizer.name == "boolean":
            text = str(value).lower()
            yield self._create(element, text, text, {"value": value})
        elif element.values or recognizer is not None:
            raise self._value_error(element, value)
        elif value:
            yield self._create(element, element.id)

    def _iter_detailed(self, element: Element, given: Mapping[Any, Any]) -> Iterator[Entity]:
        """The entity of a mapping with a value, a text and metadata."""
        for key in given:
            if key not in _DETAILS:
                hint = did_you_mean(str(key), _DETAILS, label="there are")
                raise self._error(f"the value of '{element.id}' has an unknown key '{key}'", hint)
        value, text, meta = given.get("value"), given.get("text") or "", given.get("meta") or {}
        if not (isinstance(text, str) and isinstance(meta, Mapping)):
            raise self._error(
                f"'{element.id}' needs a string as 'text' and a mapping as 'meta': {given!r}"
            )
        value = text if value is None else value
        if meta and element.recognition and isinstance(value, str) and value:
            yield self._create(element, text or value, value, meta)
            return
        for entity in self._iter_values(element, value):
            yield self._redescribe(element, entity, text, meta) if text or meta else entity

    def _redescribe(
        self, element: Element, entity: Entity, text: str, meta: Mapping[str, Any]
    ) -> Entity:
        """The entity with another text and further metadata."""
        return self._create(
            element,
            text or entity.text,
            entity.value,
            {**entity.meta, **meta},
            is_from_phrase=entity.is_from_phrase,
        )

    def _read(self, element: Element, value: Any) -> Entity:
        """The entity of a value: by its name, else as users would say it."""
        texts = self._spell(value)
        name, said = texts[0], None
        for entity in chain.from_iterable(self._iter_read(element, text) for text in texts):
            if name in _values_of(entity):
                return entity
            if said is None and (entity.is_from_phrase or not isinstance(value, _NUMBERS)):
                said = entity
        if said is None and name in value_names(element.values):
            return self._create(element, name, name, is_from_phrase=True)
        return said or self._take_literally(element, value, name)

    def _iter_read(self, element: Element, text: str) -> Iterator[Entity]:
        """Read a text in each language: the entities of the element that cover it."""
        for language in dict.fromkeys((self.language, *self.bot.model.languages)):
            read = self.bot.pipeline(text, language, at=self.at)
            for entity in (*read.entities, *read.fallback_entities):
                covers_text = (entity.start, entity.end) == (0, len(text)) and not entity.gaps
                if entity.element == element.id and covers_text:
                    yield entity

    def _take_literally(self, element: Element, value: Any, text: str) -> Entity:
        """The entity of a value that nothing reads, if its element is open."""
        match element.recognition:
            case RecognizerSpec(kind="component" | "function" | "spacy"):
                return self._create(element, text, text)
            case RecognizerSpec(name="duration") if isinstance(value, timedelta):
                seconds = round(value.total_seconds())  # the language has no durations
                return self._create(element, text, f"PT{seconds}S", {"seconds": seconds})
        raise self._value_error(element, value)

    def _create(
        self,
        element: Element,
        text: str,
        value: str | None = None,
        meta: Mapping[str, Any] | None = None,
        *,
        is_from_phrase: bool | None = None,
    ) -> Entity:
        if is_from_phrase is None:
            is_from_phrase = element.recognition is None
        return self.bot.pipeline.create_entity(
            element, text, self.language, value=value, meta=meta, is_from_phrase=is_from_phrase
        )

    def _spell(self, value: Any) -> tuple[str, ...]:
        """The texts that may stand for a value, the likeliest first."""
        match value:
            case datetime():
                local = value.astimezone(self.at.tzinfo) if value.tzinfo else value
                exact = "seconds" if local.second else "minutes"
                return (local.replace(tzinfo=None).isoformat(" ", exact),)
            case date():
                return (value.isoformat(),)
            case time():
                return (
                    value.replace(tzinfo=None).isoformat("seconds" if value.second else "minutes"),
                )
            case timedelta():
                locale = FormatLocale(self.language, self.at.tzinfo)
                return (FILTERS["duration"](locale, value),)
            case int() | float() | Decimal():
                number = Decimal(str(value))
                if not number.is_finite():
                    raise self._error(f"{value!r} is not a finite number")
                plain = format(number.normalize(), "f")
                return (plain, plain.replace(".", ",")) if "." in plain else (plain,)
        return (str(value),)

    def _value_error(self, element: Element, value: Any) -> HandlerError:
        if element.recognition is not None:
            hint = (
                f"the recognizer '{element.recognition.name}' does not find it: write it as users "
                'would, or give {"value": …, "text": …, "meta": …}'
            )
        else:
            names = value_names(element.values) or [element.id]
            hint = did_you_mean(str(value), names, label="its values are")
            hint = hint or "add it to the values, or give the element a recognizer"
        return self._error(f"{value!r} is no value of '{element.id}'", hint)

    def _error(self, message: str, hint: str = "") -> HandlerError:
        return HandlerError(f"{self.source}: {message}" + (f"; {hint}" if hint else ""))


def _values_of(entity: Entity) -> tuple[str, ...]:
    """The value of an entity, and of a recognized amount ("25 USD") the number alone."""
    if entity.value is None or entity.is_from_phrase:
        return (entity.value,) if entity.value else ()
    return entity.value, entity.value.split(" ")[0]
