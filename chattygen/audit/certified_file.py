"""The file of an audit with its certificates: nothing else in it changes, and a second audit writes the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import add_certificate, certificate_to_json
from chattyshared.dialogue import Turn
from chattyshared.jsonlines import parse_json, to_json_line

from chattygen.audit.repair import question_to_json
from chattygen.audit.report import AuditReport

OWN_FORMATS = ("benchmark", "questions")
"""The formats that can hold certificates."""


def certified_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines of the file with certificates: a benchmark stays one, a file of another format becomes a file of
    questions of ours. A question without a certificate stays as it is."""
    content = report.gold.content
    if isinstance(content, Benchmark):
        yield to_json_line(benchmark.header_to_json(content.header))
        for dialogue in content.dialogues:
            turns = (_certify_turn(turn, benchmark.turn_id(dialogue, turn), report) for turn in dialogue.turns)
            yield to_json_line(benchmark.dialogue_to_json(replace(dialogue, turns=tuple(turns))))
    elif report.gold.format == "questions":
        yield from _question_lines(report)
    else:
        for question in content:
            certificate = report.certificates.get(str(question.id))
            line = to_json_line(question_to_json(question))
            yield line if certificate is None else add_certificate(line, certificate_to_json(certificate))


def _certify_turn(turn: Turn, id: str, report: AuditReport) -> Turn:
    certificate = report.certificates.get(id)
    return turn if certificate is None else replace(turn, certificate=certificate)


def _question_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines of a file of questions as they are written, with the certificates behind the other keys."""
    with report.gold.path.open(encoding="utf-8-sig") as file:
        for number, text in enumerate(file, 1):
            line = text.rstrip("\r\n")
            id = parse_json(line).get("id") if line.strip() else None
            certificate = report.certificates.get(str(number if id is None else id)) if line.strip() else None
            yield line if certificate is None else add_certificate(line, certificate_to_json(certificate))
