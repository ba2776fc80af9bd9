"""``python -m anaphora`` is the command line."""

from anaphora.cli import main

main()
