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


def test_it_tells_what_a_dialog_was_about(bart, dialogs):
    written = bart.summarize(segments(dialogs))
    assert written == [dialog.summary for dialog in dialogs]


@pytest.mark.parametrize(
    "options",
    [{"precision": "int8"}, {"precision": "bf16"}, {"beams": 3}, {"batch_size": 1}],
    ids=str,
)
def test_it_does_so_in_other_precisions_with_beams_and_one_by_one(folder, dialogs, options):
    written = Bart(folder, **options).summarize(segments(dialogs))
    assert written == [dialog.summary for dialog in dialogs]


def test_a_segment_has_the_same_summary_whatever_else_is_in_the_batch(bart, dialogs):
    odd = [spoken(CHATTER * count, most=4 + count) for count in range(1, 8)]  # it can only guess
    some = [*odd, *segments(dialogs)]
    shuffled = Random(2).sample(some, len(some))
    together = dict(zip(map(id, shuffled), bart.summarize(shuffled), strict=True))
    assert [together[id(one)] for one in some] == [bart.summarize([one])[0] for one in some]


@pytest.mark.parametrize("place", [0, 30, 60])
def test_what_is_said_anywhere_in_a_long_dialog_reaches_the_model(bart, place):
    lines = CHATTER * 30
    lines.insert(place, WEATHER)
    assert IN_LIMA in bart.summarize([spoken(lines, most=200)])[0]


def test_what_is_said_at_the_end_of_a_single_long_turn_reaches_the_model(bart):
    babble = f"{tiny_bart.CHATTER[0]} " * 60
    long = segment(exchange(f"{babble}{WEATHER.removeprefix('User: ')}"), most=200)
    assert bart.summarize([long])[0].endswith(IN_LIMA)


def test_a_summary_of_many_parts_has_no_more_words_than_it_may(bart):
    (written,) = bart.summarize([spoken(CHATTER * 30, most=24)])
    assert 0 < len(written.split()) <= 24


def test_a_summary_is_as_long_as_is_wanted_in_tokens(folder):
    (short,) = Bart(folder, min_length=1, max_length=4).summarize([spoken([WEATHER])])
    (long,) = Bart(folder, min_length=40, max_length=40).summarize([spoken([WEATHER])])
    assert IN_LIMA.startswith(short.rstrip("."))
    assert len(short) < len(IN_LIMA) < len(long)


def test_more_than_the_model_can_write_is_not_asked_of_it(bart, folder):
    long = spoken(CHATTER * 30, most=10_000)
    assert bart.summarize([long])[0]
    assert Bart(folder, min_length=0, max_length=5_000).summarize([long])[0]


def test_a_segment_in_which_nothing_is_said_has_an_empty_summary(bart):
    nothing = segment(exchange(" ", ""))
    assert bart.summarize([nothing, spoken([WEATHER])]) == ["", IN_LIMA]
    assert bart.summarize([]) == []


def test_the_model_is_loaded_when_it_is_needed_and_once_for_all_threads(folder, caplog):
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


def test_its_name_tells_the_model(bart):
    assert bart.name == "bart: small-bart"
    assert Bart("facebook/bart-large-cnn").name == "bart: facebook/bart-large-cnn"


def test_batches_are_halved_until_they_fit_into_the_memory(folder, dialogs, monkeypatch):
    sizes = _memory_for(3, monkeypatch)
    written = Bart(folder, batch_size=16).summarize(segments(dialogs))
    assert written == [dialog.summary for dialog in dialogs]
    assert max(sizes[sizes.index(2) :]) <= 3


def test_too_little_memory_for_one_segment_is_told(folder, monkeypatch):
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
def test_a_missing_package_is_told_with_the_command_that_installs_it(name, monkeypatch):
    monkeypatch.setattr(model_loading, "find_spec", lambda asked: None if asked == name else asked)
    with pytest.raises(SummaryError, match=rf"needs {name}: pip install 'anaphora\[bart\]'"):
        Bart()


@pytest.mark.parametrize("model", ["/no/such/folder", "./bart", Path("bart")])
def test_a_missing_folder_is_told(model):
    with pytest.raises(SummaryError, match=r"there is no folder .*bart|folder /no/such/folder"):
        Bart(model)


def test_an_empty_folder_is_told_with_what_belongs_there(tmp_path):
    with pytest.raises(SummaryError, match=r"must hold config\.json, the weights"):
        Bart(tmp_path).summarize([spoken([WEATHER])])


def test_damaged_weights_are_told(folder, tmp_path):
    damaged = shutil.copytree(folder, tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(SummaryError, match=r"the model .*damaged could not be loaded: .+; the"):
        Bart(damaged).summarize([spoken([WEATHER])])


def test_a_model_that_writes_no_summaries_is_told(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    (other / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(SummaryError, match="could not be loaded"):
        Bart(other).summarize([spoken([WEATHER])])


def test_a_model_that_cannot_be_fetched_is_told_with_the_command_that_fetches_it(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(SummaryError, match=r"hf download nobody/no-such-bart\), or name a folder"):
        Bart("nobody/no-such-bart").summarize([spoken([WEATHER])])


def test_a_device_that_is_not_there_is_told(folder):
    with pytest.raises(SummaryError, match=r"device 'no-such-device': .* leave the device out"):
        Bart(folder, device="no-such-device").summarize([spoken([WEATHER])])


def test_it_can_be_asked_again_after_it_failed(folder, tmp_path):
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
def test_settings_that_make_no_sense_are_refused(options):
    with pytest.raises(ValueError, match=r"cannot be written|1 or more|there is no precision"):
        Bart(**options)


def test_ctranslate2_writes_what_pytorch_writes(bart, converted, dialogs):
    some = [*segments(dialogs), spoken(CHATTER * 30, most=200)]
    assert converted.summarize(some) == bart.summarize(some)


@pytest.mark.parametrize("options", [{"precision": "int8"}, {"beams": 3}], ids=str)
def test_ctranslate2_does_so_in_int8_and_with_beams(folder, tmp_path, dialogs, options):
    bart = Bart(folder, backend="ctranslate2", cache=tmp_path, **options)
    some = segments(dialogs)
    assert bart.summarize(some) == [dialog.summary for dialog in dialogs]
    assert [bart.summarize([one])[0] for one in some[:6]] == bart.summarize(some)[:6]


def test_a_model_is_converted_once_also_by_two_at_the_same_time(folder, tmp_path, monkeypatch):
    from ctranslate2 import converters

    several = [Bart(folder, backend="ctranslate2", cache=tmp_path) for _ in range(3)]
    with ThreadPoolExecutor(2) as threads:
        written = list(threads.map(lambda one: one.summarize([spoken([WEATHER])]), several[:2]))
    assert written == [[IN_LIMA]] * 2
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.delattr(converters, "TransformersConverter")
    assert several[2].summarize([spoken([WEATHER])]) == [IN_LIMA]


def test_a_changed_model_is_converted_anew(folder, tmp_path):
    model, cache = shutil.copytree(folder, tmp_path / "model"), tmp_path / "cache"
    for changed in range(1, 3):
        (model / "notes.txt").write_text("x" * changed)
        Bart(model, backend="ctranslate2", cache=cache).summarize([spoken([WEATHER])])
        assert len(list(cache.iterdir())) == changed


def test_a_conversion_that_fails_is_told_and_leaves_nothing_behind(folder, tmp_path):
    model, cache = shutil.copytree(folder, tmp_path / "model"), tmp_path / "cache"
    (model / "model.safetensors").unlink()
    with pytest.raises(SummaryError, match="could not be loaded"):
        Bart(model, backend="ctranslate2", cache=cache).summarize([spoken([WEATHER])])
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_told(folder, tmp_path):
    (tmp_path / "file").touch()
    bart = Bart(folder, backend="ctranslate2", cache=tmp_path / "file" / "cache")
    with pytest.raises(SummaryError, match="cache='/another/folder'"):
        bart.summarize([spoken([WEATHER])])


def test_without_a_folder_converted_models_lie_in_the_cache_of_the_user(
    folder, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Bart(folder, backend="ctranslate2").summarize([spoken([WEATHER])]) == [IN_LIMA]
    assert [path.name[:19] for path in (tmp_path / "anaphora").iterdir()] == ["small-bart-float32-"]
