"""Scores of people and models: means, preferences, and agreement by weighted kappa (Cohen 1968)."""

from __future__ import annotations

import csv
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.jsonlines import read_lines
from chattyshared.judging.judge import PREFERENCE, VERDICT_SCORES

COLUMNS = ("id", "rater", "criterion", "score")
POWERS = {"quadratic": 2, "linear": 1}
"""A disagreement weighs the distance of its two scores to this power."""
Row = Mapping[str, Any]
Ratings = dict[str, dict[tuple[str, str], dict[str, int]]]
"""Scores from 1 to 5 by criterion, by kind (human or model) and name of the rater, and by id."""


def add_ratings(ratings: Ratings, path: Path, known_ids: Container[str] | None = None) -> None:
    """Add the ratings of people, a CSV file with ``COLUMNS``, or of a model, the lines of a judge.

    Raises:
        ConfigError: the file cannot be read.
        BenchmarkInvalid: a rating lacks a part, repeats another, has a score beyond 1 to 5, or an unknown id.
    """
    for number, kind, row in _read_rows(path):
        id, rater, criterion, score = (str(row.get(column) or "").strip() for column in COLUMNS)
        given = ratings.setdefault(criterion, {}).setdefault((kind, rater), {})
        if not (id and rater and criterion and score):
            fault = f"a rating has {', '.join(COLUMNS)}: one is missing"
        elif score not in {"1", "2", "3", "4", "5"}:
            fault = f"the score {score!r:.40} is no whole number from 1 to 5"
        elif known_ids is not None and id not in known_ids:
            fault = f"nothing that is judged has the id {id!r:.80}"
        elif id in given:
            fault = f"{rater!r:.80} has rated {criterion!r:.80} of {id!r:.80} already"
        else:
            given[id] = int(score)
            continue
        raise BenchmarkInvalid(fault, file=str(path), line=number)


def _read_rows(path: Path) -> Iterator[tuple[int, str, Row]]:
    """Yield the line, the kind of rater, and the columns of each rating."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = csv.DictReader(() if text.startswith("{") else text.splitlines(keepends=True))
        yield from ((rows.line_num, "human", row) for row in rows)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BenchmarkInvalid(f"no table of ratings: {error}", file=str(path)) from error
    for number, line in read_lines(path) if text.startswith("{") else ():
        scores = line.get("ratings") if isinstance(line, dict) else None
        for criterion, score in (scores if isinstance(scores, dict) else {}).items():
            yield number, "model", {**line, "criterion": criterion, "score": score}


def weighted_kappa(pairs: Sequence[tuple[int, int]], power: int = 2) -> float | None:
    """Return Cohen's weighted kappa of pairs of scores; None (undefined) if all scores are equal."""
    first, second = zip(*pairs, strict=True)
    observed = sum(abs(one - other) ** power for one, other in pairs) * len(pairs)
    counts = [(one, other, first.count(one) * second.count(other)) for one in set(first) for other in set(second)]
    by_chance = sum(count * abs(one - other) ** power for one, other, count in counts)
    return float(1 - observed / by_chance) if by_chance else None


def sign_test(wins: int, losses: int) -> float | None:
    """Return the two-sided p of a sign test, which leaves ties out; None if there are only ties."""
    n = wins + losses
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n) if n else None


def compare_raters(ratings: Ratings, power: int = 2) -> list[Row]:
    """Return the agreement of each two raters on each criterion, over the ids that both have rated."""
    return [
        {
            "criterion": criterion, "kind": f"{one[0]}-{other[0]}", "raters": f"{one[1]} and {other[1]}",
            "n": len(pairs), "kappa": weighted_kappa(pairs, power), "exact": fmean(a == b for a, b in pairs),
        }
        for criterion, raters in ratings.items()
        for one, other in combinations(sorted(raters), 2)
        if (pairs := [(score, raters[other][id]) for id, score in raters[one].items() if id in raters[other]])
    ]  # fmt: skip


def summarize(ratings: Ratings, lines: Iterable[Row], power: int) -> dict[str, list[Row]]:
    """Return the tables of a summary by their names; ``lines`` are those of the judge's own run."""
    tables: dict[str, list[Row]] = {
        "means": [
            {"criterion": criterion, "rater": rater, **_mean([*given.values()])}
            for criterion, raters in ratings.items() if criterion != PREFERENCE
            for (_, rater), given in raters.items()
        ],
        "means of raters": [
            {"criterion": criterion, **_mean([fmean(given.values()) for given in raters.values()])}
            for criterion, raters in ratings.items() if criterion != PREFERENCE and len(raters) > 1
        ],
        "preferences": [
            {"rater": rater, **_count_wins([*given.values()])}
            for (_, rater), given in ratings.get(PREFERENCE, {}).items()
        ],
    }  # fmt: skip
    pairs = [line["verdicts"] for line in lines if "verdicts" in line]
    bias: list[Row] = [{"pairs": len(pairs), "share": fmean(a == b != "tie" for a, b in pairs)}] if pairs else []
    tables |= {"position bias": bias, "mean agreement": [], "agreement": compare_raters(ratings, power)}
    for kind in sorted({row["kind"] for row in tables["agreement"]}):
        rows = [row for row in tables["agreement"] if row["kind"] == kind]
        kappas = [row["kappa"] for row in rows if row["kappa"] is not None]
        exact, undefined = fmean(row["exact"] for row in rows), len(rows) - len(kappas)
        tables["mean agreement"].append({"kind": kind, "undefined": undefined, **_mean(kappas), "exact": exact})
    return tables


def _count_wins(scores: Sequence[int]) -> Row:
    wins, losses = (sum((score - VERDICT_SCORES["tie"]) * side > 0 for score in scores) for side in (-1, 1))
    return {"A wins": wins, "B wins": losses, "ties": len(scores) - wins - losses, "p": sign_test(wins, losses)}


def _mean(values: Sequence[float]) -> Row:
    sd = stdev(values) if len(values) > 1 else None
    return {"n": len(values), "mean": fmean(values) if values else None, "sd": sd}
