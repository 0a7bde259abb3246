"""The notation of the rule file."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files

import pytest
from chattyshared.errors import ConfigError

from chattykg.rulebook.grammar.rules import OPERATIONS as KNOWN
from chattykg.rulebook.grammar.rules import load_grammar, read_grammar

OPERATIONS: dict[str, Callable[..., object]] = {"ask": lambda *parts: ("ask", *parts), "none": lambda: None}
RULES = """
# A comment.
@wh = which what
== Questions: "which films?" ==
Q -> @wh|who Noun Noun? : ask(list, Noun, Noun2) [-0.5]
Q -> Noun
Q -> how many Noun : ask(none(), Noun)
"""


def test_a_rule_has_items_a_weight_and_a_meaning() -> None:
    grammar = read_grammar(RULES, OPERATIONS)
    rule = grammar.rules[0]
    assert [(item.name, sorted(item.words), item.is_optional) for item in rule.items] == [
        ("@wh|who", ["what", "which", "who"], False), ("Noun", [], False), ("Noun2", [], True),
    ]  # fmt: skip
    assert rule.weight == -0.5
    assert rule.build({"@wh|who": "who", "Noun": "films", "Noun2": None}) == ("ask", "list", "films", None)


def test_rules_that_end_alike_share_their_suffixes() -> None:
    rules = read_grammar("A -> x B C? : B\nA -> y B C? : B\nA -> B? C? : B", {}).rules
    assert rules[0].suffix is not rules[1].suffix and rules[0].suffix.rest is rules[1].suffix.rest
    ends = [(sorted(s.symbols), s.is_optional) for s in (rules[0].suffix, rules[2].suffix)]
    assert ends == [(["x"], False), (["B", "C"], True)]


def test_a_rule_without_a_meaning_passes_its_first_item_on() -> None:
    assert read_grammar(RULES, OPERATIONS).rules[1].build({"Noun": "films"}) == "films"


def test_a_meaning_with_a_part_that_has_none_has_none() -> None:
    assert read_grammar(RULES, OPERATIONS).rules[2].build({"Noun": "films"}) is None


def test_a_category_begins_with_the_words_and_categories_of_its_rules() -> None:
    grammar = read_grammar(RULES, OPERATIONS)
    assert grammar.by_category["Q"] == grammar.rules
    assert grammar.beginnings["Q"] == {"Q", "Noun", "which", "what", "who", "how"}
    assert "many" in grammar.words


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Q Noun", "is no rule"),
        ("Q -> @nouns", "unknown word class: @nouns"),
        ("Q -> Noun : tell(Noun)", "unknown operation: tell"),
        ("Q -> Noun : ask(Verb)", "no item of its rule: Verb"),
        ("Q -> Noun : ask(Noun) Noun", "unreadable meaning"),
        ("Q -> Noun : ask(", "unfinished"),
    ],
)
def test_a_wrong_line_is_told(line: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        read_grammar(f"# First line\n{line}", OPERATIONS)


def test_a_language_without_rules_is_told() -> None:
    with pytest.raises(ConfigError, match="no grammar rules for klingon"):
        load_grammar("klingon")


def test_every_category_is_one_of_rules_or_of_the_lexer() -> None:
    rules = load_grammar("english").rules
    text = files("chattykg.rulebook.grammar").joinpath("english.gram").read_text(encoding="utf-8")
    lexical = set(re.findall(r"\b[A-Z]\w+", text.partition("\n\n")[0]))
    named = {item.category for rule in rules for item in rule.items if item.category}
    assert named - {rule.category for rule in rules} - lexical == set()


def test_no_rule_stands_twice() -> None:
    texts = [rule.text.partition(" [")[0] for rule in load_grammar("english").rules]
    assert sorted(text for text in texts if texts.count(text) > 1) == []


def test_every_operation_is_called_by_a_rule() -> None:
    called = " ".join(rule.text.partition(" : ")[2] for rule in load_grammar("english").rules)
    assert [name for name in KNOWN if f"{name}(" not in called] == []
