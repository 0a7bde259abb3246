"""What the prompts show of a graph: lines of the card, and candidates of a mention."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from invented_graphs import open_graph

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.entity_linking import retrieve_candidates
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.linking.vocabulary_card_text import select_informative
from chattykg.qir import QIR, Relation, from_json


@pytest.fixture(scope="module")
def mills() -> KnowledgeGraph:
    return open_graph("mills")


def lines(question: str, kg: KnowledgeGraph) -> list[str]:
    return build_vocabulary_card(question, kg).as_prompt_text().splitlines()


def test_a_class_has_one_name_everywhere(mills: KnowledgeGraph) -> None:
    shown = "\n".join(lines("Which grain buyer has bought sacks?", mills))
    assert "bought by: sack -> grain buyer" in shown and "client" not in shown.casefold()


def test_a_unit_that_only_the_comment_tells_is_said(mills: KnowledgeGraph) -> None:
    shown = lines("How long is the grinding span of the sacks, and their width?", mills)
    assert any(line.startswith("grinding span (The time of a run, in minutes.): sack -> integer") for line in shown)
    assert any(line.startswith("width (mm): sack -> ") for line in shown)


def test_a_class_without_members_has_no_row(mills: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Which silo and which mill is there?", mills)
    assert "silo" in [entry.label for entry in card.classes]
    assert not any(line.startswith("class silo") for line in card.as_prompt_text().splitlines())
    assert any(line.startswith("class mill (1)") for line in card.as_prompt_text().splitlines())


def test_plain_words_that_name_a_class_are_no_thing_of_a_like_name(mills: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Which mills are there?", mills)
    assert [mention.kind for mention in card.mentions if mention.text == "mills"] == ["class"]
    assert [mention.kind for mention in select_informative(card.mentions) if mention.text == "mills"] == ["class"]


def test_what_bears_the_name_goes_before_what_contains_it(mills: KnowledgeGraph) -> None:
    question = "Which sacks were ground at Orion?"
    qir = QIR("list", "?s", (Relation("?s", "ground at", "Orion"),))
    (mention,) = retrieve_candidates(mills, qir, build_vocabulary_card(question, mills), LexicalSimilarity(), 50)
    assert [c.label for c in mention.candidates[:2]] == ["Orion", "Orion"]
    assert len(mention.candidates) <= 4
    assert mention.as_prompt_text().startswith('mention "Orion" (in: ground at):\n  1. Orion (mill); ')
    assert "is ground at of 6" in mention.candidates[0].fact and "label" not in mention.candidates[0].fact


def test_a_briefing_shows_up_to_four_ends(mills: KnowledgeGraph) -> None:
    shown = build_schema_prompt(mills, build_vocabulary_card("Who is the owner of Orion?", mills)).as_prompt_text()
    row = next(line for line in shown.splitlines() if line.startswith("p:owner:"))
    ends = row.partition(" -> ")[2].split(" ")[0].split("|")
    assert len(ends) == len(set(ends)) == 4


def test_a_number_of_things_may_be_a_number() -> None:
    said = {
        "shape": "list", "target": "?x", "triples": [["?x", "owner", "?o"]],
        "having": [{"group": "?x", "counted": "?o", "operator": ">", "value": 2}],
    }  # fmt: skip
    assert from_json(said).having[0].value == "2"


@pytest.fixture(scope="module")
def kinds() -> KnowledgeGraph:
    return open_graph("kinds")


def test_a_class_without_direct_members_is_shown_with_its_subclasses(kinds: KnowledgeGraph) -> None:
    assert "class person, only as: cook, guest, nurse" in lines("Which persons are there?", kinds)


def test_a_text_shows_how_values_are_written_and_how_many_classes_have_it(kinds: KnowledgeGraph) -> None:
    (line,) = (line for line in lines("Since when is a nurse here?", kinds) if line.startswith("since"))
    ends, _, examples = line.partition(", e.g. ")
    assert ends.endswith("/+1 -> text") and len(examples.split(", ")) == 2 and ".03.19" in examples


def test_predicates_of_one_label_are_told_apart(kinds: KnowledgeGraph) -> None:
    shown = lines("Who is the boss of the nurse?", kinds)
    assert {line.partition(":")[0] for line in shown if "-> cook" in line} == {"boss", "chief"}


def test_a_class_that_the_question_calls_by_its_name_needs_no_line_of_its_own(kinds: KnowledgeGraph) -> None:
    shown = lines("Which nurse is there?", kinds)
    assert "class nurse (8)" in shown and not any(line.startswith('mention "nurse"') for line in shown)
