"""Run all rules over files: defects by kind, and a few figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from chattyshared.answers import AnswerLine
from chattyshared.check import Finding
from chattyshared.errors import QUERY_ERRORS
from chattyshared.language.identification import ENGLISH
from chattyshared.runs.containment import UnexpectedError, catch_unexpected

from chattygen.dialogue_language import primary_subtag
from chattygen.lint.dialogue_view import DialogueView
from chattygen.lint.gold_rules import compare_with_engine, gold_rules, stated_gold_rules
from chattygen.lint.kg_facts import NO_KG_FACTS, KGFacts, LintGraph, fetch_kg_facts
from chattygen.lint.label_rules import label_rules
from chattygen.lint.order_rules import order_rules
from chattygen.lint.query_rules import query_rules
from chattygen.lint.readers import LintSource
from chattygen.lint.reference_rules import reference_rules
from chattygen.lint.relevance_rules import completeness_rules, relevance_rules
from chattygen.lint.report import DEFECT_KINDS, KINDS_BY_GRAPH, LintReport
from chattygen.lint.wording_rules import language_rules, wording_rules

MAX_ERROR_LENGTH = 200
"""Letters of an endpoint's error that a finding quotes."""
Rule = Callable[[DialogueView, KGFacts], Iterator[Finding]]
"""A rule takes a dialogue and what a KG states about it, and yields its findings; it never raises."""


def shape_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Yield the findings of the reader, missing parts of turns, and a wrong number of turns."""
    yield from dialogue.file_findings
    for turn in dialogue.turns:
        parts = {"question": turn.question, "standalone question": turn.standalone, "query": turn.sparql}
        missing = [name for name, text in parts.items() if not text.strip() and (turn.answerable or name != "query")]
        if missing:
            yield Finding("misaligned", f"no {' and no '.join(missing)}", turn=turn.number)
    if dialogue.expected_turns and len(dialogue.turns) != dialogue.expected_turns:
        yield Finding("turn-count", f"{len(dialogue.turns)} turns, not {dialogue.expected_turns}")


CONVERSATION_RULES: tuple[Rule, ...] = (relevance_rules, completeness_rules, order_rules)
RULES: tuple[Rule, ...] = (
    shape_rules, query_rules, gold_rules, wording_rules, label_rules, reference_rules, *CONVERSATION_RULES
)  # fmt: skip
NEUTRAL_RULES: tuple[Rule, ...] = (shape_rules, query_rules, stated_gold_rules, language_rules, *CONVERSATION_RULES)
"""The rules that hold for questions in any language."""


def lint_source(
    source: LintSource,
    *,
    graph: LintGraph | None = None,
    engine_answers: Mapping[str, AnswerLine] | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> LintReport:
    """Judge every dialogue of a file by every rule; ``on_progress`` is called after each dialogue.

    Raises:
        EndpointUnavailable: a KG was given, and its endpoint does not answer.
    """
    defects: list[Finding] = []
    truths: list[str] = []
    unread, unexpected = 0, Counter[str]()
    order = list(DEFECT_KINDS)
    for dialogue in source.dialogues:
        try:
            judgement = catch_unexpected(partial(_judge_dialogue, dialogue, graph, engine_answers))
        except QUERY_ERRORS as error:
            judgement = _Judgement([Finding("not-judged", " ".join(str(error).split())[:MAX_ERROR_LENGTH])])
        if isinstance(judgement, UnexpectedError):
            unexpected[str(judgement)] += 1
            judgement = _Judgement([Finding("not-judged", judgement.sentence)])
        findings = sorted(judgement.findings, key=lambda finding: (finding.turn, order.index(finding.kind)))
        defects += [replace(finding, dialogue=dialogue.id) for finding in findings]
        truths += judgement.truths
        unread += judgement.unread
        on_progress()
    return LintReport(
        source.name,
        source.format,
        len(source.dialogues),
        sum(len(dialogue.turns) for dialogue in source.dialogues),
        tuple(defects),
        len(truths),
        truths.count("false"),
        None if engine_answers is None else unread,
        _judged_kinds(source, graph is not None),
        unexpected,
    )


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The findings in one dialogue, the truths of its yes-no turns, and how many turns the engine did not answer."""

    findings: list[Finding]
    truths: list[str] = field(default_factory=list)
    unread: int = 0


def _judge_dialogue(
    dialogue: DialogueView, graph: LintGraph | None, engine_answers: Mapping[str, AnswerLine] | None
) -> _Judgement:
    dialogue, kg_facts = fetch_kg_facts(graph, dialogue) if graph else (dialogue, NO_KG_FACTS)
    findings, unread = lint_dialogue(dialogue, kg_facts), 0
    if engine_answers is not None:
        engine_findings, unread = compare_with_engine(dialogue, engine_answers)
        findings += [
            finding
            for finding in engine_findings
            if ("disagrees", finding.turn) not in {(f.kind, f.turn) for f in findings}
        ]
    return _Judgement(findings, _yes_no_truths(dialogue, kg_facts), unread)


def lint_dialogue(dialogue: DialogueView, kg_facts: KGFacts = NO_KG_FACTS) -> list[Finding]:
    """Return the findings of all rules in one dialogue, each kind once a turn."""
    findings: dict[tuple[str, int], Finding] = {}
    for rule in RULES if primary_subtag(dialogue.lang) in ("", ENGLISH) else NEUTRAL_RULES:
        for finding in rule(dialogue, kg_facts):
            findings.setdefault((finding.kind, finding.turn), finding)
    return list(findings.values())


def _yes_no_truths(dialogue: DialogueView, kg_facts: KGFacts) -> list[str]:
    """Return the truth of each answerable yes-no turn; an unknown one is empty, and counts as a yes-no turn too."""
    yes_no_turns = [turn for turn in dialogue.turns if turn.answerable and turn.query.form == "ASK"]
    answers_by_turn = [turn.answers or kg_facts.results.get(turn.number) or () for turn in yes_no_turns]
    return [answers[0].value if answers else "" for answers in answers_by_turn]


def _judged_kinds(source: LintSource, with_kg: bool) -> frozenset[str]:
    """Return the kinds that this file, with or without its KG, can show."""
    unjudged = set() if with_kg else set(KINDS_BY_GRAPH)
    if source.format == "chatty-gen":  # it has no gold
        unjudged |= {"gold-differs"} if with_kg else {"gold-differs", "empty-gold"}
    if source.format != "chatty":
        unjudged |= {"format", "marked-with-gold", "wrong-link"}
        if not any(dialogue.expected_turns for dialogue in source.dialogues):
            unjudged.add("turn-count")
    return frozenset(DEFECT_KINDS) - unjudged
