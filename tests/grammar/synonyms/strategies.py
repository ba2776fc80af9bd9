"""Texts of the synonym language, made by its grammar, and such with a slip in them."""

from __future__ import annotations

from itertools import groupby

from hypothesis import strategies as st

from anaphora.grammar.synonyms.syntax import (
    EMPTY_SEQUENCE,
    BlankPiece,
    EntityPiece,
    GroupPiece,
    Piece,
    ReferencePiece,
    RegexPiece,
    SequencePiece,
    TextPiece,
)

MACROS = {"<A>": "{un|_}known", "<B-1_b>": "<A> {<A>}[0,2] //x+//", "<Z>": "z"}

TEXTS = st.text("ab{}\\_[]|<>/^?,='\"1é🌧:-", min_size=1, max_size=5).map(TextPiece)
REGEXES = st.sampled_from(["a+", r"\/\/", "[0-9]{1,2}", "a b|c", "[{]", "/a", r"\\", "^^", "'"])
PARTS = st.builds(
    EntityPiece,
    st.sampled_from(["", "x", "a:b-1", "größe_2"]),
    st.sampled_from(["# == 'a'", '# == "^^\'}"', "has(ent_groups(), '{')", "@x = # @x == 'a//'"]),
)
LEAVES = st.one_of(
    TEXTS,
    st.just(BlankPiece()),
    REGEXES.map(RegexPiece),
    PARTS,
    st.sampled_from(list(MACROS)).map(ReferencePiece),
)


def row(pieces: list[Piece]) -> Piece:
    """The pieces in a row as they are read: what touches and is alike is one."""
    flat = [
        inner
        for piece in pieces
        for inner in (piece.pieces if isinstance(piece, SequencePiece) else (piece,))
    ]
    joined: list[Piece] = []
    for kind, run in groupby(flat, key=type):
        alike = list(run)
        if kind is TextPiece:
            alike = [TextPiece("".join(one.text for one in alike))]
        joined += alike[:1] if kind is BlankPiece else alike
    return joined[0] if len(joined) == 1 else SequencePiece(tuple(joined))


def group(alternatives: list[Piece], quantifier: tuple[int, int]) -> GroupPiece:
    said = tuple(EMPTY_SEQUENCE if isinstance(one, BlankPiece) else one for one in alternatives)
    if all(one == EMPTY_SEQUENCE for one in said):
        said = (*said, TextPiece("a"))
    return GroupPiece(said, *quantifier)


def _larger(pieces: st.SearchStrategy[Piece]) -> st.SearchStrategy[Piece]:
    rows = st.lists(pieces, min_size=1, max_size=4).map(row)
    quantifiers = st.sampled_from([(1, 1), (0, 1), (0, 2), (1, 3), (2, 2), (100, 100)])
    alternatives = st.lists(rows | st.just(EMPTY_SEQUENCE), min_size=1, max_size=3)
    return rows | st.builds(group, alternatives, quantifiers)


TREES = st.recursive(LEAVES, _larger, max_leaves=10)

SIGNS = st.sampled_from(
    [*"{}|_[]?<>\\'\"/^,#1 \n\0é\ud83d", "[1,2]", "//", "^^", "==", "<A>", "{_}", "^^{# == 'a'}^^"]
)


@st.composite
def slips(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text in which something was left out, put in or moved."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 3, len(text))))
        text = text[:start] + draw(SIGNS | st.just("")) + text[end:]
    return text
