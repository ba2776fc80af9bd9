"""One report of all benchmarks, with plots: ``python -m benchmarks.report``."""
