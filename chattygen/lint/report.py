"""The kinds of defects that the lint rules find, and the report for a file, as JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chattyshared.check import Finding
from chattyshared.text import Column, render_rows

DEFECT_KINDS: dict[str, str] = {
    "format": "the file's own format is not kept",
    "misaligned": "turns, standalone questions and queries do not correspond one to one",
    "turn-count": "more or fewer turns than asked for",
    "query-syntax": "the query does not parse as SPARQL 1.1 (COUNT without AS, ...), or is neither SELECT nor ASK",
    "query-prefix": "the query uses a prefix that it does not declare",
    "query-tight": "legal tokens without a blank (<iri>?x) that rdflib's parser refuses; repaired before judging",
    "query-fails": "the knowledge graph refuses the query (with --kg)",
    "existence-ask": "an ASK that only asks whether there is any value, or is always true",
    "count-of-number": "a COUNT over values that are numbers: the number itself is the answer",
    "metadata": "asks a metadata or identifier predicate",
    "duplicate-query": "the same query as in an earlier turn",
    "restated": "asks again, in another operation or from the other end, what an earlier turn has answered",
    "disagrees": "question and query, form, class or gold do not ask the same (also: another answer in --answers)",
    "empty-gold": "no gold answer, and the turn is not marked as unanswerable",
    "marked-with-gold": "marked as unanswerable, and yet there is a gold answer",
    "refuted": "the graph (with --kg) or an earlier answer has a name that the certificate of the turn excludes",
    "gold-differs": "the query gives another answer than the gold (with --kg)",
    "wording": "one word, no single question mark at the end, markup, or a small first letter",
    "ungrammatical": "doubled words, unbalanced quotes or brackets, wrong helpers, verb forms or possessives",
    "stiff": 'a stiff rewrite: "the date of birth of her", "the latter", "supplied by that supplier"',
    "formula": 'worded by a formula: "have it as their ...", "is red its color", "what ... does it have"',
    "unsayable": 'words of columns or codes that nobody says, also "load kg" and a pet\'s "pet weight"',
    "label-artefact": "a name as no person writes it: trailing dot, author and year, numeric suffix, User: prefix, ...",
    "ambiguous-name": "another entity has the name of the dialogue's entity (with --kg)",
    "answer-in-question": "a question contains its own answer",
    "label-echo": "the answer is (a part of) the name of what is asked about",
    "not-standalone": "the standalone question does not name what it is about",
    "no-reference": "a follow-up that refers to nothing mentioned before",
    "unresolved": "a reference with no, or more than one, possible antecedent",
    "gender": "he or she, where no gender (with --kg) or another was stated; they for a thing, it for a person",
    "wrong-link": "the turn does not depend on earlier turns as its link states",
    "opens-yes-no": "the dialogue opens with a yes-no question",
    "exact-yes-no": "a yes-no question about an exact number, date, code, phone number, address or long text",
    "uninformative": "flags, codes, placeholders, one value for all, a condition that one thing meets (with --kg)",
    "row-answer": "the answers are nodes that nobody names: rows, statements, values with a unit",
    "unrelated": "a comparison with, a shift to, or a denial of something that nothing relates to it (with --kg)",
    "needless-count": "a second count, a count of one or of categories, or where one value is the rule (with --kg)",
    "vague-year": "asks a year where the graph has the full date (with --kg)",
    "open-list": "a list or count over a predicate that the graph leaves out of many things (with --kg)",
    "answered-elsewhere": "marked as unanswerable, but another predicate (with --kg) or an earlier turn answers it",
    "missing-values": "a condition on a list of which members lack the value (with --kg)",
    "before-bridge": "asks about what no turn has named: a question of two steps before its bridge",
    "before-list": "a count or a subset of a list that no earlier turn has asked for",
    "given-away": "an earlier answer, or a name in the question, tells the answer",
    "not-judged": "the dialogue is not judged: the graph did not answer, or an unexpected error occurred",
}
"""Every kind of defect with what it means, in the order of the table."""
MAX_HEAD_WIDTH = 24
"""The longest file name at the head of a column, in letters."""
KINDS_BY_GRAPH = frozenset(
    ("query-fails", "ambiguous-name", "gold-differs", "unrelated", "missing-values", "vague-year")
)
"""The kinds that only a KG shows."""


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result for one file.

    ``yes_no_turns`` and ``false_yes_no_turns`` count yes-no turns, and those whose answer is no. ``unread_turns``
    counts turns that the engine did not answer (None: no engine's answers were given). ``judged_kinds`` are the kinds
    that could be judged. ``unexpected`` counts dialogues that an unexpected error left unjudged, by its type and place.
    """

    file: str
    format: str
    dialogues: int
    turns: int
    defects: tuple[Finding, ...]
    yes_no_turns: int
    false_yes_no_turns: int
    unread_turns: int | None
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
            "yes_no_turns": self.yes_no_turns,
            "false_share": round(self.false_yes_no_turns / self.yes_no_turns, 4) if self.yes_no_turns else None,
            "unread": self.unread_turns,
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
    """Yield one line a file: its size, its defects and clean dialogues, and the share of yes-no turns with a no."""
    for report in reports:
        line = f"{report.file}: {report.dialogues} dialogues, {report.clean_dialogues()} without a defect; "
        line += f"{report.turns} turns, {len(report.defects)} defects"
        if report.yes_no_turns:
            line += f"; {report.yes_no_turns} yes-no turns, {report.false_yes_no_turns / report.yes_no_turns:.0%} false"
        if report.unread_turns is not None:
            line += f"; {report.unread_turns} turns not answered by --answers"
        yield line


def render_listing(reports: Sequence[LintReport], first: int) -> Iterator[str]:
    """Yield the defects of each file, the frequent classes first, at most ``first`` of each class (0: all)."""
    for report in reports:
        if report.defects:
            yield f"\n{report.file}"
        for kind, number in report.counts_by_kind().most_common():
            yield f"  {number} {kind}: {DEFECT_KINDS[kind]}"
            defects = [defect for defect in report.defects if defect.kind == kind]
            for defect in defects[: first or None]:
                where = f"{defect.dialogue}/{defect.turn}" if defect.turn else defect.dialogue
                yield f"    {where}  {defect.message}"
            if first and number > first:
                yield f"    ... {number - first} more (--verbose lists all)"


def _short_name(name: str) -> str:
    """Shorten a name in the middle, because files of one run differ at both ends."""
    return name if len(name) <= MAX_HEAD_WIDTH else f"{name[:11]}..{name[-11:]}"
