"""``anaphora agent load``: load documents into the archival memory of an agent."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anaphora.cli.terminal import (
    create_console,
    exit_if_interrupted,
    print_warning,
    value_option,
)
from anaphora.core.plurals import pluralize

if TYPE_CHECKING:
    from anaphora.agents.archive.loading import LoadProgress

__all__ = ["load"]

_UNUSED_ENDPOINT = "http://localhost/v1"  # loading calls no model


def load(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Text, Markdown, HTML or PDF files, or folders of them.",
            exists=True,
        ),
    ],
    *,
    agent: Annotated[
        str, value_option("AGENT", "An agent file or the name of a bundled agent.", "--agent")
    ],
    memory: Annotated[
        str, value_option("URL", "The memory of the agent: sqlite:///FILE or postgresql://….")
    ],
    user: Annotated[
        str | None,
        value_option("NAME", "Only this user's agent knows the documents. Default: all users'."),
    ] = None,
) -> None:
    """Load documents into the archival memory of an agent.

    A file that was loaded before is replaced, or skipped if it is the same, so that an interrupted
    load can go on. The exit code is 1 if a file cannot be read.

    Example: anaphora agent load handbook.pdf notes/ --agent ada.yaml --memory sqlite:///ada.db
    """
    from anaphora.agents.archive.documents import read_documents
    from anaphora.agents.files.loader import load_agent

    out = create_console()
    failed = 0

    def report_skipped(path: Path, reason: str) -> None:
        nonlocal failed
        if reason != "hidden":
            failed += path in paths
            print_warning(f"{path}: {reason}")

    done: LoadProgress | None = None
    with (
        exit_if_interrupted("Interrupted. The next load goes on."),
        load_agent(agent, url=_UNUSED_ENDPOINT, memory=memory) as loaded,
        out.status("") if out.is_terminal else nullcontext() as status,
    ):

        def report_progress(progress: LoadProgress) -> None:
            nonlocal done
            done = progress
            if status is not None:
                status.update(f"{_describe(progress)}: {progress.source}")

        documents = read_documents(paths, on_skip=report_skipped)
        loaded.load(documents, user=user, on_progress=report_progress)
    out.print("Nothing was loaded." if done is None else f"Loaded {_describe(done)}.")
    raise typer.Exit(1 if failed else 0)


def _describe(progress: LoadProgress) -> str:
    unchanged = f" ({progress.unchanged:,} unchanged)" if progress.unchanged else ""
    documents = pluralize(progress.documents, "document")
    return f"{documents}{unchanged}, {pluralize(progress.passages, 'new passage')}"
