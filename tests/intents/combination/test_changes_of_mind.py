"""People change their minds: long conversations about a table, in ten languages."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)

TABLE = """
id: restaurant
language: {language}
dialog_acts: true
entities: [date, duration, number]
elements:
  - id: table
    synonyms: [table, tisch, mesa, tavolo, столик, テーブル, 桌子]
intents:
  - id: book
    slots:
      table: {{optional: true}}
      date: {{ask: When?}}
      people: {{element: number, ask: How many?}}
    response: "{{{{ date }}}} for {{{{ people }}}}"
"""

DIALOGS = {
    "en": [
        ("table for 4 tomorrow at 8", "2026-11-19T08:00 for 4"),
        ("hmm 8 is too late, 7", "2026-11-19T07:00 for 4"),
        ("no make it half past", "2026-11-19T07:30 for 4"),
        ("actually we're 5", "2026-11-19T07:30 for 5"),
        ("Friday would be better", "2026-11-20T07:30 for 5"),
        ("no wait saturday", "2026-11-21T07:30 for 5"),
        ("not saturday, sunday", "2026-11-22T07:30 for 5"),
        ("an hour earlier", "2026-11-22T06:30 for 5"),
        ("what about 7", "2026-11-22T07:00 for 5"),
        ("till 10", "2026-11-22T07:00/2026-11-22T10:00 for 5"),
        ("from 8", "2026-11-22T08:00/2026-11-22T10:00 for 5"),
        ("no, from 8 till 11", "2026-11-22T08:00/2026-11-22T11:00 for 5"),
        ("the day after", "2026-11-23T08:00/2026-11-23T11:00 for 5"),
        ("tomorrow. at 6. 3 people.", "2026-11-19T06:00 for 3"),
    ],
    "de": [
        ("einen Tisch für 4 morgen um 8", "2026-11-19T08:00 for 4"),
        ("hm 8 ist zu spät, 7", "2026-11-19T07:00 for 4"),
        ("nein, halb acht", "2026-11-19T07:30 for 4"),
        ("wir sind doch 5", "2026-11-19T07:30 for 5"),
        ("Freitag wäre besser", "2026-11-20T07:30 for 5"),
        ("nein warte Samstag", "2026-11-21T07:30 for 5"),
        ("nicht Samstag, Sonntag", "2026-11-22T07:30 for 5"),
        ("eine Stunde früher", "2026-11-22T06:30 for 5"),
        ("wie wäre 7", "2026-11-22T07:00 for 5"),
        ("bis 10", "2026-11-22T07:00/2026-11-22T10:00 for 5"),
        ("ab 8", "2026-11-22T08:00/2026-11-22T10:00 for 5"),
        ("nein, von 8 bis 11", "2026-11-22T08:00/2026-11-22T11:00 for 5"),
        ("am Tag danach", "2026-11-23T08:00/2026-11-23T11:00 for 5"),
        ("morgen. um 6. 3 Personen.", "2026-11-19T06:00 for 3"),
    ],
    "es": [
        ("una mesa para 4 mañana a las 8 de la tarde", "2026-11-19T20:00 for 4"),
        ("las 8 es muy tarde, a las 7", "2026-11-19T19:00 for 4"),
        ("no, a las 7 y media", "2026-11-19T19:30 for 4"),
        ("somos 5", "2026-11-19T19:30 for 5"),
        ("el viernes sería mejor", "2026-11-20T19:30 for 5"),
        ("no espera el sábado", "2026-11-21T19:30 for 5"),
        ("el sábado no, el domingo", "2026-11-22T19:30 for 5"),
        ("una hora antes", "2026-11-22T18:30 for 5"),
        ("y a las 7?", "2026-11-22T19:00 for 5"),
        ("hasta las 10", "2026-11-22T19:00/2026-11-22T22:00 for 5"),
        ("desde las 8", "2026-11-22T20:00/2026-11-22T22:00 for 5"),
        ("no, de 8 a 11", "2026-11-22T20:00/2026-11-22T23:00 for 5"),
        ("al día siguiente", "2026-11-23T20:00/2026-11-23T23:00 for 5"),
    ],
    "fr": [
        ("une table pour 4 demain à 20h", "2026-11-19T20:00 for 4"),
        ("20h c'est trop tard, 19h", "2026-11-19T19:00 for 4"),
        ("non, 19h30", "2026-11-19T19:30 for 4"),
        ("nous sommes 5", "2026-11-19T19:30 for 5"),
        ("vendredi serait mieux", "2026-11-20T19:30 for 5"),
        ("non attends samedi", "2026-11-21T19:30 for 5"),
        ("pas samedi, dimanche", "2026-11-22T19:30 for 5"),
        ("une heure plus tôt", "2026-11-22T18:30 for 5"),
        ("et à 19h ?", "2026-11-22T19:00 for 5"),
        ("jusqu'à 22h", "2026-11-22T19:00/2026-11-22T22:00 for 5"),
        ("non, de 20h à 23h", "2026-11-22T20:00/2026-11-22T23:00 for 5"),
        ("le lendemain", "2026-11-23T20:00/2026-11-23T23:00 for 5"),
    ],
    "ru": [
        ("столик на 4 завтра в 8 вечера", "2026-11-19T20:00 for 4"),
        ("8 поздно, в 7", "2026-11-19T19:00 for 4"),
        ("нет, в полвосьмого", "2026-11-19T19:30 for 4"),
        ("нас пятеро", "2026-11-19T19:30 for 5"),
        ("лучше в пятницу", "2026-11-20T19:30 for 5"),
        ("нет, подожди, в субботу", "2026-11-21T19:30 for 5"),
        ("не в субботу, а в воскресенье", "2026-11-22T19:30 for 5"),
        ("на час раньше", "2026-11-22T18:30 for 5"),
        ("а в 7?", "2026-11-22T19:00 for 5"),
        ("до 10", "2026-11-22T19:00/2026-11-22T22:00 for 5"),
        ("нет, с 8 до 11", "2026-11-22T20:00/2026-11-22T23:00 for 5"),
        ("на следующий день", "2026-11-23T20:00/2026-11-23T23:00 for 5"),
    ],
    "it": [
        ("un tavolo per 4 domani alle 20", "2026-11-19T20:00 for 4"),
        ("le 20 è troppo tardi, alle 19", "2026-11-19T19:00 for 4"),
        ("siamo in 5", "2026-11-19T19:00 for 5"),
        ("venerdì sarebbe meglio", "2026-11-20T19:00 for 5"),
        ("no aspetta sabato", "2026-11-21T19:00 for 5"),
        ("non sabato, domenica", "2026-11-22T19:00 for 5"),
        ("un'ora prima", "2026-11-22T18:00 for 5"),
        ("e alle 7?", "2026-11-22T19:00 for 5"),
        ("fino alle 10", "2026-11-22T19:00/2026-11-22T22:00 for 5"),
        ("no, dalle 8 alle 11", "2026-11-22T20:00/2026-11-22T23:00 for 5"),
        ("il giorno dopo", "2026-11-23T20:00/2026-11-23T23:00 for 5"),
        ("domani. alle 18. 3 persone.", "2026-11-19T18:00 for 3"),
    ],
    "pt": [
        ("uma mesa para 4 amanhã às 20h", "2026-11-19T20:00 for 4"),
        ("20h é muito tarde, às 19h", "2026-11-19T19:00 for 4"),
        ("não, 19h30", "2026-11-19T19:30 for 4"),
        ("somos 5", "2026-11-19T19:30 for 5"),
        ("sexta seria melhor", "2026-11-20T19:30 for 5"),
        ("não espera sábado", "2026-11-21T19:30 for 5"),
        ("sábado não, domingo", "2026-11-22T19:30 for 5"),
        ("uma hora antes", "2026-11-22T18:30 for 5"),
        ("e às 7?", "2026-11-22T19:00 for 5"),
        ("até as 10", "2026-11-22T19:00/2026-11-22T22:00 for 5"),
        ("não, das 8 às 11", "2026-11-22T20:00/2026-11-22T23:00 for 5"),
        ("no dia seguinte", "2026-11-23T20:00/2026-11-23T23:00 for 5"),
        ("amanhã. às 18h. 3 pessoas.", "2026-11-19T18:00 for 3"),
    ],
    "uk": [
        ("столик на 4 завтра о 20", "2026-11-19T20:00 for 4"),
        ("20 пізно, о 19", "2026-11-19T19:00 for 4"),
        ("ні, о пів на восьму", "2026-11-19T19:30 for 4"),
        ("нас п'ятеро", "2026-11-19T19:30 for 5"),
        ("краще в п'ятницю", "2026-11-20T19:30 for 5"),
        ("ні, почекай, в суботу", "2026-11-21T19:30 for 5"),
        ("не в суботу, а в неділю", "2026-11-22T19:30 for 5"),
        ("на годину раніше", "2026-11-22T18:30 for 5"),
        ("а о 7?", "2026-11-22T19:00 for 5"),
        ("до 10", "2026-11-22T19:00/2026-11-22T22:00 for 5"),
        ("ні, з 8 до 11", "2026-11-22T20:00/2026-11-22T23:00 for 5"),
        ("наступного дня", "2026-11-23T20:00/2026-11-23T23:00 for 5"),
        ("завтра. о 18. 3 людини.", "2026-11-19T18:00 for 3"),
    ],
    "ja": [
        ("明日8時に4人でテーブル", "2026-11-19T08:00 for 4"),
        ("8時は遅すぎるので7時", "2026-11-19T07:00 for 4"),
        ("いや、7時半", "2026-11-19T07:30 for 4"),
        ("やっぱり5人で", "2026-11-19T07:30 for 5"),
        ("金曜日のほうがいい", "2026-11-20T07:30 for 5"),
        ("土曜日じゃなくて日曜日", "2026-11-22T07:30 for 5"),
        ("1時間早く", "2026-11-22T06:30 for 5"),
        ("7時はどう?", "2026-11-22T07:00 for 5"),
        ("次の日", "2026-11-23T07:00 for 5"),
    ],
    "zh": [
        ("明天晚上8点4个人的桌子", "2026-11-19T20:00 for 4"),
        ("8点太晚了，7点", "2026-11-19T19:00 for 4"),
        ("不，7点半", "2026-11-19T19:30 for 4"),
        ("我们5个人", "2026-11-19T19:30 for 5"),
        ("星期五更好", "2026-11-20T19:30 for 5"),
        ("不是星期六，是星期天", "2026-11-22T19:30 for 5"),
        ("早一个小时", "2026-11-22T18:30 for 5"),
        ("7点呢?", "2026-11-22T19:00 for 5"),
        ("第二天", "2026-11-23T19:00 for 5"),
    ],
}


@pytest.mark.parametrize("language", DIALOGS)
def test_a_conversation_follows_who_changes_their_mind(language):
    engine = Engine(parse_model(TABLE.format(language=language)), clock=lambda: WEDNESDAY)
    answers = [(text, engine.ask(text).text) for text, _ in DIALOGS[language]]
    assert answers == DIALOGS[language]
