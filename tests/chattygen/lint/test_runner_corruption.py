"""A clean benchmark, corrupted kind by kind: lint finds at least 95 of 100 corruptions, and nothing before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from chattyshared.dialogue import Certificate, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from lighthouses import AT, XSD, ask, changed, counted, date, into, iri, lighthouse, number, out, text, thing, truth

from chattygen import RULEBOOK, Options, record_run
from chattygen.lint import LintGraph, lint_dialogue, lint_source, open_lint_graph, read_source
from chattygen.lint.dialogue_view import DialogueView
from chattygen.lint.rules import KINDS_BY_MODEL, NOT_JUDGED, RULES, defect_kinds

WITH_GRAPH = {kind for kind, rule in RULES.items() if rule.by_graph} | {"refuted", "needless-count"}
MULTI_STAGE = frozenset(("yes-no", "order", "repeated"))
"""Kinds that the model decides on in this approach: no plan puts the questions into an order."""
PLACES = ("Ormen", "Skarv", "Tarva", "Lista", "Runde", "Fruholm", "Anda", "Litlo", "Sula", "Kya")
PEOPLE = (
    "Bo Ek",
    "Cy Dahl",
    "Eva Moe",
    "Ivar Lie",
    "Tor Vik",
    "Liv Aas",
    "Nils Bu",
    "Ole Sand",
    "Kari Ness",
    "Per Hov",
)


def benchmark() -> tuple[DialogueView, ...]:
    talks = []
    for place, name in enumerate(PLACES):
        keepers = tuple(f"{PEOPLE[(place + step) % 10]} {name}son" for step in range(3))
        talks.append(lighthouse(f"{name} Light", designer=f"Ada {name}dal", keepers=keepers,  # type: ignore[arg-type]
                                island=f"{name}holm Island", height=21 + place))  # fmt: skip
    return tuple(talks)


def turtle(talks: tuple[DialogueView, ...]) -> str:
    """Return a graph that gives exactly the gold of the dialogues."""
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = []
    for talk in talks:
        light = f"<{talk.seed.iri}>"
        designer, height, keepers, island = (talk.turns[n].answers or () for n in (0, 1, 2, 4))
        lines.append(
            f'{light} a <{AT}Lighthouse> ; {label} "{talk.seed.label}" ; <{AT}architect> <{designer[0].value}> ;'
        )
        on = talk.turns[4].sparql.split("<")[-1].split(">")[0]
        lines.append(f"  <{AT}height> {height[0].value} ; <{AT}island> <{on}> ;")
        lines.append(f'  <{AT}openingDate> "1871-05-02"^^<{XSD}date> ; <{AT}openingYear> "1871"^^<{XSD}gYear> .')
        lines.append(f'<{on}> {label} "{on.rpartition("/")[2].replace("_", " ")}" .')
        lines.append(f'<{designer[0].value}> {label} "{designer[0].label}" .')
        for place, keeper in enumerate(keepers):
            lines.append(f'<{keeper.value}> {label} "{keeper.label}" ; <{AT}workplace> {light} ;')
            lines.append(f'  <{AT}birthDate> "18{30 + place}-01-01"^^<{XSD}date> .')
        coast = "Skerry" if talk.seed.label.startswith("Kya") else "Coast"
        lines.append(f"{light} <{AT}near> <{iri(coast)}> ; <{AT}seenFrom> <{iri(coast)}> .")
        for wreck in range(7):
            name = f"Wreck {wreck} of {talk.seed.label}"
            lines.append(f'<{iri(name)}> {label} "{name}" ; <{AT}wreckedNear> {light} .')
        assert island == (truth(True),)
    return "\n".join(lines)


def reworded(talk: DialogueView, chance: Random, *questions: str) -> DialogueView:
    """Word one of the later lookups of the seed otherwise."""
    return changed(talk, 2, question=chance.choice(questions))


def renamed(talk: DialogueView, chance: Random) -> DialogueView:
    """Give the seed a name that no person writes, wherever it is said."""
    name = talk.seed.label
    odd = chance.choice(
        (f"{name} 0001", f"User:{name}", f"{name}house.", f"A. Holm: {name}. (1999)", name.replace(" ", "_"))
    )
    lines = (
        replace(line, question=line.question.replace(name, odd), standalone=line.standalone.replace(name, odd))
        for line in talk.turns
    )
    return replace(talk, seed=replace(talk.seed, label=odd), turns=tuple(lines))


def height(talk: DialogueView) -> str:
    return out(talk.seed.label, "height")


def asked_by_two_steps(talk: DialogueView, number: int, bridge: str = "architect") -> DialogueView:
    """Let a turn ask for the birth of somebody whom no turn before has named."""
    query = f"SELECT DISTINCT ?x WHERE {{ <{talk.seed.iri}> <{AT}{bridge}> ?y . ?y <{AT}birthDate> ?x }}"
    return changed(talk, number, sparql=query, answers=(date("1830-01-01"),), form="two-hop")


def confirmed(talk: DialogueView, number: int, predicate: str, name: str, *, is_true: bool = True) -> DialogueView:
    """Let a turn ask whether the light has a thing."""
    text = f"Is {name} its {predicate}?"
    return changed(
        talk,
        number,
        question=text if number > 1 else text.replace("its", f"{talk.seed.label}'s"),
        standalone=text.replace("its", f"{talk.seed.label}'s"),
        sparql=ask(talk.seed.label, predicate, name),
        answers=(truth(is_true),),
        form="boolean",
    )


CORRUPTIONS: dict[str, Callable[[DialogueView, Random], DialogueView]] = {
    "format: parts": lambda t, c: changed(
        t, c.choice((2, 4, 6)), **{c.choice(("question", "standalone", "sparql")): c.choice(("", " "))}
    ),
    "format: turns": lambda t, c: replace(t, turns=t.turns[: c.randrange(1, 6)]),
    "query-syntax": lambda t, c: changed(
        t,
        6,
        sparql=c.choice(
            (
                t.turns[5].sparql.replace("(COUNT(DISTINCT ?x) AS ?n)", "COUNT(DISTINCT ?x)"),
                t.turns[5].sparql[:-1],
                t.turns[5].sparql.replace("?x <", "<", 1),
                "What?",
            )
        ),
    ),
    "query-syntax: prefix": lambda t, c: changed(
        t, 2, sparql=height(t).replace(f"<{AT}height>", c.choice(("v:height", ":height")))
    ),
    "query-fails": lambda t, c: changed(
        t, 2, sparql=height(t).replace("WHERE", c.choice((f"FROM <{AT}> WHERE", f"FROM NAMED <{AT}> WHERE")))
    ),
    "yes-no: existence": lambda t, c: changed(
        t, 5, sparql=f"ASK {{ <{t.seed.iri}> <{AT}{c.choice(('island', 'lamp', 'lit'))}> ?o }}"
    ),
    "needless-count: numbers": lambda t, c: changed(
        t, 6, sparql=f"SELECT (COUNT(?x) AS ?n) WHERE {{ <{t.seed.iri}> <{AT}height> ?x }}"
    ),
    "uninformative: metadata": lambda t, c: changed(
        t, 2, sparql=out(t.seed.label, c.choice(("isbn", "wikiPageID", "homepage", "latitude", "doi")))
    ),
    "repeated: query": lambda t, c: changed(
        t, 2, sparql=t.turns[0].sparql.replace("?x", c.choice(("?x", "?y", "?who")))
    ),
    "repeated: operation": lambda t, c: changed(
        t,
        6,
        sparql=c.choice(
            (
                counted(t.seed.label, "workplace"),
                counted(t.seed.label, "workplace").replace("DISTINCT ", ""),
                f"SELECT (COUNT(?x) AS ?n) WHERE {{ <{t.seed.iri}> <{AT}architect> ?x }}",
            )
        ),
    ),
    "disagrees": lambda t, c: changed(t, 5, sparql=out(t.seed.label, c.choice(("island", "harbor", "coast")))),
    "disagrees: kind": lambda t, c: changed(
        t, 2, standalone=c.choice(("Who designed {}?", "Where is {}?")).format(t.seed.label)
    ),
    "empty-gold": lambda t, c: changed(t, c.choice((1, 2, 3, 5, 6)), answers=()),
    "refuted: gold": lambda t, c: changed(t, c.choice((2, 5, 6)), answerable=False),
    "refuted": lambda t, c: changed(
        t,
        2,
        answerable=False,
        answers=(),
        unanswerable="entity",
        certificate=Certificate(names=(c.choice((t.seed.label, (t.turns[0].answers or ())[0].label)),)),
    ),
    "gold-differs": lambda t, c: changed(t, c.choice((1, 3)), answers=(thing(c.choice(("Nobody", "Somebody"))),)),
    "wording": lambda t, c: reworded(
        t, c, "Height?", "How tall is it", "How tall is it??", "how tall is it?", "How tall is it !?"
    ),
    "wording: grammar": lambda t, c: reworded(
        t,
        c,
        "How tall is is it?",
        "What is the the height there?",
        "What is it's height?",
        "What is the its height?",
        'How tall is its "lamp?',
    ),
    "wording: stiff": lambda t, c: reworded(
        t,
        c,
        "What is the height of it?",
        "Which height is recorded for it?",
        "How tall is the tower of she?",
        "What is the height for it?",
        "How tall is the tower named it?",
    ),
    "unsayable: name": renamed,
    "ambiguous-name": lambda t, c: replace(
        t,
        seed=replace(t.seed, iri=iri("Twin Light"), label="Twin Light"),
        turns=tuple(replace(line, standalone=line.standalone.replace(t.seed.label, "Twin Light")) for line in t.turns),
    ),
    "answer-in-question": lambda t, c: changed(
        t,
        c.choice((1, 3)),
        question=f"Was it there that {(t.turns[0].answers or ())[0].label} "
        f"or, say, {', '.join(a.label for a in t.turns[2].answers or ())} worked?",
    ),
    "answer-in-question: name": lambda t, c: changed(
        t, 1, answers=(thing(c.choice((t.seed.label, t.seed.label.split()[0]))),)
    ),
    "not-standalone": lambda t, c: changed(
        t, c.choice((2, 3, 6)), standalone=c.choice(("How tall is it?", "How tall is that lighthouse?"))
    ),
    "reference: no reference": lambda t, c: changed(t, (n := c.choice((2, 3))), question=t.turns[n - 1].standalone),
    "reference: antecedent": lambda t, c: changed(
        t,
        4,
        link="answer",
        question=c.choice(("When was he born?", "When was that keeper born?")),
        sparql=out(t.turns[2].answers[0].label, "birthDate"),  # type: ignore[index]
    ),
    "reference: pronoun": lambda t, c: changed(
        t, 2, question=c.choice(("How tall is she in meters?", "How tall is his tower in meters?"))
    ),
    "yes-no: opening": lambda t, c: confirmed(t, 1, c.choice(("architect", "builder")), c.choice(PEOPLE)),
    "yes-no: exact value": lambda t, c: changed(
        t, 5, sparql=f"ASK {{ <{t.seed.iri}> <{AT}height> " + c.choice(("41 }", '"+47 555 3001" }', '"N" }'))
    ),
    "uninformative": lambda t, c: changed(t, 2, answers=(text(c.choice(("N", "Y", "n/a", "-"))),)),
    "uninformative: rows": lambda t, c: changed(
        t, 1, answers=(Value(f"{AT}{(name := c.choice(('Q17-3fa4e889', 'row-17', 'F2-sa-0800')))}", "iri", label=name),)
    ),
    "hierarchy": lambda t, c: changed(
        t, 3, sparql=into("Coast", c.choice(("near", "seenFrom"))), answers=(thing("Ormen Light"),)
    ),
    "unrelated": lambda t, c: changed(
        t,
        2,
        link="shift",
        sparql=out(other := c.choice([f"{n} Light" for n in PLACES if n not in t.seed.label]), "height"),
        question=f"And {other}?",
        standalone=f"How tall is {other} in meters?",
        answers=(number(1),),
    ),  # fmt: skip
    "needless-count": lambda t, c: changed(
        t, 6, sparql=counted(t.seed.label, c.choice(("visited", "painted"))), answers=(number(1),)
    ),
    "open-list": lambda t, c: changed(t, 3, sparql=into(t.seed.label, c.choice(("nationality", "nativeLanguage")))),
    "refuted: predicate": lambda t, c: changed(
        t, 6, answerable=False, answers=(), sparql=out(t.seed.label, c.choice(("Height", "hasHeight", "heights")))
    ),
    "open-list: values": lambda t, c: changed(
        t, 4, sparql=t.turns[3].sparql.replace("birthDate", c.choice(("deathDate", "wage")))
    ),
    "order: bridge": lambda t, c: asked_by_two_steps(t, c.choice((2, 3)), c.choice(("builder", "owner"))),
    "order: list": lambda t, c: changed(
        t, 4, sparql=t.turns[3].sparql.replace("workplace", c.choice(("paintedBy", "near"))), answers=(thing("Ole"),)
    ),
    "repeated: given away": lambda t, c: confirmed(asked_by_two_steps(t, 2), 5, "architect", c.choice(PEOPLE)),
    "wording: formula": lambda t, c: reworded(
        t,
        c,
        "Of which island is it the tower?",
        "Which islands have it as their tower?",
        "Which island has it as its landmark?",
        "What is a tower of the island?",
    ),
    "unsayable": lambda t, c: changed(t, 2, sparql=out(t.seed.label, "hght_cd"), question="What is its hght cd?"),
}


def kind_of(name: str) -> str:
    return name.partition(":")[0]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> LintGraph:
    path = tmp_path_factory.mktemp("lights") / "lights.ttl"
    twins = f'<{iri("Twin Light")}> <http://www.w3.org/2000/01/rdf-schema#label> "Twin Light" .\n'
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    part = f'<{AT}partOf> {label} "part of" . <{iri("Skerry")}> <{AT}partOf> <{iri("Coast")}> .\n'
    twins += twins.replace("Twin_Light", "Other_Twin")
    path.write_text(turtle(benchmark()) + "\n" + twins + part, encoding="utf-8")
    return open_lint_graph(open_kg([str(path)]))


@pytest.mark.slow
def test_the_benchmark_is_clean(graph: LintGraph) -> None:
    assert [lint_dialogue(talk, graph) for talk in benchmark()] == [[]] * 10
    assert [lint_dialogue(talk) for talk in benchmark()] == [[]] * 10


def test_every_class_is_corrupted() -> None:
    assert {*map(kind_of, CORRUPTIONS), *KINDS_BY_MODEL, NOT_JUDGED} == set(defect_kinds())


@pytest.mark.parametrize("name", sorted(CORRUPTIONS))
def test_corruptions_are_found(name: str, graph: LintGraph) -> None:
    kind, chance = kind_of(name), Random(f"corrupt/{name}")
    spoiled = [CORRUPTIONS[name](talk, chance) for talk in benchmark()]
    known = graph if kind in WITH_GRAPH else None
    found = [kind in {one.kind for one in lint_dialogue(talk, known)} for talk in spoiled]
    assert sum(found) >= 0.95 * len(found), [talk for talk, was in zip(spoiled, found, strict=True) if not was][:1]


@pytest.mark.parametrize("approach", ["multi-stage"])
def test_what_we_generate_is_clean(ships_kg: KnowledgeGraph, tmp_path: Path, approach: str) -> None:
    path = tmp_path / "ships.jsonl"
    options = Options(dialogues=6, approach=approach)  # type: ignore[arg-type]
    record_run(ships_kg, RuleModel(RULEBOOK), options, path)
    report = lint_source(read_source(path), graph=open_lint_graph(ships_kg))
    assert [str(defect) for defect in report.defects if defect.kind not in MULTI_STAGE] == []
    assert report.dialogues == 6
