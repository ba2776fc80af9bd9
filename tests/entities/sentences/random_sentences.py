"""Random collections of sentences in hassil's format, and texts for them.

Left out is what hassil cannot do or does by chance: empty alternatives and wildcards side by side
match nothing there, a wildcard before a number in words ends at any digits, skip words are taken
out of wildcards in rules, "26.7." keeps its last period, and an apostrophe begins no word.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

__all__ = ["RandomSentences"]

WORDS = {
    "en": "turn on off the a light lamp kitchen bed set in what's all my one two",
    "de": "schalte licht an aus im der küche straße groß büro einen auf zwei halb",
    "fr": "allume lumière entrée la le l'eau aujourd'hui cœur à deux vingt et demi",
    "it": "accendi la luce ingresso l'acqua in cucina due mezzo un po'",
    "nl": "doe het licht aan uit keuken foto's één tweede twee",
    "pl": "włącz światło w łazience źródło dwa pięć na",
    "ru": "включи свет на кухне в спальне ёлка все её два три пять й",
    "uk": "увімкни світло об'єкт п'ять у їдальні два на",
    "zh-CN": "打开 关闭 灯 客厅 卧室 的 把 一 二 十 音乐 tv",
}
_OPEN_WORDS = ("milk and eggs", "The Beatles", "AC/DC", "Don't stop", "milk, eggs")
_VALUES = ("light", "fan", "kitchen", 3, True)
_KEYS = ("domain", "area", "kind")
_Option = TypeVar("_Option")


class RandomSentences:
    """A collection (``data``), contexts, and texts: those of its templates, and nearly those."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.language = self._pick(tuple(WORDS))
        self._words = WORDS[self.language].split()
        self._blank = "" if self.language == "zh-CN" else " "
        self._lists = {f"l{index}": self._list(index) for index in range(4)}
        self._lists["name"] = {"values": [self._value(str) for _ in range(3)]}
        self._lists["any"] = {"wildcard": True}
        self._rules: dict[str, str] = {}
        for index in range(self._random.randint(0, 3)):
            self._rules[f"r{index}"] = self._parts(2, 1, 3)
        self.data: dict[str, Any] = {
            "language": self.language,
            "settings": {"ignore_whitespace": not self._blank},
            "intents": {f"I{index}": self._intent() for index in range(3)},
            "lists": self._lists,
            "expansion_rules": self._rules,
            "skip_words": [self._pick(("bitte", "s'il te plaît", self._word()))]
            if self._blank and self._chance(0.4)
            else [],
        }
        self.contexts: tuple[Mapping[str, Any], ...] = ({}, self._context(), self._context())

    def write_text(self, expression: Any, lists: Mapping[str, Any], rules: Any) -> str:
        """A text for a template that hassil has parsed."""
        text = " ".join(self._write(expression, lists, rules).split())
        return self._change(text) if self._chance(0.6) else text

    def _pick(self, options: Sequence[_Option]) -> _Option:
        return self._random.choice(options)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _word(self) -> str:
        return self._pick(self._words)

    def _text(self) -> str:
        return self._blank.join(self._word() for _ in range(self._random.randint(1, 2)))

    def _parts(self, depth: int, least: int, most: int) -> str:
        parts = [self._part(depth) for _ in range(self._random.randint(least, most))]
        return self._blank.join(parts)

    def _part(self, depth: int) -> str:
        """A part of a template without wildcards."""
        number = self._random.random()
        if depth == 0 or number < 0.3:
            return self._text()
        if number < 0.42:
            return f"({self._parts(depth - 1, 1, 2)}|{self._parts(depth - 1, 1, 2)})"
        if number < 0.58:
            return f"[{self._parts(depth - 1, 1, 2)}]"
        if number < 0.64:
            return self._word() + self._pick(("[s]", "[e|en]", "(n|s)"))
        if number < 0.7 and self._blank:
            return f"({self._part(0)};{self._part(depth - 1)})"
        if number < 0.8 and self._rules:
            return f"<{self._pick(tuple(self._rules))}>"
        name = self._pick((*(one for one in self._lists if one != "any"), "0..20"))
        slots = (":other", ":value") if name == "0..20" else ("", "", ":other", ":value")
        return f"{{{name}{self._pick(slots)}}}"

    def _sentence(self) -> str:
        if self._chance(0.75):
            return self._parts(3, 1, 4)
        text = f"{self._text()}{self._blank}[{self._text()}]"
        return self._pick((f"{{any}}{self._blank}{self._word()}", f"{text}{self._blank}{{any}}"))

    def _intent(self) -> dict[str, Any]:
        return {"data": [self._block() for _ in range(self._random.randint(1, 2))]}

    def _block(self) -> dict[str, Any]:
        block: dict[str, Any] = {"sentences": [self._sentence() for _ in range(2)]}
        if self._chance(0.2):
            block["slots"] = {self._pick(("value", "fixed", "name")): "fixed"}
        if self._chance(0.3):
            block["requires_context"] = {self._pick(_KEYS): self._rule() for _ in range(2)}
        if self._chance(0.2):
            block["excludes_context"] = {self._pick(_KEYS): self._rule()}
        if self._chance(0.2):
            block["lists"] = {self._pick(tuple(self._lists)[:4]): {"values": [self._value()]}}
        if self._chance(0.2) and self._rules:
            block["expansion_rules"] = {self._pick(tuple(self._rules)): self._text()}
        return block

    def _rule(self) -> Any:
        value: Any = self._pick((*_VALUES, ["light", "fan"], ["kitchen", 3], None))
        if self._chance(0.6):
            return value
        return {"value": value, "slot": self._pick((True, "other", False))}

    def _context(self) -> dict[str, Any]:
        def known() -> Any:
            value = self._pick(_VALUES)
            return {"value": value, "text": "Spoken"} if self._chance(0.2) else value

        return {key: known() for key in _KEYS if self._chance(0.5)}

    def _list(self, index: int) -> dict[str, Any]:
        """The list of an index; hassil confuses ranges that differ in the multiplier alone."""
        if index < 2:
            return {"values": [self._value() for _ in range(self._random.randint(1, 4))]}
        start = index + self._pick((-10, 0, 10))
        numbers: dict[str, Any] = {"from": start, "to": start + self._pick((5, 20, 100))}
        numbers |= {"step": self._pick((1, 2, 5, 10))} if self._chance(0.4) else {}
        numbers |= {"fractions": self._pick(("halves", "tenths"))} if self._chance(0.3) else {}
        numbers |= {"multiplier": self._pick((60, 0.5, -1))} if self._chance(0.3) else {}
        return {"range": numbers}

    def _value(self, kind: Callable[[Any], Any] = lambda one: one) -> Any:
        if self._chance(0.4):
            return self._text()
        optional = f"{self._word()}{self._blank}[{self._word()}]"
        written: dict[str, Any] = {
            "in": self._pick((self._text(), f"({self._word()}|{self._text()})", optional))
        }
        if self._chance(0.7):
            written["out"] = kind(self._pick(("on", 5, 2.5, "Große Lampe")))
        if self._chance(0.4):
            written["context"] = {self._pick(_KEYS): self._pick(_VALUES)}
        return written

    def _write(self, expression: Any, lists: Mapping[str, Any], rules: Any) -> str:
        from hassil import expression as kinds
        from hassil.intents import RangeSlotList, TextSlotList

        if isinstance(expression, kinds.TextChunk):
            return str(expression.original_text or expression.text)
        if isinstance(expression, kinds.RuleReference):
            return self._write(rules[expression.rule_name].expression, lists, rules)
        if isinstance(expression, kinds.ListReference):
            listed = lists.get(expression.list_name)
            if isinstance(listed, TextSlotList):
                return self._write(self._pick(listed.values).text_in, lists, rules)
            if isinstance(listed, RangeSlotList):
                return self._number(self._pick(list(listed.get_numbers())))
            return self._pick(_OPEN_WORDS) if listed else str(self._random.randint(0, 25))
        items = list(expression.items)
        if isinstance(expression, kinds.Alternative):
            items = [self._pick(items)]
        elif isinstance(expression, kinds.Permutation):
            self._random.shuffle(items)
        return "".join(self._write(item, lists, rules) for item in items)

    def _number(self, number: float) -> str:
        from hassil.numbers import get_rbnf_engine

        if self._chance(0.5):
            return str(number).replace(".", self._pick(".,"))
        forms = get_rbnf_engine(self.language).format_number(number).text_by_ruleset
        return self._pick(tuple(forms.values()))

    def _change(self, text: str) -> str:
        words = text.split()
        if not words:
            return text
        at = self._random.randrange(len(words))
        change = self._random.randrange(9)
        if change == 0:
            del words[at]
        elif change == 1:
            words.insert(at, self._word())
        elif change == 2:
            words.insert(at, self._pick(self.data["skip_words"] or self._words))
        elif change == 3:
            words[at] += self._pick((",", "!", "?", "…", "。"))
        elif change == 4:
            return self._pick((text.upper(), text.title(), text.capitalize()))
        elif change == 5:
            return text.replace("'", "’")
        elif change == 6:
            return unicodedata.normalize("NFD", text)
        elif change == 7:
            return f"  {text} "
        else:
            words[at] = words[at][1:]
        return " ".join(words)
