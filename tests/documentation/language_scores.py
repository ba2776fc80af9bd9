"""Scores of the languages: how many phrases of the test tables are understood.

``python -m tests.documentation.language_scores`` writes the tables to the docs; a test checks that
they are up to date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.entities.words import word_forms

ROOT = Path(__file__).parents[1]
PAGE = ROOT.parent / "docs" / "languages.md"
BEGIN, END = "<!-- scores -->", "<!-- end of the scores -->"
FORMS_BEGIN, FORMS_END = "<!-- scores of word forms -->", "<!-- end of the scores of word forms -->"

COLUMNS: dict[str, tuple[str, str]] = {
    "date, duration": ("dates", ""),
    "recurrence": ("dates/recurrences", ""),
    "number": ("numbers", "number"),
    "money": ("numbers", "money"),
    "place": ("places", ""),
    "yes and no": ("patterns", "boolean"),
    "limit, sort, relation": ("references", ""),
}
NAMES = {
    "en": "English", "ru": "Russian", "de": "German", "fr": "French", "es": "Spanish",
    "it": "Italian", "pt": "Portuguese", "uk": "Ukrainian", "ja": "Japanese", "zh": "Chinese",
    "ar": "Arabic", "he": "Hebrew", "nl": "Dutch", "pl": "Polish", "tr": "Turkish",
    "ko": "Korean",
}  # fmt: skip
FORM_NAMES = NAMES | {"th": "Thai"}


def score_table() -> str:
    """The scores as a Markdown table: understood phrases of all phrases."""
    lines = [f"| language | {' | '.join(COLUMNS)} |", "| --- |" + " --- |" * len(COLUMNS)]
    for code, name in NAMES.items():
        cells = [_score(code, folder, kind) for folder, kind in COLUMNS.values()]
        lines.append(f"| {name} (`{code}`) | {' | '.join(cells)} |")
    return "\n".join(lines)


def word_form_table() -> str:
    """A Markdown table of recognized word forms, and of other words that are kept apart."""
    lines = ["| language | forms found | other words kept apart |", "| --- | --- | --- |"]
    for code, name in FORM_NAMES.items():
        if code not in word_forms.LANGUAGES:
            continue
        pairs = word_forms.pairs(code)
        found = word_forms.score(pair for pair in pairs if pair.positive)
        apart = word_forms.score(pair for pair in pairs if not pair.positive)
        lines.append(f"| {name} (`{code}`) | {found} | {apart} |")
    return "\n".join(lines)


def update_page() -> str:
    """The page of the docs with the current scores."""
    page = _replace_between(PAGE.read_text("utf-8"), BEGIN, score_table(), END)
    return _replace_between(page, FORMS_BEGIN, word_form_table(), FORMS_END)


def _replace_between(page: str, begin: str, text: str, end: str) -> str:
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


def _score(language: str, folder: str, kind: str) -> str:
    path = ROOT / "entities" / "builtin" / folder / "phrases" / f"{language}.yaml"
    if not path.is_file():
        return ""
    tables = yaml.load(path.read_text("utf-8"), yaml.CBaseLoader)
    if kind:
        tables = tables.get(kind)
    phrases = list(_phrases(tables)) if tables else []
    if not phrases:
        return ""
    return f"{sum(not _is_failing(one) for one in phrases)} of {len(phrases)}"


def _phrases(tables: Any) -> Iterator[Any]:
    """The phrases of a list, or of a list per kind; a mapping from phrases to results has the
    values of the mapping."""
    if isinstance(tables, list):
        yield from tables
    elif all(isinstance(one, list) and _are_phrases(one) for one in tables.values()):
        for listed in tables.values():
            yield from listed
    else:
        yield from tables.values()


def _are_phrases(listed: list[Any]) -> bool:
    return all(isinstance(one, Mapping) and "say" in one for one in listed)


def _is_failing(phrase: Any) -> bool:
    return isinstance(phrase, Mapping) and "fails" in phrase


if __name__ == "__main__":
    PAGE.write_text(update_page(), "utf-8")
