"""Generate spelling variants of phrases: without apostrophes, hyphens and periods, compounds as two
words, negated verbs in other forms.

They are generated when phrases are compiled, so that they cost nothing at run time. A variant is
never exact: a phrase spelled as in the model takes precedence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise, product

from msgspec.structs import replace
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

from anaphora.entities.words.korean import AnalyzeWord, load_analyzer
from anaphora.entities.words.lexicon import Lexicon, Word
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.orthography import Orthography

__all__ = ["SpellingVariants"]

_MAX_VARIANTS = 32  # variants of one phrase
_MIN_LENGTH = 4  # letters of a word that may be two
_MIN_BARE_LENGTH = 3  # letters of a word that is a phrase by itself without its apostrophe
_MIN_VERB_LENGTH = 3  # letters of a verb that is joined to a particle
_MAX_WORDS_WITH_PARTICLE = 3  # words of a phrase in which that is likely
_MIN_LENGTH_AFTER_E = 4  # letters behind "e" in "email"
_MIN_HALF_LENGTH = 3  # letters of each word of a compound
_MIN_COMPOUND_LENGTH = 7  # letters of a compound that is in a dictionary
_SHORT_PARTICLES = frozenset({"in", "on"})  # in which many words end
_PREFIXES = frozenset({"e", "wi"})  # "e mail", "wi fi"
_HALVES = {"wifi": "wi fi", "вайфай": "вай фай"}  # neither half is a word
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_OUTER_APOSTROPHE = re.compile(r"(?<!\S)['’](?=\w)|(?<=\w)['’](?!\S)")
_OTHER_GENITIVE = re.compile(r"(?<=\w)(?:s['’]|['’]s)$")  # "kids' room", "kid's room"
_HYPHEN = re.compile(r"(?<=\w)[-‐‒–−](?=\w)")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]{1,2}\.){2,}[^\W\d_]?")
_SPACED_ABBREVIATION = re.compile(r"\b(?:[^\W\d_]{1,2}\. )+[^\W\d_]{1,2}\.")
_CACHED_WORDS = 20_000  # as many as one batch of phrases has
_INEXACT = ""  # instead of the form of a word


class SpellingVariants:
    """Generates the variants of phrases in the language of a ``lexicon``, which are split by a
    ``tokenizer``."""

    def __init__(
        self, tokenizer: Callable[[str], Doc], lexicon: Lexicon, orthography: Orthography
    ) -> None:
        self._lexicon = lexicon
        # Each for itself: a cache of the class would keep the lexicons of models that are gone.
        self._split_compound_cached = lru_cache(maxsize=_CACHED_WORDS)(self._split_compound)
        self._particles = frozenset(orthography.particles)
        self._phrasal_verbs = frozenset(orthography.phrasal_verbs)
        self._negators = orthography.negators
        self._light_verbs = orthography.light_verbs
        self._analyze = load_analyzer(base_code(lexicon.language))
        self._auxiliaries = {form: forms for forms in orthography.auxiliaries for form in forms}
        # Contractions without their apostrophe, if the tokenizer splits them as well.
        rules = (tokenizer.rules or {}) if isinstance(tokenizer, Tokenizer) else {}
        bare = ((_APOSTROPHE.sub("", rule), rule) for rule in rules if "'" in rule)
        self._contractions = {word: rule for word, rule in bare if word in rules}
        joints = [
            r"['’]",
            r"\b[^\W\d_]{1,2}\. ?[^\W\d_]{1,2}\.",
            _HYPHEN.pattern,
            rf"\be[^\W\d_]{{{_MIN_LENGTH_AFTER_E}}}",
            r"\b(?:wi|[^\W\d_]) ",
        ]
        if orthography.particles:
            joints.append(rf" (?:{'|'.join(orthography.particles)})\b")
        if self._negators:
            joints.append(rf"(?:{'|'.join(self._negators)}|nt)\b")
        if self._light_verbs:
            joints.append(rf"\w(?:{'|'.join(self._light_verbs)})$")
        if self._analyze is not None:
            joints.append("[가-힣]{2}|[가-힣] [가-힣]")
        self._may_vary = re.compile("|".join(joints), re.IGNORECASE)

    def may_vary(self, text: str) -> bool:
        """Whether the text may have variants; False for most texts."""
        if self._may_vary.search(text):
            return True
        words = text.lower().split(" ")
        return not self._contractions.keys().isdisjoint(words) or any(
            map(self._split_compound_cached, words)
        )

    def generate(self, text: str) -> Iterator[str]:
        """Yield the other spellings of the text."""
        if _SPACED_ABBREVIATION.search(text):
            text = _SPACED_ABBREVIATION.sub(lambda found: found[0].replace(" ", ""), text)
            yield text
        words = text.split(" ")
        is_phrase = len(words) > 1
        options = [self._word_variants(word, is_phrase=is_phrase) for word in words]
        takes_particle = len(words) <= _MAX_WORDS_WITH_PARTICLE
        options += [
            [" ", ""] if self._is_joint(*pair, takes_particle=takes_particle) else [" "]
            for pair in pairwise(words)
        ]
        count = len(words)
        spelled = product(*options)
        for chosen in islice(spelled, 1, _MAX_VARIANTS):  # the first one is the text itself
            gaps = chosen[count:]
            pieces = [word + gap for word, gap in zip(chosen[:count], (*gaps, ""), strict=True)]
            yield "".join(pieces)
        for verb, others in self._light_verbs.items():
            if text.endswith(verb) and len(text) > len(verb):
                yield from (text[: -len(verb)] + other for other in others)
        if self._analyze is not None:
            yield from self._compound_variants(words, self._analyze)

    @staticmethod
    def _compound_variants(words: Sequence[str], analyze: AnalyzeWord) -> Iterator[str]:
        """Yield the text with an additional blank between two nouns, or with one less."""
        for at, word in enumerate(words):
            before, behind = words[:at], words[at + 1 :]
            found = analyze(word)
            for joint in found.joints if found else ():
                yield " ".join([*before, word[:joint], word[joint:], *behind])
            joined = "".join(words[at : at + 2])
            found = analyze(joined) if behind else None
            if found and found.lemma == joined:
                yield " ".join([*before, joined, *behind[1:]])

    def _word_variants(self, word: str, *, is_phrase: bool) -> list[str]:
        options = [word]
        if _ABBREVIATION.fullmatch(word):
            letters = word.replace(".", "")
            others = [letters] if self._lexicon.word(letters).is_content_word else []
            return [word, *others, word.rstrip("."), word.replace(".", " ").strip()]
        bare = _APOSTROPHE.sub("", word)
        if bare != word:
            options.append(_APOSTROPHE.sub(" ", word))
            if is_phrase or self._stands_alone(word.lower(), bare.lower()):
                options.append(bare)
        if is_phrase and (inner := _OUTER_APOSTROPHE.sub("", bare)) != bare:
            options.append(inner)
        if is_phrase and (other := _OTHER_GENITIVE.sub(lambda found: found[0][::-1], word)) != word:
            options.append(other)
        if is_phrase and (contraction := self._contractions.get(word.lower())):
            options.append(contraction)
        if (joined := _HYPHEN.sub("", bare)) != bare:
            options.append(joined)
        elif word.isalpha() and word[:1].lower() == "e" and len(word) > _MIN_LENGTH_AFTER_E:
            options.append(f"{word[0]} {word[1:]}")
        elif halves := self._split_compound_cached(word.lower()):
            options.append(halves)
        return list(dict.fromkeys(options))

    def _stands_alone(self, word: str, bare: str) -> bool:
        """Whether a word without its apostrophe is no other word, as "its" and "well" are."""
        is_genitive = len(bare) > _MIN_LENGTH and word.endswith(("'s", "’s"))
        return len(bare) >= _MIN_BARE_LENGTH and (is_genitive or not self._lexicon.is_known(bare))

    def _split_compound(self, lower: str) -> str:
        """Split a compound into two words: "ice cream" of "icecream"; '' for other words."""
        if len(lower) < _MIN_LENGTH or not lower.isalpha():
            return ""
        if lower in _HALVES:
            return _HALVES[lower]
        lexicon = self._lexicon
        is_known = lexicon.is_known(lower)
        if not is_known and lexicon.is_known(lower[1:]) and lexicon.word(lower[0]).is_content_word:
            return f"{lower[0]} {lower[1:]}"  # "tshirt"
        for particle in self._particles:
            verb = lower.removesuffix(particle)
            if (
                verb != lower
                and len(verb) >= _MIN_VERB_LENGTH
                and self._takes_particle(verb, particle)
            ):
                return f"{verb} {particle}"
        if is_known and len(lower) < _MIN_COMPOUND_LENGTH:
            return ""
        for at in range(len(lower) - _MIN_HALF_LENGTH, _MIN_HALF_LENGTH - 1, -1):
            halves = lower[:at], lower[at:]
            if all(map(lexicon.is_known, halves)) and all(
                lexicon.word(one).is_content_word for one in halves
            ):
                return " ".join(halves)
        return ""

    def _takes_particle(self, verb: str, particle: str) -> bool:
        """Whether a word that ends in the particle may consist of a verb and the particle, unlike
        "cabin"."""
        if particle in _SHORT_PARTICLES:
            return verb in self._phrasal_verbs
        participles = f"{verb}ing", f"{verb}{verb[-1]}ing", f"{verb.removesuffix('e')}ing"
        return self._lexicon.is_known(verb) and any(map(self._lexicon.is_known, participles))

    def _is_joint(self, word: str, after: str, *, takes_particle: bool) -> bool:
        """Whether two words of a phrase are often written as one."""
        if not (word.isalpha() and after.isalpha()):
            return False
        if word.lower() in _PREFIXES or (
            len(word) == 1 and self._lexicon.word(word).is_content_word
        ):
            return len(after) > 1
        return takes_particle and len(word) >= _MIN_VERB_LENGTH and after.lower() in self._particles

    def negation_variants(self, steps: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
        """Yield the words with their negated auxiliaries in all other forms; nothing if there are
        none."""
        options: list[list[Word]] = [[word] for word in steps]
        for at, (word, after) in enumerate(pairwise(steps)):
            forms = self._auxiliaries.get(word.lower)
            if forms is None or after.stem not in self._negators:
                continue
            options[at] += [self._lexicon.word(form) for form in forms if form != word.lower]
            options[at + 1] += [
                self._lexicon.word(negator) for negator in self._negators if negator != after.stem
            ]
        ways = product(*options)
        next(ways)
        return islice(ways, _MAX_VARIANTS)

    @staticmethod
    def mark_inexact(words: Iterable[Word]) -> tuple[Word, ...]:
        """Return the words of a variant, which match no word exactly."""
        return tuple([replace(word, form=_INEXACT) for word in words])
