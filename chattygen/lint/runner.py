"""Run all rules over files: defects by kind, and a few figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from chattyshared.check import Finding
from chattyshared.errors import QUERY_ERRORS, ModelError, ModelUnavailable
from chattyshared.language.identification import ENGLISH
from chattyshared.runs.containment import UnexpectedError, catch_unexpected

from chattygen.dialogue_language import primary_subtag
from chattygen.lint.dialogue_view import DialogueView
from chattygen.lint.gold_rules import agreement_rules, gold_rules, shape_rules
from chattygen.lint.kg_facts import NO_KG_FACTS, KGFacts, LintGraph, fetch_kg_facts
from chattygen.lint.model_judge import ModelJudge
from chattygen.lint.readers import LintSource
from chattygen.lint.reference_rules import order_rules, reference_rules
from chattygen.lint.relevance_rules import completeness_rules, relevance_rules
from chattygen.lint.report import DEFECT_KINDS, KINDS_BY_GRAPH, KINDS_BY_MODEL, LintReport
from chattygen.lint.wording_rules import language_rules, wording_rules

MAX_ERROR_LENGTH = 200
"""Letters of an endpoint's or a model's error that a finding quotes."""
Rule = Callable[[DialogueView, KGFacts], Iterator[Finding]]
"""A rule takes a dialogue and what a KG states about it, and yields its findings; it raises what an endpoint raises."""
NEUTRAL_RULES: tuple[Rule, ...] = (shape_rules, gold_rules, relevance_rules, completeness_rules, order_rules)
"""The rules that hold for questions in any language."""
RULES: tuple[Rule, ...] = (*NEUTRAL_RULES, agreement_rules, wording_rules, reference_rules)


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
    order = list(DEFECT_KINDS)
    for dialogue in source.dialogues:
        try:
            judged = catch_unexpected(partial(_judge_dialogue, dialogue, graph, judge))
        except ModelUnavailable:
            raise
        except (*QUERY_ERRORS, ModelError) as error:
            judged = [Finding("not-judged", " ".join(str(error).split())[:MAX_ERROR_LENGTH])]
        if isinstance(judged, UnexpectedError):
            unexpected[str(judged)] += 1
            judged = [Finding("not-judged", judged.sentence)]
        findings = sorted(judged, key=lambda finding: (finding.turn, order.index(finding.kind)))
        defects += [replace(finding, dialogue=dialogue.id) for finding in findings]
        on_progress()
    return LintReport(
        source.name,
        source.format,
        len(source.dialogues),
        sum(len(dialogue.turns) for dialogue in source.dialogues),
        tuple(defects),
        _judged_kinds(source, graph is not None, judge is not None),
        unexpected,
    )


def _judge_dialogue(dialogue: DialogueView, graph: LintGraph | None, judge: ModelJudge | None) -> list[Finding]:
    dialogue, kg_facts = fetch_kg_facts(graph, dialogue) if graph else (dialogue, NO_KG_FACTS)
    findings = lint_dialogue(dialogue, kg_facts)
    return _once_a_turn([*findings, *judge.find_defects(dialogue)]) if judge else findings


def lint_dialogue(dialogue: DialogueView, kg_facts: KGFacts = NO_KG_FACTS) -> list[Finding]:
    """Return the findings of all rules in one dialogue, each kind once a turn."""
    rules = RULES if primary_subtag(dialogue.lang) in ("", ENGLISH) else (*NEUTRAL_RULES, language_rules)
    return _once_a_turn(finding for rule in rules for finding in rule(dialogue, kg_facts))


def _once_a_turn(findings: Iterable[Finding]) -> list[Finding]:
    first: dict[tuple[str, int], Finding] = {}
    for finding in findings:
        first.setdefault((finding.kind, finding.turn), finding)
    return list(first.values())


def _judged_kinds(source: LintSource, with_kg: bool, with_model: bool) -> frozenset[str]:
    """Return the kinds that this file, with or without its KG and a model, can show."""
    unjudged = (set() if with_kg else set(KINDS_BY_GRAPH)) | (set() if with_model else KINDS_BY_MODEL)
    if source.format == "chatty-gen":  # it has no gold
        unjudged |= {"gold-differs"} if with_kg else {"gold-differs", "empty-gold"}
    if source.format != "chatty":
        unjudged.add("format")
        if not any(dialogue.expected_turns for dialogue in source.dialogues):
            unjudged.add("turn-count")
    return frozenset(DEFECT_KINDS) - unjudged
