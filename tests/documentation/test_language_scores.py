"""The documented scores of the languages are current."""

from tests.documentation.language_scores import (
    FORM_NAMES,
    NAMES,
    PAGE,
    score_table,
    update_page,
    word_form_table,
)
from tests.entities.words.word_forms import LANGUAGES


def test_the_documented_scores_are_current():
    assert PAGE.read_text("utf-8") == update_page(), (
        "python -m tests.documentation.language_scores writes them"
    )


def test_ten_languages_have_dates_numbers_and_places():
    rows = score_table().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    complete = [row[0] for row in cells if row[1] and row[2] and row[4]]
    assert len(complete) >= 10
    assert len(rows) == len(NAMES)


def test_every_language_with_word_forms_is_in_their_table():
    assert set(LANGUAGES) <= FORM_NAMES.keys()
    assert len(word_form_table().splitlines()[2:]) == len(LANGUAGES)
