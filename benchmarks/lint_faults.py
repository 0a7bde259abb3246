"""Inject ten kinds of faults into dialogues that read well, and count those that lint finds.

A fault changes a turn that no reader marked, or takes the place of a turn. It is found if lint then has a finding of
one of the fault's kinds in this turn, which it did not have before the change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import chattydata
from chattyshared.dialogue import Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.terms import iri_to_words, n3
from rdflib import Graph, Literal, URIRef

from chattygen.lint import LintGraph, lint_dialogue, open_lint_graph, read_source
from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.lint_context import LintContext
from chattygen.lint.query_parts import facts_of

SEED = 17
"""The seed of every choice below."""
CONSTANT = "https://constant.example/homePlanet"
"""A predicate with one value for everything, stated in addition to each graph."""
MIN_LIST = 3
"""Answers: the fewest of a list that faults are made from."""
BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"
XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True)
class Case:
    """A turn that reads well, with what a fault may be made of: its dialogue, the others of the file, its graph."""

    dialogue: DialogueView
    turn: TurnView
    others: tuple[DialogueView, ...]
    kg: KnowledgeGraph
    rng: Random

    @property
    def fact(self) -> tuple[str, str, str] | None:
        """The only fact that the turn's SELECT query asks, or None."""
        facts = facts_of(self.turn.query) if self.turn.query.form == "SELECT" else ()
        return facts[0] if facts and self.turn.answerable and self.turn.answers else None

    def changed(self, number: int = 0, **parts: Any) -> DialogueView:
        """Return the dialogue with a turn changed, this one unless a number is given."""
        turns = [replace(t, **parts) if t.turn == (number or self.turn.turn) else t for t in self.dialogue.turns]
        return replace(self.dialogue, turns=tuple(turns))


Fault = Callable[[Case], DialogueView | None]
"""Returns the dialogue with the fault in the case's turn, or None if it cannot be made of it."""


def wrong_gold(case: Case) -> DialogueView | None:
    """Give the turn the answers of a turn of another dialogue."""
    pool = [t.answers for d in case.others for t in d.turns if t.answers and t.answers[0].kind != "boolean"]
    return case.changed(answers=case.rng.choice(pool)) if case.fact else None


def swapped_query(case: Case) -> DialogueView | None:
    """Let the query ask for another value of the same entity, with the gold that it gives."""
    if case.fact is None or case.fact[2] != "out":
        return None
    rows = _values_of(case.kg, case.fact[0])
    asked = {p for turn in case.dialogue.turns for p in turn.query.predicates}
    choices = [(p, v) for p, v in rows if p not in asked]
    if not choices:
        return None
    predicate, value = case.rng.choice(choices)
    query = f"SELECT DISTINCT ?x WHERE {{ <{case.fact[0]}> <{predicate}> ?x }}"
    return case.changed(sparql=query, answers=(_answer(case.kg, value),), witness=(), triples=())


def wrong_unanswerable(case: Case) -> DialogueView | None:
    """Mark a question as unanswerable, with a query by a predicate of the same name that the graph does not have."""
    if case.fact is None or case.fact[2] != "out":
        return None
    entity, predicate, _ = case.fact
    local = iri_to_words(predicate).title().replace(" ", "")
    query = f"SELECT DISTINCT ?x WHERE {{ <{entity}> <https://other.example/has{local}> ?x }}"
    return case.changed(sparql=query, answers=(), answerable=False, witness=(), triples=(), unanswerable="not-stated")


def exact_yes_no(case: Case) -> DialogueView | None:
    """Ask whether a number or a date is exactly what it is."""
    answer = case.turn.answers[0] if case.turn.answers else None
    if case.fact is None or case.fact[2] != "out" or answer is None or not answer.datatype or answer.lang:
        return None
    entity, predicate, _ = case.fact
    label = iri_to_words(predicate)
    value = n3(Literal(answer.value, datatype=URIRef(answer.datatype)))
    return case.changed(
        question=f"Is its {label} {answer.value}?",
        standalone=f"Is the {label} of {_name(case, entity)} {answer.value}?",
        form="boolean",
        sparql=f"ASK {{ <{entity}> <{predicate}> {value} }}",
        answers=(Value("true", "boolean", BOOLEAN),),
    )


def count_after_list(case: Case) -> DialogueView | None:
    """Count a list in the turn after it."""
    if case.turn.turn < 2:
        return None
    earlier = case.dialogue.turns[case.turn.turn - 2]
    if len(earlier.answers or ()) < MIN_LIST or not facts_of(earlier.query):
        return None
    query = earlier.sparql.replace("SELECT DISTINCT ?x", "SELECT (COUNT(DISTINCT ?x) AS ?n)")
    number = Value(str(len(earlier.answers or ())), "number", f"{XSD}integer")
    text = f"How many are there{earlier.standalone.partition(' ')[2].join((' of the ', ''))}?".replace("??", "?")
    return case.changed(question="How many are they?", standalone=text, form="count", sparql=query, answers=(number,))


def subset_before_list(case: Case) -> DialogueView | None:
    """Ask for a subset of a list in the list's place."""
    if case.fact is None or len(case.turn.answers or ()) < MIN_LIST or (case.turn.answers or ())[0].kind != "iri":
        return None
    members = [answer.value for answer in case.turn.answers or ()]
    choices = [
        (p, v) for p, v in _values_of(case.kg, case.rng.choice(members)) if p != case.fact[1] and isinstance(v, URIRef)
    ]
    if not choices:
        return None
    predicate, value = case.rng.choice(choices)
    query = case.turn.sparql.rstrip(" }") + f" . ?x <{predicate}> {n3(value)} }}"
    holders = {str(row["x"]) for row in case.kg.endpoint.select(query)}
    answers = tuple(answer for answer in case.turn.answers or () if answer.value in holders)
    return case.changed(sparql=query, answers=answers, form="conjunction", witness=())


def constant_predicate(case: Case) -> DialogueView | None:
    """Ask for what is the same of everything."""
    if case.fact is None or case.fact[2] != "out":
        return None
    return case.changed(
        question="What is its home planet?",
        standalone=f"What is the home planet of {_name(case, case.fact[0])}?",
        sparql=f"SELECT DISTINCT ?x WHERE {{ <{case.fact[0]}> <{CONSTANT}> ?x }}",
        answers=(Value("Earth", "literal"),),
        witness=(),
    )


def unrelated_comparison(case: Case) -> DialogueView | None:
    """Compare the seed with something that has the same kind of number and nothing else in common."""
    seed = case.dialogue.seed.iri
    near = {str(row["o"]) for row in case.kg.endpoint.select(_NEAR.format(iri=f"<{seed}>"))}
    numbers = [(p, v) for p, v in _values_of(case.kg, seed) if isinstance(v, Literal) and v.datatype is not None]
    for predicate, value in case.rng.sample(numbers, len(numbers)):
        rows = case.kg.endpoint.select(f"SELECT ?s ?v WHERE {{ ?s <{predicate}> ?v }} ORDER BY ?s")
        for row in case.rng.sample(rows, len(rows)):
            other = str(row["s"])
            others = {str(found["o"]) for found in case.kg.endpoint.select(_NEAR.format(iri=f"<{other}>"))}
            if other != seed and row["v"] > value and not (near & others) and other not in near:
                return _comparison(case, predicate, other)
    return None


def unclear_pronoun(case: Case) -> DialogueView | None:
    """Ask about one of several answers as ``it``."""
    if case.turn.turn < 2:
        return None
    members = [a for a in case.dialogue.turns[case.turn.turn - 2].answers or () if a.kind == "iri"]
    values = _values_of(case.kg, members[-1].value) if len(members) > 1 else []
    if not values:
        return None
    predicate, value = case.rng.choice(values)
    label = iri_to_words(predicate)
    return case.changed(
        question=f"What is its {label}?",
        standalone=f"What is the {label} of {members[-1].text}?",
        link="answer",
        form="object",
        sparql=f"SELECT DISTINCT ?x WHERE {{ <{members[-1].value}> <{predicate}> ?x }}",
        answers=(_answer(case.kg, value),),
        witness=(),
    )


def stiff_inverse(case: Case) -> DialogueView | None:
    """Word a list by the formulas for predicates that are read backwards."""
    if case.fact is None or case.fact[2] != "in" or not case.turn.answer_type:
        return None
    entity, predicate, _ = case.fact
    label, name, noun = iri_to_words(predicate), _name(case, entity), f"{case.turn.answer_type}s"
    formula = case.rng.choice(("Of which {noun} is {name} the {label}?", "Which {noun} have {name} as their {label}?"))
    said = "it" if case.turn.turn > 1 else name
    texts = [formula.format(noun=noun, name=text, label=label) for text in (said, name)]
    return case.changed(question=texts[0], standalone=texts[1])


REPLACEMENTS = frozenset(
    (count_after_list, subset_before_list, constant_predicate, unrelated_comparison, unclear_pronoun)
)
"""The faults that leave nothing of the turn whose place they take."""
FAULTS: Mapping[str, tuple[Fault, frozenset[str]]] = {
    "wrong gold": (wrong_gold, frozenset(("gold-differs",))),
    "swapped query": (swapped_query, frozenset(("disagrees",))),
    "wrongly unanswerable": (wrong_unanswerable, frozenset(("refuted",))),
    "yes-no on an exact value": (exact_yes_no, frozenset(("yes-no",))),
    "count after its list": (count_after_list, frozenset(("repeated", "needless-count"))),
    "subset before its list": (subset_before_list, frozenset(("order",))),
    "constant predicate": (constant_predicate, frozenset(("uninformative",))),
    "unrelated comparison": (unrelated_comparison, frozenset(("unrelated",))),
    "unclear pronoun": (unclear_pronoun, frozenset(("reference",))),
    "stiff inverse": (stiff_inverse, frozenset(("wording",))),
}
"""Each kind of fault, and the kinds of findings that name it."""
_NEAR = "SELECT DISTINCT ?o WHERE {{ {{ {iri} ?p ?o }} UNION {{ ?o ?p {iri} }} FILTER(isIRI(?o)) }}"


def measure_faults(
    folder: Path, graphs: Mapping[str, str], marked: Collection[tuple[str, str, int]]
) -> dict[str, tuple[int, int]]:
    """Return for each kind of fault how many were found, and how many were made."""
    found, tried = Counter[str](), Counter[str]()
    for name, source in graphs.items():
        graph = open_lint_graph(_with_constant(source))
        dialogues = read_source(folder / f"{name}.jsonl").dialogues
        for dialogue in dialogues:
            before = _kinds_by_turn(graph, dialogue)
            others = tuple(other for other in dialogues if other is not dialogue)
            for turn in dialogue.turns:
                is_marked = (name, dialogue.id, turn.turn) in marked
                for fault, (make, kinds) in FAULTS.items():
                    if is_marked and make not in REPLACEMENTS:
                        continue
                    rng = Random(f"{SEED}/{fault}/{name}/{dialogue.id}/{turn.turn}")
                    faulty = make(Case(dialogue, turn, others, graph.kg, rng))
                    if faulty is not None:
                        after = _kinds_by_turn(graph, faulty)
                        tried[fault] += 1
                        known = set() if make in REPLACEMENTS else before
                        found[fault] += bool((after - known) & {(turn.turn, kind) for kind in kinds})
    return {fault: (found[fault], tried[fault]) for fault in FAULTS}


def _kinds_by_turn(graph: LintGraph, dialogue: DialogueView) -> set[tuple[int, str]]:
    return {(finding.turn, finding.kind) for finding in lint_dialogue(dialogue, graph)}


def _with_constant(source: str) -> KnowledgeGraph:
    """Open a graph to which the constant triples of everything with a class are added."""
    kg = open_kg([source])
    triples = Graph().parse(str(resources.files(chattydata) / "demo.ttl") if source == "demo" else source)
    for row in kg.endpoint.select(f"SELECT DISTINCT ?s WHERE {{ {kg.profile.type_pattern('?s', '?c')} }}"):
        if isinstance(row["s"], URIRef):
            triples.add((row["s"], URIRef(CONSTANT), Literal("Earth")))
    return open_kg(triples)


def _values_of(kg: KnowledgeGraph, iri: str) -> list[tuple[str, Any]]:
    """Return the predicates of an entity that have one value, which is no label, with that value."""
    query = f"SELECT ?p (SAMPLE(?o) AS ?v) WHERE {{ <{iri}> ?p ?o }} GROUP BY ?p HAVING(COUNT(?o) = 1) ORDER BY ?p"
    excluded = {*kg.profile.labels, *kg.profile.alt_labels, *kg.profile.types, CONSTANT}
    rows = [(str(row["p"]), row["v"]) for row in kg.endpoint.select(query) if "v" in row]
    return [(p, v) for p, v in rows if p not in excluded and not p.endswith(("#type", "#label"))]


def _answer(kg: KnowledgeGraph, value: Any) -> Value:
    if isinstance(value, URIRef):
        return Value(str(value), "iri", label=kg.label(value))
    datatype = str(value.datatype or "")
    is_number = datatype.endswith(("integer", "decimal", "double", "float"))
    return Value(str(value), "number" if is_number else "literal", datatype, str(value.language or ""))


def _comparison(case: Case, predicate: str, other: str) -> DialogueView:
    seed, label = case.dialogue.seed, iri_to_words(predicate)
    name = case.kg.label(URIRef(other))
    query = (
        f"SELECT ?x WHERE {{ VALUES ?x {{ <{seed.iri}> <{other}> }} ?x <{predicate}> ?v }} ORDER BY DESC(?v) LIMIT 1"
    )
    return case.changed(
        question=f"Which has the higher {label}, {seed.label if case.turn.turn == 1 else 'it'} or {name}?",
        standalone=f"Which has the higher {label}, {seed.label} or {name}?",
        form="comparison",
        sparql=query,
        answers=(Value(other, "iri", label=name),),
        witness=(),
    )


def _name(case: Case, iri: str) -> str:
    return next(iter(LintContext(case.dialogue).names_of(iri)), "") or case.kg.label(URIRef(iri))
