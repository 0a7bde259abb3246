"""Units of measure: an amount said in one unit, as it stands in a graph that keeps another ("20 metres" as 2000 cm)."""

from __future__ import annotations

from decimal import Context, Decimal

from chattyshared.literals import parse_number

_SCALES: tuple[tuple[tuple[str, float], ...], ...] = (
    (("mm millimeter millimetre", 0.001), ("cm centimeter centimetre", 0.01), ("m meter metre", 1.0),
     ("km kilometer kilometre", 1000.0), ("mile mi", 1609.344), ("foot feet ft", 0.3048), ("inch in", 0.0254)),
    (("mg milligram", 0.001), ("g gram", 1.0), ("kg kilogram kilo", 1000.0), ("t ton tonne", 1_000_000.0),
     ("pound lb", 453.59237), ("ounce oz", 28.349523125)),
    (("second sec s", 1.0), ("minute min", 60.0), ("hour h", 3600.0), ("day", 86400.0), ("week", 604800.0)),
    (("ml milliliter millilitre", 0.001), ("l liter litre", 1.0)),
)  # fmt: skip
_ABBREVIATED = 2
"""Letters of an abbreviated unit: in a sentence "in" and "m" are seldom units."""
_FACTORS = {
    name: (place, factor) for place, scale in enumerate(_SCALES) for names, factor in scale for name in names.split()
}
_TEN_DIGITS = Context(prec=10)

_MEASURING = {
    "lasting": "min minute sec second hour h ms",
    "long": "km kilometer kilometre mile",
    "heavy": "g gram kg kilogram kilo t ton tonne pound lb ounce oz mg",
    "expensive": "euro eur dollar usd gbp € $ £",
    "fast": "kmh mph",
}


def measuring(said: str, otherwise: str = "old") -> str:
    """Return the adjective whose degree a unit measures ("minutes": long); ``otherwise`` where it tells none."""
    word = said[:-1] if said.endswith("s") and len(said) > 3 else said
    return next((adjective for adjective, units in _MEASURING.items() if word in units.split()), otherwise)


def unit_text(label: str, comment: str) -> str:
    """Return the text that tells in which unit values are kept: the label, or the comment where that tells none."""
    if any(map(_of, label.lower().split())):
        return label
    words = (word.strip(".,;:()[]") for word in comment.lower().split())
    return next((f"{label} {word}" for word in words if len(word) > _ABBREVIATED and _of(word)), label)


def converted(value: str, said: str, label: str) -> str:
    """Return a number, said in one unit, in the unit that a predicate's label names last; as it is where none fits.

    ``converted("20", "metres", "depth in centimetres")`` is "2000".
    """
    unit = _of(said)
    kept = next((found for found in map(_of, reversed(label.lower().split())) if found), None)
    if unit is None or kept is None or unit[0] != kept[0] or unit == kept:
        return value
    number = parse_number(value)
    if number is None:
        return value
    ratio = Decimal(repr(unit[1])) / Decimal(repr(kept[1]))
    return f"{_TEN_DIGITS.multiply(number, ratio).normalize():f}"


def _of(word: str) -> tuple[int, float] | None:
    return _FACTORS.get(word) or (_FACTORS.get(word[:-1]) if word.endswith("s") and len(word) > 3 else None)
