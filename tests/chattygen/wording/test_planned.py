import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.dialogue import Dialogue, Turn
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.question_forms import SET_FORMS
from faulty_model import Faulty
from fleet_graph import CARGOES, PORTS, fleets
from rdflib import Graph

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate
from chattygen.runs.slots import SlotResult

pytestmark = pytest.mark.slow

RUN = Options(approach="planned", dialogues=24, turns=5, types=("shipping line", "vessel"))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    from chattyshared.kg.factory import open_kg

    path = tmp_path_factory.mktemp("fleet") / "fleet.ttl"
    path.write_text(fleets(), encoding="utf-8")
    return open_kg([str(path)])


@pytest.fixture(scope="module")
def made(fleet: KnowledgeGraph) -> list[SlotResult]:
    return sorted(generate(fleet, RuleModel(RULEBOOK), RUN), key=lambda one: one.index)


@pytest.fixture(scope="module")
def dialogues(made: list[SlotResult]) -> list[Dialogue]:
    return [one.dialogue for one in made if one.dialogue]


def turns_of(dialogues: list[Dialogue]) -> list[Turn]:
    return [turn for dialogue in dialogues for turn in dialogue.turns]


def test_gold_is_what_another_engine_gives_for_the_query(dialogues: list[Dialogue]):
    graph = Graph()
    graph.parse(data=fleets(), format="turtle")
    for turn in turns_of(dialogues)[:60]:
        result = graph.query(turn.sparql)
        if result.type == "ASK":
            gold = [answer.value for answer in turn.answers] if turn.answerable else ["false"]
            assert [str(result.askAnswer).lower()] == gold
        else:
            found = [str(row[0]) for row in result]
            ordered = "ORDER BY" in turn.sparql
            assert (found if ordered else sorted(found)) == [answer.value for answer in turn.answers], turn.sparql


def test_no_two_turns_ask_the_same_and_none_tells_its_answer(dialogues: list[Dialogue]):
    for dialogue in dialogues:
        assert len({turn.sparql for turn in dialogue.turns}) == 5
        assert len({turn.question.casefold() for turn in dialogue.turns}) == 5
        for turn in dialogue.turns:
            if turn.form not in ("boolean", "comparison", "count"):
                for answer in turn.answers:
                    said = answer.label or answer.value
                    assert not re.search(rf"(?<!\w){re.escape(said)}(?!\w)", turn.standalone), turn


def test_the_mix_comes_in_its_shares_as_far_as_the_graph_can_give_it(dialogues: list[Dialogue]):
    forms = Counter(turn.form if turn.answerable else "unanswerable" for turn in turns_of(dialogues))
    for form in (*SET_FORMS, "comparison", "count", "boolean", "two-hop", "unanswerable"):
        assert forms[form], form
    asked = [turn.answers[0].value for turn in turns_of(dialogues) if turn.answers and turn.answer_type == "boolean"]
    assert 0.35 <= asked.count("false") / len(asked) <= 0.65
    links = Counter(turn.link for turn in turns_of(dialogues))
    later = sum(links.values()) - links["opens"]
    assert (links["answer"] + links["among"] + links["position"]) / later >= 0.3
    assert links["position"]


def test_an_unanswerable_turn_is_marked_and_its_query_gives_nothing(fleet: KnowledgeGraph, dialogues: list[Dialogue]):
    for turn in turns_of(dialogues):
        assert turn.answerable is bool(turn.answers)
        if not turn.answerable:
            is_ask = turn.sparql.startswith("ASK")
            assert not (fleet.endpoint.ask if is_ask else fleet.endpoint.select)(turn.sparql)
            assert turn.unanswerable


def test_a_superlative_has_one_winner_and_a_bound_lies_between_values(
    fleet: KnowledgeGraph, dialogues: list[Dialogue]
):  # fmt: skip
    for turn in turns_of(dialogues):
        if turn.form == "superlative":
            (winner,) = turn.answers
            everyone = turn.sparql.partition(" ORDER BY")[0].replace("SELECT ?x", "SELECT ?x ?v")
            rows = fleet.endpoint.select(everyone)
            best = [row["v"] for row in rows if str(row["x"]) == winner.value][0]
            assert sum(row["v"] == best for row in rows) == 1 < len(rows)
        if turn.form == "filter":
            bound = re.search(r"[<>] (-?[\d.]+)\)", turn.sparql)
            assert bound and bound[1] in turn.standalone
            equal = re.sub(r"[<>] (-?[\d.]+)\)", r"= \1)", turn.sparql)
            assert fleet.endpoint.select(equal) == [] and turn.answers


def test_a_plan_takes_at_most_twelve_requests_in_the_mean_of_which_its_words_take_one_a_turn(
    fleet: KnowledgeGraph, tmp_path: Path
):
    from chattyshared.trace import Trace

    path = tmp_path / "trace.jsonl"
    with Trace(path) as trace:
        made = list(generate(fleet, RuleModel(RULEBOOK), RUN, trace=trace))
    events = [json.loads(line) for line in path.read_text().splitlines()]
    spans = [event["span"] for event in events if event["kind"] == "query"]
    assert 0 < len(spans) / sum(one.dialogue is not None for one in made) <= 12
    assert sum(span != "plans" for span in spans) == sum(len(one.dialogue.turns) for one in made if one.dialogue)


@pytest.mark.parametrize(
    "turns",
    [
        1,
        8,
    ],
)
def test_dialogues_of_any_length(fleet: KnowledgeGraph, turns: int):
    options = Options(approach="planned", dialogues=6, turns=turns, types=("vessel", "shipping line"))
    found = [one.dialogue for one in generate(fleet, RuleModel(RULEBOOK), options) if one.dialogue]
    assert [len(dialogue.turns) for dialogue in found] == [turns] * 6


def test_a_question_that_tells_its_answer_is_sent_back(fleet: KnowledgeGraph):
    def telling(text: str) -> str:
        reply = json.loads(text)
        for turn in reply["turns"]:
            turn["standalone"] = turn["standalone"].replace("?", f", {', '.join((*PORTS, *CARGOES))}?")
        reply["turns"][0]["question"] = reply["turns"][0]["standalone"]
        return json.dumps(reply)

    model = Faulty({"generate/plan_verbalization": telling}, times=1)
    options = Options(approach="planned", dialogues=4, types=("vessel",), mix=(("lookup", 100.0),), chain=0.0)
    made = list(generate(fleet, model, options))
    assert all(one.dialogue and not one.rejected for one in made)
    again = [request for request in model.of("generate/plan_verbalization") if request.attempt == 2]
    assert len(again) == 1 and "stands in its own question" in again[0].messages[-1].content
    assert all(", ".join(PORTS) not in request.messages[1].content for request in model.asked)


def test_turns_whose_words_do_not_pass_are_worded_by_the_rules(fleet: KnowledgeGraph):
    def spoil(text: str) -> str:
        reply = json.loads(text)
        for turn in reply["turns"][1::2]:
            turn["standalone"] = turn["question"] = "What about that one?"
        return json.dumps(reply)

    options = Options(approach="planned", dialogues=3, turns=4)
    model = Faulty({"generate/plan_verbalization": spoil}, times=9)
    made = list(generate(fleet, model, options))
    turns = turns_of([one.dialogue for one in made if one.dialogue])
    assert len(turns) == 12 and not any(one.rejected for one in made)
    assert {turn.turn for turn in turns if turn.reworded_by} == {2, 4}
    assert {turn.reworded_by for turn in turns} == {"", "rules"}
    assert all("that one?" not in turn.question for turn in turns)
    (made_by_model,) = generate(
        fleet,
        Faulty({"generate/plan_verbalization": spoil}, times=9),
        replace(options, dialogues=1, rewording="none", max_seeds=2),
    )
    assert made_by_model.dialogue is None


def test_a_full_context_is_refused(fleet: KnowledgeGraph):
    with pytest.raises(ConfigError, match="context=full does not go with --approach planned"):
        list(generate(fleet, RuleModel(RULEBOOK), Options(approach="planned", dialogues=1, context="full")))
