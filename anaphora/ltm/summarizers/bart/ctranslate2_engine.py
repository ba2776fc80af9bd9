"""BART with CTranslate2, a fast inference engine for CPUs and CUDA.

It has its own model format, into which a model is converted once. Converted models are cached in
``$XDG_CACHE_HOME/anaphora`` (``~/.cache/anaphora``), named after a fingerprint of their files.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from anaphora.errors import SummaryError
from anaphora.ltm.summarizers.bart.model_loading import (
    context_window,
    import_library,
    load_pretrained,
)

__all__ = ["CTranslate2Engine", "cache_folder"]

_COMPUTE_TYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "int8": "int8"}


class CTranslate2Engine:
    """The model with that folder or id, converted if necessary, with its ``tokenizer``. Raises
    :class:`SummaryError` if it cannot be loaded."""

    def __init__(
        self,
        model: str,
        tokenizer: Any,
        *,
        device: str,
        precision: str,
        beams: int,
        cache: Path,
    ) -> None:
        ctranslate2, transformers = import_library("ctranslate2"), import_library("transformers")
        on = device
        if device == "auto":
            on = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
        kind = _COMPUTE_TYPES.get(precision, "float32" if on == "cpu" else "float16")
        self._tokenizer = tokenizer
        config: Any = load_pretrained(model, transformers.AutoConfig.from_pretrained)
        folder = _find_or_convert(model, config, kind, cache)
        try:
            self._translator = ctranslate2.Translator(str(folder), device=on, compute_type=kind)
        except (RuntimeError, ValueError) as error:
            raise SummaryError(
                f"CTranslate2 cannot use the device {on!r} in {kind}: {error}; omit the "
                f"device and the precision, or delete {folder} if it was damaged"
            ) from error
        try:
            generation = transformers.GenerationConfig.from_pretrained(model)
        except OSError:  # older models keep these settings in their configuration
            generation = transformers.GenerationConfig.from_model_config(config)
        self._options: dict[str, Any] = {
            "beam_size": beams,
            "no_repeat_ngram_size": generation.no_repeat_ngram_size or 0,
            "repetition_penalty": generation.repetition_penalty or 1.0,
        }
        if beams > 1:
            penalty = generation.length_penalty
            self._options["length_penalty"] = 1.0 if penalty is None else penalty
        forced = generation.forced_bos_token_id  # every summary starts with it
        self._prefix = None if forced is None else [tokenizer.convert_ids_to_tokens(forced)]
        self.window = context_window(config)

    def generate(
        self, batch: Sequence[Sequence[int]], *, min_tokens: int, max_tokens: int
    ) -> list[list[int]]:
        tokens = [self._tokenizer.convert_ids_to_tokens(text) for text in batch]
        try:
            results = self._translator.translate_batch(
                tokens,
                target_prefix=[self._prefix] * len(tokens) if self._prefix else None,
                min_decoding_length=min_tokens,
                max_decoding_length=max_tokens,
                max_input_length=0,
                **self._options,
            )
        except (RuntimeError, ValueError) as error:
            if "out of memory" not in str(error):
                raise SummaryError(f"CTranslate2 failed: {error}") from error
        else:
            made = (result.hypotheses[0] for result in results)
            return [self._tokenizer.convert_tokens_to_ids(text) for text in made]
        raise MemoryError


def cache_folder() -> Path:
    """Return the folder of converted models."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "anaphora"


def _find_or_convert(model: str, config: Any, kind: str, cache: Path) -> Path:
    """Return the folder with the model in CTranslate2's format.

    The conversion writes to a temporary folder that is then renamed, so that incomplete models are
    never visible, and two processes can convert at the same time.
    """
    folder = cache / f"{Path(model).name}-{kind}-{_fingerprint(model, config)}"
    if folder.is_dir():
        return folder
    try:
        cache.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=cache, prefix=f"{folder.name}."))
    except OSError as error:
        raise SummaryError(
            f"the converted model needs a writable folder, and {cache} is not "
            f"({error.strerror}): write Bart(…, cache='/another/folder')"
        ) from error
    try:
        load_pretrained(model, _convert, to=made, kind=kind)
        with suppress(OSError):  # another process was first
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _convert(model: str, *, to: Path, kind: str) -> None:
    converter = import_library("ctranslate2.converters").TransformersConverter(model)
    load_model, load_tokenizer = converter.load_model, converter.load_tokenizer
    rows = 0

    def model_with_all_settings(*arguments: Any, **options: Any) -> Any:
        """Add two settings that CTranslate2 needs and transformers no longer has."""
        nonlocal rows
        loaded = load_model(*arguments, **options)
        for name, value in (("normalize_before", False), ("normalize_embedding", True)):
            if not hasattr(loaded.config, name):
                setattr(loaded.config, name, value)
        rows = loaded.config.vocab_size
        return loaded

    def tokenizer_with_all_names(*arguments: Any, **options: Any) -> Any:
        """Name every row of the vocabulary, including padding rows."""
        tokenizer = load_tokenizer(*arguments, **options)
        missing = range(len(tokenizer), rows)
        tokenizer.add_tokens([f"<unused {number}>" for number in missing])
        return tokenizer

    converter.load_model = model_with_all_settings
    converter.load_tokenizer = tokenizer_with_all_names
    converter.convert(str(to), quantization=None if kind == "float32" else kind, force=True)


def _fingerprint(model: str, config: Any) -> str:
    """Return a fingerprint of the files of a model and the version of the converter."""
    parts = [import_library("ctranslate2").__version__, model]
    if Path(model).is_dir():
        files = sorted(path for path in Path(model).iterdir() if path.is_file())
        stats = ((path.name, path.stat()) for path in files)
        parts += [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats]
    else:
        parts.append(str(getattr(config, "_commit_hash", None)))
    return sha256("\n".join(parts).encode()).hexdigest()[:16]
