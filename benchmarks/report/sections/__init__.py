"""The sections of the report, one module each, whose ``measure`` makes it."""
