"""Abstractive summaries by BART, on this machine.

Lewis et al., BART: Denoising Sequence-to-Sequence Pre-training (2019), fine-tuned on news. Other
sequence-to-sequence models of transformers work as well if they are trained for summarization and
need no prompt before the text.
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

_LENGTH_STEP = 8  # tokens: limits are multiples of it, so that similar segments share a batch
_BATCH_TOKENS = 16_384  # for BART-large, a batch then needs some 1.6 GB
_log = logging.getLogger(__name__)


class Bart:
    """Summaries by a model in a folder or with a hub id (downloaded once).

    The model is loaded once, for the first summary. ``device`` is "auto" (CUDA, else Apple's MPS,
    else the CPU) or a device of PyTorch ("cuda:1"). ``precision`` is "auto" (fp16 on a GPU, else
    fp32), "fp32", "fp16", "bf16" or "int8". ``backend`` is "torch" or "ctranslate2", which is
    faster and stores a converted model in the folder ``cache``.

    A summary has between ``min_length`` and ``max_length`` tokens. Without ``max_length``, the
    limit follows from the segment's maximum number of words, which is then enforced. A segment
    that exceeds the model's window is split between exchanges or sentences, and the summaries of
    its parts are joined.

    Summaries are deterministic. With fp32, and with int8 by CTranslate2, the summary of a segment
    does not depend on the rest of the batch, unless two tokens are equally likely to the last
    digit. PyTorch's int8 rounds by the whole batch, so the summary may vary with it.

    At most ``batch_size`` segments are processed at once, fewer if they are long; if the device
    runs out of memory, half as many. More ``beams`` improve the text and take longer.

    Raises :class:`SummaryError` for a missing package or folder, ValueError for invalid lengths
    and sizes.
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
            raise ValueError(f"min_length={min_length} and max_length={max_length} do not fit")
        if batch_size < 1 or beams < 1:
            raise ValueError("batch_size and beams must be 1 or more")
        if precision not in get_args(Precision) or backend not in get_args(Backend):
            raise ValueError(f"unknown precision {precision!r} or backend {backend!r}")
        require_packages("torch", "transformers", *(["ctranslate2"] * (backend == "ctranslate2")))
        self._model = resolve_model(model)
        known = Path(self._model)
        self.name = f"bart: {known.resolve().name if known.is_dir() else self._model}"
        self._min_length, self._max_length = min_length, max_length
        self._device, self._precision, self._backend = device, precision, backend
        self._batch_size, self._beams = batch_size, beams
        self._cache = None if cache is None else Path(cache).expanduser()
        self._lock = fork_safe_lock()
        self._loaded: _LoadedModel | None = None

    def summarize(self, segments: Sequence[Segment]) -> list[str]:
        """Return a summary of each segment, in order; "" for a segment without text."""
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
        # 10**30 for a tokenizer without a limit.
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
        """Yield the model inputs of a segment: the whole segment, or its parts, each with its
        proportional share of the summary."""
        pieces = format_parts(segment.parts)
        if not pieces:
            return
        texts = split_into_windows(pieces, lambda text: len(loaded.encode(text)), loaded.window)
        total = sum(map(count_words, texts))
        for part, text in enumerate(texts):
            share = max(1, segment.max_words * count_words(text) // total)
            tokens = loaded.encode(text)
            # The output window equals the input window and includes a start token.
            limit = min(self._token_limit(text, tokens, share), loaded.window - 1)
            yield _SummaryJob(number, part, tuple(tokens), share, limit)

    def _token_limit(self, text: str, tokens: Sequence[int], most_words: int) -> int:
        """Return the maximum tokens of a summary of ``most_words``, with as many tokens per word
        as in the text. It depends on the segment alone, as the summary should."""
        if self._max_length is not None:
            return self._max_length
        needed = max(most_words * len(tokens) / max(count_words(text), 1) + 2, self._min_length + 2)
        return ceil(needed / _LENGTH_STEP) * _LENGTH_STEP

    def _generate(
        self, jobs: Sequence[_SummaryJob], loaded: _LoadedModel
    ) -> dict[_SummaryJob, str]:
        """Generate the summaries. Jobs of similar length share a batch, the longest first, so that
        a batch that exceeds the memory fails early."""
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
        """Join the summaries of a segment's parts, without incomplete sentences. If they have too
        many words in all, each is cut to its share, unless ``max_length`` sets the length."""
        whole = [fit_to_words(written[job], count_words(written[job])) for job in jobs]
        if self._max_length is None and sum(map(count_words, whole)) > sum(
            job.max_words for job in jobs
        ):
            whole = [
                fit_to_words(text, job.max_words) for text, job in zip(whole, jobs, strict=True)
            ]
        return " ".join(filter(None, whole))


class _Engine(Protocol):
    """An engine that runs the model. ``window`` is the maximum number of input tokens."""

    window: int | None

    def generate(
        self, batch: Sequence[Sequence[int]], *, min_tokens: int, max_tokens: int
    ) -> list[list[int]]:
        """Generate a summary of ``min_tokens`` to ``max_tokens`` tokens for each text of the batch.

        Raises :class:`MemoryError` if the batch is too large for the device."""


@dataclass(frozen=True, slots=True)
class _SummaryJob:
    """An input of the model: the ``part`` of a segment; ``limit`` is in tokens."""

    segment: int
    part: int
    tokens: tuple[int, ...]
    max_words: int
    limit: int


@dataclass(slots=True)
class _LoadedModel:
    tokenizer: Any
    engine: _Engine
    window: int
    batch_size: int

    def encode(self, text: str) -> list[int]:
        # verbose would warn of texts that exceed the window.
        tokens: list[int] = self.tokenizer(text, verbose=False)["input_ids"]
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        decoded: str = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return decoded.strip()

    def halve_batch(self, tried: int, error: MemoryError) -> None:
        """Reduce the batch size for good after a batch of ``tried`` jobs exceeded the memory."""
        if tried == 1:
            raise SummaryError(
                "BART has too little memory for a single segment: use a smaller model, "
                "precision='int8', or device='cpu'"
            ) from error
        self.batch_size = tried // 2
        _log.warning("not enough memory for %d segments at once", tried)
