"""Reads gold answers from a benchmark or a file of questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chattyshared import benchmark, questions
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import certificate_from_json, verdict_on
from chattyshared.dialogue import Certificate, Dialogue, Turn
from chattyshared.errors import ConfigError
from chattyshared.formats import gold as formats
from chattyshared.kg import KnowledgeGraph
from chattyshared.popularity import entity_bands, predicate_bands, rarest_band
from chattyshared.runs.runner import Runner
from chattyshared.sparql.analysis import parse_query_terms
from chattyshared.sparql.gold_queries import add_missing_gold
from rdflib import URIRef

from chattykg.evaluation.answer_matching import (
    AnswerElement,
    element_from_gold_texts,
    element_from_value,
    name_keys,
    with_alternatives,
)
from chattykg.evaluation.metrics import Gold

ORDER_MATTERS_FEATURE = "RESULT_ORDER_MATTERS"
"""The feature in TEXT2SPARQL's files which states that the order of the answer matters."""


def gold_of_file(file: formats.GoldFile, *, certain_only: bool = False) -> tuple[Gold, ...]:
    """Return the gold of each turn of a parsed file; with ``certain_only``, turns whose certificate does not say that
    they are certain are not scored."""
    golds = (
        gold_of_dialogues(file.content.dialogues, file.content.fingerprint)
        if isinstance(file.content, Benchmark)
        else gold_of_questions(file.content)
    )
    return tuple(
        replace(gold, is_scored=False, rows=()) if certain_only and gold.verdict != "certain" else gold
        for gold in golds
    )


def describe_uncertain(golds: Sequence[Gold]) -> str:
    """Return a sentence about the turns that are not certain; empty if all are.

    Raises:
        ConfigError: no turn has a certificate with a verdict.
    """
    counts: Counter[str] = Counter(gold.verdict for gold in golds)
    if counts[""] == len(golds):
        raise ConfigError("no question has a certificate: chattygen audit --certify FILE --kg KG writes them")
    names = {
        "ambiguous": "ambiguous",
        "defective": "defective",
        "": "without a certificate of this query, answer and graph",
    }
    listed = ", ".join(f"{counts[verdict]} {name}" for verdict, name in names.items() if counts[verdict])
    return f"{len(golds) - counts['certain']} of {len(golds)} questions are left out: {listed}" if listed else ""


def run_gold_queries(
    file: formats.GoldFile, kg: KnowledgeGraph, runner: Runner | None = None
) -> tuple[formats.GoldFile, tuple[str, ...]]:
    """Return a file whose questions without answers have those of their queries, and notes on failed queries.

    ``runner`` runs the queries (default: the calling thread).

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    if isinstance(file.content, Benchmark):
        return file, ()
    content, failures = add_missing_gold(file.content, kg, runner=runner)
    notes = (f"{len(failures)} gold queries cannot be run, such as {failures[0]}",) if failures else ()
    return replace(file, content=content), notes


def add_label_keys(golds: Sequence[Gold], kg: KnowledgeGraph) -> tuple[Gold, ...]:
    """Return gold whose vertices also match by their labels, for systems that answer in names.

    Raises:
        EndpointError: the endpoint failed.
    """
    vertices = dict.fromkeys(URIRef(element.iri) for gold in golds for element in gold.elements if element.iri)
    labels = kg.labels(vertices) if vertices else {}

    def with_label(element: AnswerElement) -> AnswerElement:
        label = labels.get(URIRef(element.iri), "") if element.iri else ""
        return replace(element, keys=element.keys | name_keys(label)) if label else element

    return tuple(replace(gold, elements=tuple(map(with_label, gold.elements))) for gold in golds)


def add_bands(golds: Sequence[Gold], kg: KnowledgeGraph) -> tuple[Gold, ...]:
    """Return gold with head, torso or tail of its seeds and predicates.

    Raises:
        EndpointError: the endpoint failed.
    """
    seeds = entity_bands(kg, {gold.seed: gold.seed_class for gold in golds if gold.seed and gold.seed_class})
    predicates = predicate_bands(kg)

    def with_bands(gold: Gold) -> Gold:
        terms = parse_query_terms(gold.sparql)
        rarest = rarest_band(predicates, terms.predicates) if terms else ""
        return replace(gold, seed_band=seeds.get(gold.seed, ""), predicate_band=rarest)

    return tuple(map(with_bands, golds))


def gold_of_dialogues(dialogues: Sequence[Dialogue], fingerprint: str = "") -> Iterator[Gold]:
    """Yield the gold of each turn of a benchmark's dialogues."""
    for dialogue in dialogues:
        for turn in dialogue.turns:
            yield _gold_of_turn(dialogue, turn, fingerprint)


def gold_of_questions(question_list: Sequence[questions.Question]) -> Iterator[Gold]:
    """Yield the gold of questions, conversation by conversation.

    A question without gold is asked but not scored. A question whose gold is a table of several columns counts only
    in the measures of rows.
    """
    for conversation in questions.group_by_conversation(question_list):
        for position, question in enumerate(conversation, 1):
            yield _gold_of_question(question, position)


def answer_type_of(elements: Sequence[AnswerElement]) -> str:
    """Return the type of an answer's first element: resource, boolean, number, date or string; empty if none."""
    if not elements:
        return ""
    first = elements[0]
    if first.iri:
        return "resource"
    kinds = {kind for kind, _ in first.keys}
    return next((kind for kind in ("boolean", "number", "date") if kind in kinds), "string")


def _gold_of_turn(dialogue: Dialogue, turn: Turn, fingerprint: str) -> Gold:
    certificate = turn.certificate or Certificate()
    elements = tuple(element_from_value(value) for value in turn.answers) if turn.answerable else ()
    elements = with_alternatives(elements, certificate.alternatives)
    terms = parse_query_terms(turn.sparql)
    return Gold(
        benchmark.turn_id(dialogue, turn), elements, turn.turn, turn.form, turn.link, dialogue=dialogue.id,
        lang=dialogue.lang, question=turn.question, answer_type=answer_type_of(elements), sparql=turn.sparql,
        is_ordered=bool(terms and terms.is_ordered and len(elements) > 1), unanswerable=turn.unanswerable,
        seed=dialogue.seed.iri, seed_class=dialogue.seed.type,
        verdict=verdict_on(certificate, fingerprint, turn.sparql, (value.value for value in turn.answers)),
    )  # fmt: skip


def _gold_of_question(question: questions.Question, position: int) -> Gold:
    texts = question.gold()
    columns = question.extra.get("cols")
    is_table = isinstance(columns, int) and columns > 1
    certificate = certificate_from_json(question.extra.get("certificate") or {})
    elements = tuple(element_from_gold_texts(*element_texts) for element_texts in texts or ())
    elements = with_alternatives(elements, certificate.alternatives)
    sparql, features = question.extra.get("sparql"), question.extra.get("features")
    terms = parse_query_terms(sparql) if isinstance(sparql, str) else None
    ordered = bool(terms and terms.is_ordered) or (isinstance(features, list) and ORDER_MATTERS_FEATURE in features)
    return Gold(
        str(question.id), elements, position, is_scored=texts is not None and not is_table,
        dialogue="" if question.dialogue_id is None else str(question.dialogue_id), question=question.question,
        answer_type="table" if is_table else answer_type_of(elements), lang=question.lang, kg=question.kg,
        sparql=sparql if isinstance(sparql, str) else "", is_ordered=ordered and len(elements) > 1,
        rows=_rows(question.extra.get("rows")) if is_table else (),
        seed=_stated(question, "seed_entity", "seed_withPrefix"), seed_class=_stated(question, "seedType_withPrefix"),
        verdict=verdict_on(certificate, "", question.sparql, question.answers or ()),
    )  # fmt: skip


def _stated(question: questions.Question, *keys: str) -> str:
    """Return the first text under one of some keys; empty if there is none."""
    return next((text for key in keys if isinstance(text := question.extra.get(key), str)), "")


def _rows(value: object) -> tuple[tuple[AnswerElement, ...], ...]:
    """Read a table, without values that are no rows and without empty cells."""
    rows = [row for row in value if isinstance(row, list)] if isinstance(value, list) else []
    cells = ([_text(cell) for cell in row if cell is not None] for row in rows)
    return tuple(tuple(element_from_gold_texts(cell) for cell in row) for row in cells if row)


def _text(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
