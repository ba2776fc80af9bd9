"""Format numbers with their units."""

from __future__ import annotations

from benchmarks.report.data import Unit

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def format_number(value: float, unit: Unit = "") -> str:
    """Three digits that count, in a unit that suits: ``shown(0.00123, "s")`` is ``1.23 ms``."""
    match unit:
        case "s":
            return _scaled(value, _TIMES)
        case "B":
            return _scaled(value, _SIZES) if abs(value) >= 10_000 else f"{_digits(value)} B"
        case "×":
            return f"{_digits(value)} ×"
        case "%":
            return f"{value * 100:.1f} %"
        case "1/s":
            return f"{_digits(value)} /s"
        case _:
            return _digits(value)


def _scaled(value: float, scale: tuple[tuple[float, str], ...]) -> str:
    if value == 0:
        return "0"
    factor, name = next((one for one in scale if abs(value) >= one[0]), scale[-1])
    return f"{_digits(value / factor)} {name}"


def _digits(value: float) -> str:
    if value == 0:
        return "0"
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) < 0.1:
        return f"{value:.2g}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
