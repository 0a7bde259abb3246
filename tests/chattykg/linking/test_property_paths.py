"""Property paths: places within places are followed over any number of steps."""

from __future__ import annotations

import pytest
from chattyshared.model.rules import RuleModel
from invented_graphs import open_graph

from chattykg.engine import ChattyEngine
from chattykg.linking.property_paths import is_containment_chain
from chattykg.rulebook import RULEBOOK


def test_a_chain_leads_from_places_to_places() -> None:
    predicates = open_graph("talks/piers").vocabulary.predicates.values()
    assert {entry.label for entry in predicates if is_containment_chain(entry)} == {"contained in"}


@pytest.mark.parametrize(("question", "is_noted"), [("Is Oak Pier in Lundby?", True), ("Where is Oak Pier?", False)])
def test_what_was_followed_over_several_steps_is_noted(question: str, *, is_noted: bool) -> None:
    answer = ChattyEngine(open_graph("talks/piers"), RuleModel(RULEBOOK)).answer(question)
    assert ('"contained in" is followed over several steps.' in answer.notes) is is_noted
    assert ("http://piers.example/oak", "http://piers.example/lund") not in {triple[::2] for triple in answer.witness}
