"""Phrases are whole words where words are written without blanks."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.entities.words import segmentation
from anaphora.entities.words.segmentation import load_segmentation, missing_segmenter
from tests.entities.helpers.model_builders import element, model


def found(language: str, text: str, *synonyms: str, **more: object) -> set[str]:
    """The synonyms, each of an element of its own, that are found in the text."""
    elements = [element(one, one, **more) for one in synonyms]
    utterance = Pipeline(model(*elements, languages=(language,)))(text)
    return {one.element for variant in find_variants(utterance) for one in variant.entities}


@pytest.fixture
def without_segmenters(monkeypatch):
    """As if no package of a segmenter were installed."""
    load_segmentation.cache_clear()
    monkeypatch.setattr(segmentation, "find_spec", lambda name: None)
    yield
    load_segmentation.cache_clear()


@pytest.mark.parametrize(
    ("language", "text", "synonym"),
    [
        ("zh", "我马上到", "马"),
        ("zh", "我馬上到", "马"),
        ("zh", "明天晚上海鲜打折吗", "上海"),
        ("zh", "服务员的态度", "员的"),
        ("zh", "网络花了三天修好", "花"),
        ("th", "เขาตายแล้ว", "ตา"),
        ("th", "มีน้ำแข็งไหม", "น้ำ"),
        ("zh", "I have an apple", "app"),
        ("zh", "房间号是1205", "12"),
    ],
)
def test_signs_within_other_words_are_no_match(language, text, synonym):
    assert found(language, text, synonym) == set()


@pytest.mark.parametrize(
    ("language", "text", "synonyms"),
    [
        ("zh", "我想喝茶", {"茶"}),
        ("zh", "帮我关灯", {"关", "灯"}),
        ("zh", "把門關上", {"门"}),
        ("zh", "太贵了", {"贵"}),
        ("zh", "明天的天气预报", {"天气"}),
        ("zh", "我们看看", {"看"}),
        ("zh", "外面冷不冷", {"冷"}),
        ("zh", "明天有大雨吗", {"雨"}),
        ("zh", "火车票多少钱", {"火车", "票"}),
        ("zh", "下载app", {"app"}),
        ("th", "ช่วยปิดไฟหน่อย", {"ปิด", "ไฟ"}),
        ("th", "ราคาแพงไหม", {"แพง"}),
    ],
)
def test_a_word_of_the_dictionary_that_is_a_phrase_is_parted(language, text, synonyms):
    assert found(language, text, *synonyms) == synonyms


def test_a_longer_phrase_of_the_model_is_the_better_word():
    assert found("zh", "北京大学生活区在哪", "北京大学生") == {"北京大学生"}


def test_the_parts_of_a_sparse_phrase_are_whole_words():
    assert found("zh", "把灯给我打开", "灯 打开", sparse=True) == {"灯 打开"}
    assert found("zh", "把车灯笼给我打开", "灯 打开", sparse=True) == set()


def test_thai_vowels_of_two_code_points_are_those_of_one():
    assert found("th", "ขอน\u0e49\u0e4d\u0e32หน่อย", "น้ำ") == {"น้ำ"}


@given(st.text("上海南京市长江大桥马路花生水果手机", min_size=1, max_size=6))
def test_a_phrase_is_found_where_it_is_the_whole_text(text):
    assert found("zh", text, text) == {text}


@pytest.mark.usefixtures("without_segmenters")
class TestWithoutASegmenter:
    @pytest.mark.parametrize(
        ("language", "text", "synonym"), [("zh", "我马上到", "马"), ("th", "เขาตาย", "ตา")]
    )
    def test_signs_match_anywhere(self, language, text, synonym):
        assert found(language, text, synonym) == {synonym}

    def test_words_of_other_scripts_are_whole_words(self):
        assert found("zh", "我有iPad", "pad") == set()

    def test_the_extra_that_is_missing_is_named(self):
        assert (missing_segmenter("zh"), missing_segmenter("th")) == ("chinese", "thai")
        assert missing_segmenter("en") == ""


def test_a_segmenter_is_loaded_for_the_first_text_that_needs_it():
    code = """
import sys
from anaphora.entities.pipeline import Pipeline
from tests.entities.helpers.model_builders import element, model
def loaded(): return sorted({"rjieba", "pythainlp", "lindera"} & set(sys.modules))
pipeline = Pipeline(model(element("tea", "茶", "tea"), languages=("en", "zh")))
pipeline("tea, please", "en")
before = loaded()
pipeline("喝茶", "zh")
print(before, loaded())
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[] ['rjieba']"
