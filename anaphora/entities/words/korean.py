"""Split Korean words into morphemes: nouns with particles, verbs with endings.

Lindera with the dictionary of MeCab-ko does the analysis. It is an optional package, loaded with
the first word; without it the table of the language lists the particles that may follow a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import accumulate, takewhile
from typing import Any, NamedTuple, TypeAlias

__all__ = ["AnalyzeWord", "WordAnalysis", "analyzer_version", "load_analyzer", "missing_analyzer"]

# Tags of MeCab-ko.
_VERBS = frozenset({"VV", "VA", "VX", "VCN"})
_NOUNS = frozenset({"NNG", "NNP", "NNB", "NNBC", "NP", "NR", "SN", "SL", "SH", "XR", "XPN", "XSN"})
_OF_NOUNS = frozenset({"XSV", "XSA"})  # "do", "be": they turn nouns into verbs
_WHOLE_WORDS = frozenset({"MAG", "MAJ", "MM", "IC"})
_PARTICLE = "J"

_INFINITIVE = "다"
_PLURAL = "들"
# Nouns that follow another one like particles: "on the desk", "during the meeting".
_RELATIONS = frozenset(
    {*"위밑앞뒤옆안밖속쪽중때후전행", "아래", "동안", "사이", "근처", "이후", "이전"}
)
_GENITIVE = "의"  # a noun as well in the dictionary
# The particle of the subject and "to be" behind consonants, which the dictionary lacks.
_BEHIND_CONSONANTS = ("이에요", "이예요", "이야", "이")
_VERBAL = ("요", "고")  # ends of nouns that are more often ends of verbs ("사고 싶다")
_AUXILIARIES = ("주다", "드리다")  # "for somebody"
_COST_OF_RARE_WORD = 0
_MAX_SEGMENTATIONS = 3
_MIN_PART_LENGTH = 2  # syllables of the parts of one word of the dictionary
_MAX_CACHED = 20_000

_PACKAGE, _DISTRIBUTION, _EXTRA = "lindera", "lindera-python-ko-dic", "korean"
_DICTIONARY = "embedded://ko-dic"


class WordAnalysis(NamedTuple):
    """The ``lemma`` of a word, and ``others`` by its parts ("reservation" of "to reserve").
    ``joints`` are the offsets of the further nouns of a compound. A noun ``is_sure`` if it is
    common or its particles have been removed."""

    lemma: str
    others: tuple[str, ...] = ()
    joints: tuple[int, ...] = ()
    is_sure: bool = True


AnalyzeWord: TypeAlias = Callable[[str], WordAnalysis | None]
"""Gives what a normalised word consists of; None where it cannot be told."""


class _Morpheme(NamedTuple):
    form: str
    tag: str
    parts: tuple[str, ...] = ()
    """The nouns in a noun of the dictionary."""


def missing_analyzer(code: str) -> str:
    """Return the extra with the morphological analyzer of the language; '' if it is installed or
    not needed."""
    return _EXTRA if code == "ko" and find_spec(_PACKAGE) is None else ""


def analyzer_version(code: str) -> str:
    """Return the version of the package behind :func:`load_analyzer`; '' if there is none."""
    return version(_DISTRIBUTION) if code == "ko" and not missing_analyzer(code) else ""


@cache
def load_analyzer(code: str) -> AnalyzeWord | None:
    """Load the morphological analyzer of a language by its code; None for most languages."""
    if code != "ko" or missing_analyzer(code):
        return None
    return lru_cache(maxsize=_MAX_CACHED)(_analyze)


@cache
def _load_tokenizer() -> Any:
    """Load the tokenizer of Lindera, when the first word needs it."""
    from lindera import TokenizerBuilder

    builder = TokenizerBuilder()
    builder.set_mode("normal")
    builder.set_dictionary(_DICTIONARY)
    return builder.build()


def _analyze(word: str) -> WordAnalysis | None:
    """Analyze a word; None if its structure is unknown."""
    ways = _segment(word)
    if not ways:
        return None
    is_common = len(ways[0][0]) == 1 and ways[0][1] <= _COST_OF_RARE_WORD
    rest = "" if is_common else _strip_particle(word)
    if rest and (noun := _analyze(rest)) and noun.lemma == rest:
        return noun
    found = next((one for way, _ in ways if (one := _combine(way))), None)
    if found is None:
        return None
    others = [*found.others, *_without_auxiliary(found.lemma)]
    if found.lemma == word and word.endswith(_VERBAL):
        others += [other.lemma for way, _ in ways[1:] if (other := _combine(way))]
    distinct = tuple([one for one in dict.fromkeys(others) if one != found.lemma])
    return found._replace(others=distinct, is_sure=is_common or found.lemma != word)


def _segment(word: str) -> list[tuple[list[_Morpheme], int]]:
    """Return the likeliest segmentations of the word, each with its cost."""
    return [
        ([one for token in tokens for one in _split_token(token)], cost)
        for tokens, cost in _load_tokenizer().tokenize_nbest(word, _MAX_SEGMENTATIONS)
    ]


def _without_auxiliary(lemma: str) -> Iterator[str]:
    """Yield the verb before an auxiliary that is written as one with it."""
    for auxiliary in _AUXILIARIES:
        rest = lemma.removesuffix(auxiliary)
        if rest and rest != lemma:
            for morphemes, _ in _segment(rest)[:1]:
                if morphemes[0].tag in _VERBS:
                    yield morphemes[0].form + _INFINITIVE


def _strip_particle(word: str) -> str:
    """Remove a particle that the dictionary lacks; '' if the word cannot have one."""
    ending = next(filter(word.endswith, _BEHIND_CONSONANTS), "")
    rest = word.removesuffix(ending)
    return rest if ending and _has_final_consonant(rest[-1:]) else ""


def _has_final_consonant(syllable: str) -> bool:
    return "가" <= syllable <= "힣" and (ord(syllable) - ord("가")) % 28 > 0


def _split_token(token: Any) -> Iterator[_Morpheme]:
    """Yield the morphemes of a token of Lindera, which has several where they are contracted."""
    *_, kind, _, _, expression = token.details
    pieces = [part.split("/") for part in expression.split("+")] if "/" in expression else []
    if kind == "Inflect" and pieces:
        yield from (_Morpheme(piece[0], piece[1]) for piece in pieces)
    else:
        yield _Morpheme(token.surface, token.details[0], tuple(piece[0] for piece in pieces))


def _combine(morphemes: list[_Morpheme]) -> WordAnalysis | None:
    """Return the analysis of the word that consists of these morphemes."""
    nouns = list(takewhile(_is_nominal, morphemes))
    rest = morphemes[len(nouns) :]
    if nouns and nouns[0].tag != "XSN":
        return _combine_nouns(nouns, rest)
    if not rest or nouns:
        return None
    first = rest[0]
    if first.tag in _VERBS:
        return WordAnalysis(first.form + _INFINITIVE)
    if first.tag in _WHOLE_WORDS and all(one.tag.startswith(_PARTICLE) for one in rest[1:]):
        return WordAnalysis(first.form)
    return None


def _combine_nouns(nouns: list[_Morpheme], rest: list[_Morpheme]) -> WordAnalysis:
    if len(nouns) > 1 and nouns[-1].form == _GENITIVE:
        nouns = nouns[:-1]
    whole = "".join([noun.form for noun in nouns])
    others: tuple[str, ...] = ()
    if len(nouns) > 1 and nouns[-1].form in _RELATIONS:
        others = ("".join([noun.form for noun in nouns[:-1]]),)
    joints = tuple(accumulate([len(noun.form) for noun in nouns[:-1]]))
    if len(nouns) == 1 and min(map(len, nouns[0].parts), default=0) >= _MIN_PART_LENGTH:
        joints = tuple(accumulate([len(part) for part in nouns[0].parts[:-1]]))
    verb = next((one.form for one in rest[:1] if one.tag in _OF_NOUNS), "")
    if verb:
        return WordAnalysis(whole + verb + _INFINITIVE, (whole, *others))
    if rest and rest[0].tag in _VERBS:  # written as one: "it rains"
        others = (*others, rest[0].form + _INFINITIVE)
    return WordAnalysis(whole, others, joints)


def _is_nominal(morpheme: _Morpheme) -> bool:
    return morpheme.tag in _NOUNS and (morpheme.form, morpheme.tag) != (_PLURAL, "XSN")
