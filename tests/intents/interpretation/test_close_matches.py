"""Which of two intents is meant (rule 19)."""

from __future__ import annotations

from tests.support.dialogs import check_dialog, describe_turn

MODEL = """
id: music
dialog_acts: {ask_if_close: true}
elements:
  - {id: play, synonyms: [play]}
  - {id: song, values: [Thriller]}
  - {id: album, values: [Thriller]}
intents:
  - "intent=song term(play)={# == 'play'} term(song)~{# == 'song'}"
  - "intent=album term(play)={# == 'play'} term(album)~{# == 'album'}"
responses: {song: "The song.", album: "The album."}
"""


def test_the_user_is_asked_and_chooses(bot):
    engine = bot(MODEL)
    assert describe_turn(engine, "play Thriller")[""].endswith(("?", "incomplete"))
    check_dialog(engine, "> the second one\nalbum album=Thriller\nsays: The album.")


def test_a_model_that_does_not_ask_takes_the_first(bot):
    engine = bot(MODEL.replace("{ask_if_close: true}", "true"))
    check_dialog(engine, "> play Thriller\nsong song=Thriller")
