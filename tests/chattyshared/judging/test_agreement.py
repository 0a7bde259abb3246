from pathlib import Path

import pytest
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.judging.agreement import Ratings, add_ratings, compare_raters, sign_test, summarize, weighted_kappa

HEAD = "id,rater,criterion,score\n"
SKIN = ((10, 4, 1, 0), (5, 10, 12, 2), (2, 4, 12, 5), (0, 2, 6, 13))
"""Two dermatologists on 88 patients: the manual of SAS, PROC FREQ, gives a weighted (linear) kappa of 0.5082."""


def rate(**scores: str) -> Ratings:
    """Return ratings of fluency by rater (m: a model), a digit an id; "-" is none."""
    return {
        "fluency": {
            ("model" if rater == "m" else "human", rater): {
                str(n): int(score) for n, score in enumerate(text) if score != "-"
            }
            for rater, text in scores.items()
        }
    }


def read(path: Path, known_ids: set[str] | None = None) -> Ratings:
    ratings: Ratings = {}
    add_ratings(ratings, path, known_ids)
    return ratings


def test_kappa_is_the_published_one():
    pairs = [(i, j) for i, row in enumerate(SKIN) for j, count in enumerate(row) for _ in range(count)]
    assert weighted_kappa(pairs, 1) == pytest.approx(0.5082, abs=5e-5)


@pytest.mark.parametrize(("pairs", "kappa"), [
    ([(5, 4), (5, 5)], 0), ([(3, 1), (4, 1)], 0), ([(2, 3)], 0), ([(5, 5), (5, 5)], None)
])  # fmt: skip
def test_kappa_with_a_constant_rater_is_0_and_undefined_where_chance_cannot_disagree(pairs, kappa):
    assert weighted_kappa(pairs) == kappa


def test_raters_are_compared_by_criterion_over_what_both_have_rated():
    ratings = rate(Ann="1234-", Ben="12-45", m="5-345") | {"x": {("model", "m"): {"1": 1}}}
    rows = compare_raters(ratings)
    assert [(row["kind"], row["raters"], row["n"]) for row in rows] == [
        ("human-human", "Ann and Ben", 3), ("human-model", "Ann and m", 3), ("human-model", "Ben and m", 3)
    ]  # fmt: skip
    assert [row["exact"] for row in rows] == pytest.approx([1, 2 / 3, 2 / 3])


def test_the_summary_counts_undefined_kappas_apart():
    summary = summarize(rate(Ann="12344", Ben="12354", Cem="----4", m="44444"), [], 2)
    by_kind = {row["kind"]: row for row in summary["mean agreement"]}
    assert (by_kind["human-human"]["undefined"], by_kind["human-human"]["n"]) == (2, 1)
    assert (by_kind["human-model"]["undefined"], by_kind["human-model"]["mean"]) == (1, 0)
    assert summary["means"][3] == {"criterion": "fluency", "rater": "m", "n": 5, "mean": 4, "sd": 0}


def test_the_means_of_the_raters_are_those_of_the_papers_table():
    raters = {("human", name): {str(n): 4 for n in range(50 - fives)} | {f"f{n}": 5 for n in range(fives)}
              for name, fives in {"a": 24, "b": 32, "c": 25, "d": 22, "e": 11}.items()}  # fmt: skip
    (row,) = summarize({"response_quality": raters, "x": {("model", "m"): {"1": 2}}}, [], 2)["means of raters"]
    assert (row["criterion"], row["n"]) == ("response_quality", 5)
    assert (round(row["mean"], 2), round(row["sd"], 2)) == (4.46, 0.15)  # 4.48 4.64 4.50 4.44 4.22


def test_preferences_and_position_bias():
    lines = [{"verdicts": pair} for pair in (["A", "A"], ["A", "B"], ["tie", "tie"], ["A", "tie"])] + [{"error": "x"}]
    summary = summarize(
        rate(m="4") | {"preference": {("model", "m"): dict(zip("abcdef", (1, 1, 3, 3, 2, 4), strict=True))}}, lines, 2
    )
    assert summary["preferences"] == [{"rater": "m", "A wins": 3, "B wins": 1, "ties": 2, "p": 0.625}]
    assert summary["position bias"] == [{"pairs": 4, "share": 0.25}]
    assert [row["criterion"] for row in summary["means"]] == ["fluency"]


@pytest.mark.parametrize(("wins", "losses", "p"), [(8, 2, 112 / 1024), (5, 5, 1.0), (0, 1, 1.0), (0, 0, None)])
def test_the_sign_test_leaves_ties_out(wins, losses, p):
    assert sign_test(wins, losses) == p == sign_test(losses, wins)


def test_people_and_models_are_read(tmp_path):
    people, model = tmp_path / "people.csv", tmp_path / "ratings.jsonl"
    people.write_text("\ufeffscore,rater,id,criterion,remark\n 4 ,Ann,d1,fluency,fine\n", encoding="utf-8")
    model.write_text(
        '{"id": "d1", "rater": "m", "ratings": {"fluency": 5, "x": 1}}\n{"id": "d2", "rater": "m", "error": "e"}\n'
    )
    assert read(people) == {"fluency": {("human", "Ann"): {"d1": 4}}}
    assert read(model) == {"fluency": {("model", "m"): {"d1": 5}}, "x": {("model", "m"): {"d1": 1}}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,rater,score\nd1,Ann,4\n", "line 2: a rating has id, rater, criterion, score: one is missing"),
        (f"{HEAD}d1,Ann,fluency,4\nd1,,fluency,4\n", "line 3: a rating has id"),
        (f"{HEAD}d1,Ann,fluency,6\n", "line 2: the score '6' is no whole number from 1 to 5"),
        (f"{HEAD}d1,Ann,fluency,4.5\n", "the score '4.5' is no whole number"),
        (f"{HEAD}d1,Ann,fluency,good\n", "the score 'good' is no whole number"),
        (f"{HEAD}d9,Ann,fluency,4\n", "nothing that is judged has the id 'd9'"),
        (f"{HEAD}d1,Ann,fluency,4\nd1,Ann,fluency,5\n", "line 3: 'Ann' has rated 'fluency' of 'd1' already"),
        ('{"id": "d1", "rater": "m", "ratings": {"fluency": 9}}\n', "line 1: the score '9' is no whole number"),
        ('{"id": "d1", "ratings": {"fluency": 4}}\n', "line 1: a rating has id"),
    ],
)
def test_a_bad_rating_is_refused_with_its_line(text, message, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BenchmarkInvalid, match=message):
        read(path, {"d1"})


def test_a_file_that_is_no_table_is_refused(tmp_path):
    path = tmp_path / "people.csv"
    with pytest.raises(ConfigError, match="No such file"):
        read(path)
    path.write_bytes(b"id,rater,criterion,score\n\xff")
    with pytest.raises(BenchmarkInvalid, match="no table of ratings"):
        read(Path(path))
