"""BART: a model that writes a summary of its own, on this machine.

Lewis et al., BART: Denoising Sequence-to-Sequence Pre-training (2019), fine-tuned on news. Any
other sequence-to-sequence model of transformers that is made for summaries and needs no words of
command before the text does as well.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from anaphora.errors import SummaryError
from anaphora.ltm.history.measure import count_words
from anaphora.ltm.summarizers.bart.model_loading import (
    import_library,
    load_pretrained,
    require_packages,
    resolve_model,
)
from anaphora.ltm.summarizers.bart.text_fitting import fit_to_words, split_into_windows
from anaphora.ltm.summarizers.summarizer import Segment
from anaphora.ltm.summarizers.transcript import format_parts
from anaphora.storage.forks import fork_safe_lock

__all__ = ["Backend", "Bart", "Precision"]

Backend = Literal["torch", "ctranslate2"]
Precision = Literal["auto", "fp32", "fp16", "bf16", "int8"]

_LENGTH_STEP = 8  # tokens: limits are multiples of it, so that segments of like size share a batch
_BATCH_TOKENS = 16_384  # at BART-large's size some 1.6 GB for what a batch needs
_log = logging.getLogger(__name__)


class Bart:
    """Summaries by the model of a folder or of an id on the hub (which is fetched the first time).

    The model is loaded when the first summary is asked for, and once. ``device`` is "auto" (CUDA,
    else Apple's MPS, else the processor) or a name of PyTorch's ("cuda:1"); ``precision`` is
    "auto" (fp16 on a graphics processor, else fp32) or one of "fp32", "fp16", "bf16" and "int8".
    ``backend`` is "torch" or "ctranslate2", which is faster and keeps a converted model in the
    folder ``cache``.

    A summary has at least ``min_length`` and at most ``max_length`` tokens; without
    ``max_length`` as many as the segment's words need, and no more words than those. A segment
    that the model cannot read at once is split between exchanges or sentences, and the summaries
    of its parts are joined.

    There is no chance in it: with fp32, and with int8 by CTranslate2, a segment has the same
    summary whatever else is in the batch, unless two words are equally likely to the last digits.
    PyTorch's int8 rounds by the whole batch, and may choose another word in another one.

    At most ``batch_size`` segments are read at once, fewer if they are long; when the memory of
    the device is too small, half as many. Several ``beams`` write better and take longer.

    Raises :class:`SummaryError` for a package or a folder that is missing, ValueError for lengths
    and sizes that make no sense.
    """

    def __init__(
        self,
        model: str | Path = "facebook/bart-large-cnn",
        *,
        min_length: int = 5,
        max_length: int | None = None,
        device: str = "auto",
        precision: Precision = "auto",
        backend: Backend = "torch",
        batch_size: int = 40,
        beams: int = 1,
        cache: str | Path | None = None,
    ) -> None:
        if min_length < 0 or (max_length is not None and max_length < max(min_length, 1)):
            raise ValueError(f"a summary of {min_length} to {max_length} tokens cannot be written")
        if batch_size < 1 or beams < 1:
            raise ValueError("batch_size and beams must be 1 or more")
        if precision not in get_args(Precision) or backend not in get_args(Backend):
            raise ValueError(f"there is no precision {precision!r} of the backend {backend!r}")
        require_packages("torch", "transformers", *(["ctranslate2"] * (backend == "ctranslate2")))
        self._model = resolve_model(model)
        known = Path(self._model)
        self._name = f"bart: {known.resolve().name if known.is_dir() else self._model}"
        self._min_length, self._max_length = min_length, max_length
        self._device, self._precision, self._backend = device, precision, backend
        self._batch_size, self._beams = batch_size, beams
        self._cache = None if cache is None else Path(cache).expanduser()
        self._lock = fork_safe_lock()
        self._loaded: _LoadedModel | None = None

    @property
    def name(self) -> str:
        return self._name

    def summarize(self, segments: Sequence[Segment]) -> list[str]:
        """A text for each segment, in their order; "" for one in which nothing is said."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            jobs = [
                job
                for number, segment in enumerate(segments)
                for job in self._build_jobs(number, segment, self._loaded)
            ]
            written = self._generate(jobs, self._loaded)
        parts: list[list[_SummaryJob]] = [[] for _ in segments]
        for job in jobs:
            parts[job.segment].append(job)
        return [self._join_summaries(part, written) for part in parts]

    def _load(self) -> _LoadedModel:
        _log.info("loading the model %s", self._model)
        tokenizer: Any = load_pretrained(
            self._model, import_library("transformers").AutoTokenizer.from_pretrained
        )
        engine = self._engine(tokenizer)
        known = (engine.window, getattr(tokenizer, "model_max_length", None))
        # A tokenizer without a limit of its own has one of 10**30.
        window = min(one for one in (*known, 1_000_000) if one is not None)
        return _LoadedModel(tokenizer, engine, window, self._batch_size)

    def _engine(self, tokenizer: Any) -> _Engine:
        if self._backend == "torch":
            from anaphora.ltm.summarizers.bart.pytorch_engine import PyTorchEngine

            return PyTorchEngine(
                self._model, device=self._device, precision=self._precision, beams=self._beams
            )
        from anaphora.ltm.summarizers.bart.ctranslate2_engine import CTranslate2Engine, cache_folder

        return CTranslate2Engine(
            self._model,
            tokenizer,
            device=self._device,
            precision=self._precision,
            beams=self._beams,
            cache=self._cache or cache_folder(),
        )

    def _build_jobs(
        self, number: int, segment: Segment, loaded: _LoadedModel
    ) -> Iterable[_SummaryJob]:
        """What the model has to read for a segment: all of it, or its parts, each of which may
        be as much of the summary as it is of the segment."""
        pieces = format_parts(segment.parts)
        if not pieces:
            return
        texts = split_into_windows(pieces, lambda text: len(loaded.encode(text)), loaded.window)
        total = sum(map(count_words, texts))
        for part, text in enumerate(texts):
            share = max(1, segment.max_words * count_words(text) // total)
            tokens = loaded.encode(text)
            # It can write as much as it can read, and begins with a token of its own.
            limit = min(self._token_limit(text, tokens, share), loaded.window - 1)
            yield _SummaryJob(number, part, tuple(tokens), share, limit)

    def _token_limit(self, text: str, tokens: Sequence[int], most_words: int) -> int:
        """How many tokens a summary of ``most_words`` may have: as many to a word as there are
        in the text. It depends on nothing but the segment, as the summary should."""
        if self._max_length is not None:
            return self._max_length
        needed = max(most_words * len(tokens) / max(count_words(text), 1) + 2, self._min_length + 2)
        return ceil(needed / _LENGTH_STEP) * _LENGTH_STEP

    def _generate(
        self, jobs: Sequence[_SummaryJob], loaded: _LoadedModel
    ) -> dict[_SummaryJob, str]:
        """The summaries. Jobs of like length are read together, the longest first: a batch that
        is too large for the memory fails at once."""
        written: dict[_SummaryJob, str] = {}
        ordered = sorted(jobs, key=lambda job: (job.limit, len(job.tokens)), reverse=True)
        for limit, alike in groupby(ordered, key=lambda job: job.limit):
            waiting = list(alike)
            while waiting:
                room = max(1, _BATCH_TOKENS // (len(waiting[0].tokens) * self._beams))
                batch = waiting[: min(loaded.batch_size, room)]
                try:
                    made = loaded.engine.generate(
                        [job.tokens for job in batch],
                        min_tokens=min(self._min_length, limit),
                        max_tokens=limit,
                    )
                except MemoryError as error:
                    loaded.halve_batch(len(batch), error)
                    continue
                texts = (loaded.decode(tokens) for tokens in made)
                written.update(zip(batch, texts, strict=True))
                del waiting[: len(batch)]
        return written

    def _join_summaries(
        self, jobs: Sequence[_SummaryJob], written: Mapping[_SummaryJob, str]
    ) -> str:
        """The summaries of a segment's parts as one, without sentences that are broken off, and
        each in its share of the words if they are too many in all. What has a length of its own
        in tokens may have any in words."""
        whole = [fit_to_words(written[job], count_words(written[job])) for job in jobs]
        if self._max_length is None and sum(map(count_words, whole)) > sum(
            job.max_words for job in jobs
        ):
            whole = [
                fit_to_words(text, job.max_words) for text, job in zip(whole, jobs, strict=True)
            ]
        return " ".join(filter(None, whole))


class _Engine(Protocol):
    """What runs the model. ``window`` is how many tokens it reads at most."""

    window: int | None

    def generate(
        self, batch: Sequence[Sequence[int]], *, min_tokens: int, max_tokens: int
    ) -> list[list[int]]: ...


@dataclass(frozen=True, slots=True)
class _SummaryJob:
    """A text for the model: the ``part`` of a segment; ``limit`` is in tokens."""

    segment: int
    part: int
    tokens: tuple[int, ...]
    max_words: int
    limit: int


@dataclass(slots=True)
class _LoadedModel:
    """A model that is ready."""

    tokenizer: Any
    engine: _Engine
    window: int
    batch_size: int

    def encode(self, text: str) -> list[int]:
        # Not verbose: it would warn of what is longer than the window.
        tokens: list[int] = self.tokenizer(text, verbose=False)["input_ids"]
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        decoded: str = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return decoded.strip()

    def halve_batch(self, tried: int, error: MemoryError) -> None:
        """Make batches smaller, for good: what was too much once will be so again."""
        if tried == 1:
            raise SummaryError(
                "BART has too little memory for a single segment: take a smaller model, "
                "precision='int8', or device='cpu'"
            ) from error
        self.batch_size = tried // 2
        _log.warning("the memory is too small for %d segments at once", tried)
