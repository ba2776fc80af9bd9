"""Write a report to a folder: ``report.md`` with its plots, and ``report.json`` with all
figures."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.report.data import Report, plots_of
from benchmarks.report.rendering.markdown import markdown
from benchmarks.report.rendering.plots import draw


def write(report: Report, folder: Path) -> Path:
    """Write the report, replacing an earlier one; return the path of ``report.md``."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {plot.name: draw(plot, folder).name for plot in plots_of(report)}
    page = folder / "report.md"
    page.write_text(markdown(report, files), encoding="utf-8")
    data = json.dumps(plain(report), indent=1, ensure_ascii=False)
    (folder / "report.json").write_text(data + "\n", encoding="utf-8")
    return page


def plain(report: Report) -> dict[str, Any]:
    """The report as JSON data; the key ``kind`` tells the type of each part of a section."""
    data = asdict(report)
    for section, told in zip(report.sections, data["sections"], strict=True):
        told["parts"] = [
            {"kind": type(part).__name__.lower(), **asdict(part)} for part in section.parts
        ]
    return data
