"""Each option changes what it says: types, seeds, facts, turns, the end of a run."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.dialogue import Dialogue
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, Request, Usage
from chattyshared.model.rules import RuleModel
from ship_graph import PREFIXES, ships

from chattygen import RULEBOOK, Options, record_run
from chattygen.pipeline import generate
from chattygen.rejection import RejectedSeed
from chattygen.runs.preparation import choose_types

SHIPS, VOCAB = "https://ships.example/", "https://ships.example/vocab/"
WAY = Options(approach="multi-stage", dialogues=4, turns=4)


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """The graph of ships, in which Juno is spoken of by far the most."""
    path = tmp_path_factory.mktemp("ships") / "ships.ttl"
    more = [f':letter{n} a v:Letter ; rdfs:label "letter {n}" ; v:about :Juno .' for n in range(40)]
    path.write_text("\n".join([ships(), *more, ":Juno a v:Tender .", "v:Tender rdfs:subClassOf v:Ship ."]), "utf-8")
    return open_kg([str(path)])


def made(kg: KnowledgeGraph, **options) -> list[Dialogue]:
    found = generate(kg, RuleModel(RULEBOOK), replace(WAY, **options))
    return [one.dialogue for one in sorted(found, key=lambda one: one.index) if one.dialogue]


def rejected(kg: KnowledgeGraph, **options) -> list[RejectedSeed]:
    return [each for one in generate(kg, RuleModel(RULEBOOK), replace(WAY, **options)) for each in one.rejected]


def chosen(kg: KnowledgeGraph, **options) -> dict[str, str]:
    """Return, by label, why each type was dropped (empty: kept), metadata left out."""
    types = choose_types(kg, replace(WAY, **options)).types
    return {t.label: t.dropped for t in types if t.dropped != "metadata"}


def kept(kg: KnowledgeGraph, **options) -> set[str]:
    return {label for label, why in chosen(kg, **options).items() if not why}


def predicates(dialogues: list[Dialogue]) -> set[str]:
    return {triple[1].removeprefix(VOCAB) for d in dialogues for turn in d.turns for triple in turn.triples}


# --- types


def test_types_may_be_named_by_label_iri_or_local_name(kg):
    assert kept(kg, types=("ship",)) == {"Ship"}
    assert kept(kg, types=(f"<{VOCAB}Ship>", "Captain"), min_predicates=3) == {"Ship", "Captain"}
    assert chosen(kg, types=("Ship",))["Captain"] == "not among --type"
    assert {d.seed.type for d in made(kg, types=("Captain",), turns=3)} == {f"{VOCAB}Captain"}


def test_a_named_type_without_entities_stands_for_its_subclasses(kg):
    assert "Captain" in kept(kg, types=("Person",))


def test_types_may_be_left_out(kg):
    found = chosen(kg, no_types=("Ship",))
    assert found["Ship"] == "left out by --no-type"
    assert all(d.seed.type != f"{VOCAB}Ship" for d in made(kg, no_types=("Ship",), dialogues=2, turns=3))


def test_classes_may_be_kept_to_a_domain(open_turtle: Callable[[str], KnowledgeGraph]):
    other = open_turtle(ships() + "\n<https://else.example/Buoy> a <https://else.example/Mark> .")
    assert chosen(other, domains=("https://ships.example/",))["mark"] == "outside domain"
    with pytest.raises(ConfigError, match="no class begins with https://moon/; classes begin with https://ships"):
        chosen(other, domains=("https://moon/",))


def test_a_class_with_few_predicates_takes_part_where_paths_count(open_turtle: Callable[[str], KnowledgeGraph]):
    lines = [PREFIXES]
    for n in range(6):
        lines.append(
            f':f{n} a v:Ferry ; rdfs:label "ferry {n}" ; v:length {20 + n} ; v:berth {n + 3} ; v:built {1950 + n} ;'
        )
        lines.append(f" v:crew {n + 7} ; v:engine {n + 1} ; v:pier :p{n % 2} .")
    lines += [f':p{n} a v:Pier ; rdfs:label "{name} pier" .' for n, name in enumerate(("North", "South"))]
    piers = open_turtle("\n".join(lines))
    given = {"approach": "planned", "dialogues": 6, "turns": 4}
    assert kept(piers, **given) == {"ferry", "pier"}
    assert kept(piers, **given, hops=1) == {"ferry"}
    assert "at most 1 usable predicates, 5 needed" in chosen(piers)["pier"]


def test_a_graph_without_types_is_one_type(open_turtle: Callable[[str], KnowledgeGraph]):
    lines = ["@prefix : <https://loose.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for n, name in enumerate(("Amber", "Beryl", "Coral", "Drift", "Ember", "Flint")):
        facts = "; ".join(f':{p} "{p} of {"uvwxyz"[n]}"' for p in ("color", "smell", "luster", "origin", "finder"))
        lines.append(f':{name} rdfs:label "{name}" ; {facts} .')
    loose = open_turtle("\n".join(lines))
    assert chosen(loose) == {"thing": ""}
    dialogues = made(loose, dialogues=3, turns=3)
    assert len(dialogues) == 3
    assert {d.seed.type for d in dialogues} == {""}


# --- seeds


def test_popular_entities_are_those_spoken_of_most(kg):
    head = made(kg, types=("Ship",), popularity=(("head", 1.0),), dialogues=1)
    tail = made(kg, types=("Ship",), popularity=(("tail", 1.0),), dialogues=3, max_triples=400)
    assert [d.seed.iri for d in head] == [f"{SHIPS}Juno"]
    assert f"{SHIPS}Juno" not in {d.seed.iri for d in tail}


def test_given_seeds_are_taken_and_no_others(kg):
    wanted = (f"{SHIPS}Iris", f"{SHIPS}Ada_Holt", f"{SHIPS}Dolphin")
    dialogues = made(kg, seeds=wanted, dialogues=3, turns=3, min_predicates=3, min_triples=3)
    assert {d.seed.iri for d in dialogues} == set(wanted)
    assert {d.seed.type for d in dialogues} == {f"{VOCAB}Ship", f"{VOCAB}Captain"}


def test_a_given_seed_that_is_not_there_is_refused(kg):
    with pytest.raises(ConfigError, match=f"does not hold {SHIPS}Kraken"):
        made(kg, seeds=(f"{SHIPS}Iris", f"{SHIPS}Kraken"))


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"min_triples": 9}, "size"),
        ({"max_triples": 8, "min_triples": 1}, "size"),
        ({"min_predicates": 6, "types": ("Captain", "Ship")}, "predicates"),
        ({"context_tokens": 20}, "context-length"),
    ],
)
def test_the_bounds_of_seeds_reject(kg, options, rule):
    seeds = (f"{SHIPS}Iris",) if "types" not in options else ()
    given = {**options, "seeds": seeds, "dialogues": 1} if seeds else {**options, "dialogues": 2}
    if seeds:
        assert [one.problems[0].rule for one in rejected(kg, **given)] == [rule]
        assert rejected(kg, seeds=seeds, dialogues=1) == []
    else:
        assert "Captain" not in kept(kg, **given) and "Captain" in kept(kg, types=("Captain",), min_predicates=3)


def test_long_names_are_no_seeds(kg):
    given = (f"{SHIPS}Ada_Holt",)
    few = {"turns": 2, "min_predicates": 2, "min_triples": 2}
    assert [one.problems[0].rule for one in rejected(kg, seeds=given, dialogues=1, max_label_words=1, **few)] == [
        "label-length"
    ]
    assert made(kg, seeds=given, dialogues=1, max_label_words=2, **few)


# --- facts


def test_the_direction_of_facts(kg):
    given = {"seeds": (f"{SHIPS}Westhaven",), "dialogues": 1, "turns": 2, "min_predicates": 1, "min_triples": 1}
    for direction, other in (("in", "subject"), ("out", "object")):
        for dialogue in made(kg, direction=direction, hops=1, **given):
            for turn in dialogue.turns:
                place = 2 if direction == "in" else 0
                assert {triple[place] for triple in turn.triples} == {f"{SHIPS}Westhaven"}, other
    assert made(kg, direction="in", hops=1, **given)


@pytest.mark.parametrize("options", [{"hops": 1}, {"shape": "star"}])
def test_one_step_keeps_to_the_seed(kg, options):
    links = Counter(turn.link for d in made(kg, types=("Ship",), **options) for turn in d.turns)
    forms = {turn.form for d in made(kg, types=("Ship",), **options) for turn in d.turns}
    assert set(links) == {"opens", "topic"} and "two-hop" not in forms
    assert "answer" in {turn.link for d in made(kg, types=("Ship",), shape="chain") for turn in d.turns}


def test_a_blocked_predicate_is_never_asked_about(kg):
    asked = predicates(made(kg, types=("Ship",), dialogues=6))
    assert {"homePort", "launchDate"} <= asked
    left = predicates(
        made(
            kg,
            types=("Ship",),
            dialogues=6,
            min_predicates=3,
            min_triples=3,
            blocked=("Home Port", f"<{VOCAB}launchDate>"),
        )
    )
    assert not {"homePort", "launchDate"} & left
    with pytest.raises(ConfigError, match="uses no predicate 'homport'; did you mean home port"):
        made(kg, blocked=("homport",))


def test_more_answers_than_the_limit_are_not_listed(kg):
    def most(limit: int) -> int:
        given = {"types": ("Ship", "Captain"), "turns": 3, "min_predicates": 3, "min_triples": 3, "dialogues": 8}
        return max(len(turn.answers) for d in made(kg, list_limit=limit, **given) for turn in d.turns)

    assert most(1) == 1 < most(50)


# --- turns


def test_the_mix_of_forms(kg):
    counted = Counter(
        t.form for d in made(kg, types=("Ship",), mix=(("lookup", 0.0), ("boolean", 100.0))) for t in d.turns
    )
    plain = Counter(t.form for d in made(kg, types=("Ship",), mix=(("lookup", 100.0),)) for t in d.turns)
    assert counted["boolean"] > plain["boolean"] == 0


def test_the_share_of_turns_that_hang_on_an_answer(kg):
    def hanging(share: float) -> int:
        return sum(t.link == "answer" for d in made(kg, types=("Ship",), chain=share) for t in d.turns)

    assert hanging(0.0) < hanging(0.8)


# --- plans


def planned(kg: KnowledgeGraph, **options) -> list[Dialogue]:
    return made(kg, approach="planned", types=("Ship",), **options)


@pytest.mark.slow
def test_plans_keep_to_the_facts_that_the_options_allow(kg):
    whole, near = planned(kg, dialogues=6), planned(kg, dialogues=6, hops=1)
    assert {"answer", "among"} & {turn.link for d in whole for turn in d.turns}
    assert near and not {"answer", "among"} & {turn.link for d in near for turn in d.turns}
    assert "two-hop" not in {turn.form for d in near for turn in d.turns}
    blocked = planned(kg, blocked=("launch date", "home port"), min_predicates=3, min_triples=3, turns=3)
    assert blocked and not {"launchDate", "homePort"} & predicates(blocked)


# --- the end of a run


def test_ids_follow_one_another_where_slots_stay_empty(kg, tmp_path: Path):
    class Deaf:
        name = "rules"  # what the rules can say is asked

        def complete(self, request: Request) -> Completion:
            told = any("Iris" in message.content for message in request.messages)
            return Completion("no JSON", Usage(1)) if told else RuleModel(RULEBOOK).complete(request)

    path = tmp_path / "b.jsonl"
    options = replace(WAY, dialogues=3, seeds=(f"{SHIPS}Iris", f"{SHIPS}Halcyon", f"{SHIPS}Dolphin"))
    made = sorted(generate(kg, Deaf(), options), key=lambda one: one.index)
    assert [one.dialogue is None for one in made] == [True, False, False]
    record_run(kg, Deaf(), options, path)
    lines = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert [(line["id"], line["seed"]["label"]) for line in lines] == [("d0001", "Halcyon"), ("d0002", "Dolphin")]
