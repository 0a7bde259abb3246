"""The repaired copy of a file whose graph has changed: rewritten queries, the new gold, and what stands behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.dialogue import Triples, Turn
from chattyshared.formats.gold import GoldFile, QueryRepair
from chattyshared.kg import KnowledgeGraph

from chattygen.audit.drift import DriftReport, QuestionDrift
from chattygen.audit.question_checks import ground_pattern
from chattygen.audit.repair import repaired_lines
from chattygen.audit.report import AuditReport, Verdict


def updated_lines(report: DriftReport, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the lines of the copy for the new graph, as ``repaired_lines`` writes them.

    Triples have the new names, and the witness of a turn that has drifted loses what the new graph does not contain.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    drifts = {str(drift.question.id): drift for drift in report.drifts}
    verdicts = []
    for question in report.gold.questions:
        drift = drifts.get(str(question.id))
        sparql = drift.rewritten if drift and drift.rewritten else question.sparql
        updated = replace(question, extra={**question.extra, "sparql": sparql}) if sparql else question
        run = drift.new if drift and drift.findings and not drift.new.failure else None
        verdicts.append(Verdict(updated, drift.findings if drift else (), run))
    yield from repaired_lines(AuditReport(_update_file(report.gold, drifts, kg), tuple(verdicts)))


def _update_file(gold: GoldFile, drifts: dict[str, QuestionDrift], kg: KnowledgeGraph) -> GoldFile:
    content = gold.content
    if not isinstance(content, Benchmark):
        rewritten = {id: drift for id, drift in drifts.items() if drift.rewritten}
        kept = tuple(change for change in gold.changes if change.id not in rewritten)
        changes = (QueryRepair(id, drift.question.sparql, ("schema-renamed",)) for id, drift in rewritten.items())
        return replace(gold, changes=(*kept, *changes))
    dialogues = []
    for dialogue in content.dialogues:
        turns = (_update_turn(turn, drifts.get(benchmark.turn_id(dialogue, turn)), kg) for turn in dialogue.turns)
        dialogues.append(replace(dialogue, turns=tuple(turns)))
    return replace(gold, content=Benchmark(content.header, tuple(dialogues)))


def _update_turn(turn: Turn, drift: QuestionDrift | None, kg: KnowledgeGraph) -> Turn:
    if drift is None or not drift.findings or drift.new.failure:
        return turn
    triples, witness = (_rename(part, dict(drift.renames)) for part in (turn.triples, turn.witness))
    present = tuple(
        triple for triple in witness if (pattern := ground_pattern(triple)) and kg.endpoint.ask(f"ASK {{ {pattern} }}")
    )
    return replace(turn, triples=triples, witness=present)


def _rename(triples: Triples, renames: dict[str, str]) -> Triples:
    named = ([renames.get(part, part) for part in triple] for triple in triples)
    return tuple((subject, predicate, object_) for subject, predicate, object_ in named)
