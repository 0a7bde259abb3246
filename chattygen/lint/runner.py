"""All rules over files: defects per class, and the few figures that go with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chattyshared.answers import AnswerLine
from chattyshared.errors import QUERY_ERRORS
from chattyshared.runs.containment import UnexpectedError, catch_unexpected

from chattygen.lint.defect import DEFECT_KINDS, Defect, LintFinding
from chattygen.lint.dialogue_view import DialogueView
from chattygen.lint.gold_rules import compare_with_engine, gold_rules
from chattygen.lint.kg_facts import NO_KG_FACTS, KGFacts, LintGraph, fetch_kg_facts
from chattygen.lint.label_rules import label_rules
from chattygen.lint.query_rules import query_rules
from chattygen.lint.readers import LintSource
from chattygen.lint.reference_rules import reference_rules
from chattygen.lint.wording_rules import wording_rules

Rule = Callable[[DialogueView, KGFacts], Iterator[LintFinding]]
"""A rule takes a dialogue and what a KG says of it, and yields what it finds; it never raises."""


def shape_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[LintFinding]:
    """Yield what reading has found, what is missing in a turn, and a wrong number of turns."""
    yield from dialogue.file_findings
    for line in dialogue.turns:
        parts = {"question": line.question, "standalone question": line.standalone, "query": line.sparql}
        missing = [name for name, text in parts.items() if not text.strip() and (line.answerable or name != "query")]
        if missing:
            yield LintFinding("misaligned", line.number, f"no {' and no '.join(missing)}")
    if dialogue.expected_turns and len(dialogue.turns) != dialogue.expected_turns:
        yield LintFinding("turn-count", 0, f"{len(dialogue.turns)} turns, not {dialogue.expected_turns}")


RULES: tuple[Rule, ...] = (shape_rules, query_rules, gold_rules, wording_rules, label_rules, reference_rules)


@dataclass(frozen=True, slots=True)
class LintReport:
    """What one file showed.

    ``asks`` are its yes-no turns, ``false_asks`` those whose answer is no; ``unread`` are turns that an independent
    reading has not answered (None: there was no such reading); ``judged`` are the classes that could be judged at all.
    ``unexpected`` counts dialogues that unexpected errors have kept from being judged, by type and place.
    """

    file: str
    format: str
    dialogues: int
    turns: int
    defects: tuple[Defect, ...]
    yes_no_turns: int
    false_yes_no_turns: int
    unread_turns: int | None
    judged_kinds: frozenset[str]
    unexpected: Counter[str] = field(default_factory=Counter)

    def counts_by_kind(self) -> Counter[str]:
        """Return the number of defects by class."""
        return Counter(defect.kind for defect in self.defects)

    def clean_dialogues(self) -> int:
        """Return the number of dialogues without a defect."""
        return self.dialogues - len({defect.dialogue for defect in self.defects})

    def to_json(self) -> dict[str, Any]:
        """Return the report's object."""
        counts = self.counts_by_kind()
        return {
            "file": self.file,
            "format": self.format,
            "dialogues": self.dialogues,
            "turns": self.turns,
            "clean_dialogues": self.clean_dialogues(),
            "yes_no_turns": self.yes_no_turns,
            "false_share": round(self.false_yes_no_turns / self.yes_no_turns, 4) if self.yes_no_turns else None,
            "unread": self.unread_turns,
            "defects": len(self.defects),
            "classes": {kind: counts[kind] if kind in self.judged_kinds else None for kind in DEFECT_KINDS},
            "listing": [
                {"class": d.kind, "dialogue": d.dialogue, "turn": d.turn, "said": d.message} for d in self.defects
            ],
        }


def lint_source(
    source: LintSource,
    *,
    graph: LintGraph | None = None,
    engine_answers: Mapping[str, AnswerLine] | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> LintReport:
    """Judge every dialogue of a file by every rule; ``watch`` hears of each dialogue that is done.

    Raises:
        EndpointUnavailable: a KG was given, and its endpoint does not answer.
    """
    found: list[Defect] = []
    truths: list[str] = []
    unread, unexpected = 0, Counter[str]()
    order = list(DEFECT_KINDS)
    for talk in source.dialogues:
        try:
            judgement = catch_unexpected(partial(_judgement, talk, graph, engine_answers))
        except QUERY_ERRORS as error:
            judgement = _Judgement([LintFinding("not-judged", 0, " ".join(str(error).split())[:200])])
        if isinstance(judgement, UnexpectedError):
            unexpected[str(judgement)] += 1
            judgement = _Judgement([LintFinding("not-judged", 0, judgement.sentence)])
        findings = sorted(judgement.findings, key=lambda one: (one.turn, order.index(one.kind)))
        found += [Defect(one.kind, talk.id, one.turn, one.message) for one in findings]
        truths += judgement.truths
        unread += judgement.unread
        on_progress()
    return LintReport(
        source.name,
        source.format,
        len(source.dialogues),
        sum(len(talk.turns) for talk in source.dialogues),
        tuple(found),
        len(truths),
        truths.count("false"),
        None if engine_answers is None else unread,
        _judged(source, graph is not None),
        unexpected,
    )


@dataclass(frozen=True, slots=True)
class _Judgement:
    """What was found in one dialogue, the truths of its yes-no turns, and how many turns nobody else has answered."""

    findings: list[LintFinding]
    truths: list[str] = field(default_factory=list)
    unread: int = 0


def _judgement(talk: DialogueView, graph: LintGraph | None, readings: Mapping[str, AnswerLine] | None) -> _Judgement:
    talk, known = fetch_kg_facts(graph, talk) if graph else (talk, NO_KG_FACTS)
    findings, unread = lint_dialogue(talk, known), 0
    if readings is not None:
        more, unread = compare_with_engine(talk, readings)
        findings += [one for one in more if ("disagrees", one.turn) not in {(f.kind, f.turn) for f in findings}]
    return _Judgement(findings, _truths(talk, known), unread)


def lint_dialogue(dialogue: DialogueView, kg_facts: KGFacts = NO_KG_FACTS) -> list[LintFinding]:
    """Return what all rules find in one dialogue, each class once a turn."""
    found: dict[tuple[str, int], LintFinding] = {}
    for rule in RULES:
        for one in rule(dialogue, kg_facts):
            found.setdefault((one.kind, one.turn), one)
    return list(found.values())


def _truths(talk: DialogueView, known: KGFacts) -> list[str]:
    """Return the truth of each yes-no turn; one that is not known counts as asked all the same."""
    asks = [line for line in talk.turns if line.query.form == "ASK"]
    given = [line.answers or known.results.get(line.number) or () for line in asks]
    return [answers[0].value if answers else "" for answers in given]


def _judged(source: LintSource, with_kg: bool) -> frozenset[str]:
    """Return the classes that this file, with or without its KG, can show."""
    blind = set() if with_kg else {"query-fails", "ambiguous-name", "gold-differs"}
    if source.format == "chatty-gen":
        blind |= {"format", "marked-with-gold", "wrong-link", "gold-differs"} | (
            {"empty-gold"} if not with_kg else set()
        )
        if not any(talk.expected_turns for talk in source.dialogues):
            blind.add("turn-count")
    return frozenset(DEFECT_KINDS) - blind
