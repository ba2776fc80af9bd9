"""Other forms of an utterance that no sentence matches: as it was meant."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, product
from operator import itemgetter

from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.languages import cached_table
from anaphora.entities.sentences.input_text import InputText, Piece, SkipWords, replace_pieces
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.grammar.sentences.expansion import TextExpander
from anaphora.grammar.sentences.normalization import fold_case
from anaphora.grammar.sentences.parser import parse_sentence

__all__ = ["ALL", "BOTH", "EVERYTHING", "OTHER", "Repairs", "remove_accents"]

ALL, BOTH, EVERYTHING, OTHER = "all", "both", "everything", "other"
"""Which things a sentence is about: all of a kind, two, all that take the command, or the other
one."""

_COMMA = re.compile("[,;،，、]")
_JOINING_COMMA = re.compile(r".\s*[,;،，、]\s*")  # behind the last letter of a word
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_MIN_LENGTH = 4  # letters of a word that may be misspelt
_MIN_LENGTH_FOR_TWO = 8  # letters of a word with two mistakes
_MIN_VERB = 3  # letters of a verb before its pronoun
_MIN_LENGTH_FOR_LOST = 3  # letters of a word with lost or exchanged ones
_MAX_MISSPELT = 6  # words of an utterance
_MAX_MISSPELT_OF_FEW, _MISSPELT_SHARE = 2, 0.75  # of its words
_MAX_CANDIDATES = 3  # for a word
_MAX_FORMS = 12
_MAX_JOINED = 100  # characters of an utterance about two things
_MAX_TEXTS = 60  # of a template of a table
_MAX_ELLIPTICAL = 40  # characters of a sentence that lacks its object


class Repairs:
    """Rewrites utterances in a language by its table ``home``: with the words of sentences for
    others of the same sense, with a value for half of the whole, without words that only link them
    to what was said ("no, ...", "turn it back on"), with pronouns apart from their verb
    ("apágala"), and with misspelt words as one of ``words``, those of the sentences. ``pronouns``
    stand for what was said before."""

    def __init__(
        self,
        language: str,
        words: Iterable[str],
        pronouns: Sequence[str] = (),
        *,
        ignores_spaces: bool = False,
    ) -> None:
        table = cached_table(language, "home")
        opening = table.get("opening") or ()
        self._opening = SkipWords(opening, ignores_spaces=ignores_spaces)
        negations = load_qualifiers(language, "negation")  # known of more languages than yes and no
        self._denials = frozenset(
            fold_case(one)
            for one in opening
            if one in negations or parse_yes_no(one, language) is False
        )
        calling_off = {*self._denials, *map(fold_case, table.get("correcting") or ())}
        closing = [one for one in opening if fold_case(one) not in calling_off]
        self._closing = SkipWords(closing, ignores_spaces=ignores_spaces)
        self._denials_negate = bool(table.get("denials_negate"))
        self._here = SkipWords(table.get("here") or (), ignores_spaces=ignores_spaces)
        self._lost = tuple(table.get("lost") or ())
        self._again = SkipWords(table.get("again") or (), ignores_spaces=ignores_spaces)
        self._again_prefixes = tuple(table.get("again_prefixes") or ())
        clitics = sorted(table.get("clitics") or (), key=len, reverse=True)
        self._clitics = tuple(clitics)
        quantities = (word for key in ("everything", "whole") for word in table.get(key) or ())
        self._known = frozenset((*words, *(one for one in quantities if len(one) > _MIN_LENGTH)))
        self._by_letters: dict[str, str] = {}
        self._by_initial: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self._known):
            bare = remove_accents(word)
            if self._by_letters.setdefault(bare, word) == word:
                self._by_initial[bare[:1]].append(bare)
        everything, several, whole = (
            SkipWords(table.get(key) or (), ignores_spaces=ignores_spaces)
            for key in ("everything", "several", "whole")
        )
        other = SkipWords(_expand(table.get("other") or ()), ignores_spaces=ignores_spaces)
        self._quantities = (
            (BOTH, (several, everything)),
            (EVERYTHING, (whole,)),
            (OTHER, (other,)),
            (ALL, (everything,)),
        )
        self._joiner = _build_phrases(table.get("joiners") or (), ignores_spaces=ignores_spaces)
        if self._joiner is not None and not ignores_spaces:
            self._joiner = re.compile(rf" {self._joiner.pattern} ")
        half = table.get("half") or {}
        written = {half.get("as") or "": half.get("words"), **(table.get("paraphrases") or {})}
        patterns = (
            (fold_case(target), _build_phrases(phrases or (), ignores_spaces=ignores_spaces))
            for target, phrases in written.items()
        )
        self._paraphrases = tuple((target, one) for target, one in patterns if one is not None)
        self._ignores_spaces = ignores_spaces
        self._pronouns = tuple(map(fold_case, pronouns))
        self._timer = tuple(map(fold_case, table.get("timer") or ()))
        longest = sorted(self._pronouns, key=len, reverse=True)
        either = "|".join(map(re.escape, longest))
        bounds = ("", "") if ignores_spaces else (r"(?<!\w)", r"(?!\w)")
        self._pronoun = re.compile(f"{bounds[0]}(?:{either}){bounds[1]}") if either else None

    def denies(self, text: InputText, written: str) -> bool:
        """Whether a text begins with a word for no and no comma behind it, as it was ``written``:
        it may negate what follows ("no tv", *no abras la puerta*)."""
        first = text.text.partition(" ")[0]
        if first not in self._denials or first == text.text:
            return False
        last, following = text.original(len(first) - 1), text.original(len(first) + 1)
        return not _COMMA.search(written, last, following)

    def rewrite(self, text: InputText, written: str) -> Iterator[Sequence[InputText]]:
        """Other forms of a normalized text, the nearest first; those that are as near as each other
        together."""
        if self._denials_negate and self.denies(text, written):
            return
        changes = (
            self._opening.remove_at_start,
            self._closing.remove_at_end,
            self._again.remove,
            self._remove_prefixes,
            self._split_pronouns,
        )
        ends = []
        for form in (text, *self._paraphrase(text)):
            if form is not text:
                yield (form,)
            for change in changes:
                changed = change(form)
                if changed.text != form.text and changed.text:
                    yield (changed,)
                    form = changed
            ends.append(form)
        for form in () if self._ignores_spaces else ends:
            yield from self._correct(form)

    def with_and_without_again(self, text: InputText) -> list[InputText]:
        """The text, and the text without words that only say that it was so before."""
        bare = self._again.remove(text)
        return [text] if bare.text in ("", text.text) else [text, bare]

    def insert_lost(self, text: InputText) -> Iterator[InputText]:
        """The forms of a text with a number and a word that may be left out before it."""
        if _DIGIT.search(text.text):
            bare = self._opening.remove_at_start(text)
            yield from (one for word in self._lost for one in self._insert_between(bare, word))

    def remove_here(self, text: InputText) -> InputText:
        """The text without a word for the room of the speaker at its end."""
        return self._here.remove_at_end(text)

    def complete(self, text: InputText, written: str) -> Iterator[tuple[str, Iterator[InputText]]]:
        """The forms of a short text with an object that it may lack: with a pronoun, ('', forms),
        and with the word for a timer in its place, ('timer', forms)."""
        if not text.text or len(text.text) > _MAX_ELLIPTICAL:
            return
        if self._denials_negate and self.denies(text, written):
            return
        bare = self._remove_prefixes(self._again.remove(self._opening.remove_at_start(text)))
        tried = (text, bare, *self._paraphrase(bare))
        forms = list({one.text: one for one in tried if one.text}.values())
        for pronoun in self._pronouns[:1]:
            yield "", chain.from_iterable(self._insert(one, pronoun) for one in forms)
        for word in self._timer:
            replaced = [self._split_pronouns(one, are_known=True) for one in forms]
            replaced = [self._replace_pronoun(one, word) for one in replaced]
            inserted = [self._insert(one, word) for one in forms]
            yield "timer", chain(replaced, *inserted)

    def remove_quantity(self, text: InputText) -> tuple[str, InputText] | None:
        """The text without words for other things, and which these are: ``both``, ``all`` ("turn
        them ALL off"), ``everything`` or ``other``. None if it has no such words, or no others."""
        if len(text.text) > _MAX_JOINED:
            return None
        for quantity, (first, *others) in self._quantities:
            bare = first.remove(text)
            if bare.text != text.text:
                for words in others:
                    bare = words.remove(bare)
                return (quantity, bare) if bare.text else None
        return None

    def replace_each(self, text: InputText) -> Iterator[tuple[str, InputText]]:
        """Each word of a text, and the text with a pronoun in its place."""
        for word in _WORD.finditer(text.text) if self._pronouns else ():
            yield word[0], self._replace(text, [Piece(*word.span(), self._pronouns[0])])

    def split(
        self, text: InputText, written: str, *, at_end: bool = False
    ) -> Iterator[tuple[InputText, list[tuple[InputText, InputText]]]]:
        """A text that joins things, without those after the first: "turn off the fan [and the
        lamp]", each with its forms without the first, and what is left out. The longest second part
        first; with ``at_end`` only that which ends the text. In what was ``written`` a comma joins
        as well."""
        whole = text.text
        length = len(whole)
        for begin, end in self._find_joiners(text, written):
            if not begin or end >= length or length > _MAX_JOINED:
                continue
            ends = [] if at_end else self._find_bounds(whole, end, length)[::-1]
            for after in [length, *ends]:
                others = [
                    (text.cut([(0, start), (end, length)]), text.cut([(end, after)]))
                    for start in [*self._find_bounds(whole, 0, begin)[::-1], 0]
                ]
                yield text.cut([(0, begin), (after, length)]), others

    def _find_joiners(self, text: InputText, written: str) -> list[tuple[int, int]]:
        """The spans of the words between things, and of the blanks after a comma."""
        words = self._joiner.finditer(text.text) if self._joiner else ()
        blanks = [found.start() for found in re.finditer(" ", text.text)]
        commas = [
            (at, at + 1)
            for at in blanks
            if _JOINING_COMMA.fullmatch(written, text.original(at - 1), text.original(at + 1))
        ]
        return sorted([*(one.span() for one in words), *commas])

    def _find_bounds(self, text: str, start: int, end: int) -> list[int]:
        """Where words end between two positions of a text, in order."""
        if self._ignores_spaces:
            return list(range(start + 1, end))
        return [one.start() for one in re.finditer(" ", text[:end]) if one.start() > start]

    def _paraphrase(self, text: InputText) -> list[InputText]:
        """The text with the words of sentences for others of the same sense, and a value for those
        for half of the whole ("open it halfway"): for all of them, then for one alone."""
        whole, single = text, []
        for target, pattern in self._paraphrases:
            whole = _substitute(whole, pattern, target)
            changed = _substitute(text, pattern, target)
            if changed is not text:
                single.append(changed)
        return [whole, *single[len(single) == 1 :]] if single else []

    def _replace_pronoun(self, text: InputText, word: str) -> InputText:
        return _substitute(text, self._pronoun, word) if self._pronoun else text

    def _insert(self, text: InputText, word: str) -> Iterator[InputText]:
        """The forms of a text with a ``word`` at its start, at its end, or between two words."""
        whole, length = text.text, len(text.text)
        blank = "" if self._ignores_spaces else " "
        yield replace_pieces(text, [Piece(0, 0, word + blank), Piece(0, length, whole)])
        yield replace_pieces(text, [Piece(0, length, whole), Piece(length, length, blank + word)])
        yield from self._insert_between(text, word)

    def _insert_between(self, text: InputText, word: str) -> Iterator[InputText]:
        """The forms of a text with a ``word`` between two others."""
        whole, length = text.text, len(text.text)
        for found in re.finditer(" ", whole):
            at = found.start()
            before, after = Piece(0, at, whole[:at]), Piece(at, length, whole[at:])
            yield replace_pieces(text, [before, Piece(at, at, f" {word}"), after])

    def _remove_prefixes(self, text: InputText) -> InputText:
        """The text with verbs that lack the prefix for "again": "rallume" becomes "allume"."""
        for word in _WORD.finditer(text.text) if self._again_prefixes else ():
            for prefix in self._again_prefixes:
                bare = word[0].removeprefix(prefix)
                if bare == word[0] or word[0] in self._known:
                    continue
                if bare in self._known or self._split(bare) is not None:
                    start = word.start()
                    return text.cut([(0, start), (start + len(prefix), len(text.text))])
        return text

    def _split_pronouns(self, text: InputText, *, are_known: bool = False) -> InputText:
        """The text with pronouns apart from verbs, with ``are_known`` also from words of the
        sentences."""
        pieces, at = [], 0
        for word in _WORD.finditer(text.text) if self._clitics else ():
            found = self._split(word[0]) if are_known or word[0] not in self._known else None
            if found is not None:
                verb, pronoun = found
                middle = word.end() - len(pronoun)
                pieces += [
                    Piece(at, word.start(), text.text[at : word.start()]),
                    Piece(word.start(), middle, f"{verb} "),
                    Piece(middle, word.end(), pronoun),
                ]
                at = word.end()
        return replace_pieces(text, [*pieces, Piece(at, len(text.text), text.text[at:])])

    def _split(self, word: str) -> tuple[str, str] | None:
        for pronoun in self._clitics:
            verb = self._by_letters.get(remove_accents(word.removesuffix(pronoun)))
            if word.endswith(pronoun) and verb is not None and len(verb) >= _MIN_VERB:
                return verb, pronoun
        return None

    def _correct(self, text: InputText) -> Iterator[Sequence[InputText]]:
        words = list(_WORD.finditer(text.text))
        misspelt = [
            [(distance, Piece(*word.span(), one)) for distance, one in found]
            for word in words
            if word[0] not in self._known and (found := self._find_near(word[0]))
        ]
        share = max(_MAX_MISSPELT_OF_FEW, _MISSPELT_SHARE * len(words))
        if not misspelt or len(misspelt) > min(_MAX_MISSPELT, share):
            return
        corrections = [
            (sum(distance for distance, _ in chosen), [piece for _, piece in chosen])
            for chosen in product(*misspelt)
        ]
        corrections.sort(key=itemgetter(0))
        for _, alike in groupby(corrections[:_MAX_FORMS], key=itemgetter(0)):
            yield [self._replace(text, pieces) for _, pieces in alike]

    def _replace(self, text: InputText, replaced: Iterable[Piece]) -> InputText:
        pieces, at = [], 0
        for piece in replaced:
            pieces += [Piece(at, piece.start, text.text[at : piece.start]), piece]
            at = piece.end
        return replace_pieces(text, [*pieces, Piece(at, len(text.text), text.text[at:])])

    def _find_near(self, word: str) -> list[tuple[int, str]]:
        """The words nearest to a misspelt one, which begin like it, each with its distance."""
        from rapidfuzz.distance import OSA  # here: most questions have no mistakes

        bare = remove_accents(word)
        if bare in self._by_letters:
            return [(0, self._by_letters[bare])]
        if len(bare) < _MIN_LENGTH_FOR_LOST:
            return []
        allowed = 2 if len(bare) >= _MIN_LENGTH_FOR_TWO else 1
        is_short = len(bare) < _MIN_LENGTH
        near = sorted(
            (distance, one)
            for one in self._by_initial.get(bare[:1], ())
            if abs(len(one) - len(bare)) <= allowed
            and not (is_short and not _keeps_letters(bare, one))
            and (distance := OSA.distance(bare, one, score_cutoff=allowed)) <= allowed
        )
        return [(distance, self._by_letters[one]) for distance, one in near[:_MAX_CANDIDATES]]


def _keeps_letters(word: str, other: str) -> bool:
    """Whether another word has all letters of a short one, which may be in another order if it has
    no others: "trn" for "turn", "teh" for "the", but no "fun" for "fan"."""
    rest = iter(other)
    return sorted(word) == sorted(other) or all(letter in rest for letter in word)


def _substitute(text: InputText, pattern: re.Pattern[str], word: str) -> InputText:
    """The text with a word for the first match of a pattern; the same object without one."""
    found = pattern.search(text.text)
    if found is None:
        return text
    start, end = found.span()
    pieces = [Piece(0, start, text.text[:start]), Piece(start, end, word)]
    return replace_pieces(text, [*pieces, Piece(end, len(text.text), text.text[end:])])


def _expand(templates: Iterable[str]) -> Iterator[str]:
    expander = TextExpander({}, _MAX_TEXTS)
    for template in templates:
        yield from expander.expand(parse_sentence(template)) or ()


def _build_phrases(templates: Iterable[str], *, ignores_spaces: bool) -> re.Pattern[str] | None:
    """A pattern for the texts of templates, the longest first; None without any."""
    texts = {" ".join(fold_case(text).split()) for text in _expand(templates)}
    either = "|".join(map(re.escape, sorted(texts - {""}, key=lambda one: (-len(one), one))))
    if not either:
        return None
    return re.compile(f"(?:{either})" if ignores_spaces else rf"(?<!\w)(?:{either})(?!\w)")


def remove_accents(word: str) -> str:
    """A word, folded, without the marks of its letters: "funf" for *fünf*."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", fold_case(word))
    bare = "".join(one for one in decomposed if not unicodedata.combining(one))
    return unicodedata.normalize("NFC", bare)
