"""Ratings of people and models: means, preferences, and agreement by weighted kappa (Cohen 1968)."""

from __future__ import annotations

import csv
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Rating:
    """One score, from 1 to 5; ``by`` tells who gave it: human or model."""

    id: str
    rater: str
    criterion: str
    score: int
    by: str


def read_ratings(path: Path, known_ids: Container[str] | None = None) -> list[Rating]:
    """Read the ratings of people, a CSV file with ``COLUMNS``, or of a model, the lines of a judge.

    Raises:
        ConfigError: the file cannot be read.
        BenchmarkInvalid: a rating lacks a part, repeats another, has a score beyond 1 to 5, or an unknown id.
    """
    ratings: dict[tuple[str, str, str], Rating] = {}
    for number, by, row in _read_rows(path):
        id, rater, criterion, score = (str(row.get(column) or "").strip() for column in COLUMNS)
        if not (id and rater and criterion and score):
            fault = f"a rating has {', '.join(COLUMNS)}: one is missing"
        elif score not in {"1", "2", "3", "4", "5"}:
            fault = f"the score {score!r:.40} is no whole number from 1 to 5"
        elif known_ids is not None and id not in known_ids:
            fault = f"nothing that is judged has the id {id!r:.80}"
        elif (id, rater, criterion) in ratings:
            fault = f"{rater!r:.80} has rated {criterion!r:.80} of {id!r:.80} already"
        else:
            ratings[id, rater, criterion] = Rating(id, rater, criterion, int(score), by)
            continue
        raise BenchmarkInvalid(fault, file=str(path), line=number)
    return list(ratings.values())


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
        ratings = line.get("ratings") if isinstance(line, dict) else None
        for criterion, score in (ratings if isinstance(ratings, dict) else {}).items():
            yield number, "model", {**line, "criterion": criterion, "score": score}


def weighted_kappa(pairs: Sequence[tuple[int, int]], power: int = 2) -> float | None:
    """Return Cohen's weighted kappa of pairs of scores; None (undefined) if the scores of a rater are all equal."""
    first, second = zip(*pairs, strict=True)
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    observed = fmean(abs(one - other) ** power for one, other in pairs)
    shares = [(value, scores.count(value) / len(pairs)) for scores in (first, second) for value in set(scores)]
    split = len(set(first))
    chance = sum(p * q * abs(one - other) ** power for one, p in shares[:split] for other, q in shares[split:])
    return float(1 - observed / chance)


def sign_test(wins: int, losses: int) -> float | None:
    """Return the two-sided p of a sign test, which leaves ties out; None if there are only ties."""
    n = wins + losses
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n) if n else None


def compare_raters(ratings: Iterable[Rating], power: int = 2) -> list[Row]:
    """Return the agreement of each two raters on each criterion, over the ids that both have rated."""
    scores: dict[str, dict[tuple[str, str], dict[str, int]]] = {}
    for rating in ratings:
        scores.setdefault(rating.criterion, {}).setdefault((rating.by, rating.rater), {})[rating.id] = rating.score
    return [
        {
            "criterion": criterion, "kind": f"{one[0]}-{other[0]}", "raters": [one[1], other[1]], "n": len(pairs),
            "kappa": weighted_kappa(pairs, power), "exact": fmean(a == b for a, b in pairs),
        }
        for criterion, raters in scores.items()
        for one, other in combinations(sorted(raters), 2)
        if (pairs := [(score, raters[other][id]) for id, score in raters[one].items() if id in raters[other]])
    ]  # fmt: skip


def summarize(ratings: Iterable[Rating], lines: Iterable[Row], power: int) -> dict[str, list[Row]]:
    """Return the tables of a summary by their names; ``lines`` are those of the judge's own run."""
    tables: dict[str, list[Row]] = {"means": [], "preferences": [], "position bias": [], "mean agreement": []}
    scores: dict[tuple[str, str], list[int]] = {}
    for rating in ratings:
        scores.setdefault((rating.criterion, rating.rater), []).append(rating.score)
    for (criterion, rater), given in scores.items():
        if criterion == PREFERENCE:
            wins, losses = given.count(VERDICT_SCORES["A"]), given.count(VERDICT_SCORES["B"])
            verdicts = {"A wins": wins, "B wins": losses, "ties": len(given) - wins - losses}
            tables["preferences"].append({"rater": rater, **verdicts, "p": sign_test(wins, losses)})
        else:
            tables["means"].append({"criterion": criterion, "rater": rater, **_mean(given)})
    if pairs := [line["verdicts"] for line in lines if "verdicts" in line]:
        tables["position bias"] = [{"pairs": len(pairs), "share": fmean(a == b != "tie" for a, b in pairs)}]
    tables["agreement"] = compare_raters(ratings, power)
    for kind in sorted({row["kind"] for row in tables["agreement"]}):
        rows = [row for row in tables["agreement"] if row["kind"] == kind]
        kappas = [row["kappa"] for row in rows if row["kappa"] is not None]
        exact = fmean(row["exact"] for row in rows)
        undefined = len(rows) - len(kappas)
        tables["mean agreement"].append({"kind": kind, "undefined": undefined, **_mean(kappas), "exact": exact})
    return tables


def _mean(values: Sequence[float]) -> Row:
    sd = stdev(values) if len(values) > 1 else None
    return {"n": len(values), "mean": fmean(values) if values else None, "sd": sd}
