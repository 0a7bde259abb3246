"""All rules over files: defects per class, and the few figures that go with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chattyshared.answers import AnswerLine
from chattyshared.errors import OF_ONE_QUERY
from chattyshared.runs.containment import Unexpected, attempt

from chattygen.lint.defect import KINDS, Defect, Finding
from chattygen.lint.dialogue_view import Talk
from chattygen.lint.gold_rules import gold_rules, independent
from chattygen.lint.kg_facts import NOTHING, Graph, Known, learn
from chattygen.lint.label_rules import label_rules
from chattygen.lint.query_rules import query_rules
from chattygen.lint.readers import Source
from chattygen.lint.reference_rules import reference_rules
from chattygen.lint.wording_rules import wording_rules

Rule = Callable[[Talk, Known], Iterator[Finding]]
"""A rule takes a dialogue and what a KG says of it, and yields what it finds; it never raises."""


def shape_rules(talk: Talk, known: Known) -> Iterator[Finding]:
    """Yield what reading has found, what is missing in a turn, and a wrong number of turns."""
    yield from talk.found
    for line in talk.lines:
        parts = {"question": line.question, "standalone question": line.standalone, "query": line.sparql}
        missing = [name for name, text in parts.items() if not text.strip() and (line.answerable or name != "query")]
        if missing:
            yield Finding("misaligned", line.number, f"no {' and no '.join(missing)}")
    if talk.turns_asked and len(talk.lines) != talk.turns_asked:
        yield Finding("turn-count", 0, f"{len(talk.lines)} turns, not {talk.turns_asked}")


RULES: tuple[Rule, ...] = (shape_rules, query_rules, gold_rules, wording_rules, label_rules, reference_rules)


@dataclass(frozen=True, slots=True)
class Report:
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
    asks: int
    false_asks: int
    unread: int | None
    judged: frozenset[str]
    unexpected: Counter[str] = field(default_factory=Counter)

    def counts(self) -> Counter[str]:
        """Return the number of defects by class."""
        return Counter(defect.kind for defect in self.defects)

    def clean(self) -> int:
        """Return the number of dialogues without a defect."""
        return self.dialogues - len({defect.dialogue for defect in self.defects})

    def to_json(self) -> dict[str, Any]:
        """Return the report's object."""
        counts = self.counts()
        return {
            "file": self.file,
            "format": self.format,
            "dialogues": self.dialogues,
            "turns": self.turns,
            "clean_dialogues": self.clean(),
            "yes_no_turns": self.asks,
            "false_share": round(self.false_asks / self.asks, 4) if self.asks else None,
            "unread": self.unread,
            "defects": len(self.defects),
            "classes": {kind: counts[kind] if kind in self.judged else None for kind in KINDS},
            "listing": [
                {"class": d.kind, "dialogue": d.dialogue, "turn": d.turn, "said": d.said} for d in self.defects
            ],
        }


def judge(
    source: Source,
    *,
    graph: Graph | None = None,
    readings: Mapping[str, AnswerLine] | None = None,
    watch: Callable[[], None] = lambda: None,
) -> Report:
    """Judge every dialogue of a file by every rule; ``watch`` hears of each dialogue that is done.

    Raises:
        EndpointUnavailable: a KG was given, and its endpoint does not answer.
    """
    found: list[Defect] = []
    truths: list[str] = []
    unread, unexpected = 0, Counter[str]()
    order = list(KINDS)
    for talk in source.talks:
        try:
            judgement = attempt(partial(_judgement, talk, graph, readings))
        except OF_ONE_QUERY as error:
            judgement = _Judgement([Finding("not-judged", 0, " ".join(str(error).split())[:200])])
        if isinstance(judgement, Unexpected):
            unexpected[str(judgement)] += 1
            judgement = _Judgement([Finding("not-judged", 0, judgement.sentence)])
        findings = sorted(judgement.findings, key=lambda one: (one.turn, order.index(one.kind)))
        found += [Defect(one.kind, talk.id, one.turn, one.said) for one in findings]
        truths += judgement.truths
        unread += judgement.unread
        watch()
    return Report(
        source.name, source.format, len(source.talks), sum(len(talk.lines) for talk in source.talks), tuple(found),
        len(truths), truths.count("false"), None if readings is None else unread, _judged(source, graph is not None),
        unexpected,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Judgement:
    """What was found in one dialogue, the truths of its yes-no turns, and how many turns nobody else has answered."""

    findings: list[Finding]
    truths: list[str] = field(default_factory=list)
    unread: int = 0


def _judgement(talk: Talk, graph: Graph | None, readings: Mapping[str, AnswerLine] | None) -> _Judgement:
    talk, known = learn(graph, talk) if graph else (talk, NOTHING)
    findings, unread = judged(talk, known), 0
    if readings is not None:
        more, unread = independent(talk, readings)
        findings += [one for one in more if ("disagrees", one.turn) not in {(f.kind, f.turn) for f in findings}]
    return _Judgement(findings, _truths(talk, known), unread)


def judged(talk: Talk, known: Known = NOTHING) -> list[Finding]:
    """Return what all rules find in one dialogue, each class once a turn."""
    found: dict[tuple[str, int], Finding] = {}
    for rule in RULES:
        for one in rule(talk, known):
            found.setdefault((one.kind, one.turn), one)
    return list(found.values())


def _truths(talk: Talk, known: Known) -> list[str]:
    """Return the truth of each yes-no turn; one that is not known counts as asked all the same."""
    asks = [line for line in talk.lines if line.query.form == "ASK"]
    given = [line.answers or known.results.get(line.number) or () for line in asks]
    return [answers[0].value if answers else "" for answers in given]


def _judged(source: Source, with_kg: bool) -> frozenset[str]:
    """Return the classes that this file, with or without its KG, can show."""
    blind = set() if with_kg else {"query-fails", "ambiguous-name", "gold-differs"}
    if source.format == "chatty-gen":
        blind |= {"format", "marked-with-gold", "wrong-link", "gold-differs"} | (
            {"empty-gold"} if not with_kg else set()
        )
        if not any(talk.turns_asked for talk in source.talks):
            blind.add("turn-count")
    return frozenset(KINDS) - blind
