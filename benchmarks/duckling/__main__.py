"""How many phrases of Duckling's corpora are read as Duckling reads them?

    python -m benchmarks.duckling FILE [--language en] [--kind Time] [--failures 20] [--peers]

:mod:`benchmarks.duckling.phrases` says what is in the file, :mod:`benchmarks.duckling.scoring`
what counts as right, fair and whole. With --peers, other packages read what they support:
dateparser times, quantulum3 English numbers, amounts of money and durations, price-parser amounts
of money, text2num numbers and ordinals of six languages. Their share is what they read right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.duckling.peers import INSTALL, PEERS, Peer
from benchmarks.duckling.phrases import KINDS, DataError, Phrase, load_phrases
from benchmarks.duckling.scoring import Reader, Score


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.duckling",
        description=(__doc__ or "").partition("\n\n    ")[0],
    )
    parser.add_argument("data", type=Path, help="a file of annotated phrases, JSON lines")
    parser.add_argument("--language", action="append", metavar="CODE", help="left out: all")
    parser.add_argument("--kind", action="append", choices=KINDS, help="left out: all")
    parser.add_argument(
        "--failures", type=int, default=0, metavar="N", help="print up to N phrases not right"
    )
    parser.add_argument("--unfair", action="store_true", help="print those not fair instead")
    parser.add_argument(
        "--consistent",
        action="store_true",
        help="leave out months and years that are expected to begin within one",
    )
    parser.add_argument("--peers", action="store_true", help="other packages beside it")
    parser.add_argument(
        "--config", metavar="JSON", help='options: \'{"date": {"week": "sunday"}}\''
    )
    arguments = parser.parse_args()
    try:
        phrases = [
            one
            for one in load_phrases(arguments.data)
            if one.language in (arguments.language or [one.language])
            and one.kind in (arguments.kind or KINDS)
            and (one.is_consistent or not arguments.consistent)
        ]
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    reader = Reader(json.loads(arguments.config) if arguments.config else None)
    scored = [(phrase, reader.score(phrase)) for phrase in phrases]
    _print_table(scored, _find_peers() if arguments.peers else ())
    missed = [
        (phrase, score)
        for phrase, score in scored
        if not (score.fair if arguments.unfair else score.right)
    ]
    for phrase, score in missed[: arguments.failures]:
        expected = " ".join(map(str, phrase.expected))
        found = "; ".join(score.found) or "nothing"
        print(f"{phrase.language} {phrase.kind}: {phrase.text!r}: {expected}, found {found}")
    return 0


def _find_peers() -> Sequence[Peer]:
    """The packages that are installed; says which ones are not."""
    for peer in PEERS:
        if not peer.is_installed:
            print(f"note: {peer.name} is not installed: {INSTALL}", file=sys.stderr)
    return [peer for peer in PEERS if peer.is_installed]


def _print_table(scored: Iterable[tuple[Phrase, Score]], peers: Sequence[Peer]) -> None:
    groups: Mapping[tuple[str, str], list[tuple[Phrase, Score]]] = defaultdict(list)
    for phrase, score in scored:
        groups[phrase.kind, phrase.language].append((phrase, score))
    columns = ["kind", "language", "phrases", "right", "fair", "whole"]
    columns += [peer.name for peer in peers]
    print(f"| {' | '.join(columns)} |")
    print("|" + " --- |" * len(columns))
    for kind, language in sorted(groups, key=lambda key: (KINDS.index(key[0]), key[1])):
        rows = groups[kind, language]
        cells = [
            _share(one.right for _, one in rows),
            _share(one.fair for _, one in rows),
            _share(one.whole for _, one in rows),
        ]
        cells += [
            _share(peer.is_right(one) for one, _ in rows) if peer.reads(kind, language) else "–"
            for peer in peers
        ]
        print(f"| {kind} | {language} | {len(rows)} | {' | '.join(cells)} |")


def _share(values: Iterable[bool]) -> str:
    listed = list(values)
    return f"{sum(listed) / len(listed):.3f}".lstrip("0") or "0"


if __name__ == "__main__":
    sys.exit(main())
