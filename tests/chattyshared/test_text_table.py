"""Tables of plain text."""

from chattyshared.text import Column, render_figures, render_rows, text_width


def test_a_wide_character_takes_two_cells_and_a_combining_mark_none():
    assert [text_width(text) for text in ("東京", "e\u0301", "é", "ﾄ")] == [4, 1, 1, 1]
    assert render_rows((Column(max_width=5), Column()), [("東京都", "1"), ("Kyoto", "2")]) == ["東京   1", "Kyoto  2"]


def test_figures_stand_side_by_side_under_their_headings():
    rows = [("turns", ("8", "4")), ("forms", ()), ("  lookup", ("12.5%", "-"))]
    assert render_figures(("long", "short"), rows) == [
        "              long     short",
        "turns            8         4",
        "",
        "forms",
        "  lookup     12.5%         -",
    ]
    assert render_figures((), [("turns", ("8",))]) == ["turns         8"]
