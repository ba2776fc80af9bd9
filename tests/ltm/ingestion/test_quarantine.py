"""What of a damaged journal is erased with a user, and what certainly is another's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anaphora.ltm.ingestion import records
from anaphora.ltm.ingestion.journal import DamagedEntry
from anaphora.ltm.ingestion.quarantine import JournalQuarantine
from anaphora.stm.conversation import ConversationKey
from tests.ltm.sample_exchanges import make_exchange

HEAD = b"\x5b\0\0\0,[b,"  # of an entry in a journal: its length and its checksum


def entry_of(key: ConversationKey, question: str = "What is the weather?") -> bytes:
    return records.dump_record(key, make_exchange(question))


@pytest.fixture
def quarantine(tmp_path: Path) -> JournalQuarantine:
    return JournalQuarantine(tmp_path)


def left(quarantine: JournalQuarantine) -> list[str]:
    return [item.key.user if item.key else "?" for item in quarantine.items()]


def test_an_intact_entry_of_a_user_with_a_similar_name_stays(quarantine):
    for number in (1, 2, 11):
        key = ConversationKey(f"user{number:04}", "weather")
        quarantine.put("segment", number, entry_of(key), "the store refuses it")
    quarantine.erase("user0001", "", None)
    assert sorted(left(quarantine)) == ["user0002", "user0011"]


def test_an_intact_entry_of_another_tenant_or_model_stays(quarantine):
    for number, key in enumerate(
        (
            ConversationKey("ann", "cafe"),
            ConversationKey("ann", "cafd"),
            ConversationKey("ann", "cafe", "b"),
        )
    ):
        quarantine.put("segment", number, entry_of(key), "the store refuses it")
    quarantine.erase("ann", "", "cafe")
    kept = [item.key for item in quarantine.items()]
    assert kept == [ConversationKey("ann", "cafd"), ConversationKey("ann", "cafe", "b")]
    quarantine.erase("ann", "", None)
    assert [item.key for item in quarantine.items()] == [ConversationKey("ann", "cafe", "b")]


def test_a_damaged_entry_of_either_user_is_erased_with_both(quarantine):
    damaged = DamagedEntry(HEAD + entry_of(ConversationKey("user0003", "weather")))
    for user in ("user0001", "user0002"):
        quarantine.put("segment", 1, damaged, "its checksum does not match")
        quarantine.erase(user, "", None)
        assert left(quarantine) == []


def test_a_damaged_entry_of_another_user_stays(quarantine):
    damaged = DamagedEntry(HEAD + entry_of(ConversationKey("ann", "weather", "acme")))
    quarantine.put("segment", 1, damaged, "its checksum does not match")
    quarantine.erase("bob", "acme", None)
    quarantine.erase("ann", "other", None)
    quarantine.erase("ann", "acme", "cafe")
    assert quarantine.count() == 1
    quarantine.erase("ann", "acme", "weather")
    assert quarantine.count() == 0


def test_a_damaged_run_of_entries_is_erased_with_each_of_its_users(quarantine):
    part = b"".join(HEAD + entry_of(ConversationKey(user, "weather")) for user in ("ann", "bob"))
    for user in ("ann", "bob"):
        quarantine.put("segment", 1, DamagedEntry(part), "its checksum does not match")
        quarantine.erase(user, "", None)
        assert quarantine.count() == 0


def test_an_entry_with_unreadable_names_is_erased_with_any_user(quarantine):
    quarantine.put("segment", 1, DamagedEntry(b"\xff\xff"), "its checksum does not match")
    quarantine.put("segment", 2, b"no JSON", "it cannot be read")
    quarantine.erase("bob", "", None)
    assert quarantine.count() == 0


def test_an_entry_quarantined_by_an_earlier_version_counts_as_damaged(quarantine, tmp_path):
    entry = entry_of(ConversationKey("user0002", "weather"))
    (tmp_path / "segment-1.quarantine").write_bytes(b'{"reason": "no"}\n' + entry)
    quarantine.erase("bob", "", None)
    assert quarantine.count() == 1
    quarantine.erase("user0001", "", None)
    assert quarantine.count() == 0


names = st.text(st.characters() | st.sampled_from('"\\,[]é😀\ud800\0'), min_size=1, max_size=20)
keys = st.builds(ConversationKey, names, names, names | st.just(""))


@given(keys, st.data())
@example(ConversationKey("ab\ud800", "m", ""), None)
def test_any_damaged_byte_leaves_the_entry_erasable_with_its_user(tmp_path_factory, key, data):
    quarantine = JournalQuarantine(tmp_path_factory.mktemp("journal"))
    damaged = bytearray(HEAD + entry_of(key))
    if data is not None:
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    for model in (None, key.model):
        quarantine.put("segment", 1, DamagedEntry(bytes(damaged)), "its checksum does not match")
        quarantine.erase(key.user, key.tenant, model)
        assert quarantine.count() == 0


@given(keys, keys)
def test_an_intact_entry_is_erased_with_its_own_user_only(tmp_path_factory, key, other):
    quarantine = JournalQuarantine(tmp_path_factory.mktemp("journal"))
    quarantine.put("segment", 1, entry_of(key), "the store refuses it")
    quarantine.erase(other.user, other.tenant, None)
    is_same = (key.user, key.tenant) == (other.user, other.tenant)
    assert quarantine.count() == (0 if is_same else 1)
    quarantine.erase(key.user, key.tenant, None)
    assert quarantine.count() == 0
