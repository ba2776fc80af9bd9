from __future__ import annotations
from typing import Any
from anaphora.core.utterance import Entity


class Answer:
    def __init__(self, text="", *, mentions=None, offers=None, result=None, then=""):
        self.text, self.mentions, self.offers, self.result, self.then = (
            text,
            mentions,
            offers,
            result,
            then,
        )

    def with_text(self, text):
        return Answer(
            text, mentions=self.mentions, offers=self.offers, result=self.result, then=self.then
        )


def _bundle(bot, spec):
    out = []
    for element, value in spec.items():
        el = bot.model.element(element)
        found = [e for e in bot.read(str(value)).entities if e.element == element]
        out.append(
            found[0]
            if found
            else Entity(element, el.groups, str(value), value=str(value), topic=el.topic)
        )
    return tuple(out)


def build_mentions(bot, decision, filling, answer):
    return _bundle(bot, answer.mentions or {})


def build_bundles(bot, decision, filling, answer):
    return tuple(_bundle(bot, b) for b in answer.offers or ())


def render_mentions(*a):
    return ()


def render_offers(*a):
    return ()
