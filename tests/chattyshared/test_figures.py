from __future__ import annotations

from chattyshared.figures import (
    MAX_NAMES,
    Counts,
    Figure,
    Section,
    SummaryStatistics,
    compute_values,
    first_names,
    format_percent,
    format_spread,
    headlines,
    render_rows_of_figures,
    values_to_json,
)

SECTIONS = (
    Section("talk", "talk", lambda words: words, (
        Figure("words", "words", compute=len, is_headline=True),
        Figure("letters", "letters", format_spread, lambda words: SummaryStatistics.of(map(len, words))),
        Figure("first", "first letters", lambda counts: counts, lambda words: Counts.of(w[:1] for w in words)),
        Figure("hidden", compute=sorted),
    )),
    Section("run.costs", "", lambda words: {"share": 0.25, "note": ""} if "paid" in words else None, (
        Figure("share", "share", format_percent), Figure("note", "note", str),
    )),
)  # fmt: skip


def test_one_list_makes_json_table_and_headlines() -> None:
    one, other = (compute_values(SECTIONS, text.split()) for text in ("a paid b ab", ""))
    assert values_to_json(one)["run"] == {"costs": {"share": 0.25, "note": ""}}
    assert values_to_json(other)["run"] == {"costs": None}
    assert values_to_json(one)["talk"]["first"] == {"a": 2, "b": 1, "p": 1}
    assert list(headlines(SECTIONS, one)) == [("words", "4")]
    assert list(render_rows_of_figures(SECTIONS, [one, other])) == [
        ("talk", ()), ("words", ("4", "0")), ("letters", ("2.00 (1-4)", "-")), ("first letters", ("3", "0")),
        ("  a", ("50.0%", "-")), ("  b", ("25.0%", "-")), ("  p", ("25.0%", "-")), ("share", ("25.0%", "-")),
    ]  # fmt: skip


def test_a_figure_without_names_in_any_file_is_left_out() -> None:
    (empty,) = [compute_values(SECTIONS, [])]
    assert "first letters" not in [name for name, _ in render_rows_of_figures(SECTIONS, [empty])]


def test_counts_are_sorted_renamed_and_of_a_whole() -> None:
    counts = Counts.of(["b", "a", "", "b"], whole=4)
    assert counts.items == (("b", 2), ("a", 1)) and counts.shares() == {"b": 0.5, "a": 0.25}
    assert counts.renamed(str.upper).items == (("B", 2), ("A", 1)) and counts.renamed(lambda _: "x").items == (
        ("x", 3),
    )
    assert Counts.of("aabb").entropy() == 1 and Counts.of("aa").entropy() == 0


def test_the_names_with_the_greatest_shares_come_first() -> None:
    one, other = Counts.of("aab"), Counts.of("cccccccd")
    assert first_names([one, other]) == ["c", "a", "b", "d"]
    assert len(first_names([Counts.of(map(str, range(99)))])) == MAX_NAMES
