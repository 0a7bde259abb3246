"""Texts that state numbers or dates: the one reading, of separators and unit, that most texts of a predicate have."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal as Choice

from rdflib import Literal
from rdflib.namespace import XSD

from chattyshared.endpoint import Endpoint
from chattyshared.kg.batches import batches, count_of, text_of, values_block
from chattyshared.language.quantities import unit_ratio
from chattyshared.literals import parse_number

MAX_TEXTS = 5_000
"""Distinct texts of a predicate that are read; with more of them it has no reading."""
MIN_SHARE = 0.5
"""Share (0..1) of the texts that a reading must fit; set by hand."""
_SEPARATORS = ((".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (".", "_"))
"""The signs before decimals and between groups of three digits; the first pair that fits most texts is taken."""
_BEFORE, _AFTER = r"[^\w\s.,+-]?", r"(?:[^\d\s.,+()/-]{1,8})?"
_DATES = (
    (r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)", "$1-$2-$3"),
    (r"(?P<d>\d\d)[/.](?P<m>\d\d)[/.](?P<y>\d{4})", "$3-$2-$1"),
    (r"(?P<m>\d\d)/(?P<d>\d\d)/(?P<y>\d{4})", "$3-$1-$2"),
)
"""Forms of dates, and each in the order of XML Schema."""


_DURATION = "^P([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9.]+S)?)?$"
"""A duration that can be compared: months and years have no fixed length."""
_SECONDS = " + ".join(
    f"{seconds} * <{XSD.decimal}>(REPLACE(?text, "
    f'"^P(([0-9]+)D)?(T(([0-9]+)H)?(([0-9]+)M)?(([0-9.]+)S)?)?$", "0${group}"))'
    for group, seconds in ((2, 86_400), (5, 3_600), (7, 60), (9, 1))
)


class TextReading(str):
    """How the texts of a predicate are read: equal to the kind of their values.

    ``pattern`` matches the texts that fit, and ``expression`` gives the value of ``?text``, both in the syntax of
    SPARQL: a number, a date in the order of XML Schema, or the seconds of a duration. ``unread_count`` of
    ``text_count`` texts do not fit; ``other_count`` of these are values all the same, written in another way. ``unit``
    is that of the values ("" without one).
    """

    pattern: str
    expression: str
    unread_count: int
    text_count: int
    other_count: int
    unit: str

    def __new__(
        cls,
        kind: Choice["text number", "mixed date", "duration"],
        pattern: str,
        expression: str,
        *counts: int,
        unit: str = "",
    ) -> TextReading:
        """Make a reading of a kind; ``counts`` are the number of texts, of those that fit, and of other values."""
        reading = super().__new__(cls, kind)
        reading.pattern, reading.expression, reading.unit = pattern, expression, unit
        reading.text_count, reading.unread_count = counts[0], counts[0] - counts[1]
        reading.other_count = counts[2] if len(counts) > 2 else reading.unread_count
        return reading


TextKind = TextReading | Choice["text number", "text"]
"""How the texts of a predicate are read; numbers as SPARQL casts them need no more than their kind."""


def find_text_reading(texts: Iterable[str]) -> TextKind:
    """Return the reading of some texts: ``text`` if too few fit one, or if two orders of day and month fit."""
    listed = [text.strip() for text in texts]
    if not listed:
        return "text"
    if all(parse_number(text) is not None for text in listed):
        return "text number"
    durations = sum(bool(re.match(_DURATION, text)) for text in listed)
    if durations >= MIN_SHARE * len(listed):
        return TextReading("duration", _DURATION, _SECONDS, len(listed), durations, unit="seconds")
    dates = [_read_dates(listed, form, replacement) for form, replacement in _DATES]
    found = [reading for reading in dates if reading is not None]
    if found:
        best = min(found, key=_unread)
        rivals = [each for each in found if each.unread_count == best.unread_count]
        return best if len(rivals) == 1 else "text"
    numbers = [each for signs in _SEPARATORS if (each := _read_numbers(listed, *signs)) is not None]
    numbers.sort(key=_unread)
    return numbers[0] if numbers else "text"


def _unread(reading: TextReading) -> int:
    return reading.unread_count


def _read_dates(texts: Sequence[str], form: str, replacement: str) -> TextReading | None:
    matches = [match for text in texts if (match := re.fullmatch(form, text))]
    fitting = [match for match in matches if 1 <= int(match["m"]) <= 12 and 1 <= int(match["d"]) <= 31]
    if len(fitting) < max(1, MIN_SHARE * len(texts)):
        return None
    pattern = f"^{re.sub(r'[?]P<[a-z]>', '', form)}$".replace(r"\d", "[0-9]")
    expression = f'REPLACE(?text, "{pattern}", "{replacement}")'
    return TextReading("mixed date", pattern, expression, len(texts), len(fitting))


def _read_numbers(texts: Sequence[str], decimal: str, group: str) -> TextReading | None:
    """Return the reading of numbers with the most frequent unit, and with those that can be converted into it."""
    number = rf"[+-]?(?:\d{{1,3}}(?:{re.escape(group)}\d{{3}})+|\d+)(?:{re.escape(decimal)}\d+)?[+]?"
    form = re.compile(rf"(?P<before>{_BEFORE})\s?{number}\s?(?P<after>{_AFTER})", re.ASCII)
    units = Counter((match["before"], match["after"]) for text in texts if (match := form.fullmatch(text)))
    (before, unit), _ = next(iter(units.most_common(1)), (("", ""), 0))
    unit = unit if unit_ratio(unit, "") is None else ""  # a million is no unit
    ratios = {each: ratio for sign, each in units if sign == before and (ratio := unit_ratio(each, unit)) is not None}
    fitting = sum(units[before, each] for each in ratios)
    if fitting < max(1, MIN_SHARE * len(texts)):
        return None
    written = {each: re.sub(r"([^\w\s%°])", r"[\1]", each) for each in (before, *ratios)}
    alternatives = "|".join(written[each] for each in sorted(filter(None, ratios)))
    ending = f" ?({alternatives}){'?' * ('' in ratios)}" if alternatives else ""
    pattern = f"^{written[before]} ?{number}{ending}$".replace(r"\d", "[0-9]").replace("(?:", "(")
    digits = f'REPLACE(?text, "[^0-9{decimal}-]", "")'
    digits = digits if decimal == "." else f'REPLACE({digits}, "{decimal}", ".")'
    expression = f"<{XSD.decimal}>({digits})"
    for each, ratio in ratios.items():
        if ratio != 1:
            expression = (
                f'IF(REGEX(?text, "[0-9+] ?{written[each]}$"), {ratio:f} * <{XSD.decimal}>({digits}), {expression})'
            )
    pattern = pattern.replace("\\.", "[.]").replace("\\", "")
    others = sum(any(map(str.isdigit, text)) for text in texts) - fitting
    return TextReading("text number", pattern, expression, len(texts), fitting, others, unit=unit)


def fetch_text_readings(endpoint: Endpoint, predicates: Iterable[str]) -> Mapping[str, TextKind]:
    """Return the readings of predicates whose values are texts; two requests for 200 predicates.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    readings: dict[str, TextKind] = {}
    for batch in batches(predicates):
        of_texts = f"{values_block('p', batch)} ?s ?p ?o FILTER(isLiteral(?o))"
        likely = 'BIND(IF(REGEX(STR(?o), "^[^0-9]{0,2}[0-9]") && STRLEN(STR(?o)) <= 24, 1, 0) AS ?fits)'
        numbers = "(COUNT(DISTINCT ?o) AS ?n) (COUNT(?o) AS ?all) (SUM(?fits) AS ?likely)"
        rows = endpoint.select(f"SELECT ?p {numbers} WHERE {{ {of_texts} {likely} }} GROUP BY ?p")
        few = [row for row in rows if count_of(row, "n") <= MAX_TEXTS]
        readings |= {text_of(row, "p"): "text" for row in few}
        likely_rows = (row for row in few if count_of(row, "likely") >= max(1, MIN_SHARE * count_of(row, "all")))
        read = [text_of(row, "p") for row in likely_rows]
        texts: dict[str, list[str]] = defaultdict(list)
        of_read = f"{values_block('p', read)} ?s ?p ?o FILTER(isLiteral(?o))"
        for row in endpoint.select(f"SELECT ?p ?s ?o WHERE {{ {of_read} }}") if read else ():
            if isinstance(value := row.get("o"), Literal):
                texts[text_of(row, "p")].append(str(value))
        readings |= {predicate: find_text_reading(values) for predicate, values in texts.items()}
    return readings
