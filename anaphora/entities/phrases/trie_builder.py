"""Build tries level by level with sorted numpy arrays."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from spacy.strings import get_string_id

from anaphora.entities.phrases.trie import ROOT, Nodes, Step, Trie, form_of
from anaphora.entities.words.lexicon import Word
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart

__all__ = ["TrieBuilder"]

_LABEL_MASK = (1 << 32) - 1

_Numbers: TypeAlias = npt.NDArray[np.int64]
_Hashes: TypeAlias = npt.NDArray[np.uint64]


class TrieBuilder:
    """Collects phrases, and builds a trie of them."""

    def __init__(self) -> None:
        self._hashes = array("Q")  # of the stems of all steps in a row
        self._specials: dict[Pattern | EntityPart, int] = {}
        self._special_at: list[tuple[int, int]] = []  # among the steps, with its number
        self._ends = array("I")  # of the phrases among them
        self._entries = array("i")
        self._forms = array("Q")

    def add(self, phrase: Sequence[Step], entry: int) -> None:
        """Add a ``phrase`` that leads to ``entry``; one without words is ignored."""
        if not phrase:
            return
        hashes = self._hashes
        for step in phrase:
            if not isinstance(step, Word):
                number = self._specials.setdefault(step, len(self._specials))
                self._special_at.append((len(hashes), number))
                hashes.append(0)
            elif step.parts:
                hashes.extend(map(get_string_id, step.parts))
            else:
                hashes.append(get_string_id(step.stem))
        self._ends.append(len(hashes))
        self._entries.append(entry)
        self._forms.append(get_string_id(" ".join([form_of(step) for step in phrase])))

    def build(self) -> Trie:
        """Build the trie of all phrases. Duplicates with the same entry and spelling are merged."""
        hashes, labels = self._label_steps()
        ends = np.array(self._ends, np.int64)
        starts = np.concatenate([ends[:1] * 0, ends[:-1]])
        walks = _TrieWalks(len(hashes), labels[starts])
        for depth in range(1, int((ends - starts).max(initial=0))):
            going = np.flatnonzero(ends - starts > depth)
            walks.advance(going, labels[starts[going] + depth])
        edges = np.concatenate([*walks.levels, np.empty(0, np.int64)])
        specials = list(self._specials)
        special: dict[int, list[tuple[Pattern | EntityPart, int]]] = {}
        for node, label, child in walks.special:
            special.setdefault(node, []).append((specials[label - len(hashes)], child))
        first, entries, forms = self._records(walks)
        return Trie(
            Nodes(
                hashes=array("Q", hashes.tobytes()),
                edges=_as_ints(np.searchsorted(edges >> 32, np.arange(walks.count + 1))),
                labels=_as_ints(edges & _LABEL_MASK),
                first=_as_ints(first),
                entries=entries,
                forms=forms,
                special=special,
            )
        )

    def _label_steps(self) -> tuple[_Hashes, _Numbers]:
        """Return the sorted hashes of the stems, and the labels of all steps: the index of a stem
        in the hashes, greater numbers for special steps."""
        hashes = np.array(self._hashes, np.uint64)
        at, numbers = np.array(self._special_at, np.int64).reshape(-1, 2).T
        is_stem = np.full(len(hashes), fill_value=True)
        is_stem[at] = False
        stems, places = np.unique(hashes[is_stem], return_inverse=True)
        labels = np.empty(len(hashes), np.int64)
        labels[is_stem] = places
        labels[at] = len(stems) + numbers
        return stems, labels

    def _records(self, walks: _TrieWalks) -> tuple[_Numbers, array[int], array[int]]:
        """Return the first record of each node, and the entries and spellings of the records."""
        entries, forms = np.array(self._entries, np.int32), np.array(self._forms, np.uint64)
        order = np.lexsort((forms, entries, walks.reached))
        nodes, entries, forms = walks.reached[order], entries[order], forms[order]
        is_new = np.full(len(order), fill_value=True)
        is_new[1:] = (
            (nodes[1:] != nodes[:-1]) | (entries[1:] != entries[:-1]) | (forms[1:] != forms[:-1])
        )
        nodes, entries, forms = nodes[is_new], entries[is_new], forms[is_new]
        having, places, counts = np.unique(nodes, return_index=True, return_counts=True)
        first = np.full(walks.count, -1, np.int64)
        first[having] = places
        last = places + counts - 1
        entries[last] = -1 - entries[last]
        return first, array("i", entries.tobytes()), array("Q", forms.tobytes())


class _TrieWalks:
    """Advances all phrases by one step at a time through a growing trie.

    ``reached`` is the current node of each phrase, ``levels`` are the edges so far (a parent node
    in the upper bits, a label in the lower ones), ``special`` the edges of patterns and parts: a
    node, a label, and a child.
    """

    def __init__(self, stems: int, labels: _Numbers) -> None:
        self._stems = stems
        self.count = stems  # of nodes
        self.levels: list[_Numbers] = []
        self.special: list[tuple[int, int, int]] = []
        self.reached = labels
        beyond = np.flatnonzero(labels >= stems)
        self._add_nodes(beyond, labels[beyond])
        self.special = [(ROOT, label, child) for _, label, child in self.special]

    def advance(self, walks: _Numbers, labels: _Numbers) -> None:
        """Advance these walks by a step with these labels."""
        self.levels.append(self._add_nodes(walks, self.reached[walks] << 32 | labels))

    def _add_nodes(self, walks: _Numbers, keys: _Numbers) -> _Numbers:
        """Move the walks to a new node for each distinct key; return the keys, sorted."""
        distinct, first, back = np.unique(keys, return_index=True, return_inverse=True)
        self.reached[walks] = self.count + back
        beyond = np.flatnonzero(distinct & _LABEL_MASK >= self._stems)
        for one in beyond[np.argsort(first[beyond])]:  # in the order of the phrases
            key = int(distinct[one])
            self.special.append((key >> 32, key & _LABEL_MASK, self.count + int(one)))
        self.count += len(distinct)
        return distinct


def _as_ints(numbers: npt.NDArray[Any]) -> array[int]:
    return array("i", numbers.astype(np.int32).tobytes())
