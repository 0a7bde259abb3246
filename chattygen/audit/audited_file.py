"""What an audit writes: the repaired copy of a file, its copy for a newer graph, and the file with its certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import KEY, add_certificate, certificate_to_json
from chattyshared.dialogue import Turn
from chattyshared.jsonlines import parse_json, to_json_line
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun, add_gold
from chattyshared.sparql.result_comparison import gold_values, result_rows

from chattygen.audit.question_checks import check_triples
from chattygen.audit.report import AuditReport
from chattygen.audit.verdict import Verdict

GOLD_KINDS = frozenset(("differs", "data-changed", "data-lost"))
"""The kinds of findings after which the result of the query is the new gold."""
OWN_FORMATS = ("benchmark", "questions")
"""The formats that can hold certificates."""


def repaired_lines(report: AuditReport, kg: KnowledgeGraph | None = None) -> Iterator[str]:
    """Yield the lines of the copy: a benchmark stays one, any other file becomes a file of questions of ours.

    A repaired query replaces the old one, answers that differ are replaced by the query's, and missing answers are
    added. The former values are kept: as ``was`` on the question's line, or under ``repaired`` in the benchmark's
    header, by the turn's id; the queries of a benchmark under ``rewritten``. What cannot be run stays as it was, and
    what an earlier audit certified is left out.

    ``kg`` is the graph on which the queries were run: the header names it. The copy for the new graph of a drift has
    the new names in triples, too, and the witness of a turn that has drifted loses what that graph does not contain.

    Raises:
        EndpointError: the graph does not answer.
    """
    content = report.gold.content
    if isinstance(content, Benchmark):
        yield from _benchmark_lines(content, report, kg)
    else:
        old = {change.id: change.original for change in report.gold.changes if change.changes}
        yield from (to_json_line(_question_line(verdict, old.get(verdict.id))) for verdict in report.verdicts)


def _question_line(verdict: Verdict, old_query: str | None) -> dict[str, Any]:
    stated, query_run = verdict.question, _new_gold(verdict)
    was: dict[str, Any] = {}
    if verdict.renames or old_query is not None:
        was["sparql"] = stated.sparql if verdict.renames else old_query
    if query_run is not None and stated.gold() is not None:
        was["answers"] = list(stated.answers or ())
        was |= {"rows": stated.extra["rows"]} if stated.extra.get("rows") else {}
    extra = dict(stated.extra)
    if verdict.renames:
        extra["sparql"] = verdict.query
    if KEY in extra:
        extra[KEY] = None if verdict.proof is None else certificate_to_json(verdict.proof)
    question = replace(stated, extra=extra)
    more = {"findings": list(verdict.kinds) or None, "was": was or None}
    return question_to_json(question if query_run is None else add_gold(question, query_run), **more)


def question_to_json(question: Question, **more: Any) -> dict[str, Any]:
    """Return the line of a question in a file of ours, with ``more`` keys; what is empty is left out."""
    row: dict[str, Any] = {
        "id": question.id,
        "dialogue_id": question.dialogue_id,
        "turn": question.turn,
        "question": question.question,
        "lang": question.lang or None,
        "kg": question.kg or None,
        "answers": None if question.answers is None else list(question.answers),
        "answer_iris": list(question.answer_iris) or None,
        "answer_labels": list(question.answer_labels) or None,
        **question.extra,
        **more,
    }
    return {key: value for key, value in row.items() if value is not None}


def _new_gold(verdict: Verdict) -> QueryRun | None:
    """Return the result that becomes a question's gold; None if its gold stays."""
    if verdict.query_run is None or verdict.query_run.failure:
        return None
    kinds = GOLD_KINDS & {*verdict.kinds}
    if verdict.old_run is not None and result_rows(verdict.old_run) == result_rows(verdict.query_run):
        kinds -= {"data-lost"}  # what is lost changes nothing in the result
    return verdict.query_run if kinds or verdict.question.gold() is None else None


def _benchmark_lines(content: Benchmark, report: AuditReport, kg: KnowledgeGraph | None) -> Iterator[str]:
    verdicts = {verdict.id: verdict for verdict in report.verdicts}
    was: dict[str, dict[str, Any]] = {"repaired": {}, "rewritten": {}}

    def repair_turn(id: str, stated: Turn) -> Turn:
        verdict, new = verdicts[id], verdicts[id].renames.get
        turn = replace(stated, sparql=verdict.query, certificate=verdict.proof)
        if turn.sparql != stated.sparql:
            was["rewritten"][id] = stated.sparql
        if (query_run := _new_gold(verdict)) is not None:
            was["repaired"][id] = benchmark.turn_to_json(stated)["answers"]
            values = gold_values(turn, query_run)
            turn = replace(turn, answers=values, answerable=bool(values))
            turn = replace(turn, unanswerable="", certificate=None) if values else turn
        if kg and verdict.old_run is not None and verdict.findings:
            triples, witness = (
                tuple((new(s, s), new(p, p), new(o, o)) for s, p, o in part) for part in (turn.triples, turn.witness)
            )
            present, _ = check_triples(witness, kg.endpoint.untrusted_view())
            turn = replace(turn, triples=triples, witness=present)
        return turn

    dialogues = _map_turns(content, repair_turn)
    header = {**content.header, **{key: values for key, values in was.items() if values}}
    if kg and kg.fingerprint() != content.fingerprint:
        source = {"sources": kg.name.split(", "), "fingerprint": kg.fingerprint(), "triples": kg.count_triples()}
        header["kg"] = source
    yield to_json_line(benchmark.header_to_json(header))
    yield from dialogues


def _map_turns(content: Benchmark, change: Callable[[str, Turn], Turn]) -> list[str]:
    """Return the lines of the dialogues of a benchmark whose turns are changed, each by its id."""
    return [
        to_json_line(benchmark.dialogue_to_json(replace(dialogue, turns=tuple(
            change(benchmark.turn_id(dialogue, turn), turn) for turn in dialogue.turns
        ))))
        for dialogue in content.dialogues
    ]  # fmt: skip


def certified_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines of the file with certificates: a benchmark stays one, a file of another format becomes a file of
    questions of ours. A question without a certificate stays as it is; a second audit writes the same."""
    content, certificates = report.gold.content, report.certificates
    if isinstance(content, Benchmark):
        yield to_json_line(benchmark.header_to_json(content.header))
        yield from _map_turns(
            content, lambda id, turn: replace(turn, certificate=certificates.get(id, turn.certificate))
        )
        return
    lines = [to_json_line(question_to_json(question)) for question in content]
    if report.gold.format == "questions":  # their lines stay as they are written
        lines = report.gold.path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, 1):
        id = parse_json(line).get("id") if line.strip() else ""
        certificate = certificates.get(str(number if id is None else id))
        yield line if certificate is None else add_certificate(line, certificate_to_json(certificate))
