"""The rules of matching and planning, their prompts, and the validators of every agent."""

from __future__ import annotations

from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from rdflib import URIRef

from chattykg.agents.matching import AGENT as MATCHING_AGENT
from chattykg.agents.matching import check_choices
from chattykg.agents.planning import AGENT as PLANNING_AGENT
from chattykg.agents.planning import check_predicates
from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.candidates import EntityCandidate, MentionBatch, MentionCandidates
from chattykg.linking.predicate_candidates import PredicateCandidate
from chattykg.qir import Relation
from chattykg.query.predicate_selection import PredicateChoice, PredicateChoices, RelationChoices
from chattykg.rulebook import RULEBOOK


def vertex(name: str, score: float, fit: float) -> EntityCandidate:
    return EntityCandidate("vertex", URIRef(f"u:{name}"), name, score, fit, types=("film",), fact="has director")


MENTIONS = MentionBatch(
    (
        MentionCandidates("Alien", (vertex("a", 1.0, 0.1), vertex("b", 1.0, 0.9), vertex("c", 0.9, 1.0))),
        MentionCandidates("Alien", (vertex("a", 0.7, 0.5), vertex("b", 0.7, 0.5))),
    )
)
BY, YEAR = (
    PredicateCandidate(("u:director",), "director", True, 0.9),
    PredicateCandidate(("u:year",), "year", True, 0.4),
)
RELATION = Relation("Alien", "directed by", "?x")
RELATIONS = PredicateChoices(
    (
        RelationChoices(
            RELATION,
            (PredicateChoice(1, BY, "director (film -> person)"), PredicateChoice(2, YEAR, "year")),
        ),
    )
)


def test_rules_choose_what_fits_and_pass_their_own_validators() -> None:
    model = RuleModel(RULEBOOK)
    chosen = MATCHING_AGENT(model, {"question": "Who directed Alien?", "mentions": MENTIONS})
    assert (chosen.attempts, chosen.value) == (
        1, {"choices": [{"mention": 1, "candidates": [2]}, {"mention": 2, "candidates": [1, 2]}]},
    )  # fmt: skip
    assert PLANNING_AGENT(model, {"question": "?", "relations": RELATIONS}).value == {"predicates": [1]}


def test_a_name_that_no_candidate_bears_is_unknown(ships: KnowledgeGraph, scripted: Any) -> None:
    qir = {"shape": "list", "target": "?x", "triples": [["?x", "home harbor", "Port"]]}
    model = scripted(qir=qir, matching={"choices": [{"mention": 1, "candidates": []}]})
    engine = ChattyEngine(ships, model, settings=Settings(strategy="staged"))
    answer = engine.answer("Which ships have home harbor Port?")
    assert [request.agent for request in model.asked] == ["answer/qir", "answer/matching"]
    assert answer.reason is not None and answer.reason.code == "unknown-name"


def test_numbers_that_were_not_shown_are_refused() -> None:
    bad = {"choices": [{"mention": 3, "candidates": []}, {"mention": 2, "candidates": [3]}]}
    assert [p.sentence for p in check_choices(bad, {"mentions": MENTIONS})] == [
        "There is no mention 3.",
        "Mention 2 has no candidate 3.",
    ]
    assert not list(check_predicates({"predicates": []}, {"relations": RELATIONS}))
    assert [p.rule for p in check_predicates({"predicates": [1, 9]}, {"relations": RELATIONS})] == ["membership"]
