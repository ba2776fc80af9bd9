"""Suggest synonyms that a model lacks, from questions that it did not understand.

A *candidate* is a run of one to three words that no entity of the model covers. Four kinds of
evidence relate it to each element, each a number from 0 to 1:

- ``S``, spelling: twice the similarity of its letters to those of the nearest synonym (or of its
  stem to one with the same root) minus one, so that half the letters in common count for nothing;
  similarities below 0.7 are ignored;
- ``T``, trial: the number of its questions that an intent would match if it were a synonym of the
  element, over one more than the number of questions tried. A question counts a quarter if memory
  would have to fill the other terms. The credit for a question is shared among its remaining
  unknown words, and among the elements with the same result; an element with a worse result than
  another gets none;
- ``N``, neighbours: the mean share of the element in the entities found beside the same
  neighbouring words, in the questions and in the samples of the model;
- ``V``, vectors: the cosine with the nearest synonym, scaled from 0.3 (nothing) to 1.

They are combined as a noisy or, in which each may be sufficient by itself::

    score = 1 - (1 - S) (1 - 0.6 T) (1 - 0.5 N) (1 - 0.8 V)

The weights express that a spelling alone can be certain, while a trial, neighbours and a meaning
cannot, because other words fit there as well. They were chosen by hand. One wrong letter in a word
of five is enough for 0.5, and so are two questions that an intent would match, if half of the
entities beside the same words are of the element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from anaphora.core.name_hints import did_you_mean
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
_MOST_QUESTIONS = 50_000  # distinct ones
_MOST_READ = 5_000_000  # characters of all questions, which take some 75 bytes of memory each
_MOST_TRIALS = 20_000  # of all candidates; about 0.2 ms each
_MOST_ELEMENTS = 20  # tried for one candidate
_MOST_COMPARISONS = 50_000_000  # of spellings; 40 to 200 ns each, depending on the model
_MOST_CHARACTERS = 10_000  # of a question; a longer one is not read
_MOST_SAMPLES = 1_000
_MIN_NEIGHBOUR_SHARE = 0.25  # a smaller share is not mentioned as evidence

Progress = Callable[[str, int, int], None]
"""Called with the present activity, the number of completed steps, and their total number."""


def suggest(
    model: Model,
    questions: Iterable[str],
    *,
    vectors: Vectors | None = None,
    elements: Collection[str] | None = None,
    min_score: float = 0.5,
    top: int | None = None,
) -> tuple[Suggestion, ...]:
    """Find synonyms that the elements of ``model`` may lack in ``questions``. Returns them by
    element in the order of the model, then best first.

    ``vectors`` provides the meaning of words (a ``VectorFile``, ``Embeddings``, or any function
    from texts to unit vectors). ``elements`` are the ids of the elements (default: all),
    ``min_score`` is the minimum score, from 0 to 1, and ``top`` the maximum number of suggestions
    for an element. The result is deterministic.

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
    """Suggest synonyms as :func:`suggest` does, with the numbers of questions read and understood;
    ``progress`` is called repeatedly."""
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
    """Combine the four kinds of evidence, each from 0 to 1, to a score from 0 to 1."""
    doubt = (1 - spelling) * (1 - _TRIAL * trial) * (1 - _PLACE * place) * (1 - _MEANING * meaning)
    return round(1 - doubt, 3)


@dataclass(slots=True)
class _Pair:
    """A candidate and an element, with the evidence for them."""

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
        """The highest value that trials can give."""
        untried = sum(not one.question.understood for one in self.candidate.sample)
        return untried / (len(self.candidate.sample) + 1)


def _select_elements(model: Model, elements: Collection[str] | None) -> list[str]:
    known = [element.id for element in model.elements]
    for id in elements or ():
        if id not in known:
            hint = did_you_mean(id, known, label="it has")
            raise AnaphoraError(
                f"the model '{model.id}' has no element '{id}'{hint and '; '}{hint}"
            )
    return [id for id in known if not elements or id in elements]


def _most_asked(questions: Counter[str]) -> Iterator[tuple[str, int]]:
    """Iterate over the most frequent questions, within the limits, with their counts."""
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
    """Run the trials of all pairs, and yield the pairs candidate by candidate.

    Candidates that cannot be wanted, whatever their trials give, are left out. The others are
    tried best first, while the budget lasts, and always with all their elements, which share the
    credit.
    """
    promising = [
        group
        for group in groups
        if any(is_wanted(pair.score(pair.best_trial), pair.element) for pair in group)
    ]
    promising.sort(key=lambda group: -max(pair.score() for pair in group))
    for done, group in enumerate(promising):
        progress("trying", done, len(promising))
        if not trials.is_exhausted:
            for pair in group:
                pair.outcomes = tuple(_iter_outcomes(pair, synonyms, trials))
            _split_credit(group)
        yield from group
    progress("trying", len(promising), len(promising))


def _iter_outcomes(
    pair: _Pair, synonyms: Synonyms, trials: SynonymTrials
) -> Iterator[TrialOutcome]:
    """Try the synonym at each occurrence in the candidate's sample, while the budget lasts."""
    text = (
        pair.spelling_match.synonym.text if pair.spelling_match else synonyms.typical[pair.element]
    )
    for occurrence in pair.candidate.sample:
        outcome = trials.try_synonym(occurrence, pair.element, text)
        if outcome is None:
            break
        yield outcome


def _split_credit(group: Sequence[_Pair]) -> None:
    """Credit the pairs of one candidate for their trials."""
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
    """Pair each candidate with the elements that have the most evidence, at most
    ``_MOST_ELEMENTS``."""
    elements = list(dict.fromkeys(synonym.element for synonym in synonyms.all))
    forms = [synonyms.normalize(candidate.phrase) for candidate in found]
    near = find_closest(vectors, forms, synonyms.all) if vectors else [{} for _ in forms]
    matcher = SpellingMatcher(synonyms.all)
    compared = _MOST_COMPARISONS // max(1, len(synonyms.all))
    for done, (candidate, form, close) in enumerate(zip(found, forms, near, strict=True)):
        progress("comparing", done, len(found))
        similar = matcher.find_best(form, candidate.stems) if done < compared else {}
        shares = neighbours.shares(candidate.sample)
        first = dict.fromkeys((*similar, *close, *shares, *elements[:_MOST_ELEMENTS]))
        group = [
            _Pair(candidate, id, similar.get(id), close.get(id), shares.get(id, 0.0))
            for id in first  # an element without texts has no synonym to try
            if id in synonyms.typical and not synonyms.knows(id, candidate.stems)
        ]
        group.sort(key=lambda pair: -pair.score())
        yield group[:_MOST_ELEMENTS]
    progress("comparing", len(found), len(found))


def _drop_overlapping(pairs: Iterable[_Pair]) -> Iterator[_Pair]:
    """Of two phrases, one of which contains the other, keep the better one. Keep both if the worse
    one is more frequent, because then it occurs elsewhere as well."""
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
        yield f"{matches}{of} {'question' if tried == 1 else 'questions'} would match"
    if follows:
        yield f"{follows} would match as {'a follow-up' if follows == 1 else 'follow-ups'}"
    if pair.place >= _MIN_NEIGHBOUR_SHARE:
        yield f"stands where {pair.element} stands ({pair.place:.2f})"
    times = pair.candidate.count
    yield "seen once" if times == 1 else f"seen {times} times"


def _select_best(
    found: Iterable[Suggestion], elements: Sequence[str], top: int | None
) -> Iterator[Suggestion]:
    ranked = sorted(found, key=lambda one: (-one.score, -one.seen, one.phrase))
    for element in elements:
        yield from [one for one in ranked if one.element == element][:top]
