"""Run all rules over files: a finding for each kind of defect that a turn has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from chattyshared.check import Finding
from chattyshared.errors import QUERY_ERRORS, ModelError, ModelUnavailable
from chattyshared.runs.containment import UnexpectedError, catch_unexpected

from chattygen.lint import gold_rules, relevance_rules, wording_rules  # noqa: F401 - they fill RULES
from chattygen.lint.dialogue_view import DialogueView
from chattygen.lint.lint_context import LintContext, LintGraph
from chattygen.lint.model_judge import ModelJudge
from chattygen.lint.readers import LintSource
from chattygen.lint.report import LintReport
from chattygen.lint.rules import KINDS_BY_MODEL, NOT_JUDGED, RULES, defect_kinds

MAX_ERROR_LENGTH = 200
"""Letters of an endpoint's or a model's error that a finding quotes."""


def lint_source(
    source: LintSource,
    *,
    graph: LintGraph | None = None,
    judge: ModelJudge | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> LintReport:
    """Judge every dialogue of a file by every rule, and by a model; ``on_progress`` is called after each dialogue.

    Raises:
        EndpointUnavailable: a KG was given, and its endpoint does not answer.
        ModelUnavailable, BudgetSpent: a model was given, and it cannot be asked any more.
    """
    defects: list[Finding] = []
    unexpected = Counter[str]()
    for dialogue in source.dialogues:
        try:
            judged = catch_unexpected(partial(lint_dialogue, dialogue, graph, judge))
        except ModelUnavailable:
            raise
        except (*QUERY_ERRORS, ModelError) as error:
            judged = [Finding(NOT_JUDGED, " ".join(str(error).split())[:MAX_ERROR_LENGTH])]
        if isinstance(judged, UnexpectedError):
            unexpected[str(judged)] += 1
            judged = [Finding(NOT_JUDGED, judged.sentence)]
        defects += [replace(finding, dialogue=dialogue.id) for finding in judged]
        on_progress()
    unjudged = {
        *(kind for kind, rule in RULES.items() if rule.by_graph and not graph),
        *(() if judge else KINDS_BY_MODEL),
    }
    if source.format == "chatty-gen":  # it has no gold
        unjudged |= {"gold-differs"} if graph else {"gold-differs", "empty-gold"}
    return LintReport(
        source.name,
        source.format,
        len(source.dialogues),
        sum(len(dialogue.turns) for dialogue in source.dialogues),
        tuple(defects),
        frozenset(defect_kinds()) - unjudged,
        unexpected,
    )


def lint_dialogue(
    dialogue: DialogueView, graph: LintGraph | None = None, judge: ModelJudge | None = None
) -> list[Finding]:
    """Return the findings in one dialogue turn by turn, each kind once a turn.

    Raises:
        EndpointError: the endpoint does not answer.
        ModelError: the model could not be asked, or no reply was usable.
    """
    context, findings = LintContext(dialogue, graph), list(dialogue.findings)
    if dialogue.expected_turns and len(dialogue.turns) != dialogue.expected_turns:
        findings.append(Finding("format", f"{len(dialogue.turns)} turns, not {dialogue.expected_turns}"))
    for turn in dialogue.turns:
        for kind, rule in RULES.items():
            if (context.is_english or not rule.is_english) and (reason := next(rule.find(context, turn), "")):
                findings.append(Finding(kind, f'{reason}: "{turn.question}"', turn=turn.turn))
    known = {(finding.kind, finding.turn) for finding in findings}
    read = judge.find_defects(dialogue) if judge else []
    findings += [finding for finding in read if (finding.kind, finding.turn) not in known]
    order = list(defect_kinds())
    return sorted(findings, key=lambda finding: (finding.turn, order.index(finding.kind)))
