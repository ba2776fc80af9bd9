"""Questions that a model did not understand → synonyms that it may lack.

A *candidate* is a run of one to three words that no entity of the model covers. It is held
against every element by four kinds of evidence, each a number from 0 to 1:

- ``S``, how it is written: twice the similarity of its letters to those of the nearest synonym
  (or of its stem to one with the same root) less one, so that half the letters in common count
  for nothing; less than 0.7 is not looked at;
- ``T``, what it would do: the questions with it that an intent would match if it were a synonym
  of the element, over one more than the number of questions tried. A question that lacks no more
  than a conversation may have given counts a quarter; one in which further words stay unknown is
  shared out among them and this one, and one for which several elements would do as much, among
  these; an element that would do less than another gets nothing;
- ``N``, where it stands: the mean share that the element has in the entities found beside the
  same neighbouring words, in the questions and in the samples of the model;
- ``V``, what it means: the cosine with the nearest synonym, from 0.3 (nothing) to 1.

They are put together as reasons of which each may be enough by itself (a noisy or)::

    score = 1 - (1 - S) (1 - 0.6 T) (1 - 0.5 N) (1 - 0.8 V)

A spelling alone can be certain; a trial, a neighbourhood and a meaning cannot, for other words
fit there as well. That is what the three weights say. They were chosen by hand, so that one
wrong letter in a word of five is enough for 0.5, and so are two questions that an intent would
match if the phrase stands half the time where the element does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby, zip_longest

from anaphora.entities.pipeline import Pipeline
from anaphora.errors import AnaphoraError
from anaphora.models.domain import AskStep, Model
from anaphora.suggestions.candidates import CandidatePhrase, ReadQuestion, find_candidates
from anaphora.suggestions.neighbours import Neighbours
from anaphora.suggestions.semantic_similarity import SemanticMatch, Vectors, find_closest
from anaphora.suggestions.spelling_similarity import SpellingMatch, SpellingMatcher
from anaphora.suggestions.suggestion import Findings, Suggestion
from anaphora.suggestions.synonyms import Synonyms
from anaphora.suggestions.trials import SynonymTrials, TrialOutcome

__all__ = ["score", "study", "suggest"]

_TRIAL, _PLACE, _MEANING = 0.6, 0.5, 0.8
_MOST_QUESTIONS = 50_000  # that differ
_MOST_READ = 5_000_000  # characters of all questions; they lie in memory, some 75 bytes for each
_MOST_TRIALS = 20_000  # of all candidates; about 0.2 ms each
_MOST_ELEMENTS = 20  # that one candidate is tried as
_MOST_COMPARISONS = 50_000_000  # of spellings; 40 to 200 ns each, as the model grows
_MOST_CHARACTERS = 10_000  # of a question; a longer one is not read
_MOST_SAMPLES = 1_000
_MIN_NEIGHBOUR_SHARE = 0.25  # a smaller share is not worth a word

Progress = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""


def suggest(
    model: Model,
    questions: Iterable[str],
    *,
    vectors: Vectors | None = None,
    elements: Collection[str] | None = None,
    min_score: float = 0.5,
    top: int | None = None,
) -> tuple[Suggestion, ...]:
    """Synonyms that the elements of ``model`` may lack, found in ``questions``: by element in
    the order of the model, then best first.

    ``vectors`` knows the meaning of words (a ``VectorFile``, ``Embeddings``, or any function
    from texts to rows of length 1); ``elements`` are the ids to look at, all if left out;
    ``min_score`` is the least score, from 0 to 1; ``top`` the most suggestions for an element.
    The same questions give the same suggestions.

    Raises :class:`AnaphoraError` for an element that the model does not have, and what
    ``vectors`` raises.
    """
    return study(
        model, questions, vectors=vectors, elements=elements, min_score=min_score, top=top
    ).suggestions


def study(
    model: Model,
    questions: Iterable[str],
    *,
    vectors: Vectors | None = None,
    elements: Collection[str] | None = None,
    min_score: float = 0.5,
    top: int | None = None,
    progress: Progress = lambda what, done, of: None,
) -> Findings:
    """As :func:`suggest`, with how many questions there were and how many are understood."""
    chosen = _select_elements(model, elements)
    pipeline = Pipeline(model)
    trials = SynonymTrials(model, pipeline, budget=_MOST_TRIALS)
    asked = Counter(questions)
    read = list(_read_questions(pipeline, trials, list(_most_asked(asked)), progress))
    neighbours = _neighbours(model, pipeline, read)
    found: list[Suggestion] = []
    for language in model.languages:
        here = [question for question in read if question.utterance.language == language]
        synonyms = Synonyms(model.elements, language)
        groups = _build_groups(find_candidates(here), synonyms, neighbours, vectors, progress)

        def is_wanted(score: float, element: str) -> bool:
            return score >= min_score and element in chosen

        pairs = _run_trials(groups, synonyms, trials, is_wanted, progress)
        wanted = [pair for pair in pairs if is_wanted(pair.score(), pair.element)]
        found += [_build_suggestion(one) for one in _drop_overlapping(wanted)]
    number = sum(question.count for question in read)
    return Findings(
        tuple(_select_best(found, chosen, top)),
        questions=number,
        left_out=asked.total() - number,
        understood=sum(question.count for question in read if question.understood),
    )


def score(*, spelling: float, trial: float, place: float, meaning: float) -> float:
    """The four kinds of evidence, each from 0 to 1, as one score from 0 to 1."""
    doubt = (1 - spelling) * (1 - _TRIAL * trial) * (1 - _PLACE * place) * (1 - _MEANING * meaning)
    return round(1 - doubt, 3)


@dataclass(slots=True)
class _Pair:
    """A candidate and an element, with what speaks for the two."""

    candidate: CandidatePhrase
    element: str
    spelling_match: SpellingMatch | None
    semantic_match: SemanticMatch | None
    place: float
    outcomes: tuple[TrialOutcome, ...] = ()
    credit: float = 0.0

    def score(self, trial: float | None = None) -> float:
        return score(
            spelling=self.spelling_match.strength if self.spelling_match else 0.0,
            trial=self.trial if trial is None else trial,
            place=self.place,
            meaning=self.semantic_match.strength if self.semantic_match else 0.0,
        )

    @property
    def trial(self) -> float:
        return self.credit / (len(self.outcomes) + 1)

    @property
    def best_trial(self) -> float:
        """The most that trials can give."""
        hopeful = sum(not place.question.understood for place in self.candidate.sample)
        return hopeful / (len(self.candidate.sample) + 1)


def _select_elements(model: Model, elements: Collection[str] | None) -> list[str]:
    known = [element.id for element in model.elements]
    for id in elements or ():
        if id not in known:
            close = get_close_matches(id, known, n=1)
            meant = f"; did you mean '{close[0]}'?" if close else f"; it has: {', '.join(known)}"
            raise AnaphoraError(f"the model '{model.id}' has no element '{id}'{meant}")
    return [id for id in known if not elements or id in elements]


def _most_asked(questions: Counter[str]) -> Iterator[tuple[str, int]]:
    """As many of the questions as can be read, with how many times each was asked."""
    left = _MOST_READ
    for text, times in questions.most_common(_MOST_QUESTIONS):
        left -= len(text)
        if left < 0:
            break
        yield text, times


def _read_questions(
    pipeline: Pipeline,
    trials: SynonymTrials,
    questions: Sequence[tuple[str, int]],
    progress: Progress,
) -> Iterator[ReadQuestion]:
    for done, (text, seen) in enumerate(questions):
        progress("reading", done, len(questions))
        utterance = pipeline("" if len(text) > _MOST_CHARACTERS else text)
        yield ReadQuestion(utterance, seen, trials.understands(utterance))
    progress("reading", len(questions), len(questions))


def _neighbours(model: Model, pipeline: Pipeline, read: Iterable[ReadQuestion]) -> Neighbours:
    neighbours = Neighbours()
    asked = [step for dialog in model.samples for step in dialog.steps if isinstance(step, AskStep)]
    for step in asked[:_MOST_SAMPLES]:
        neighbours.learn(pipeline(step.text[:_MOST_CHARACTERS], step.language))
    for question in read:
        neighbours.learn(question.utterance, question.count)
    return neighbours


def _run_trials(
    groups: Iterable[list[_Pair]],
    synonyms: Synonyms,
    trials: SynonymTrials,
    is_wanted: Callable[[float, str], bool],
    progress: Progress,
) -> Iterator[_Pair]:
    """The pairs of one candidate after the other, with their trials.

    Candidates that could not be wanted, whatever became of their trials, are left out. The
    others are tried best first, while the budget lasts, and always with all their elements, for
    these share what is found.
    """
    hopeful = [
        group
        for group in groups
        if any(is_wanted(pair.score(pair.best_trial), pair.element) for pair in group)
    ]
    hopeful.sort(key=lambda group: -max(pair.score() for pair in group))
    for done, group in enumerate(hopeful):
        progress("trying", done, len(hopeful))
        if not trials.is_exhausted:
            for pair in group:
                pair.outcomes = tuple(_iter_outcomes(pair, synonyms, trials))
            _split_credit(group)
        yield from group
    progress("trying", len(hopeful), len(hopeful))


def _iter_outcomes(
    pair: _Pair, synonyms: Synonyms, trials: SynonymTrials
) -> Iterator[TrialOutcome]:
    """One for each place of the candidate's sample, up to the end of the budget."""
    text = (
        pair.spelling_match.synonym.text if pair.spelling_match else synonyms.typical[pair.element]
    )
    for place in pair.candidate.sample:
        outcome = trials.try_synonym(place, pair.element, text)
        if outcome is None:
            break
        yield outcome


def _split_credit(group: Sequence[_Pair]) -> None:
    """Credit the pairs of one candidate with what their trials came to."""
    for outcomes in zip_longest(*(pair.outcomes for pair in group)):
        credits = [outcome.credit if outcome else 0.0 for outcome in outcomes]
        most = max(credits)
        for pair, credit in zip(group, credits, strict=True):
            if credit == most:
                pair.credit += most / credits.count(most)


def _build_groups(
    found: Sequence[CandidatePhrase],
    synonyms: Synonyms,
    neighbours: Neighbours,
    vectors: Vectors | None,
    progress: Progress,
) -> Iterator[list[_Pair]]:
    """Each candidate with the elements that most speaks for, not many."""
    elements = list(dict.fromkeys(synonym.element for synonym in synonyms.all))
    forms = [synonyms.normalize(candidate.phrase) for candidate in found]
    near = find_closest(vectors, forms, synonyms.all) if vectors else [{} for _ in forms]
    likeness = SpellingMatcher(synonyms.all)
    compared = _MOST_COMPARISONS // max(1, len(synonyms.all))
    for done, (candidate, form, close) in enumerate(zip(found, forms, near, strict=True)):
        progress("comparing", done, len(found))
        likes = likeness.find_best(form, candidate.stems) if done < compared else {}
        places = neighbours.shares(candidate.sample)
        first = dict.fromkeys((*likes, *close, *places, *elements[:_MOST_ELEMENTS]))
        group = [
            _Pair(candidate, id, likes.get(id), close.get(id), places.get(id, 0.0))
            for id in first  # one without texts has no place to try the candidate in
            if id in synonyms.typical and not synonyms.knows(id, candidate.stems)
        ]
        group.sort(key=lambda pair: -pair.score())
        yield group[:_MOST_ELEMENTS]
    progress("comparing", len(found), len(found))


def _drop_overlapping(pairs: Iterable[_Pair]) -> Iterator[_Pair]:
    """Of phrases of which one holds the other, the better one; the other one too if it is seen
    more often, for then it stands elsewhere as well."""
    ordered = sorted(pairs, key=lambda pair: (pair.element, -pair.score(), -pair.candidate.count))
    for _, of_element in groupby(ordered, key=lambda pair: pair.element):
        kept: dict[tuple[str, ...], int] = {}
        longest: set[tuple[str, ...]] = set()
        for pair in of_element:
            stems = pair.candidate.stems
            rivals = {part: kept[part] for part in _iter_parts(stems) if part in kept}
            rivals.update({whole: kept[whole] for whole in longest if _contains(whole, stems)})
            if all(asked < pair.candidate.count for asked in rivals.values()):
                kept[stems] = pair.candidate.count
                if len(stems) > 1:
                    longest.add(stems)
                yield pair


def _iter_parts(stems: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for length in range(1, len(stems)):
        for start in range(len(stems) - length + 1):
            yield stems[start : start + length]


def _contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return whole != part and part in _iter_parts(whole)


def _build_suggestion(pair: _Pair) -> Suggestion:
    candidate = pair.candidate
    return Suggestion(
        element=pair.element,
        value=pair.spelling_match.synonym.value if pair.spelling_match else None,
        phrase=candidate.phrase,
        score=pair.score(),
        seen=candidate.count,
        evidence=tuple(_format_evidence(pair)),
        example=candidate.occurrences[0].question.utterance.text,
    )


def _format_evidence(pair: _Pair) -> Iterator[str]:
    if pair.spelling_match:
        yield str(pair.spelling_match)
    if pair.semantic_match:
        yield str(pair.semantic_match)
    matches = sum(outcome.matches for outcome in pair.outcomes)
    follows = sum(outcome.follows for outcome in pair.outcomes)
    tried = len(pair.outcomes)
    if matches:
        of = f" of {tried}" if tried > matches else ""
        yield f"{matches}{of} {_plural('question', tried)} would match"
    if follows:
        yield f"{follows} would match as {'a follow-up' if follows == 1 else 'follow-ups'}"
    if pair.place >= _MIN_NEIGHBOUR_SHARE:
        yield f"stands where {pair.element} stands ({pair.place:.2f})"
    times = pair.candidate.count
    yield "seen once" if times == 1 else f"seen {times} times"


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _select_best(
    found: Iterable[Suggestion], elements: Sequence[str], top: int | None
) -> Iterator[Suggestion]:
    ranked = sorted(found, key=lambda one: (-one.score, -one.seen, one.phrase))
    for element in elements:
        yield from [one for one in ranked if one.element == element][:top]
