"""Names in texts."""

from __future__ import annotations

from chattyshared.language.names import contains_name, replace_name


def test_names_are_whole_words() -> None:
    assert contains_name("Who is C++?", "C++") and not contains_name("Rings", "Ring")
    assert contains_name("the AURORA", "Aurora") and not contains_name("the AURORA", "Aurora", ignores_case=False)
    assert not contains_name("text", "")
    assert replace_name("Ring and Rings", "Ring", r"\1") == r"\1 and Rings"
