"""The rule model's replies to the prompts of Triad: a template of the grammar's reading, and the best matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chattyshared.language.languages import language_of
from chattyshared.language.morphology import lemma_of
from chattyshared.literals import parse_number
from chattyshared.model import Request

from chattykg.linking.candidates import NEAR_BEST_SHARE
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Filter, Relation, is_unknown
from chattykg.rulebook.qir import read_question
from chattykg.rulebook.unstated_questions import find_unstated
from chattykg.triad.options import MIN_MATCH

_KIND = "is a"
"""The relation of a thing to its kind."""
_DATES = ("?date", "?year")
"""How the grammar names an unknown that is a date."""


def write_template(request: Request) -> Any:
    """Reply with the best reading as triples and a template; without the kinds that an earlier try did not find."""
    question, told = str(request.variables["question"]).partition("\n")[0], " ".join(request.variables["earlier"])
    card = VocabularyCard(question=question, language=language_of(question))
    readings = () if find_unstated(question, card) else read_question(question, card)
    if not readings or not _is_simple(readings[0].qir):
        return {"class": "select", "triples": [], "template": ""}
    qir, phrases = readings[0].qir, {" ".join(map(lemma_of, p.lower().split())): p for p in readings[0].unused}
    qir = replace(qir, shape="number") if "Select it, do not count." in told else qir
    nouns = {unknown: unknown.strip("?").replace("_", " ") for unknown in qir.unknowns()}
    kinds = dict(qir.classes) | {unknown: noun for unknown, noun in nouns.items() if noun in phrases}
    kinds = {unknown: kind for unknown, kind in kinds.items() if f'"{_KIND}"' not in told and f'"{kind}"' not in told}
    triples = (*(Relation(unknown, _KIND, kind) for unknown, kind in kinds.items()), *qir.triples)
    return {
        "class": qir.shape if qir.shape in ("count", "boolean") else "select",
        "triples": [[t.subject, t.relation, t.object] for t in (*triples, *qir.negated)],
        "template": _write_query(qir, triples),
        "unused": [phrase for noun, phrase in phrases.items() if noun not in kinds.values()],
    }


def choose_options(request: Request) -> Any:
    """Reply with the options of each name that match about as well as its best one, and well enough."""
    choices = []
    for options in request.variables["options"].options.values():
        least = max(MIN_MATCH, NEAR_BEST_SHARE * options[0].score)
        choices.append([number for number, option in enumerate(options, 1) if option.score >= least])
    return {"choices": choices}


def _is_simple(qir: QIR) -> bool:
    """Tell whether a reading has triples, numbers that are compared, and one order, and nothing else."""
    others = (qir.either, qir.having, qir.aggregate, qir.targets, qir.aggregates, qir.values, qir.optional)
    relations, numbers = (*qir.triples, *qir.negated), [parse_number(condition.value) for condition in qir.filters]
    is_named = bool(relations or qir.classes) and all(relation.relation for relation in relations)
    return is_named and None not in numbers and not any(others) and not (qir.order and qir.order.per)


def _write_query(qir: QIR, triples: Sequence[Relation]) -> str:
    negated = (f"FILTER NOT EXISTS {{ {_write_triple(triple)} }}" for triple in qir.negated)
    body = " ".join((*map(_write_triple, triples), *negated, *map(_write_filter, qir.filters)))
    if qir.shape in ("boolean", "count"):
        form = "ASK" if qir.shape == "boolean" else f"SELECT (COUNT(DISTINCT {qir.target}) AS ?count) WHERE"
        return f"{form} {{ {body} }}"
    tail = ""
    if order := qir.order:
        value = f"COUNT(DISTINCT {order.by})" if order.count else f"{'MAX' if order.descending else 'MIN'}({order.by})"
        tail = f" GROUP BY {qir.target} ORDER BY {'DESC' if order.descending else 'ASC'}({value})"
        tail += f" LIMIT {order.limit} OFFSET {order.offset}" if order.limit else ""
    return f"SELECT DISTINCT {qir.target} WHERE {{ {body} }}{tail}"


def _write_triple(triple: Relation) -> str:
    subject, object_ = (end if is_unknown(end) else f"<{end}>" for end in triple.ends())
    return f"{subject} <{triple.relation}> {object_} ."


def _write_filter(condition: Filter) -> str:
    unknown = condition.unknown
    number = f"xsd:integer(SUBSTR(STR({unknown}), 1, 4))" if unknown.startswith(_DATES) else f"xsd:decimal({unknown})"
    return f"FILTER({number} {condition.operator} {parse_number(condition.value)})"
