"""Measure lint against two readers: its recall, its precision, and which injected faults it finds.

    python benchmarks/lint_recall.py [--verbose] [--without-kg]

The dialogues are those of benchmarks/lint, one file a graph; ``marks.jsonl`` holds what two readers marked in them, who
worked apart and saw neither the code nor who had made the dialogues. A mark counts if both readers gave the turn this
class; it is found if lint has a finding of a kind of this class in this turn. A finding is right if a reader marked
its turn with a class of its kind. ``stiff`` stands apart: taste decides more of it. ``lint_faults.py`` injects faults
into turns that neither reader marked.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from chattyshared.check import Finding
from chattyshared.kg.factory import open_kg
from chattyshared.text import Column, render_rows
from lint_faults import FAULTS, measure_faults

from chattygen.lint import LintGraph, lint_source, open_lint_graph, read_source

FOLDER = Path(__file__).parent
DEVELOPMENT = FOLDER / "development"
GRAPHS = {
    "demo": "demo",
    "clinic": str(DEVELOPMENT / "qualifiers" / "clinic.ttl"),
    **{
        name: str(DEVELOPMENT / name / "graph.ttl") for name in ("export", "football", "library", "service", "wikidata")
    },
}
KINDS_BY_CLASS: Mapping[str, frozenset[str]] = {
    "gold-wrong": frozenset(("gold-differs", "empty-gold", "query-fails")),
    "gap": frozenset(("open-list", "missing-values")),
    "ambiguous": frozenset(("ambiguous-name",)),
    "differs": frozenset(("disagrees",)),
    "unanswerable-wrong": frozenset(("marked-with-gold", "refuted", "answered-elsewhere")),
    "pointless": frozenset(
        ("opens-yes-no", "exact-yes-no", "row-answer", "unrelated", "given-away", "needless-count", "uninformative",
         "vague-year", "metadata", "restated", "duplicate-query", "label-echo", "answer-in-question", "count-of-number",
         "existence-ask")
    ),
    "reference": frozenset(("unresolved", "no-reference", "not-standalone", "gender", "wrong-link")),
    "stiff": frozenset(("stiff", "formula", "unsayable", "ungrammatical", "wording", "label-artefact", "gender")),
    "order": frozenset(("before-bridge", "before-list")),
}  # fmt: skip
"""The kinds of lint's findings by the readers' classes."""
Place = tuple[str, str, int]
"""A turn: its graph, its dialogue, its number."""


def main() -> None:
    """Print recall, precision, and the faults that are found; with ``--verbose``, what is missed and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--without-kg", action="store_true", help="lint the files alone")
    args = parser.parse_args()
    graphs = {} if args.without_kg else {name: open_lint_graph(open_kg([kg])) for name, kg in GRAPHS.items()}
    findings = [pair for name in GRAPHS for pair in lint_file(name, graphs.get(name))]
    marks = read_marks()
    print("\n".join([*render_recall(marks, findings), "", *render_precision(marks, findings)]))
    if args.verbose:
        print("\n".join(["", *list_differences(marks, findings)]))
    marked = {place for reader in marks for place, _ in reader}
    rates = measure_faults(FOLDER / "lint", GRAPHS, marked)
    print("\ninjected faults")
    print("\n".join(f"  {name:<24} {found:>3} of {tried}" for name, (found, tried) in rates.items()))
    print(f"  found (half or more): {sum(2 * found >= tried > 0 for found, tried in rates.values())} of {len(FAULTS)}")


def lint_file(name: str, graph: LintGraph | None) -> list[tuple[Place, Finding]]:
    """Return the findings in one file with their places."""
    report = lint_source(read_source(FOLDER / "lint" / f"{name}.jsonl"), graph=graph)
    return [((name, finding.dialogue, finding.turn), finding) for finding in report.defects]


def read_marks() -> tuple[frozenset[tuple[Place, str]], frozenset[tuple[Place, str]]]:
    """Return the marks of each reader: a turn, and a class of defects."""
    marks: dict[int, set[tuple[Place, str]]] = defaultdict(set)
    for line in (FOLDER / "lint" / "marks.jsonl").read_text(encoding="utf-8").splitlines():
        mark = json.loads(line)
        for defect in mark.get("defects", ()):
            marks[mark["reader"]].add(((mark["graph"], mark["dialogue"], mark["turn"]), defect))
    return frozenset(marks[1]), frozenset(marks[2])


def render_recall(
    marks: tuple[frozenset[tuple[Place, str]], ...], findings: Iterable[tuple[Place, Finding]]
) -> list[str]:
    """Return the table of recall: the marks that both readers gave, and those that lint finds."""
    agreed = marks[0] & marks[1]
    found = {(place, name) for place, finding in findings for name in classes_of(finding.kind)}
    columns = [Column(), Column(right=True), Column(right=True), Column(right=True)]
    rows = [("class", "marks", "found", "recall")]
    names = sorted({name for _, name in agreed}, key=lambda name: (name == "stiff", name))
    for title, classes in [
        *((name, {name}) for name in names if name != "stiff"),
        ("all but stiff", set(names) - {"stiff"}),
        ("stiff", {"stiff"}),
    ]:
        wanted = {mark for mark in agreed if mark[1] in classes}
        rows.append((title, str(len(wanted)), str(len(wanted & found)), ratio(len(wanted & found), len(wanted))))
    return render_rows(columns, rows)


def render_precision(
    marks: tuple[frozenset[tuple[Place, str]], ...], findings: Iterable[tuple[Place, Finding]]
) -> list[str]:
    """Return the table of precision: the findings of each kind, those of a class that a reader marked in the turn, and
    those in a turn that a reader marked at all."""
    either = marks[0] | marks[1]
    marked = {place for place, _ in either}
    counts: Counter[str] = Counter()
    right: Counter[str] = Counter()
    near: Counter[str] = Counter()
    for place, finding in findings:
        for title in (finding.kind, "all"):
            counts[title] += 1
            right[title] += any((place, name) in either for name in classes_of(finding.kind))
            near[title] += place in marked
    columns = [Column(), *(Column(right=True) for _ in range(5))]
    rows = [("kind", "findings", "class marked", "turn marked", "precision", "by turn")]
    for kind in sorted(counts, key=lambda kind: (kind == "all", kind)):
        number = counts[kind]
        figures = (number, right[kind], near[kind])
        rows.append((kind, *map(str, figures), ratio(right[kind], number), ratio(near[kind], number)))
    return render_rows(columns, rows)


def list_differences(
    marks: tuple[frozenset[tuple[Place, str]], ...], findings: list[tuple[Place, Finding]]
) -> Iterable[str]:
    """Yield the marks that lint misses and the findings that no reader shares."""
    found = {(place, name) for place, finding in findings for name in classes_of(finding.kind)}
    for (graph, dialogue, turn), name in sorted((marks[0] & marks[1]) - found):
        yield f"missed  {graph}/{dialogue}/{turn}  {name}"
    either = marks[0] | marks[1]
    for place, finding in findings:
        if not any((place, name) in either for name in classes_of(finding.kind)):
            yield f"extra   {'/'.join(map(str, place))}  {finding.kind}: {finding.message}"


def classes_of(kind: str) -> list[str]:
    """Return the readers' classes that a kind of finding stands for."""
    return [name for name, kinds in KINDS_BY_CLASS.items() if kind in kinds]


def ratio(part: int, whole: int) -> str:
    """Return a ratio with two decimals."""
    return f"{part / whole:.2f}" if whole else "-"


if __name__ == "__main__":
    main()
