"""How fast does BART summarize: loaded once with segments in batches, compared with a model loaded
for each segment, all in one run?

    python -m benchmarks.ltm.bart [--segments N] [--reloads N] [--beams N] [--tokens N]

The model has the size of BART-large (406 million parameters) and random weights, so that it needs
no download; each summary has exactly 50 tokens, so that the work is the same. It needs 6 GB of
memory, 5 GB on disk and, for 40 segments on two cores, some six minutes.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.summarizers.bart.summarizer import Bart
from anaphora.ltm.summarizers.summarizer import Segment
from anaphora.ltm.summarizers.transcript import format_parts
from benchmarks.models import names

VOCABULARY = 50_265
NEW_TOKENS = 50
EXCHANGES = 5  # in a segment
WAYS: dict[str, dict[str, Any]] = {
    "loaded once, PyTorch fp32": {},
    "loaded once, PyTorch int8": {"precision": "int8"},
    "loaded once, CTranslate2 fp32": {"backend": "ctranslate2", "precision": "fp32"},
    "loaded once, CTranslate2 int8": {"backend": "ctranslate2", "precision": "int8"},
}


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds to get ready, and per segment: wall-clock and CPU time."""

    way: str
    ready: float
    each: float
    busy: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=40)
    parser.add_argument("--reloads", type=int, default=4, help="segments with a load of their own")
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=340, help="of a segment, about")
    parser.add_argument("--batch", type=int, default=40)
    chosen = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        model, cache = Path(folder, "bart"), Path(folder, "cache")
        tokenizer = build(model)
        segments = make_segments(chosen.segments, chosen.tokens, tokenizer)
        lengths = [
            len(tokenizer("\n".join(format_parts(one.parts)))["input_ids"]) for one in segments
        ]
        import torch

        print(
            f"{len(segments)} segments of {min(lengths)} to {max(lengths)} tokens (mean "
            f"{sum(lengths) / len(lengths):.0f}), {NEW_TOKENS} new tokens, {chosen.beams} beam(s), "
            f"{torch.get_num_threads()} threads",
            flush=True,
        )
        options = {"beams": chosen.beams, "batch_size": chosen.batch}
        base = measure_reloading(model, segments[: chosen.reloads], options)
        _print(base, base)
        for way, more in WAYS.items():
            _print(measure_loaded(way, model, segments, {**options, **more, "cache": cache}), base)


def measure_reloading(model: Path, segments: Sequence[Segment], options: dict[str, Any]) -> Row:
    """A new pipeline for each segment; the mean of a few."""
    times = [_measure(partial(_summarize_alone, model, segment, options)) for segment in segments]
    seconds, busy = (sum(column) / len(segments) for column in zip(*times, strict=True))
    return Row(f"loaded for each of {len(segments)}, PyTorch fp32", 0.0, seconds, busy)


def measure_loaded(
    way: str, model: Path, segments: Sequence[Segment], options: dict[str, Any]
) -> Row:
    """Getting ready means loading and, with CTranslate2, the conversion before it, which happens
    only once."""
    bart = _bart(model, **options)
    short = Segment((segments[0].parts[0],), 10)
    ready, _ = _measure(lambda: bart.summarize([short]))
    seconds, busy = _measure(lambda: bart.summarize(segments))
    return Row(way, ready, seconds / len(segments), busy / len(segments))


def build(folder: Path) -> Any:
    """Write a model of the size of BART-large to ``folder``; return its tokenizer, which has a
    token for each of the made-up words of the dialogs."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    known = [*special, "User", "Bot", ":", *_words()]
    filler = (f"word{number}" for number in range(VOCABULARY - len(known)))
    vocabulary = {word: number for number, word in enumerate([*known, *filler])}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    plain.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_max_length=1024,
    )
    torch.manual_seed(1)
    # The other settings are those of BART-large.
    config = BartConfig(vocab_size=VOCABULARY, decoder_start_token_id=2)
    BartForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return tokenizer


def make_segments(count: int, tokens: int, tokenizer: Any) -> list[Segment]:
    """Dialogs of made-up words, whose lengths vary by a quarter."""
    random, known = Random(5), _words()
    at = datetime(2026, 1, 5, tzinfo=UTC)
    made = []
    for _ in range(count):
        wanted = tokens * random.uniform(0.75, 1.25) / (2 * EXCHANGES) - 2  # "User" and ":"
        texts = [" ".join(random.choices(known, k=round(wanted))) for _ in range(2 * EXCHANGES)]
        parts = (Exchange(user, bot, at) for user, bot in zip(texts[::2], texts[1::2], strict=True))
        made.append(Segment(tuple(parts), tokens // 5))
    return made


def _words() -> list[str]:
    return sorted({word for name in names(2000) for word in name.split()})


def _bart(model: Path, **options: Any) -> Bart:
    return Bart(model, min_length=NEW_TOKENS, max_length=NEW_TOKENS, device="cpu", **options)


def _summarize_alone(model: Path, segment: Segment, options: dict[str, Any]) -> None:
    _bart(model, **options).summarize([segment])


def _measure(work: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock and CPU seconds; the latter mean more on a busy machine."""
    gc.collect()
    begun, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun, time.process_time() - busy


def _print(row: Row, base: Row) -> None:
    print(
        f"{row.way:36} ready in {row.ready:5.1f} s   a segment {row.each:6.2f} s   "
        f"{base.each / row.each:5.1f} times as fast   processor {row.busy:6.2f} s "
        f"{base.busy / row.busy:5.1f} times less",
        flush=True,
    )


if __name__ == "__main__":
    main()
