"""Learn from the sentences of a collection which words name a domain of devices."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from anaphora.grammar.sentences.expansion import TextExpander, join_texts
from anaphora.grammar.sentences.normalization import CJK
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    Permutation,
    RuleReference,
    Sequence,
)
from anaphora.models.hassil.collection import SentenceBlock, SentenceCollection

__all__ = ["find_domain_words"]

_COMMON = 0.6  # of the sentences of a block, those that have the word for its domain
_SPECIFIC = 0.9  # of the blocks with a word, those of its domain
_MAX_TEXTS = 60  # of neighbours without slots, which may be parts of words


def find_domain_words(collection: SentenceCollection) -> dict[str, tuple[str, ...]]:
    """The words that name a domain ("lights", "the fan"): those that most sentences about it have,
    whatever their intent, and hardly any sentence about another domain."""
    shared = _WordFinder(collection.rules)
    total: Counter[str] = Counter()
    by_domain: dict[str, Counter[str]] = defaultdict(Counter)
    common: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for block in collection.blocks:
        domain = _domain_of(block)
        if not domain:
            continue
        finder = _WordFinder({**collection.rules, **block.rules}) if block.rules else shared
        counts: Counter[str] = Counter()
        for sentence in block.sentences:
            counts.update(finder.find(sentence))
        total.update(counts.keys())
        by_domain[domain].update(counts.keys())
        if "domain" in block.slots:
            for word, count in counts.items():
                if count >= _COMMON * len(block.sentences):
                    common[domain][word].add(block.intent)
    return {
        domain: tuple(
            sorted(
                word
                for word, intents in words.items()
                if len(intents) > 1
                and by_domain[domain][word] >= _SPECIFIC * total[word]
                and _is_word(word)
            )
        )
        for domain, words in common.items()
    }


def _domain_of(block: SentenceBlock) -> str:
    fixed = block.slots.get("domain")
    if isinstance(fixed, str):
        return fixed
    rule = block.requires.get("domain")
    if rule is not None and rule.values is not None and len(rule.values) == 1:
        return str(rule.values[0])
    return ""


class _WordFinder:
    """Finds the words in the parts of expressions with ``rules`` that have no slots."""

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._expander = TextExpander(rules, _MAX_TEXTS)
        self._known: dict[str, frozenset[str]] = {}

    def find(self, expression: Expression) -> frozenset[str]:
        return frozenset(self._iterate(expression))

    def _iterate(self, expression: Expression) -> Iterator[str]:
        texts = self._expander.expand(expression)
        if texts is not None:
            for text in texts:
                yield from text.split()
            return
        match expression:
            case RuleReference(rule):
                if rule not in self._known:
                    self._known[rule] = self.find(self._rules[rule])
                yield from self._known[rule]
            case Alternative(items) | Permutation(items):
                for item in items:
                    yield from self._iterate(item)
            case Sequence(items):
                run = frozenset(("",))
                for item in items:
                    joined = join_texts(run, self._expander.expand(item), _MAX_TEXTS)
                    if joined is not None:
                        run = joined
                        continue
                    yield from (word for text in run for word in text.split())
                    run = frozenset(("",))
                    yield from self._iterate(item)
                yield from (word for text in run for word in text.split())


def _is_word(text: str) -> bool:
    return text.isalpha() and (len(text) > 2 or CJK.match(text) is not None)
