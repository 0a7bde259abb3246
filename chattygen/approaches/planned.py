"""The planned approach: a plan with queries and gold comes first, and a model finds the words for it."""

from __future__ import annotations

from collections.abc import Sequence

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.planning.planned_turn import Piece
from chattygen.planning.planner import plan_alone
from chattygen.rejection import Unfit, stage
from chattygen.run import Run
from chattygen.stages import gold, plan_verbalization
from chattygen.stages.model_queries import author
from chattygen.stages.turn_plan import Ask
from chattygen.subgraph.extraction import said
from chattygen.subgraph.serialization import CHARACTERS


def make(run: Run, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Make a dialogue about one entity by a plan.

    Raises:
        Unfit: the seed cannot carry a plan, or no words were found for it; with the problems.
        EndpointError, ModelError: the world cannot be asked.
    """
    plan = run.plans.by_seed.get(iri) or plan_alone(run, iri, type_iri, run.likeness)
    if isinstance(plan, Unfit):
        raise plan
    asks, pieces = [ask for ask, _ in plan.turns], [piece for _, piece in plan.turns]
    tokens = sum(len(ask.shown()) + 1 for ask in asks) // CHARACTERS
    if tokens > run.options.context_tokens:
        raise Unfit("words", [Problem("context-length", f"the plan takes about {tokens} tokens")])
    results = [execute(run.kg, piece) for piece in pieces]
    with stage("words"):
        texts, usage = plan_verbalization.find(
            run.model, asks, spoken(run.kg, pieces, results), theta=run.options.theta
        )
    turns = tuple(
        _turn(run.kg, ask, piece, result, text)
        for ask, piece, result, text in zip(asks, pieces, results, texts, strict=True)
    )
    if run.options.queries == "llm":
        turns, more = author(run, turns)
        usage += more
    return Dialogue(identity, Seed(str(iri), asks[0].entity.label, asks[0].entity.type), turns, usage)


def execute(kg: KnowledgeGraph, piece: Piece) -> tuple[Term, ...] | bool:
    """Run the query of a turn, and compare what it gives with what was read before.

    Raises:
        Unfit: they differ.
        EndpointError: the endpoint does not answer.
    """
    if isinstance(piece.expected, bool):
        truth = kg.endpoint.ask(piece.sparql)
        if truth is not piece.expected:
            raise Unfit("query", [Problem("result", f"the query gives {truth}, the graph says {piece.expected}")])
        return truth
    rows = kg.endpoint.select(piece.sparql)
    found = tuple(dict.fromkeys(term for row in rows for term in row.values()))
    if isinstance(piece.expected, int):
        agrees = [str(term) for term in found] == [str(piece.expected)]
    elif piece.ordered:
        agrees = found == piece.expected
    else:
        agrees = set(found) == set(piece.expected)
        found = tuple(sorted(found, key=lambda term: (str(term), term.n3())))
    if not agrees:
        what = f"the query gives {len(found)} answers that are not what the graph says: {piece.sparql[:200]}"
        raise Unfit("query", [Problem("result", what)])
    return found


def spoken(
    kg: KnowledgeGraph, pieces: Sequence[Piece], results: Sequence[tuple[Term, ...] | bool]
) -> tuple[tuple[str, ...], ...]:
    """Return, per turn, the answers that its question must not tell; a comparison has to name its answer."""
    found: list[tuple[str, ...]] = []
    for piece, result in zip(pieces, results, strict=True):
        if isinstance(result, bool) or piece.form in ("count", "comparison"):
            found.append(())
        else:
            labels = kg.labels([term for term in result if isinstance(term, URIRef)])
            found.append(tuple(said(term, labels.get(term, "")) for term in result))
    return tuple(found)


def _turn(
    kg: KnowledgeGraph, ask: Ask, piece: Piece, result: tuple[Term, ...] | bool, text: tuple[str, str]
) -> Turn:  # fmt: skip
    return Turn(
        ask.number, text[1], text[0], ask.form, ask.link, piece.answer_type, piece.answerable,  # type: ignore[arg-type]
        piece.difficulty, piece.sparql, _values(kg, result), piece.pattern, piece.witness,
    )  # fmt: skip


def _values(kg: KnowledgeGraph, result: tuple[Term, ...] | bool) -> tuple[Value, ...]:
    if isinstance(result, bool):
        return (Value("true" if result else "false", "boolean", datatype=str(XSD.boolean)),)
    labels = kg.labels([term for term in result if isinstance(term, URIRef)])
    return tuple(gold.value(term, labels.get(term, "")) for term in result)
