"""What is right, read from a benchmark or from a file of questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from chattyshared import benchmark, questions
from chattyshared.benchmark import Benchmark
from chattyshared.dialogue import Dialogue, Turn
from chattyshared.formats import gold as formats
from chattyshared.kg import KnowledgeGraph
from chattyshared.runs.runner import Runner
from chattyshared.sparql.analysis import parse_query_terms
from chattyshared.sparql.gold_queries import add_missing_gold
from rdflib import URIRef

from chattykg.evaluation.answer_matching import AnswerElement, element_from_gold_texts, element_from_value, name_keys
from chattykg.evaluation.metrics import Gold

ORDER_MATTERS_FEATURE = "RESULT_ORDER_MATTERS"
"""The feature by which TEXT2SPARQL's files say that the order of an answer matters."""


def read_gold_turns(path: Path, *, lang: str = "") -> tuple[Gold, ...]:
    """Return what is right at each turn of a file of gold, whatever its format.

    Raises:
        ConfigError: the file is not there or cannot be read.
        BenchmarkInvalid: it is of no known format, or does not keep its own.
    """
    return gold_of_file(formats.read_gold(path, lang=lang))


def gold_of_file(file: formats.GoldFile) -> tuple[Gold, ...]:
    """Return what is right at each turn of a file that is read."""
    if isinstance(file.content, Benchmark):
        return tuple(gold_of_dialogues(file.content.dialogues))
    return tuple(gold_of_questions(file.content))


def run_gold_queries(
    file: formats.GoldFile, kg: KnowledgeGraph, runner: Runner | None = None
) -> tuple[formats.GoldFile, tuple[str, ...]]:
    """Return a file with answers where only queries stand, as the graph gives them; and what could not be run.

    ``runner`` is who runs the queries, the calling thread unless said.

    Raises:
        EndpointUnavailable: nobody answers.
    """
    if isinstance(file.content, Benchmark):
        return file, ()
    made, failed = add_missing_gold(file.content, kg, runner=runner)
    said = (f"{len(failed)} gold queries cannot be run, such as {failed[0]}",) if failed else ()
    return replace(file, content=made), said


def add_label_keys(golds: Sequence[Gold], kg: KnowledgeGraph) -> tuple[Gold, ...]:
    """Return gold whose vertices have the names that the graph gives them, for systems that answer in names.

    Raises:
        EndpointError: the graph could not be asked.
    """
    vertices = dict.fromkeys(URIRef(one.iri) for gold in golds for one in gold.elements if one.iri)
    labels = kg.labels(vertices) if vertices else {}

    def told(element: AnswerElement) -> AnswerElement:
        label = labels.get(URIRef(element.iri), "") if element.iri else ""
        return replace(element, keys=element.keys | name_keys(label)) if label else element

    return tuple(replace(gold, elements=tuple(map(told, gold.elements))) for gold in golds)


def gold_of_dialogues(dialogues: Sequence[Dialogue]) -> Iterator[Gold]:
    """Yield the gold of each turn of a benchmark's dialogues."""
    for dialogue in dialogues:
        for turn in dialogue.turns:
            yield _of_turn(dialogue, turn)


def gold_of_questions(read: Sequence[questions.Question]) -> Iterator[Gold]:
    """Yield the gold of questions, conversation by conversation.

    A question without gold is asked but not scored; one whose gold is a table of several columns counts for the
    measures of rows alone.
    """
    for conversation in questions.group_by_conversation(read):
        for position, question in enumerate(conversation, 1):
            yield _of_question(question, position)


def answer_type_of(elements: Sequence[AnswerElement]) -> str:
    """Return what an answer is made of, by its first element: resource, boolean, number, date or string."""
    if not elements:
        return ""
    first = elements[0]
    if first.iri:
        return "resource"
    kinds = {kind for kind, _ in first.keys}
    return next((kind for kind in ("boolean", "number", "date") if kind in kinds), "string")


def _of_turn(dialogue: Dialogue, turn: Turn) -> Gold:
    elements = tuple(element_from_value(value) for value in turn.answers) if turn.answerable else ()
    named = parse_query_terms(turn.sparql)
    return Gold(
        benchmark.turn_id(dialogue, turn), elements, turn.turn, turn.form, turn.link, dialogue=dialogue.id,
        question=turn.question, answer_type=answer_type_of(elements), sparql=turn.sparql,
        is_ordered=bool(named and named.is_ordered and len(elements) > 1),
    )  # fmt: skip


def _of_question(question: questions.Question, position: int) -> Gold:
    texts = question.gold()
    columns = question.extra.get("cols")
    is_table = isinstance(columns, int) and columns > 1
    elements = tuple(element_from_gold_texts(*each) for each in texts or ())
    sparql, features = question.extra.get("sparql"), question.extra.get("features")
    named = parse_query_terms(sparql) if isinstance(sparql, str) else None
    ordered = bool(named and named.is_ordered) or (isinstance(features, list) and ORDER_MATTERS_FEATURE in features)
    return Gold(
        str(question.id), elements, position, is_scored=texts is not None and not is_table,
        dialogue="" if question.dialogue_id is None else str(question.dialogue_id), question=question.question,
        answer_type="table" if is_table else answer_type_of(elements), lang=question.lang, kg=question.kg,
        sparql=sparql if isinstance(sparql, str) else "", is_ordered=ordered and len(elements) > 1,
        rows=_rows(question.extra.get("rows")) if is_table else (),
    )  # fmt: skip


def _rows(given: object) -> tuple[tuple[AnswerElement, ...], ...]:
    """Read a table; rows that are none, and cells without a value, are left out."""
    rows = [row for row in given if isinstance(row, list)] if isinstance(given, list) else []
    cells = ([_text(cell) for cell in row if cell is not None] for row in rows)
    return tuple(tuple(element_from_gold_texts(cell) for cell in row) for row in cells if row)


def _text(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
