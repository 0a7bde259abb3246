"""Measure lint against readers: its recall, its precision, and which injected faults it finds.

    python benchmarks/lint_recall.py [--folder FOLDER] [--model SPEC] [--verbose] [--without-kg]

The dialogues are those of benchmarks/lint, one file a graph, or of another folder of this form; ``marks.jsonl`` holds
what readers marked in them, who worked apart and saw neither the code nor who had made the dialogues. A mark counts if
all readers gave the turn this class; it is found if lint has a finding of a kind of this class in this turn. A finding
is right if a reader marked its turn with a class of its kind. ``any turn`` asks only whether both mark a turn at all.
``stiff`` stands apart: taste decides more of it. With ``--model``, all is told once more for the rules and the model
together. ``lint_faults.py`` injects faults into turns that no reader marked.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from chattyshared.check import Finding
from chattyshared.kg.factory import open_kg
from chattyshared.model import LanguageModel
from chattyshared.model.target import ModelOptions
from chattyshared.resources import open_model_factory
from chattyshared.text import Column, render_rows
from lint_faults import FAULTS, measure_faults

from chattygen.lint import LintGraph, ModelJudge, lint_source, open_lint_graph, read_source

HERE = Path(__file__).parent
FOLDER = HERE / "lint"
KINDS_BY_CLASS: Mapping[str, frozenset[str]] = {
    "gold-wrong": frozenset(("gold-differs", "empty-gold", "query-fails")),
    "gap": frozenset(("open-list", "hierarchy")),
    "ambiguous": frozenset(("ambiguous-name",)),
    "differs": frozenset(("disagrees",)),
    "unanswerable-wrong": frozenset(("refuted",)),
    "pointless": frozenset(
        ("pointless", "yes-no", "unrelated", "repeated", "needless-count", "uninformative", "answer-in-question",
         "unnatural")
    ),
    "reference": frozenset(("reference", "not-standalone")),
    "stiff": frozenset(("wording", "unsayable", "reference", "unnatural")),
    "order": frozenset(("order",)),
}  # fmt: skip
"""The kinds of lint's findings by the readers' classes."""
Place = tuple[str, str, int]
"""A turn: its graph, its dialogue, its number."""
Marks = tuple[frozenset[tuple[Place, str]], ...]
"""What each reader marked: a turn, and a class of defects."""


def main() -> None:
    """Print recall, precision, and the faults that are found; with ``--verbose``, what is missed and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--without-kg", action="store_true", help="lint the files alone")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="dialogues (GRAPH.jsonl) with marks.jsonl")
    parser.add_argument("--model", help="a language model that reads the dialogues, too")
    args = parser.parse_args()
    sources = {path: graph_source(path.stem) for path in sorted(args.folder.glob("*.jsonl")) if path.stem != "marks"}
    graphs = {} if args.without_kg else {path: open_lint_graph(open_kg([kg])) for path, kg in sources.items()}
    marks = read_marks(args.folder / "marks.jsonl")
    judges = [None, *([ModelJudge(open_judge(args.model))] if args.model else [])]
    for judge in judges:
        findings = [pair for path in sources for pair in lint_file(path, graphs.get(path), judge)]
        print("rules and model" if judge else "rules")
        print("\n".join([*render_recall(marks, findings), "", *render_precision(marks, findings), ""]))
        if args.verbose:
            print("\n".join([*list_differences(marks, findings), ""]))
    marked = {place for reader in marks for place, _ in reader}
    rates = measure_faults(args.folder, {path.stem: kg for path, kg in sources.items()}, marked)
    print("injected faults")
    print("\n".join(f"  {name:<24} {found:>3} of {tried}" for name, (found, tried) in rates.items()))
    print(f"  found (half or more): {sum(2 * found >= tried > 0 for found, tried in rates.values())} of {len(FAULTS)}")


def graph_source(name: str) -> str:
    """Return where the graph of a file of dialogues lies: a development or held-out one, or the demo graph."""
    paths = [*HERE.glob(f"*/{name}/graph.ttl"), *HERE.glob(f"*/*/{name}.ttl")]
    return str(paths[0]) if paths else "demo"


def open_judge(spec: str) -> LanguageModel:
    """Open a model by its spec, with the keys of the environment."""
    options = {"base_url": os.environ.get("OPENAI_BASE_URL"), "model_timeout": 120.0}
    return open_model_factory(options, ModelOptions())(spec, {})


def lint_file(path: Path, graph: LintGraph | None, judge: ModelJudge | None) -> list[tuple[Place, Finding]]:
    """Return the findings in one file with their places."""
    report = lint_source(read_source(path), graph=graph, judge=judge)
    return [((path.stem, finding.dialogue, finding.turn), finding) for finding in report.defects]


def read_marks(path: Path) -> Marks:
    """Return the marks of each reader: a turn, and a class of defects."""
    marks: dict[int, set[tuple[Place, str]]] = defaultdict(set)
    for line in path.read_text(encoding="utf-8").splitlines():
        mark = json.loads(line)
        for defect in mark.get("defects", ()):
            marks[mark["reader"]].add(((mark["graph"], mark["dialogue"], mark["turn"]), defect))
    return tuple(map(frozenset, marks.values()))


def render_recall(marks: Marks, findings: Iterable[tuple[Place, Finding]]) -> list[str]:
    """Return the table of recall: the marks that all readers gave, and those that lint finds."""
    agreed = frozenset.intersection(*marks)
    turns = {place for place, _ in findings}
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
    marked = {place for place, _ in agreed}
    rows.append(("any turn", str(len(marked)), str(len(marked & turns)), ratio(len(marked & turns), len(marked))))
    return render_rows(columns, rows)


def render_precision(marks: Marks, findings: Iterable[tuple[Place, Finding]]) -> list[str]:
    """Return the table of precision: the findings of each kind, those of a class that a reader marked in the turn, and
    those in a turn that a reader marked at all."""
    either = frozenset.union(*marks)
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


def list_differences(marks: Marks, findings: list[tuple[Place, Finding]]) -> Iterable[str]:
    """Yield the marks that lint misses and the findings that no reader shares."""
    found = {(place, name) for place, finding in findings for name in classes_of(finding.kind)}
    for (graph, dialogue, turn), name in sorted(frozenset.intersection(*marks) - found):
        yield f"missed  {graph}/{dialogue}/{turn}  {name}"
    either = frozenset.union(*marks)
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
