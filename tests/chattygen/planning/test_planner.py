"""Which turns follow which: what "them" and "the second one" mean, and that nothing is told and asked again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Dialogue
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.question_forms import FORM_BY_NAME, NARROWING_FORMS
from fleet_graph import fleets

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate

MIX = (("lookup", 40.0), ("superlative", 12.0), ("filter", 12.0), ("conjunction", 12.0), ("negation", 12.0),
       ("count", 12.0))  # fmt: skip


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> list[Dialogue]:
    path = tmp_path_factory.mktemp("talk") / "fleet.ttl"
    path.write_text(fleets(), encoding="utf-8")
    options = Options(dialogues=48, turns=6, mix=MIX, types=("shipping line", "vessel"))
    made = generate(open_kg([str(path)]), RuleModel(RULEBOOK), options)
    return [one.dialogue for one in made if one.dialogue]


@pytest.mark.slow
def test_them_is_the_list_that_was_given_last(talks: list[Dialogue]):
    picked = 0
    for talk in talks:
        narrowed = False
        for turn in talk.turns:
            if turn.form in ("list", "subject"):
                narrowed = False
            if turn.link in ("among", "position"):
                picked += 1
                assert not narrowed, [(one.form, one.link) for one in talk.turns]
                narrowed = turn.form in NARROWING_FORMS
    assert picked > 15


def test_a_dialogue_opens_with_a_question_by_which_one_knows_its_thing(talks: list[Dialogue]):
    for talk in talks:
        opening = talk.turns[0]
        is_answer = [answer.value for answer in opening.answers] == [talk.seed.iri]
        assert opening.answerable and (is_answer or talk.seed.label in opening.question), opening.question
        assert opening.form not in ("boolean", "two-hop"), opening.question
    kinds = {FORM_BY_NAME[talk.turns[0].form].family for talk in talks}
    assert kinds >= {"lookup", "selection"}  # this mix asks for no comparison


def test_a_list_comes_before_what_selects_from_it(talks: list[Dialogue]):
    selections = 0
    for talk in talks:
        for index, turn in enumerate(talk.turns):
            if turn.form in NARROWING_FORMS and turn.form != "count" and turn.link != "opens":
                selections += 1
                members = {answer.value for answer in turn.answers}
                earlier = [
                    {answer.value for answer in one.answers} for one in talk.turns[:index] if len(one.answers) > 1
                ]
                assert any(members <= listed for listed in earlier), [one.question for one in talk.turns]
    assert selections > 15


def test_no_single_fact_is_asked_from_its_other_end(talks: list[Dialogue]):
    for talk in talks:
        told: set[tuple[str, str, str]] = set()
        for turn in talk.turns:
            plain = turn.form in ("object", "subject", "literal", "date", "number")
            if plain and turn.link in ("answer", "position") and len(turn.witness) == 1:
                assert turn.witness[0] not in told, turn
            if turn.form in ("list", "subject"):
                told.update(turn.witness)


PRINTS = """
@prefix : <https://prints.example/> . @prefix v: <https://prints.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Press rdfs:label "press"@en . v:Town rdfs:label "town"@en . v:seat rdfs:label "seat"@en .
v:dateFounded rdfs:label "date founded"@en . v:yearFounded rdfs:label "year founded"@en .
v:staff rdfs:label "staff"@en . v:motto rdfs:label "motto"@en . v:paper rdfs:label "paper"@en .
"""


def prints(towns: tuple[str, ...]) -> str:
    """Return a graph of presses that state a date and its year, with seats in towns of these names."""
    lines = [PRINTS]
    lines += [f":t{n} a v:Town ; rdfs:label {name} ." for n, name in enumerate(towns)]
    for n in range(12):
        lines.append(
            f':p{n} a v:Press ; rdfs:label "Inkwell {"ABCDEFGHIJKL"[n]}"@en ; v:seat :t{n % len(towns)} ; '
            f'v:dateFounded "18{20 + n}-03-0{1 + n % 9}"^^xsd:date ; v:yearFounded {1820 + n} ; v:staff {41 + 3 * n} ; '
            f'v:motto "Print {"abcdefghijkl"[n]}well"@en ; v:paper "{("laid", "wove", "rag")[n % 3]}"@en .'
        )
    return "\n".join(lines)


def said(kg: KnowledgeGraph) -> list[str]:
    made = generate(kg, RuleModel(RULEBOOK), Options(dialogues=12, turns=5, types=("press",)))
    return [f"{turn.question} {turn.sparql}" for one in made if one.dialogue for turn in one.dialogue.turns]


def test_of_a_date_and_a_year_of_one_event_only_the_date_is_asked(open_turtle: Callable[[str], KnowledgeGraph]):
    texts = said(open_turtle(prints(('"Fernhill"@en', '"Oldquay"@en'))))
    assert any("dateFounded" in text for text in texts) and not any("yearFounded" in text for text in texts)


def test_a_name_that_another_language_shares_is_not_said(open_turtle: Callable[[str], KnowledgeGraph]):
    twins = prints(('"Fernhill"@en', '"Oldquay"@cy')) + '\n:other a v:Press ; rdfs:label "Oldquay"@cy .'
    texts = said(open_turtle(twins))
    assert texts and not any("Oldquay" in text for text in texts)


def test_a_thin_graph_gives_what_it_can_and_is_told_what_would_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):  # fmt: skip
    lines = [PRINTS] + [
        f':p{n} a v:Press ; rdfs:label "Inkwell {"ABCDEFGH"[n]}"@en ; v:staff {41 + 3 * n} ; v:motto "Ink {n}"@en .'
        for n in range(8)
    ]
    path = tmp_path / "thin.ttl"
    path.write_text("\n".join(lines), encoding="utf-8")

    def made(turns: int) -> int:
        found = generate(open_kg([str(path)]), RuleModel(RULEBOOK), Options(dialogues=4, turns=turns))
        return sum(one.dialogue is not None for one in found)

    assert made(7) == 0
    advice = caplog.records[-1].getMessage().partition("--turns ")[2].split()[0]
    assert made(int(advice)) == 4


def test_candidates_that_fail_are_read_together(tmp_path: Path, counting: Any):
    lines = [
        f':p{n} a v:Press ; rdfs:label "Inkwell {chr(65 + n)}"@en ; v:staff {41 + 3 * n} ; v:motto "Ink {n}"@en .'
        for n in range(24)
    ]
    path = tmp_path / "thin.ttl"
    path.write_text("\n".join((PRINTS, *lines)), encoding="utf-8")
    endpoint = counting(LocalEndpoint([path]))
    kg = KnowledgeGraph(endpoint, use_index=False, index_up_to=0)
    assert all(each.dialogue is None for each in generate(kg, RuleModel(RULEBOOK), Options(dialogues=1, turns=7)))
    assert endpoint.count < 90  # 107 when each candidate is read by itself
