"""What of a card stands in a prompt, and in the briefing of the direct strategy."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from invented_graphs import open_graph

from chattykg.direct.schema_prompt import MAX_CHARACTERS, build_schema_prompt
from chattykg.linking import vocabulary_card_text
from chattykg.linking.vocabulary_card import build_vocabulary_card


@pytest.fixture(scope="module")
def herbs() -> KnowledgeGraph:
    return open_graph("herbs")


@pytest.fixture(scope="module")
def wide() -> KnowledgeGraph:
    return open_graph("traits")


def lines(question: str, kg: KnowledgeGraph) -> list[str]:
    return build_vocabulary_card(question, kg).as_prompt_text().splitlines()


def test_few_values_are_listed_in_place_of_an_example(herbs: KnowledgeGraph) -> None:
    shown = lines("Which herbs does Ada Holm grow?", herbs)
    assert "leaf shape: herb -> text, one of: narrow, round" in shown
    assert "height: herb -> decimal, e.g. 17.5" in shown


def test_where_the_graph_was_sampled_or_the_list_is_cut_it_does_not_say_that_it_is_whole() -> None:
    entry = PredicateEntry("x:p", "p", values=("a", "b"), has_all_values=True)
    assert vocabulary_card_text.render_objects(entry) == "one of: a, b"
    assert vocabulary_card_text.render_objects(PredicateEntry("x:p", "p", values=("a", "b"))) == "such as: a, b"
    long = PredicateEntry("x:p", "p", values=tuple(str(n) * 30 for n in range(8)), has_all_values=True)
    assert (
        vocabulary_card_text.render_objects(long).startswith("such as: 000")
        and len(vocabulary_card_text.render_objects(long)) < 130
    )
    assert vocabulary_card_text.render_objects(PredicateEntry("x:p", "p")) == ""


@pytest.mark.parametrize("question", ["Which herbs thrive?", "Which herbs are tallest?", "How many herbs?"])
def test_what_the_question_does_not_speak_of_is_named(herbs: KnowledgeGraph, question: str) -> None:
    shown = lines(question, herbs)
    assert "further classes: grower, bed" in shown
    assert "further predicates: year of birth, soil" in shown


def test_where_no_predicate_is_near_the_frequent_ones_are_shown_in_full(herbs: KnowledgeGraph) -> None:
    shown = lines("Who thrives?", herbs)
    assert [line for line in shown if line.startswith("soil: bed -> text")]
    assert not any(line.startswith("further predicates") for line in shown)


def test_a_vocabulary_too_big_to_be_named_is_not_named(wide: KnowledgeGraph) -> None:
    assert not any(line.startswith("further") for line in lines("Which herbs thrive?", wide))


def test_names_and_classes_have_no_row_unless_the_question_speaks_of_them(herbs: KnowledgeGraph) -> None:
    def rows(question: str) -> set[str]:
        return {entry.label for entry in build_vocabulary_card(question, herbs).predicates}

    assert not {"label", "type"} & rows("Who grows Herb Number 3?")
    assert "label" in rows("What is the label of Herb Number 3?")


def test_a_mark_at_the_end_makes_no_mention_of_its_own(herbs: KnowledgeGraph) -> None:
    said = [mention.text for mention in build_vocabulary_card("Which herbs grow in the North Bed?", herbs).mentions]
    assert "North Bed" in said and "North Bed?" not in said


def test_what_lies_within_a_whole_name_is_not_shown(herbs: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Who grows Herb Number 3?", herbs)
    assert any(mention.text == "Herb" and mention.kind == "class" for mention in card.mentions)
    assert [
        m.text for m in vocabulary_card_text.select_informative(card.mentions) if m.kind in ("vertex", "class")
    ] == ["Herb Number 3"]


def test_a_briefing_lists_values_and_has_no_row_for_names(herbs: KnowledgeGraph) -> None:
    shown = build_schema_prompt(herbs, build_vocabulary_card("Which herbs does Ada Holm grow?", herbs)).as_prompt_text()
    assert "; one of: narrow, round" in shown and "further predicates" not in shown
    assert "labels of things: rdfs:label" in shown and "\nrdfs:label" not in shown


def test_a_briefing_names_what_has_no_line_of_its_own(wide: KnowledgeGraph) -> None:
    rows = build_schema_prompt(wide, build_vocabulary_card("Which herbs are there?", wide)).lines
    last = rows[-1].removeprefix("further predicates: ").split(", ")
    assert len("\n".join(rows)) <= MAX_CHARACTERS
    assert len(last) > 10 and not any(row.startswith(f"{last[0]} ") for row in rows)
    assert len(set(re.findall(r"\btrait\d+", "\n".join(rows)))) >= 35


def test_codes_are_shown_with_what_they_mean() -> None:
    def line(entry: PredicateEntry) -> str:
        return vocabulary_card_text.render_card((), (), (entry,), ((), ()), {}, {}).splitlines()[1]

    comment = "D = delivered, T = in transit, C = cancelled."
    entry = PredicateEntry("x:code", "code", comment=comment, values=("D", "T"), has_all_values=True)
    assert line(entry) == f"code ({comment}): thing -> thing, one of: D, T"
    assert line(replace(entry, values=("D", "X"))) == "code: thing -> thing, one of: D, X"
