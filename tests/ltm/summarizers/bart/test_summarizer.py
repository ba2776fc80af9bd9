"""BART: a small real one, which is trained for a moment and then read from its folder."""

from __future__ import annotations

import json
import logging
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier

import pytest

from anaphora.errors import SummaryError
from anaphora.ltm.summarizers.bart import model_loading
from anaphora.ltm.summarizers.bart.summarizer import Bart
from tests.ltm.summarizers.bart import tiny_bart
from tests.ltm.summarizers.sample_segments import exchange, segment, spoken

CHATTER = [f"User: {tiny_bart.CHATTER[0]}", f"Bot: {tiny_bart.CHATTER[1]}"]
WEATHER = "User: how is the weather in Lima on Sunday"
IN_LIMA = tiny_bart.summary("Lima", "Sunday")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bart.trained(tmp_path_factory)


@pytest.fixture(scope="session")
def bart(folder: Path) -> Bart:
    return Bart(folder)


@pytest.fixture(scope="session")
def dialogs() -> list[tiny_bart.Dialog]:
    """Dialogs that the model was not trained with, of all lengths that it knows."""
    random = Random(11)
    return [tiny_bart.dialog(random, lines=1 + number % 6) for number in range(30)]


@pytest.fixture
def converted(folder: Path, tmp_path: Path) -> Bart:
    """The same model in the form of CTranslate2."""
    return Bart(folder, backend="ctranslate2", cache=tmp_path / "cache")


def segments(dialogs):
    return [spoken(dialog.lines) for dialog in dialogs]


def test_a_summary_tells_what_a_dialog_was_about(bart, dialogs):
    written = bart.summarize(segments(dialogs))
    assert written == [dialog.summary for dialog in dialogs]


@pytest.mark.parametrize(
    "options",
    [{"precision": "int8"}, {"precision": "bf16"}, {"beams": 3}, {"batch_size": 1}],
    ids=str,
)
def test_other_precisions_beams_and_batch_sizes_work(folder, dialogs, options):
    written = Bart(folder, **options).summarize(segments(dialogs))
    assert written == [dialog.summary for dialog in dialogs]


def test_a_segment_has_the_same_summary_whatever_else_is_in_the_batch(bart, dialogs):
    odd = [spoken(CHATTER * count, most=4 + count) for count in range(1, 8)]  # it can only guess
    some = [*odd, *segments(dialogs)]
    shuffled = Random(2).sample(some, len(some))
    together = dict(zip(map(id, shuffled), bart.summarize(shuffled), strict=True))
    assert [together[id(one)] for one in some] == [bart.summarize([one])[0] for one in some]


@pytest.mark.parametrize("place", [0, 30, 60])
def test_every_part_of_a_long_dialog_reaches_the_model(bart, place):
    lines = CHATTER * 30
    lines.insert(place, WEATHER)
    assert IN_LIMA in bart.summarize([spoken(lines, most=200)])[0]


def test_the_end_of_a_long_turn_reaches_the_model(bart):
    babble = f"{tiny_bart.CHATTER[0]} " * 60
    long = segment(exchange(f"{babble}{WEATHER.removeprefix('User: ')}"), most=200)
    assert bart.summarize([long])[0].endswith(IN_LIMA)


def test_a_summary_of_many_parts_respects_the_word_limit(bart):
    (written,) = bart.summarize([spoken(CHATTER * 30, most=24)])
    assert 0 < len(written.split()) <= 24


def test_token_limits_are_respected(folder):
    (short,) = Bart(folder, min_length=1, max_length=4).summarize([spoken([WEATHER])])
    (long,) = Bart(folder, min_length=40, max_length=40).summarize([spoken([WEATHER])])
    assert IN_LIMA.startswith(short.rstrip("."))
    assert len(short) < len(IN_LIMA) < len(long)


def test_the_token_limit_never_exceeds_the_window(bart, folder):
    long = spoken(CHATTER * 30, most=10_000)
    assert bart.summarize([long])[0]
    assert Bart(folder, min_length=0, max_length=5_000).summarize([long])[0]


def test_an_empty_segment_has_an_empty_summary(bart):
    nothing = segment(exchange(" ", ""))
    assert bart.summarize([nothing, spoken([WEATHER])]) == ["", IN_LIMA]
    assert bart.summarize([]) == []


def test_the_model_is_loaded_on_first_use_and_once_for_all_threads(folder, caplog):
    caplog.set_level(logging.INFO, "anaphora.ltm.summarizers")
    bart, together = Bart(folder), Barrier(4)
    assert caplog.messages == []

    def summarize() -> list[str]:
        together.wait(30)
        return bart.summarize([spoken([WEATHER])])

    with ThreadPoolExecutor(4) as threads:
        written = [one.result() for one in [threads.submit(summarize) for _ in range(4)]]
    assert written == [[IN_LIMA]] * 4
    assert caplog.messages == [f"loading the model {folder}"]


def test_nothing_is_written_to_the_console(folder, capfd):
    Bart(folder).summarize([spoken(CHATTER * 30)])
    assert capfd.readouterr() == ("", "")


def test_the_name_contains_the_model(bart):
    assert bart.name == "bart: small-bart"
    assert Bart("facebook/bart-large-cnn").name == "bart: facebook/bart-large-cnn"


def test_batches_are_halved_until_they_fit_into_the_memory(folder, dialogs, monkeypatch):
    sizes = _memory_for(3, monkeypatch)
    written = Bart(folder, batch_size=16).summarize(segments(dialogs))
    assert written == [dialog.summary for dialog in dialogs]
    assert max(sizes[sizes.index(2) :]) <= 3


def test_too_little_memory_for_one_segment_is_reported(folder, monkeypatch):
    _memory_for(0, monkeypatch)
    with pytest.raises(SummaryError, match="too little memory for a single segment"):
        Bart(folder).summarize([spoken([WEATHER])] * 5)


def _memory_for(most: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let PyTorch have memory for so many segments; the sizes of the batches that are tried."""
    import torch
    from transformers import BartForConditionalGeneration

    generate, sizes = BartForConditionalGeneration.generate, []

    def limited(self, *, input_ids, **options):
        sizes.append(len(input_ids))
        if len(input_ids) > most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return generate(self, input_ids=input_ids, **options)

    monkeypatch.setattr(BartForConditionalGeneration, "generate", limited)
    return sizes


@pytest.mark.parametrize("name", ["torch", "transformers"])
def test_missing_packages_are_explained(name, monkeypatch):
    monkeypatch.setattr(model_loading, "find_spec", lambda asked: None if asked == name else asked)
    with pytest.raises(SummaryError, match=rf"needs {name}: pip install 'anaphora\[bart\]'"):
        Bart()


@pytest.mark.parametrize("model", ["/no/such/folder", "./bart", Path("bart")])
def test_a_missing_folder_is_reported(model):
    with pytest.raises(SummaryError, match=r"there is no folder .*bart|folder /no/such/folder"):
        Bart(model)


def test_an_empty_folder_is_explained(tmp_path):
    with pytest.raises(SummaryError, match=r"must hold config\.json, the weights"):
        Bart(tmp_path).summarize([spoken([WEATHER])])


def test_damaged_weights_are_reported(folder, tmp_path):
    damaged = shutil.copytree(folder, tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(SummaryError, match=r"the model .*damaged could not be loaded: .+; the"):
        Bart(damaged).summarize([spoken([WEATHER])])


def test_a_model_of_another_kind_is_reported(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    (other / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(SummaryError, match="could not be loaded"):
        Bart(other).summarize([spoken([WEATHER])])


def test_a_model_that_cannot_be_downloaded_is_explained(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(SummaryError, match=r"hf download nobody/no-such-bart\), or name a folder"):
        Bart("nobody/no-such-bart").summarize([spoken([WEATHER])])


def test_a_missing_device_is_reported(folder):
    with pytest.raises(SummaryError, match=r"device .no-such-device.: .* omit the device"):
        Bart(folder, device="no-such-device").summarize([spoken([WEATHER])])


def test_a_failed_summarizer_can_be_used_again(folder, tmp_path):
    model = tmp_path / "late"
    model.mkdir()
    bart = Bart(model)
    with pytest.raises(SummaryError):
        bart.summarize([spoken([WEATHER])])
    shutil.copytree(folder, model, dirs_exist_ok=True)
    assert bart.summarize([spoken([WEATHER])]) == [IN_LIMA]


@pytest.mark.parametrize(
    "options",
    [
        {"min_length": 9, "max_length": 8},
        {"min_length": -1},
        {"batch_size": 0},
        {"beams": 0},
        {"precision": "fp8"},
        {"backend": "onnx"},
    ],
    ids=str,
)
def test_invalid_settings_are_rejected(options):
    with pytest.raises(ValueError, match=r"do not fit|1 or more|unknown precision"):
        Bart(**options)


def test_ctranslate2_writes_what_pytorch_writes(bart, converted, dialogs):
    some = [*segments(dialogs), spoken(CHATTER * 30, most=200)]
    assert converted.summarize(some) == bart.summarize(some)


@pytest.mark.parametrize("options", [{"precision": "int8"}, {"beams": 3}], ids=str)
def test_ctranslate2_supports_int8_and_beams(folder, tmp_path, dialogs, options):
    bart = Bart(folder, backend="ctranslate2", cache=tmp_path, **options)
    some = segments(dialogs)
    assert bart.summarize(some) == [dialog.summary for dialog in dialogs]
    assert [bart.summarize([one])[0] for one in some[:6]] == bart.summarize(some)[:6]


def test_a_model_is_converted_once_even_concurrently(folder, tmp_path, monkeypatch):
    from ctranslate2 import converters

    several = [Bart(folder, backend="ctranslate2", cache=tmp_path) for _ in range(3)]
    with ThreadPoolExecutor(2) as threads:
        written = list(threads.map(lambda one: one.summarize([spoken([WEATHER])]), several[:2]))
    assert written == [[IN_LIMA]] * 2
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.delattr(converters, "TransformersConverter")
    assert several[2].summarize([spoken([WEATHER])]) == [IN_LIMA]


def test_a_changed_model_is_converted_again(folder, tmp_path):
    model, cache = shutil.copytree(folder, tmp_path / "model"), tmp_path / "cache"
    for changed in range(1, 3):
        (model / "notes.txt").write_text("x" * changed)
        Bart(model, backend="ctranslate2", cache=cache).summarize([spoken([WEATHER])])
        assert len(list(cache.iterdir())) == changed


def test_a_failed_conversion_is_reported_and_leaves_no_files(folder, tmp_path):
    model, cache = shutil.copytree(folder, tmp_path / "model"), tmp_path / "cache"
    (model / "model.safetensors").unlink()
    with pytest.raises(SummaryError, match="could not be loaded"):
        Bart(model, backend="ctranslate2", cache=cache).summarize([spoken([WEATHER])])
    assert list(cache.iterdir()) == []


def test_a_cache_without_write_permission_is_reported(folder, tmp_path):
    (tmp_path / "file").touch()
    bart = Bart(folder, backend="ctranslate2", cache=tmp_path / "file" / "cache")
    with pytest.raises(SummaryError, match="cache='/another/folder'"):
        bart.summarize([spoken([WEATHER])])


def test_converted_models_are_in_the_users_cache_by_default(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Bart(folder, backend="ctranslate2").summarize([spoken([WEATHER])]) == [IN_LIMA]
    assert [path.name[:19] for path in (tmp_path / "anaphora").iterdir()] == ["small-bart-float32-"]
