"""``anaphora agent load``: documents for the archival memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner, Result

from anaphora.cli import app

MEMORY = "sqlite:///ada.db"


def load(*paths: str, **options: str) -> Result:
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    command = ["agent", "load", *paths, "--agent", "assistant", "--memory", MEMORY, *given]
    return CliRunner().invoke(app, command)


def test_files_and_folders_are_loaded_once(folder: Path) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "one.txt").write_text("The office opens at nine.", encoding="utf-8")
    (folder / "two.md").write_text("# Two\n\nIt closes at five.", encoding="utf-8")
    first = load("notes", "two.md")
    assert (first.exit_code, first.stdout) == (0, "Loaded 2 documents, 2 new passages.\n")
    again = load("notes", "two.md")
    assert again.stdout == "Loaded 2 documents (2 unchanged), 0 new passages.\n"


def test_a_file_that_cannot_be_read_is_named(folder: Path) -> None:
    (folder / "one.txt").write_text("The office opens at nine.", encoding="utf-8")
    (folder / "empty.txt").write_text("", encoding="utf-8")
    result = load("one.txt", "empty.txt")
    assert result.exit_code == 1
    assert "Warning: empty.txt: the file is empty" in result.stderr
    assert "Loaded 1 document" in result.stdout


def test_a_damaged_pdf_is_one_warning(folder: Path) -> None:
    """Run as a process: what a library writes to its log would reach the console."""
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nbroken \x00\xff")
    command = [sys.executable, "-m", "anaphora", "agent", "load", "broken.pdf"]
    result = subprocess.run(
        [*command, "--agent", "assistant", "--memory", MEMORY],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stdout) == (1, "Nothing was loaded.\n")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("Warning: broken.pdf: the PDF is damaged: ")


def test_other_files_in_a_folder_are_no_mistake(folder: Path) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "photo.jpg").write_bytes(b"\xff\xd8")
    (folder / "notes" / ".hidden").write_text("x", encoding="utf-8")
    result = load("notes")
    assert (result.exit_code, result.stdout) == (0, "Nothing was loaded.\n")
    assert "photo.jpg" in result.stderr
    assert "hidden" not in result.stderr


def test_documents_of_one_user_are_theirs(folder: Path) -> None:
    (folder / "diary.txt").write_text("I like tea.", encoding="utf-8")
    load("diary.txt", user="ann")
    for user, finds in (("ann", True), ("bob", False)):
        command = ["agent", "assistant", "--url", "http://localhost/v1", "--memory", MEMORY]
        result = CliRunner().invoke(app, [*command, "--user", user], input="/archive tea\n")
        assert ("I like tea." in result.stdout) == finds
