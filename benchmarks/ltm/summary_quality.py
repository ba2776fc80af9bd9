"""How much of a dialog does a summary keep: on LoCoMo's sessions, at a share of their words?

    python -m benchmarks.ltm.summary_quality locomo10.json [--share 0.1 0.2 0.3] [--exchanges 5]

A *block* is a session (23 turns, 480 words on average) or, with ``--exchanges``, that many
exchanges of one; its first speaker is the user. A summary has at most the given share of the words,
including its labels; methods that choose sentences without labels may use those words as well.
Weights were fitted on the dialogs with odd numbers ("chosen on"); the figures are those of the
others ("held out") and of all.

- *facts*: the share of the names, numbers and dates of a block that the summary has; mean over the
  blocks that have any. The definition of a fact does not come from the summarizer: it is a run of
  capitalized words inside a sentence (without the two speakers' names), a word with a
  digit, a number in words, a weekday, a month, "today", "yesterday", "tomorrow", "tonight".
- *recognized*: the same for the entities of Anaphora's recognizers of dates, numbers and places.
- *answers*: of the questions (but the adversarial ones) whose evidence lies in one block and whose
  answer's words (without stop words) all occur there, the share with all of them in the summary.
- *days*: of the questions whose evidence lies in one block and whose answer is a day, month or
  year of the calendar, the share where that date stands in the summary, in words or as ISO 8601.
"""

from __future__ import annotations

import argparse
import calendar
import math
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.builtin.numbers.number_recognizer import NumberRecognizer
from anaphora.entities.builtin.places import place_recognizer as places
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.tokens.tokenizers import blank
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.measure import count_words
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.first_words import FirstWords
from anaphora.ltm.summarizers.summarizer import Segment, Summarizer
from benchmarks.ltm.locomo import Dialog, Question, Session, Turn, load_dialogs, split_dialogs

Matrix = NDArray[np.float64]
Method = Callable[["Block", int], str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--share", type=float, nargs="+", default=[0.1, 0.2, 0.3])
    parser.add_argument("--exchanges", type=int, help="in a block; a whole session if left out")
    parser.add_argument("--show", type=int, default=0, help="so many summaries of held out blocks")
    chosen = parser.parse_args()
    dialogs = load_dialogs(chosen.path)
    tuned, held_out = (
        [block for dialog in half for block in _blocks(dialog, chosen.exchanges)]
        for half in split_dialogs(dialogs)
    )
    print("| dialogs | method | share | facts | recognized | answers | days | ms a block |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, blocks in ("chosen on", tuned), ("held out", held_out), ("all", tuned + held_out):
        for method_name, method in _methods().items():
            for share in chosen.share:
                figures = _measure(method, blocks, share)
                print(f"| {name} | {method_name} | {share:.0%} | {figures} |", flush=True)
    for block in held_out[:: max(1, len(held_out) // max(1, chosen.show))][: chosen.show]:
        print(f"\n{block.size} words:\n{_methods()['extractive'](block, block.size // 5)}")


@dataclass(frozen=True, slots=True)
class Block:
    """Some turns, and what a summary should keep: facts by two detectors, the words of the answers
    to questions, and dates that questions ask for."""

    exchanges: tuple[Exchange, ...]
    size: int
    facts: frozenset[str]
    recognized: frozenset[str]
    answers: tuple[frozenset[str], ...]
    days: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        said = (text for one in self.exchanges for text in (one.question, one.answer))
        return [sentence for text in said for sentence in _sentences(text)]


def _measure(method: Method, blocks: Sequence[Block], share: float) -> str:
    facts, recognized, answers, days = [], [], [], []
    seconds = 0.0
    for block in blocks:
        limit = int(block.size * share)
        begin = time.perf_counter()
        summary = method(block, limit)
        seconds += time.perf_counter() - begin
        assert count_words(summary) <= limit
        lower, said = " ".join(summary.lower().split()), _content(summary)
        if block.facts:
            facts.append(mean(fact in lower for fact in block.facts))
        if block.recognized:
            recognized.append(mean(fact in lower for fact in block.recognized))
        answers += [answer <= said for answer in block.answers]
        days += [_mentions_day(lower, day) for day in block.days]
    shares = (
        f"{mean(kept):.3f} of {len(kept)}" if kept else "" for kept in (recognized, answers, days)
    )
    return f"{mean(facts):.3f} | {' | '.join(shares)} | {1000 * seconds / len(blocks):.1f}"


def _methods() -> dict[str, Method]:
    return {
        "first words": _method_from(FirstWords()),
        "random sentences": _random,
        "TextRank": lambda block, limit: _ranked_by(block.sentences, _text_rank, limit),
        "LexRank": lambda block, limit: _ranked_by(block.sentences, _lex_rank, limit),
        "extractive": _method_from(Extractive()),
        "extractive, dates as said": _method_from(Extractive(dates="as said")),
    }


def _method_from(summarizer: Summarizer) -> Method:
    return lambda block, limit: summarizer.summarize([Segment(block.exchanges, limit)])[0]


def _random(block: Block, limit: int) -> str:
    sentences = block.sentences
    order = list(range(len(sentences)))
    random.Random(" ".join(sentences)).shuffle(order)
    return _fill_limit(sentences, order, limit)


# --- other ways to choose sentences ---------------------------------------------------------------


def _ranked_by(
    sentences: Sequence[str], similarity: Callable[[list[Counter[str]]], Matrix], limit: int
) -> str:
    """The sentences that are most similar to the others, by PageRank with a damping of .85."""
    bags = [Counter(word.lower() for word in _tokens(sentence)) for sentence in sentences]
    alike = similarity(bags)
    np.fill_diagonal(alike, 0.0)
    sums = alike.sum(axis=1, keepdims=True)
    size = len(sentences)
    steps = np.divide(alike, sums, out=np.full_like(alike, 1.0 / size), where=sums > 0)
    rank = np.full(size, 1.0 / size)
    for _ in range(50):
        rank = 0.15 / size + 0.85 * steps.T @ rank
    return _fill_limit(sentences, [int(place) for place in np.argsort(-rank, kind="stable")], limit)


def _text_rank(bags: list[Counter[str]]) -> Matrix:
    """Common words by the logarithms of the lengths (Mihalcea and Tarau 2004)."""
    sets = [set(bag) - _STOP for bag in bags]
    alike = np.zeros((len(sets), len(sets)))
    for row, one in enumerate(sets):
        for column, other in enumerate(sets[:row]):
            lengths = math.log(1 + len(one)) + math.log(1 + len(other))
            if lengths:
                alike[row, column] = alike[column, row] = len(one & other) / lengths
    return alike


def _lex_rank(bags: list[Counter[str]]) -> Matrix:
    """The cosine of tf-idf, as a graph of what is at least .1 (Erkan and Radev 2004)."""
    vocabulary = {word: place for place, word in enumerate(sorted(set().union(*bags)))}
    counts = np.zeros((len(bags), len(vocabulary)))
    for row, bag in enumerate(bags):
        for word, times in bag.items():
            counts[row, vocabulary[word]] = times
    vectors = counts * np.log(len(bags) / (counts > 0).sum(axis=0))
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    alike: Matrix = (vectors @ vectors.T >= 0.1).astype(float)
    return alike


def _fill_limit(sentences: Sequence[str], order: Iterable[int], limit: int) -> str:
    """The most preferred sentences that fit, in the order of the text."""
    kept = []
    for place in order:
        size = count_words(sentences[place])
        if size <= limit:
            kept.append(place)
            limit -= size
    return " ".join(sentences[place] for place in sorted(kept))


# --- expected content -----------------------------------------------------------------------------


def _blocks(dialog: Dialog, exchanges: int | None) -> Iterator[Block]:
    for session in dialog.sessions:
        paired = _pairs(session.turns)
        step = exchanges or len(paired)
        for start in range(0, len(paired), step):
            yield _block(dialog, session, paired[start : start + step])


def _pairs(turns: Sequence[Turn]) -> list[tuple[Turn, ...]]:
    """A turn and the next turn of the other speaker."""
    pairs: list[tuple[Turn, ...]] = []
    for turn in turns:
        if pairs and len(pairs[-1]) == 1 and pairs[-1][0].speaker != turn.speaker:
            pairs[-1] = (*pairs[-1], turn)
        else:
            pairs.append((turn,))
    return pairs


def _block(dialog: Dialog, session: Session, paired: Sequence[tuple[Turn, ...]]) -> Block:
    exchanges = tuple(
        Exchange(pair[0].text, pair[1].text if pair[1:] else "", session.at, language="en")
        for pair in paired
    )
    turns = [turn for pair in paired for turn in pair]
    ids = {turn.id for turn in turns}
    asked = [
        question
        for question in dialog.questions
        if question.category != 5 and question.evidence and ids.issuperset(question.evidence)
    ]
    texts = [turn.text for turn in turns]
    said = _content(" ".join(texts))
    answers = (_content(question.answer) for question in asked)
    return Block(
        exchanges=exchanges,
        size=sum(map(count_words, texts)),
        facts=frozenset(fact for text in texts for fact in _facts(text, dialog.speakers)),
        recognized=frozenset(fact for text in texts for fact in _recognized(text, session.at)),
        answers=tuple(answer for answer in answers if answer and answer <= said),
        days=tuple(day for question in asked if (day := _question_day(question))),
    )


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP = _set(
    """a an the and or but if of to in on at by for with from as is are was were be been being am do
    does did have has had i you he she it we they me him her us them my your his its our their this
    that these those not no yes so too very can could will would should may might must about into
    over after before than then there here what when where who how why which also just"""
)
_NUMBERS = _set(
    """two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred
    thousand million first second third"""
)
_MONTHS = list(map(str.lower, calendar.month_name[1:]))
_DATES = frozenset(_MONTHS) - {"may", "march"} | _set(
    """monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight"""
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z]\w+(?:['’-]\w+)*(?:\s+[A-Z]\w+(?:['’-]\w+)*)*")


def _facts(text: str, speakers: Sequence[str]) -> Iterator[str]:
    for sentence in _sentences(text):
        for match in _NAME.finditer(sentence):
            name = re.sub(r"['’]s$", "", match[0].lower())
            # "Mel" is Melanie.
            if not any(speaker.lower().startswith(name) for speaker in speakers):
                yield " ".join(name.split())
        for token in _tokens(sentence.lower()):
            if token in _NUMBERS | _DATES or any(map(str.isdigit, token)):
                yield token


def _recognized(text: str, at: datetime) -> Iterator[str]:
    nlp, recognizers = _recognizers()
    doc = nlp(text)
    for recognize in recognizers:
        for mention in recognize(doc, at):
            yield " ".join(text[mention.start : mention.end].lower().split())


@lru_cache(maxsize=1)
def _recognizers() -> tuple[Callable[[str], Doc], Sequence[Callable[..., Iterable[Mention]]]]:
    options = {"kinds": ["city", "region", "country", "continent"]}
    return blank("en"), (
        DateRecognizer(get_date_parser("en")),
        NumberRecognizer("en"),
        places.create("en", options | {"population": 15_000, "ambiguity": 1}),
    )


def _question_day(question: Question) -> str:
    """An answer like "7 May 2023", "May 7, 2023", "June 2023" or 2022 as ISO 8601, else ""."""
    text = question.answer.strip().rstrip(".").replace(",", " ").lower()
    found = re.fullmatch(r"(?:(\d{1,2})\s+)?([a-z]+)\s+(?:(\d{1,2})\s+)?(\d{4})", text)
    if found and found[2] in _MONTHS:
        month = f"{found[4]}-{_MONTHS.index(found[2]) + 1:02}"
        day = found[1] or found[3]
        return f"{month}-{int(day):02}" if day else month
    return text if re.fullmatch(r"(?:19|20)\d\d", text) else ""


def _mentions_day(summary: str, day: str) -> bool:
    if re.search(rf"(?<![\d-]){day}(?![\d-])", summary):
        return True
    year, month, number = (*day.split("-"), "", "")[:3]
    written = {year} | ({_MONTHS[int(month) - 1]} if month else set())
    return written <= set(_tokens(summary)) and (not number or f" {int(number)}" in summary)


def _content(text: str) -> frozenset[str]:
    return frozenset(token for token in _tokens(text.lower()) if token not in _STOP)


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+(?:['’-]\w+)*", text)


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in re.split(r"(?<=[.!?])\s+", text.strip()) if sentence]


if __name__ == "__main__":
    main()
