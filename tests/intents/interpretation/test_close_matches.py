"""Which of two intents is meant (rule 19)."""

from __future__ import annotations

from tests.support.dialogs import check_dialog

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
    check_dialog(
        bot(MODEL),
        """
        > play Thriller
        incomplete
        says: Which one: song, album?
        offers: play, song=Thriller | play, album=Thriller
        > the second one
        album album=Thriller
        says: The album.
        """,
    )


def test_a_model_that_does_not_ask_takes_the_first(bot):
    engine = bot(MODEL.replace("{ask_if_close: true}", "true"))
    check_dialog(engine, "> play Thriller\nsong song=Thriller")
