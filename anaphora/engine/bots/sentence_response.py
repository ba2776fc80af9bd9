"""The answer of a sentence collection to a match: the response that the sentence names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from anaphora.engine.bots.bot import Bot
from anaphora.entities.languages import cached_table
from anaphora.errors import HandlerError
from anaphora.intents.match import Match
from anaphora.models.hassil.elements import ACTION, CONTINUES, KEPT, REST

__all__ = ["find_sentence_response"]

_KNOWN = frozenset(("slots",))
_SLOT = re.compile(r"\bslots\.(\w+)")


def find_sentence_response(bot: Bot, match: Match, language: str) -> str | None:
    """Render the response of the sentence that was matched. None without one, and for a response
    that needs more than the slots: the states of devices, which only their owner knows. Of a
    question about more than one thing it says what is left to do, and of a correction what is not
    undone."""
    sentences = bot.model.sentences
    if sentences is None:
        return None
    responses = sentences.collection.responses.get(match.intent.id, {})
    key = next((one.meta.get("response") for one in match.entities if one.element == ACTION), None)
    text = responses.get(key or "default")
    said = None if text is None else _render(bot, match, language, text)
    meta = next((one.meta for one in match.entities if one.element == ACTION), {})
    left = [(key, meta[key]) for key in (REST, KEPT) if meta.get(key)]
    if not left:
        return said
    known = cached_table("en", "home")["refusals"] | (
        cached_table(bot.model.languages[0], "home").get("refusals") or {}
    )
    texts = [known[key].format(rest=words) for key, words in left]
    if meta.get(REST) and not meta.get(CONTINUES):
        texts.insert(0, known["one_by_one"])
    if said and said[-1].isalnum():
        said += texts[0][-1]  # the full stop of the language
    return " ".join([said, *texts] if said else texts)


def _render(bot: Bot, match: Match, language: str, text: str) -> str | None:
    needed = _find_needed_slots(text)
    if needed is None or not needed <= {term.id for term in match.intent.terms}:
        return None
    values = {
        slot.name: taken[0].entity.meta.get("value", slot.value) if (taken := slot.taken) else ""
        for slot in match.slots.values()
    }
    try:
        rendered = bot.responses.render({language: text}, language, lambda: {"slots": values})
    except HandlerError:  # it needs a slot that the owner fills
        return None
    return " ".join((rendered or "").split()) or None


@lru_cache(maxsize=1_024)
def _find_needed_slots(text: str) -> frozenset[str] | None:
    """The slots that a response reads; None if it reads anything else."""
    from jinja2 import Environment, TemplateSyntaxError, meta

    try:
        found: Any = meta.find_undeclared_variables(Environment().parse(text))
    except TemplateSyntaxError:
        return None
    return frozenset(_SLOT.findall(text)) if found <= _KNOWN else None
