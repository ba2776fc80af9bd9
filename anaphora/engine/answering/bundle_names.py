"""Names of offers for people: what tells them apart, formatted in the language of the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TypeAlias

from anaphora.core.utterance import Entity
from anaphora.engine.bots.bot import Bot
from anaphora.intents.confirmation import display_name
from anaphora.models.templates.entity_text import BundleText, EntityText
from anaphora.models.templates.formatting.filters import FILTERS, FormatLocale
from anaphora.stm.offers import is_same_meaning

__all__ = ["name_bundles", "name_entities"]

_Bundle: TypeAlias = Sequence[Entity]


def name_bundles(
    bot: Bot, bundles: Sequence[_Bundle], language: str, at: datetime
) -> tuple[BundleText, ...]:
    """Name each bundle by the first entity that tells it from the others, else by all that are not
    common to them; by the elements if the values are the same."""
    names, told_by = _tell_apart(bot, bundles, language, at)
    return tuple(map(BundleText, names, told_by, bundles))


def name_entities(
    bot: Bot, entities: Sequence[Entity], language: str, at: datetime
) -> tuple[str, ...]:
    """Name entities: dates, amounts of money and the like as the language writes them. If all are
    dates, without what they have in common."""
    language = bot.model.locale_of(language)
    kinds = [_kind_of(bot, one) for one in entities]
    if entities and set(kinds) == {"date"} and (dates := _name_dates(entities, language, at)):
        return dates
    locale = FormatLocale(language, at.tzinfo)
    return tuple([_name(*one, locale, at) for one in zip(entities, kinds, strict=True)])


def _tell_apart(
    bot: Bot, bundles: Sequence[_Bundle], language: str, at: datetime
) -> tuple[Sequence[str], Sequence[Entity | None]]:
    """The names of the bundles, and the only entity that each name is made of, if it is."""
    others = bundles[1:]
    common = [one for one in bundles[0] if others and all(_has(other, one) for other in others)]
    apart = [[one for one in bundle if not _has(common, one)] for bundle in bundles]
    for entities in _iter_choices(apart):
        names = name_entities(bot, entities, language, at)
        if len(set(names)) == len(names):
            return names, entities
    if all(apart):
        firsts = [one[0] for one in apart]
        names = tuple([one.element.replace("_", " ") for one in firsts])
        if len(set(names)) == len(names):
            return names, firsts
    joined = [" ".join(name_entities(bot, bundle, language, at)) for bundle in apart]
    return joined, [bundle[0] if len(bundle) == 1 else None for bundle in apart]


def _iter_choices(apart: Sequence[_Bundle]) -> Iterator[Sequence[Entity]]:
    """What may name the bundles: the first entity of each, then those of one element."""
    if not all(apart):
        return
    yield [one[0] for one in apart]
    for element in dict.fromkeys(one.element for one in apart[0]):
        found = [next((one for one in own if one.element == element), None) for own in apart]
        named = [one for one in found if one is not None]
        if len(named) == len(apart):
            yield named


def _has(bundle: Iterable[Entity], entity: Entity) -> bool:
    return any(is_same_meaning(one, entity) for one in bundle)


def _kind_of(bot: Bot, entity: Entity) -> str:
    """The built-in entity that an element finds, if there is a filter for its values; '' if not."""
    element = bot.pipeline.elements.get(entity.element)
    found = element.recognition if element else None
    is_formatted = found is not None and found.kind == "built-in" and found.name in FILTERS
    return found.name if found is not None and is_formatted else ""


def _name(entity: Entity, kind: str, locale: FormatLocale, at: datetime) -> str:
    if not kind or entity.value is None:
        return display_name(entity)
    try:
        if kind == "date" and (names := _name_dates((entity,), locale.language, at)):
            return names[0]
        return FILTERS[kind](locale, EntityText(entity))
    except ValueError:  # a bot may give a value that is none: {"value": …}
        return display_name(entity)


def _name_dates(entities: Sequence[Entity], language: str, at: datetime) -> tuple[str, ...]:
    """The names of dates; empty if one of them is none."""
    from anaphora.models.templates.formatting.dates import format_apart
    from anaphora.models.templates.formatting.locales import find_locale
    from anaphora.models.templates.formatting.periods import parse_period

    try:
        found = [parse_period(one.value, one.meta, at.tzinfo) for one in entities]
    except ValueError:
        return ()
    periods = [one for one in found if one is not None]
    if len(periods) < len(found):
        return ()
    return format_apart(periods, at.date(), find_locale(language))
