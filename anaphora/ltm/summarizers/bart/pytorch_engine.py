"""BART with PyTorch, on any device."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from anaphora.errors import SummaryError
from anaphora.ltm.model_loading import first_line
from anaphora.ltm.summarizers.bart.model_loading import (
    context_window,
    import_library,
    load_pretrained,
)

__all__ = ["PyTorchEngine"]


class PyTorchEngine:
    """The model with that folder or id. Raises :class:`SummaryError` if it cannot be loaded."""

    def __init__(self, model: str, *, device: str, precision: str, beams: int) -> None:
        self._torch = import_library("torch")
        self._device = _select_device(device)
        kind = _select_dtype(precision, self._device)
        loaded: Any = load_pretrained(
            model, import_library("transformers").AutoModelForSeq2SeqLM.from_pretrained, dtype=kind
        )
        loaded.eval()
        if precision == "int8":
            loaded = _quantize(loaded, self._device)
        try:
            self._model = loaded.to(self._device)
        except RuntimeError as error:
            raise _device_error(error, self._device) from error
        self._settings = _generation_settings(loaded.generation_config, beams)
        self._padding = next(
            one
            for one in (loaded.config.pad_token_id, self._settings.eos_token_id, 0)
            if isinstance(one, int)
        )
        self.window = context_window(loaded.config)

    def generate(
        self, batch: Sequence[Sequence[int]], *, min_tokens: int, max_tokens: int
    ) -> list[list[int]]:
        torch = self._torch
        longest = max(map(len, batch))
        padded = [[*text, *[self._padding] * (longest - len(text))] for text in batch]
        mask = [[1] * len(text) + [0] * (longest - len(text)) for text in batch]
        settings = deepcopy(self._settings)
        settings.min_new_tokens, settings.max_new_tokens = min_tokens, max_tokens
        try:
            with torch.inference_mode():
                made = self._model.generate(
                    input_ids=torch.tensor(padded, device=self._device),
                    attention_mask=torch.tensor(mask, device=self._device),
                    generation_config=settings,
                )
        except (RuntimeError, ValueError, LookupError) as error:
            if not _is_out_of_memory(error):
                raise SummaryError(f"BART failed: {first_line(error)}") from error
        else:
            tokens: list[list[int]] = made.tolist()
            return tokens
        # Only here is the error released, and with it the tensors that its traceback held.
        if self._device.startswith("cuda"):
            torch.cuda.empty_cache()
        raise MemoryError


def _select_device(wanted: str) -> str:
    torch = import_library("torch")
    if wanted != "auto":
        try:
            torch.empty(0, device=wanted)
        except (RuntimeError, AssertionError) as error:  # AssertionError: built without CUDA
            raise _device_error(error, wanted) from error
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _select_dtype(precision: str, device: str) -> Any:
    """Return the type of the weights. On a GPU it is fp16, which is more precise than bf16;
    transformers keeps BART within its range."""
    torch = import_library("torch")
    kinds = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    default = torch.float32 if device == "cpu" else torch.float16
    return torch.float32 if precision == "int8" else kinds.get(precision, default)


def _quantize(model: Any, device: str) -> Any:
    """Quantize the linear layers of ``model`` to int8, for CPUs."""
    torch = import_library("torch")
    if device != "cpu":
        raise SummaryError("PyTorch supports int8 on CPUs only: use fp16, or ctranslate2")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"(?s).*torch\.ao\.quantization is deprecated")
            warnings.filterwarnings("ignore", r"torch\.quantize_per_tensor")
            return torch.ao.quantization.quantize_dynamic(
                model, {torch.nn.Linear}, dtype=torch.qint8
            )
    except (AttributeError, ImportError, RuntimeError) as error:
        raise SummaryError(
            "this version of PyTorch, or this processor, does not support int8: write "
            f"Bart(…, backend='ctranslate2', precision='int8') ({error})"
        ) from error


def _generation_settings(of_model: Any, beams: int) -> Any:
    """Return the model's generation settings, made deterministic, with these ``beams``."""
    settings = deepcopy(of_model)
    settings.update(
        do_sample=False,
        temperature=None,
        top_k=None,
        top_p=None,
        typical_p=None,
        num_beams=beams,
        num_return_sequences=1,
        return_dict_in_generate=False,
        min_length=None,
        max_length=None,
    )
    if beams == 1:  # settings that only beam search uses
        settings.update(early_stopping=None, length_penalty=None)
    return settings


def _is_out_of_memory(error: Exception) -> bool:
    """Whether CUDA, MPS or the CPU reports a lack of memory, each in its own words."""
    torch = import_library("torch")
    message = str(error)
    return isinstance(error, torch.OutOfMemoryError) or any(
        part in message for part in ("out of memory", "can't allocate memory", "not enough memory")
    )


def _device_error(error: Exception, device: str) -> SummaryError:
    return SummaryError(
        f"BART cannot use the device {device!r}: {first_line(error)}; omit the device, or use 'cpu'"
    )
