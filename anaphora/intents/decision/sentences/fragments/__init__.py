"""Read and complete fragments: what is no whole sentence, but goes on with what was said."""

from __future__ import annotations
