"""Word vectors are read from the text format of word2vec and fastText."""

from __future__ import annotations

import gzip
import logging
from pathlib import Path

import numpy as np
import pytest

from anaphora import AnaphoraError
from anaphora.suggestions.vector_file import VectorFile

TINY = "weather 1 0 0\nstorm 3 4 0\nTokyo 0 0 2\n"


@pytest.fixture
def write(tmp_path: Path):
    def write(content: str | bytes, name: str = "tiny.vec") -> VectorFile:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return VectorFile(path)

    return write


@pytest.mark.parametrize("header", ["", "3 3\n", "\ufeff3 3\r\n"])
def test_a_row_of_length_one_for_each_text(write, header):
    rows = write(header + TINY)(["storm", "weather", "unknown"])
    assert np.allclose(rows, [[0.6, 0.8, 0], [1, 0, 0], [0, 0, 0]])


def test_a_phrase_lies_between_its_words_and_nowhere_if_one_is_unknown(write):
    rows = write(TINY)(["weather tokyo", "weather unknown"])
    assert np.allclose(rows, [[0.4472, 0, 0.8944], [0, 0, 0]], atol=1e-4)


def test_words_are_found_whatever_their_case_in_lower_case_first(write):
    rows = write("TOKYO 1 0\nTokyo 1 1\ntokyo 0 1\nTOKYO 1 0\n")(["tokyo"])
    assert np.allclose(rows, [[0, 1]])
    assert np.allclose(write("Tokyo 1 0\nTOKYO 0 1\n")(["tokyo"]), [[1, 0]])


def test_a_gzipped_file(write):
    rows = write(gzip.compress(TINY.encode()), "tiny.vec.gz")(["weather"])
    assert np.allclose(rows, [[1, 0, 0]])


def test_tabs_blanks_at_the_end_and_tokens_with_blanks(write):
    rows = write("weather\t1\t0 \nstorm of 5 5\nstorm 0 1 \n")(["storm", "weather"])
    assert np.allclose(rows, [[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 0\nstorm 1\n", ":2: the vector of 'storm' has 1 numbers, not 2"),
        ("a 1 0\nstorm 1 2 3\n", ":2: the vector of 'storm' has 3 numbers, not 2"),
        ("a 1 0\nstorm 1 x\n", ":2: in the vector of 'storm', 'x' is not a number"),
        ("a 1 0\nstorm 1 nan\n", ":2: in the vector of 'storm', 'nan' is not a number"),
        ("id: weather\n", ":1: expected a word and the numbers of its vector"),
        (b"2 3\nstorm \0\1\2\3", "binary formats are not supported"),
        (b"\x1f\x8bnothing", "cannot read the vectors"),
        (gzip.compress(TINY.encode(), mtime=0)[:-12], "cannot read the vectors"),
        ("x" * (1 << 21), ":1: this is not text"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_line(write, content, message):
    with pytest.raises(AnaphoraError) as caught:
        write(content)(["storm"])
    assert message in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(AnaphoraError, match="No such file"):
        VectorFile(tmp_path / "none.vec")(["storm"])


def test_a_file_with_none_of_the_words_is_worth_a_warning(write, caplog):
    with caplog.at_level(logging.WARNING):
        assert not write(TINY)(["unknown"]).any()
    assert "none of the 1 requested words" in caplog.text
