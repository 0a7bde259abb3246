"""The kinds of defects that lint finds, and the report for a file, as JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chattyshared.check import Finding
from chattyshared.findings import count_findings, render_counts, render_listing
from chattyshared.text import Column, render_rows

DEFECT_KINDS: dict[str, str] = {
    "format": "the file's own format is not kept",
    "misaligned": "turns, standalone questions and queries do not correspond one to one",
    "turn-count": "more or fewer turns than asked for",
    "query-syntax": "the query is no SELECT or ASK of SPARQL 1.1, or has a prefix or a variable that nothing declares",
    "query-fails": "the knowledge graph refuses the query (with --kg)",
    "empty-gold": "no gold answer, and the turn is not marked as unanswerable",
    "gold-differs": "the query gives another answer than the gold (with --kg)",
    "refuted": "marked as unanswerable, but gold, the query, a name, another predicate or an earlier turn answers it",
    "disagrees": "question, standalone question and query do not ask the same",
    "wh-word": "the gold is not of the kind that who, where, when, how many or the class in the question asks for",
    "open-list": "a list, count or condition over a predicate that things lack (with --kg); not if asked as recorded",
    "hierarchy": "the gold leaves out what the graph states of a part or a kind of the value (with --kg)",
    "ambiguous-name": "another thing has the name that a question says (with --kg)",
    "unrelated": "a comparison with, or a shift to, something that nothing relates to the dialogue (with --kg)",
    "uninformative": "metadata, codes, placeholders, nodes that nobody names, one value for all or one for each",
    "needless-count": "a second count, a count of one, of numbers or of categories, or where one value is the rule",
    "yes-no": "a yes-no question that opens the dialogue, is about an exact value, or asks only whether there is any",
    "repeated": "asks again, in any form or from the other end, what an earlier turn has answered",
    "answer-in-question": "a question contains its own answer, also as a part of a name",
    "not-standalone": "the standalone question does not name what it is about",
    "reference": "a follow-up refers to nothing, to one of several things, or by a wrong pronoun",
    "order": "a second step before its bridge, a count or a subset before its list, or what no turn has named",
    "wording": "ungrammatical, stiff or by a formula: the rows of question_defects.toml; with --model, its opinion",
    "unsayable": "words of columns, codes or identifiers, and names as no person writes them",
    "pointless": "a question that nobody would ask (with --model)",
    "unnatural": "a turn that does not fit into the conversation (with --model)",
    "not-judged": "the dialogue is not judged: the graph or the model did not answer, or an unexpected error occurred",
}
"""Every kind of defect with what it means, in the order of the table."""
MAX_HEAD_WIDTH = 24
"""The longest file name at the head of a column, in letters."""
KINDS_BY_GRAPH = frozenset(("query-fails", "gold-differs", "open-list", "hierarchy", "ambiguous-name", "unrelated"))
"""The kinds that only a KG shows."""
KINDS_BY_MODEL = frozenset(("pointless", "unnatural"))
"""The kinds that only a model shows."""


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result for one file.

    ``judged_kinds`` are the kinds that could be judged. ``unexpected`` counts dialogues that an unexpected error left
    unjudged, by its type and place.
    """

    file: str
    format: str
    dialogues: int
    turns: int
    defects: tuple[Finding, ...]
    judged_kinds: frozenset[str]
    unexpected: Counter[str] = field(default_factory=Counter)

    def counts_by_kind(self) -> Counter[str]:
        """Return the number of defects by kind."""
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
            "defects": len(self.defects),
            "classes": {kind: counts[kind] if kind in self.judged_kinds else None for kind in DEFECT_KINDS},
            "listing": [
                {"class": d.kind, "dialogue": d.dialogue, "turn": d.turn, "said": d.message} for d in self.defects
            ],
        }


def render_table(reports: Sequence[LintReport]) -> list[str]:
    """Return the table of several files: one found class a line, one file a column ("-": the file cannot show it)."""
    columns = [Column(), *(Column(_short_name(report.file), right=True, min_width=6) for report in reports)]
    counts = [report.counts_by_kind() for report in reports]
    rows = [
        (
            kind,
            *(
                str(count[kind]) if kind in report.judged_kinds else "-"
                for report, count in zip(reports, counts, strict=True)
            ),
        )
        for kind in DEFECT_KINDS
        if any(count[kind] for count in counts)
    ]
    return render_rows(columns, [*rows, ("all", *(str(len(report.defects)) for report in reports))])


def render_figures(reports: Sequence[LintReport]) -> Iterator[str]:
    """Yield one line a file: its size, its defects and clean dialogues."""
    for report in reports:
        line = f"{report.file}: {report.dialogues} dialogues, {report.clean_dialogues()} without a defect; "
        line += f"{report.turns} turns, {len(report.defects)} defects"
        yield line


def render_defects(reports: Sequence[LintReport], most: int) -> Iterator[str]:
    """Yield the defects of each file: how many turns have each kind, then at most ``most`` of each (0: all)."""
    for report in reports:
        found = [(f"{d.dialogue}/{d.turn}" if d.turn else d.dialogue, d) for d in report.defects]
        if found:
            yield f"\n{report.file}"
            yield from render_counts(count_findings(found, DEFECT_KINDS), max(report.turns, 1), DEFECT_KINDS)
            yield from render_listing(found, DEFECT_KINDS, most)


def _short_name(name: str) -> str:
    """Shorten a name in the middle, because files of one run differ at both ends."""
    return name if len(name) <= MAX_HEAD_WIDTH else f"{name[:11]}..{name[-11:]}"
