"""BART by PyTorch, on whatever device there is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from anaphora.errors import SummaryError
from anaphora.ltm.summarizers.bart.model_loading import (
    context_window,
    import_library,
    load_pretrained,
)

__all__ = ["PyTorchEngine"]


class PyTorchEngine:
    """The model of that folder or id, loaded. Raises :class:`SummaryError` if it cannot be."""

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
        """The tokens of a summary for each text of the batch: ``least`` to ``most`` of them.

        Raises :class:`MemoryError` if the batch is too large for the device."""
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
                raise SummaryError(f"BART failed: {_first_line(error)}") from error
        else:
            tokens: list[list[int]] = made.tolist()
            return tokens
        # Only here is the error gone, and with it the tensors that its traceback held.
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
    """The numbers of the weights. On a graphics processor fp16, which has more digits than bf16;
    transformers keeps BART in its range."""
    torch = import_library("torch")
    kinds = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    by_itself = torch.float32 if device == "cpu" else torch.float16
    return torch.float32 if precision == "int8" else kinds.get(precision, by_itself)


def _quantize(model: Any, device: str) -> Any:
    """``model`` with linear layers whose weights are 8-bit integers, for a processor."""
    torch = import_library("torch")
    if device != "cpu":
        raise SummaryError("PyTorch has int8 for processors only: take fp16, or ctranslate2")
    try:
        with _ignore_quantization_warnings():
            return torch.ao.quantization.quantize_dynamic(
                model, {torch.nn.Linear}, dtype=torch.qint8
            )
    except (AttributeError, ImportError, RuntimeError) as error:
        raise SummaryError(
            "this version of PyTorch, or this processor, has no int8: write "
            f"Bart(…, backend='ctranslate2', precision='int8') ({error})"
        ) from error


@contextmanager
def _ignore_quantization_warnings() -> Iterator[None]:
    """PyTorch announces for years that it will take its dynamic quantization away."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"(?s).*torch\.ao\.quantization is deprecated")
        warnings.filterwarnings("ignore", r"torch\.quantize_per_tensor")
        yield


def _generation_settings(of_model: Any, beams: int) -> Any:
    """How the model itself wants to be used, but without chance and with these ``beams``."""
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
    if beams == 1:  # what only beams use
        settings.update(early_stopping=None, length_penalty=None)
    return settings


def _is_out_of_memory(error: Exception) -> bool:
    """CUDA, MPS and the processor's own memory each say it in their way."""
    torch = import_library("torch")
    said = str(error)
    return isinstance(error, torch.OutOfMemoryError) or any(
        words in said for words in ("out of memory", "can't allocate memory", "not enough memory")
    )


def _device_error(error: Exception, device: str) -> SummaryError:
    return SummaryError(
        f"BART cannot work on the device {device!r}: {_first_line(error)}; leave the device out, "
        "or take 'cpu'"
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
