"""Prepare the default gazetteer, see :mod:`.prepared`:

python -m anaphora.entities.builtin.places.gazetteer [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from anaphora.entities.builtin.places.gazetteer.gazetteer import prepare_gazetteer
from anaphora.entities.builtin.places.gazetteer.prepared import FOLDER
from anaphora.errors import ModelError


def main() -> None:
    """Write the files to the folder that is named, or to where Anaphora reads them."""
    try:
        prepare_gazetteer(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    except ModelError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
