"""Korean words with their particles and endings, Japanese ones by their lemmas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.words import korean as module
from anaphora.entities.words.korean import analyzer_version, load_analyzer, missing_analyzer
from tests.entities.words.test_segmentation import found


@pytest.fixture
def without_analyzer(monkeypatch):
    """As if its package were not installed."""
    load_analyzer.cache_clear()
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    yield
    load_analyzer.cache_clear()


@pytest.mark.parametrize(
    ("text", "synonym"),
    [
        ("눈이 많이 와요", "눈"),
        ("창문이 열렸어요", "창문"),
        ("택시를 불러 주세요", "부르다"),
        ("방을 바꾸고 싶은데요", "바꾸다"),
        ("너무 더워요", "덥다"),
        ("좀 도와줄래요", "돕다"),
        ("표를 사고 싶어요", "사다"),
        ("주문을 하고 싶어요", "주문하다"),
        ("책상 위에", "책상"),
        ("휴대 전화 주세요", "휴대전화"),
        ("여권번호 알려줘", "여권 번호"),
        ("커피+차", "차"),
    ],
)
def test_a_korean_word_is_found_in_its_forms(text, synonym):
    assert found("ko", text, synonym) == {synonym}


@pytest.mark.parametrize(
    ("text", "synonym"),
    [
        ("가지 주세요", "가다"),
        ("나이가 많아요", "나"),
        ("회의가 있어요", "회"),
        ("눈물이 나요", "눈"),
    ],
)
def test_nothing_is_taken_off_a_whole_korean_word(text, synonym):
    assert found("ko", text, synonym) == set()


def test_a_verb_also_matches_the_noun_that_it_is_derived_from():
    assert found("ko", "취소해 주세요", "취소", "취소하다") == {"취소", "취소하다"}


@pytest.mark.usefixtures("without_analyzer")
class TestWithoutAnAnalyzer:
    def test_particles_are_those_of_the_table(self):
        assert found("ko", "호텔까지 가요", "호텔") == {"호텔"}
        assert found("ko", "종이 주세요", "종") == {"종"}

    def test_verbs_have_no_forms(self):
        assert found("ko", "불러 주세요", "부르다") == set()

    def test_the_extra_is_named(self):
        assert (missing_analyzer("ko"), analyzer_version("ko")) == ("korean", "")


def test_other_languages_need_none():
    assert (load_analyzer("en"), missing_analyzer("en"), analyzer_version("en")) == (None, "", "")


@given(st.text("가나이은행병원호텔예약하다해요종을", min_size=1, max_size=8))
def test_a_korean_word_has_a_lemma_that_is_none_of_the_others(word):
    analyze = load_analyzer("ko")
    assert analyze is not None
    result = analyze(word)
    if result is not None:
        assert result.lemma
        assert result.lemma not in result.others
        assert all(0 < joint < len(word) for joint in result.joints)
        assert analyze(word) == result


@pytest.mark.parametrize(
    ("text", "synonym"),
    [
        ("駅まで歩いて行きました", "歩く"),
        ("席を替えてもらえますか", "替える"),
        ("もう少し静かにして", "静か"),
        ("変更できますか", "変更する"),
        ("変更をお願いします", "変更する"),
        ("短くして", "短い"),
        ("ねこの餌", "猫"),
        ("クレジット・カードで", "クレジットカード"),
        ("着てみたい", "着る"),
    ],
)
def test_a_japanese_word_is_found_in_its_forms(text, synonym):
    assert found("ja", text, synonym) == {synonym}


@pytest.mark.parametrize(
    ("text", "synonym"), [("来週の会議", "来る"), ("着信がありました", "着る"), ("駅弁", "駅")]
)
def test_a_japanese_word_that_shares_a_sign_is_another_one(text, synonym):
    assert found("ja", text, synonym) == set()
