"""Reading documents: text, Markdown, HTML and PDF files, folders, and files that are broken."""

from __future__ import annotations

import os
import random
import sys

import pytest

from anaphora.agents.archive.documents import DocumentError, read_document, read_documents
from anaphora.errors import AnaphoraError


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def make_pdf(*pages, title="", password=None):
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_font("helvetica", size=12)
    if title:
        pdf.set_title(title)
    if password is not None:
        pdf.set_encryption(owner_password="owner", user_password=password)
    for text in pages:
        pdf.add_page()
        pdf.multi_cell(0, text=text)
    return bytes(pdf.output())


def sections(document):
    return [(section.headings, section.text) for section in document.sections]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_text_is_read_in_its_encoding(write, encoding):
    document = read_document(write("Tee.txt", "Grüner Tee – 抹茶".encode(encoding)))
    assert (document.title, document.text) == ("Tee", "Grüner Tee – 抹茶")


def test_an_old_encoding_is_detected(write):
    text = "Чай подают в четыре часа, приходите пораньше и берите с собой друзей. " * 5
    assert read_document(write("чай.txt", text.encode("cp1251"))).text == text


def test_markdown_has_sections_with_the_path_of_headings(write):
    document = read_document(
        write(
            "guide.md",
            "# Guide to *Kyoto*\r\n\r\nHello.\r\n\r\nTemples\n---\n\n```\n# no heading\n```\n\n"
            "### `Kinkaku-ji`\nGold.\n\n## Food\n\n| dish | price |\n| --- | --- |\n| udon | 5 |\n",
        )
    )
    assert document.title == "Guide to Kyoto"
    assert sections(document) == [
        (("Guide to Kyoto",), "Hello."),
        (("Guide to Kyoto", "Temples"), "```\n# no heading\n```"),
        (("Guide to Kyoto", "Temples", "Kinkaku-ji"), "Gold."),
        (("Guide to Kyoto", "Food"), "| dish | price |\n| --- | --- |\n| udon | 5 |"),
    ]


def test_front_matter_gives_the_title(write):
    document = read_document(write("a.md", '---\ntitle: "On tea"\ntags: [x]\n---\nGreen.\n'))
    assert (document.title, sections(document)) == ("On tea", [((), "Green.")])


def test_html_is_read_without_scripts_and_navigation(write):
    document = read_document(
        write(
            "page.html",
            '<!doctype html><html lang="en-GB"><head><title>On tea</title><style>p{}</style>'
            "<meta charset=utf-8></head><body><nav><a href=/>Home</a></nav><h1>Green tea</h1>"
            "<p>Sencha &amp; <a href='https://x.example/long'>matcha</a> snake_case 2*3</p>"
            "<script>alert('x')</script><h2>Prices</h2><ul><li>one</li><li>two</li></ul>"
            "<table><tr><th>tea</th></tr><tr><td>5 €</td></tr></table></body></html>",
        )
    )
    assert (document.title, document.language) == ("On tea", "en-GB")
    first, second = sections(document)
    assert first == (("Green tea",), "Sencha & matcha snake_case 2*3")
    assert second[0] == ("Green tea", "Prices")
    assert "* one\n* two" in second[1]
    assert "| 5 € |" in second[1]
    assert not any(word in document.text for word in ("alert", "Home", "x.example", "p{}"))


def test_xhtml_and_its_encoding_are_read(write):
    text = '<?xml version="1.0" encoding="iso-8859-1"?><html><body><p>Café crème</p></body></html>'
    assert read_document(write("a.xhtml", text.encode("latin-1"))).text == "Café crème"
    assert read_document(write("b.html", "no markup at all")).text == "no markup at all"


def test_a_pdf_has_a_section_per_page(write):
    data = make_pdf("Tea is served\nat four.", "", "Cakes are exqui-\nsite.", title="The menu")
    document = read_document(write("menu.pdf", data))
    assert document.title == "The menu"
    assert sections(document) == [
        (("p. 1",), "Tea is served at four."),
        (("p. 3",), "Cakes are exquisite."),
    ]


def test_a_pdf_that_anybody_may_read_needs_no_password(write):
    assert read_document(write("a.pdf", make_pdf("Tea.", password=""))).text == "Tea."


BROKEN = {
    "secret.pdf": (make_pdf("Tea.", password="x"), "needs a password"),
    "half.pdf": (make_pdf("Tea.")[:300], "damaged"),
    "noise.pdf": (random.Random(1).randbytes(5_000), "damaged"),
    "blank.pdf": (make_pdf(""), "no text"),
    "empty.txt": (b"", "empty"),
    "blank.md": (b" \n\t\n", "empty"),
    "binary.txt": (bytes(range(256)) * 10, "binary"),
    "binary.md": (b"\x7fELF\0\0\0", "binary"),
    "binary.html": (b"<p>\0\0</p>", "binary"),
    "odd.txt": (b"\xff\xfea", "no text in utf-16"),
    "script.html": (b"<script>x()</script>", "no text"),
    "deep.html": (b"<div>" * 100_000, "nested too deeply"),
    "image.png": (b"\x89PNG", "format .png"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_error_that_names_it(write, name):
    data, reason = BROKEN[name]
    path = write(name, data)
    with pytest.raises(DocumentError) as caught:
        read_document(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_a_pipe_and_a_huge_file_are_refused(write, tmp_path):
    with pytest.raises(DocumentError, match="No such file"):
        read_document(tmp_path / "none.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(DocumentError, match="no regular file"):
        read_document(tmp_path / "pipe.txt")
    with pytest.raises(DocumentError, match="more than 1,000 bytes"):
        read_document(write("huge.txt", "x" * 1_001), max_bytes=1_000)
    assert read_document(write("fits.txt", "x" * 1_000), max_bytes=1_000)


@pytest.mark.parametrize(
    ("name", "module"), [("a.pdf", "pypdf"), ("a.html", "bs4"), ("a.md", "markdown_it")]
)
def test_a_missing_library_is_an_error_that_names_the_extra(write, monkeypatch, name, module):
    path = write(name, make_pdf("Tea.") if name == "a.pdf" else "<p>Tea.</p>")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(AnaphoraError, match=r"pip install 'anaphora\[documents\]'"):
        read_document(path)
    monkeypatch.undo()
    assert "Tea." in read_document(path).text


def test_a_folder_is_read_by_name_and_what_is_skipped_is_reported(write, tmp_path):
    for name in ("b.txt", "a.md", "sub/c.txt", ".git/x.txt", "sub/.hidden.txt"):
        write(f"docs/{name}", f"This is {name}.")
    write("docs/photo.jpg", b"\xff\xd8")
    write("docs/broken.pdf", b"%PDF-1.4 nothing")
    single = write("single.txt", "Alone.")
    skipped = []
    documents = list(
        read_documents(
            [tmp_path / "docs", single, tmp_path / "none.txt"],
            on_skip=lambda path, reason: skipped.append((path.name, reason)),
        )
    )
    assert [document.text for document in documents] == [
        "This is a.md.",
        "This is b.txt.",
        "This is sub/c.txt.",
        "Alone.",
    ]
    assert documents[2].source == (tmp_path / "docs" / "sub" / "c.txt").as_posix()
    reasons = dict(skipped)
    assert set(reasons) == {".git", ".hidden.txt", "photo.jpg", "broken.pdf", "none.txt"}
    assert reasons["photo.jpg"] == "files of the format .jpg are not read"
    assert reasons["broken.pdf"].startswith("the PDF is damaged")
    assert reasons[".git"] == "hidden"


def test_without_a_report_a_broken_file_is_an_error(write, tmp_path):
    write("docs/a.txt", "Fine.")
    write("docs/photo.jpg", b"\xff\xd8")
    assert [one.text for one in read_documents([tmp_path / "docs"])] == ["Fine."]
    write("docs/b.txt", b"\0\0")
    with pytest.raises(DocumentError, match=r"b\.txt: the file contains binary data"):
        list(read_documents([tmp_path / "docs"]))


def test_a_folder_that_links_to_itself_is_read_once(write, tmp_path):
    write("docs/a.txt", "Once.")
    (tmp_path / "docs" / "loop").symlink_to(tmp_path / "docs", target_is_directory=True)
    assert len(list(read_documents([tmp_path / "docs"]))) == 1


def test_the_digest_follows_the_text_the_title_and_the_headings(write):
    path = write("a.md", "# Tea\n\nGreen.")
    before = read_document(path)
    assert read_document(path).digest == before.digest
    for text in ("# Tea\n\nBlack.", "# Cha\n\nGreen.", "# Tea\n\n## Tea\n\nGreen."):
        write("a.md", text)
        assert read_document(path).digest != before.digest
