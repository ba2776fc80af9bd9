"""The docs tell how much of what people say is understood, and it is so."""

from tests.scores import NAMES, PAGE, page_with, table


def test_the_docs_have_the_scores_of_today():
    assert PAGE.read_text("utf-8") == page_with(table()), "python -m tests.scores writes them"


def test_ten_languages_have_dates_numbers_and_places():
    rows = table().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    complete = [row[0] for row in cells if row[1] and row[2] and row[4]]
    assert len(complete) >= 10
    assert len(rows) == len(NAMES)
