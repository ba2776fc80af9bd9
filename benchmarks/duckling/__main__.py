"""How many phrases of Duckling's corpora are read as Duckling reads them?

    python -m benchmarks.duckling FILE [--language en] [--kind Time] [--failures 20] [--peers]

:mod:`benchmarks.duckling.phrases` says what is in the file, :mod:`benchmarks.duckling.scoring`
what counts as right, fair and whole. With --peers, dateparser reads the times too; it gets the
language.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.duckling.peers import is_right_by_dateparser
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
    parser.add_argument("--peers", action="store_true", help="dateparser beside it")
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
        ]
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    reader = Reader(json.loads(arguments.config) if arguments.config else None)
    scored = [(phrase, reader.score(phrase)) for phrase in phrases]
    _print_table(scored, with_peers=arguments.peers)
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


def _print_table(scored: Iterable[tuple[Phrase, Score]], *, with_peers: bool) -> None:
    groups: Mapping[tuple[str, str], list[tuple[Phrase, Score]]] = defaultdict(list)
    for phrase, score in scored:
        groups[phrase.kind, phrase.language].append((phrase, score))
    print("| kind | language | phrases | right | fair | whole |" + " dateparser |" * with_peers)
    print("| --- | --- | --- | --- | --- | --- |" + " --- |" * with_peers)
    for kind, language in sorted(groups, key=lambda key: (KINDS.index(key[0]), key[1])):
        rows = groups[kind, language]
        cells = [
            _share(one.right for _, one in rows),
            _share(one.fair for _, one in rows),
            _share(one.whole for _, one in rows),
        ]
        if with_peers:
            is_time = kind == "Time"
            cells.append(_share(is_right_by_dateparser(one) for one, _ in rows) if is_time else "–")
        print(f"| {kind} | {language} | {len(rows)} | {' | '.join(cells)} |")


def _share(values: Iterable[bool]) -> str:
    listed = list(values)
    return f"{sum(listed) / len(listed):.3f}".lstrip("0") or "0"


if __name__ == "__main__":
    sys.exit(main())
