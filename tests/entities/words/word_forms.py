"""Pairs of a synonym and a form of its words, by language (``word_forms/<language>.yaml``).

A table maps the synonyms of elements to what users type. Under ``found`` are forms by which people
mean the synonym, under ``apart`` other words. ``compounds`` and ``compounds_apart`` have the same
for elements with ``compounds: true``. A form is a text, or a mapping ``{form: …, fails: reason}``
for a pair whose result is known to be wrong.

``python -m tests.entities.words.word_forms [language …]`` prints the scores and the failures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.models.domain import Element
from tests.entities.helpers.model_builders import element, model

__all__ = ["LANGUAGES", "Pair", "is_tagged", "pairs", "score"]

TABLES = Path(__file__).with_name("word_forms")
LANGUAGES = tuple(sorted(path.stem for path in TABLES.glob("*.yaml")))
POSITIVE = ("found", "compounds")
NEGATIVE = ("apart", "compounds_apart")


@dataclass(frozen=True, slots=True)
class Pair:
    """A synonym and a form, and whether the form must be tagged with the synonym's element."""

    language: str
    section: str
    synonym: str
    form: str
    fails: str = ""

    @property
    def positive(self) -> bool:
        """Whether the form must be found."""
        return self.section in POSITIVE

    @property
    def compounds(self) -> bool:
        """Whether the element asks for compounds."""
        return self.section.startswith("compounds")

    def __str__(self) -> str:
        relation = "is" if self.positive else "is not"
        return f"{self.language}: {self.form} {relation} {self.synonym}"


@cache
def pairs(language: str) -> tuple[Pair, ...]:
    """All pairs of a language."""
    table = yaml.load((TABLES / f"{language}.yaml").read_text("utf-8"), yaml.CBaseLoader)
    unknown = table.keys() - {*POSITIVE, *NEGATIVE}
    if unknown:
        raise ValueError(f"{language}.yaml: unknown sections {sorted(unknown)}")
    return tuple(
        Pair(language, section, synonym, **({"form": form} if isinstance(form, str) else form))
        for section, synonyms in table.items()
        for synonym, forms in synonyms.items()
        for form in forms
    )


def is_tagged(pair: Pair, *, compounds: bool | None = None) -> bool:
    """Whether any variant of the form as an utterance has the element of the synonym.

    All synonyms of a language are elements of one model. ``compounds`` overrides what the pair
    says about them.
    """
    asked = pair.compounds if compounds is None else compounds
    pipeline, ids = _pipeline(pair.language, compounds=asked)
    found = {
        one.element for variant in find_variants(pipeline(pair.form)) for one in variant.entities
    }
    return ids[pair.synonym] in found


def score(tested: Iterable[Pair]) -> str:
    """How many of the pairs are right by the table: those not marked with ``fails``."""
    right = [not pair.fails for pair in tested]
    return _share(sum(right), len(right))


@cache
def _pipeline(language: str, *, compounds: bool) -> tuple[Pipeline, dict[str, str]]:
    listed = pairs(language)
    synonyms = dict.fromkeys(pair.synonym for pair in listed if pair.compounds or not compounds)
    ids = {synonym: str(number) for number, synonym in enumerate(synonyms)}
    elements = [_element(id_, synonym, compounds=compounds) for synonym, id_ in ids.items()]
    return Pipeline(model(*elements, languages=(language,))), ids


def _element(id_: str, synonym: str, *, compounds: bool) -> Element:
    # Without the option, pairs that need it fail by themselves.
    options = {"compounds": True} if compounds and "compounds" in Element.__slots__ else {}
    return element(id_, synonym, **options)


def _share(right: int, total: int) -> str:
    return f"{right} of {total} ({100 * right / total:.1f} %)" if total else ""


def _report(language: str) -> Iterator[str]:
    for name, positive in (("found", True), ("apart", False)):
        tested = [pair for pair in pairs(language) if pair.positive is positive]
        wrong = [pair for pair in tested if is_tagged(pair) is not positive]
        yield f"{language} {name}: {_share(len(tested) - len(wrong), len(tested))}"
        for pair in wrong:
            yield f"    {pair.section}: {pair.form} / {pair.synonym}  {pair.fails}".rstrip()


if __name__ == "__main__":
    for code in sys.argv[1:] or LANGUAGES:
        print("\n".join(_report(code)))
