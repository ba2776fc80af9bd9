"""JUnit XML report of ``anaphora check``: a suite per model, a case per dialog."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import typer

from anaphora.cli.authoring.sample_results import Case, Suite, format_case

__all__ = ["check_writable", "junit_xml", "write_junit"]

# Characters that XML 1.0 forbids, and the carriage return, which is read back as a line feed.
_FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(path: Path, suites: Iterable[Suite]) -> None:
    """Write the report; an existing file is replaced atomically.

    Raises ``typer.BadParameter`` if it cannot be written.
    """
    target = path.resolve()
    text = junit_xml(suites)
    try:
        if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
            target.write_bytes(text)
        else:
            _replace_file(target, text)
    except OSError as error:
        raise _write_error(path, error.strerror or str(error)) from None


def check_writable(path: Path) -> None:
    """Raise ``typer.BadParameter`` if it is already clear that the report cannot be written."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise _write_error(path, f"there is no folder {folder}")
    is_replaced = path.is_file() or not path.exists()  # through a temporary file in the folder
    if is_replaced and not os.access(folder, os.W_OK | os.X_OK):
        raise _write_error(path, f"the folder {folder} is read-only")


def junit_xml(suites: Iterable[Suite]) -> bytes:
    """The report in UTF-8. Characters that XML forbids become Python escapes (``\\x1b``)."""
    root = Element("testsuites", name="anaphora check")
    for suite in suites:
        _add_suite(root, suite)
    _sum_counts(root, root.findall("testsuite"))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_suite(root: Element, suite: Suite) -> None:
    node = SubElement(root, "testsuite", name=_escape(suite.name))
    titles = Counter(case.title for case in suite.cases)
    if suite.error:
        _add_problem(node, suite, "the model is valid", "error", suite.error)
    if suite.warnings:
        listed = "\n".join(suite.warnings)
        _add_problem(node, suite, "the model has no warnings", "failure", listed)
    for case in suite.cases:
        again = f" (line {case.line})" if titles[case.title] > 1 and case.line else ""
        _add_case(node, suite, case, case.title + again)
    tests = node.findall("testcase")
    for what, tag in (("failures", "failure"), ("errors", "error")):
        node.set(what, str(sum(test.find(tag) is not None for test in tests)))
    node.set("tests", str(len(tests)))
    node.set("skipped", "0")
    node.set("time", _format_seconds(sum(case.seconds for case in suite.cases)))


def _add_case(node: Element, suite: Suite, case: Case, name: str) -> None:
    test = _add_test(node, suite, name, case.seconds)
    if case.line:
        test.set("line", str(case.line))
    if case.passed:
        return
    failures = [f"{turn.step}: {failure}" for turn in case.turns for failure in turn.failures]
    message = _first_line(failures[0])
    if more := len(failures) - 1:
        message += f" (and {more} more)"
    kind = "error" if case.error else "failure"
    _add_outcome(test, kind, message, "\n".join(line for line, _ in format_case(case)))


def _add_problem(node: Element, suite: Suite, name: str, kind: str, text: str) -> None:
    _add_outcome(_add_test(node, suite, name, 0.0), kind, _first_line(text), text)


def _add_test(node: Element, suite: Suite, name: str, seconds: float) -> Element:
    test = SubElement(
        node,
        "testcase",
        classname=_escape(suite.name),
        name=_escape(name),
        time=_format_seconds(seconds),
    )
    if suite.source:
        test.set("file", _escape(suite.source))
    return test


def _add_outcome(test: Element, kind: str, message: str, text: str) -> None:
    outcome = SubElement(test, kind, message=_escape(message))
    outcome.text = _escape(text)


def _sum_counts(root: Element, suites: Sequence[Element]) -> None:
    for what in ("tests", "failures", "errors", "skipped"):
        root.set(what, str(sum(int(suite.get(what, "0")) for suite in suites)))
    root.set("time", _format_seconds(sum(float(suite.get("time", "0")) for suite in suites)))


def _replace_file(target: Path, text: bytes) -> None:
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_bytes(text)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.6f}"


def _escape(text: str) -> str:
    return _FORBIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _write_error(path: Path, why: str) -> typer.BadParameter:
    return typer.BadParameter(f"cannot write {path}: {why}", param_hint="'--junit'")
