"""Fit the confidence of answers by logistic regression, and write it to data/chattydata/confidence.toml.

    python benchmarks/fit_confidence.py [--graph NAME=FILE[,FILE]...]... [--extra NAME=QUESTIONS=KG]... [--check]

The script asks the rule model the development sets, the paraphrases and the sets of --extra, and generated dialogues of
the graphs behind them and of --graph, as follow-ups and standing alone. An answer is right if it equals gold. The
generated answers together have the weight GENERATED_SHARE. Sets in German and held-out sets are left out.

Evidence has weights of at least 0, so that more of it never lowers a confidence; the shape of a question may count
either way. For each graph the script fits on all others, and prints how reliable the confidences are on this graph.
--check writes nothing. --rows keeps the features in a file and reads them from it if it exists. A feature is the
confidence of earlier answers, so that a second run after great changes improves the fit.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from math import exp
from pathlib import Path

from chattyshared.dialogue import Answer, History
from chattyshared.errors import ChattyError
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.questions import read_questions
from chattyshared.text import Column, render_rows
from question_sets import FOLDER, QuestionSet, find_sets, parse_extra, rate_text, read_answer_lines

from chattygen import RULEBOOK as GENERATOR_RULEBOOK
from chattygen import Options
from chattygen.pipeline import generate
from chattykg.engine import ChattyEngine, Settings
from chattykg.evaluation.gold import gold_of_dialogues, gold_of_questions
from chattykg.evaluation.metrics import Gold, score_turn
from chattykg.evaluation.reliability import compare_confidences
from chattykg.query.confidence import ConfidenceModel
from chattykg.rulebook import RULEBOOK
from chattykg.runs.batch import answer_conversation
from chattykg.runs.question_sets import (
    Conversation,
    Wording,
    conversations_from_dialogues,
    conversations_from_questions,
)

DATA = FOLDER.parent / "data" / "chattydata" / "confidence.toml"
GENERATED_SHARE = 0.1
"""Share (0..1) of the weight of generated answers, which are right far more often than answers to people."""
GENERATED = Options(dialogues=25, turns=5, seed=7)
PENALTY = 1.0
"""Strength of the L2 penalty on a weight, in answers; it keeps correlated features at similar weights."""
TOTAL_WEIGHT = 1000.0
"""Weight of all answers together, so that the penalty does not depend on their number."""
MAX_SWEEPS, MIN_STEP = 80, 1e-3
"""Sweeps over the weights, and the step below which they end."""
SHAPE_PREFIX = "is_"
"""Features with this prefix are no evidence: their weights may be negative."""


@dataclass(frozen=True, slots=True)
class Row:
    """One answer: its graph, its set, its features, whether it is right, and the id of the question."""

    graph: str
    set: str
    features: Mapping[str, float]
    is_right: bool
    id: str = ""


@dataclass(slots=True)
class RecordingEngine:
    """The engine with the rule model over a graph; keeps the features of each answer by the id of the question."""

    kg: KnowledgeGraph
    features: dict[str, Mapping[str, float]] = field(default_factory=dict)
    engine: ChattyEngine = field(init=False)

    def __post_init__(self) -> None:
        """Make the engine; it refuses no answer for its confidence."""
        self.engine = ChattyEngine(self.kg, RuleModel(RULEBOOK), settings=Settings(threshold=0.0))

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer a question and keep the features."""
        result = self.engine.answer_with_trace(question, history, span=span)
        if result.answer.status in ("answered", "empty"):
            self.features[span] = result.features
        return result.answer


def collect_rows(
    kg: KnowledgeGraph, graph: str, name: str, conversations: Sequence[Conversation], golds: Iterable[Gold]
) -> Iterator[Row]:
    """Ask the conversations and yield a row for each answer."""
    engine = RecordingEngine(kg)
    lines = [outcome.line for each in conversations for outcome in answer_conversation(engine, each)]
    answers = read_answer_lines(lines)
    for gold in golds:
        features = engine.features.get(gold.id)
        if gold.is_scored and features:
            yield Row(graph, name, features, score_turn(gold, answers.answer_to(gold.id)).is_exact, gold.id)


def collect_generated(kg: KnowledgeGraph, graph: str) -> Iterator[Row]:
    """Yield the rows of generated dialogues, as follow-ups and standing alone."""
    results = generate(kg, RuleModel(GENERATOR_RULEBOOK), GENERATED)
    dialogues = [result.dialogue for result in results if result.dialogue is not None]
    wordings: tuple[Wording, ...] = ("follow-up", "standalone") if dialogues else ()
    for wording in wordings:
        conversations = conversations_from_dialogues(dialogues, wording)
        yield from collect_rows(kg, graph, f"generated/{graph}", conversations, gold_of_dialogues(dialogues))


def collect_written(
    question_set: QuestionSet, open_graph: Callable[[tuple[str, ...]], KnowledgeGraph]
) -> Iterator[Row]:
    """Yield the rows of a set of questions."""
    questions = read_questions(question_set.path)
    for kg, sources in question_set.sources.items():
        asked = [question for question in questions if question.kg == kg]
        graph = graph_name(sources)
        conversations = conversations_from_questions(asked)
        golds = gold_of_questions(asked)
        yield from collect_rows(open_graph(sources), graph, f"{question_set.name}/{graph}", conversations, golds)


def graph_name(sources: Sequence[str]) -> str:
    """Return the name of a graph: that of its first file, or of the folder of a file without a name of its own."""
    path = Path(sources[0])
    return path.parent.name if path.stem in ("kg", "graph") else path.stem


def collect_all(sets: Sequence[QuestionSet], graphs: Mapping[str, tuple[str, ...]]) -> list[Row]:
    """Ask all sets, then generated dialogues of their graphs and of ``graphs``."""
    open_graph = lru_cache(maxsize=None)(open_kg)
    rows = [row for question_set in sets for row in collect_written(question_set, open_graph)]
    every = {graph_name(sources): sources for each in sets for sources in each.sources.values()}
    for graph, sources in (every | dict(graphs)).items():
        try:
            rows += collect_generated(open_graph(sources), graph)
        except ChattyError as error:
            print(f"{graph}: no dialogues ({error})", file=sys.stderr)
    return rows


def fit(rows: Sequence[Row], start: ConfidenceModel | None = None) -> ConfidenceModel:
    """Fit a logistic regression by Newton steps on one weight at a time; evidence keeps weights of at least 0."""
    names = sorted(rows[0].features)
    weights = dict(start.weights) if start else dict.fromkeys(names, 0.0)
    intercept = start.intercept if start else 0.0
    columns = {name: [row.features[name] for row in rows] for name in names}
    importances = _importances(rows)
    odds = [intercept + sum(weights[name] * row.features[name] for name in names) for row in rows]
    for _ in range(MAX_SWEEPS):
        step = _step(rows, [1.0] * len(rows), importances, odds, 0.0, 0.0)
        intercept += step
        longest = abs(step)
        for name in names:
            low = float("-inf") if name.startswith(SHAPE_PREFIX) else 0.0
            moved = _step(rows, columns[name], importances, odds, weights[name], PENALTY, low)
            weights[name] += moved
            longest = max(longest, abs(moved))
        if longest < MIN_STEP:
            break
    return ConfidenceModel(intercept, weights)


def _step(  # noqa: PLR0913
    rows: Sequence[Row], column: Sequence[float], importances: Sequence[float], odds: list[float],
    weight: float, penalty: float, low: float = float("-inf"),
) -> float:  # fmt: skip
    """Return the Newton step of one weight, cut at ``low``, and add it to the log-odds of all rows."""
    gradient, curvature = -penalty * weight, penalty + 1e-9
    for row, value, importance, log_odds in zip(rows, column, importances, odds, strict=True):
        probability = 1 / (1 + exp(-log_odds))
        gradient += importance * value * (row.is_right - probability)
        curvature += importance * value * value * probability * (1 - probability)
    step = max(low, weight + gradient / curvature) - weight
    for index, value in enumerate(column):
        odds[index] += step * value
    return step


def _importances(rows: Sequence[Row]) -> list[float]:
    """Return the weight of each row: a set counts as the root of its size, so that small sets count too."""
    sizes = Counter(row.set for row in rows)
    parts = {True: 0.0, False: 0.0}
    for row in rows:
        parts[_is_generated(row)] += sizes[row.set] ** -0.5
    shares = {True: GENERATED_SHARE, False: 1 - GENERATED_SHARE}
    return [
        TOTAL_WEIGHT * shares[_is_generated(row)] * sizes[row.set] ** -0.5 / parts[_is_generated(row)] for row in rows
    ]


def _is_generated(row: Row) -> bool:
    return row.set.startswith("generated/")


def cross_validate(rows: Sequence[Row], model: ConfidenceModel) -> dict[int, float]:
    """Return the confidence of each row by a model that is fitted on the other graphs; ``model`` is the start."""
    found: dict[int, float] = {}
    for graph in sorted({row.graph for row in rows}):
        others = fit([row for row in rows if row.graph != graph], model)
        found |= {index: others.estimate(row.features) for index, row in enumerate(rows) if row.graph == graph}
    return found


def print_reliability(rows: Sequence[Row], confidences: Mapping[int, float]) -> None:
    """Print a line for each set, for the written and the generated ones, and for all."""
    members: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        for name in (row.set, "all generated" if _is_generated(row) else "all written", "all"):
            members.setdefault(name, []).append(index)
    names = sorted(
        members, key=lambda name: (name.startswith("all"), len(members[name]) * name.startswith("all"), name)
    )
    heads = ("n", "right", "ECE", "AUROC", "P@.9", "(n)")
    lines = [
        (name, *_figures([(confidences[index], rows[index].is_right) for index in members[name]])) for name in names
    ]
    print("\n".join(render_rows([Column("set"), *(Column(head, right=True) for head in heads)], lines)))


def _figures(answers: Sequence[tuple[float, bool]]) -> tuple[str, ...]:
    found = compare_confidences(answers)
    right = sum(is_right for _, is_right in answers) / len(answers)
    rates = (right, found["ece"], found["auroc"], found["sure_precision"])
    return str(found["n"]), *map(rate_text, rates), str(found["sure_n"])


def write_model(model: ConfidenceModel, rows: Sequence[Row], command: str) -> None:
    """Write the weights with their origin."""
    lines = [
        "# The confidence of an answer: a logistic regression over the features of chattykg.query.confidence.",
        "# benchmarks/fit_confidence.py writes it, and tells how reliable it is on graphs that it has not seen.",
        f"origin = {json.dumps(command)}",
        f"answers = {len(rows)}",
        f"sets = {len({row.set for row in rows})}",
        f"intercept = {model.intercept:.3f}",
    ]
    tables = (
        ("evidence", "More of it never lowers a confidence.", False),
        ("shape", "The shape of the question.", True),
    )
    for table, comment, is_shape in tables:
        lines += ["", f"# {comment}", f"[{table}]"]
        names = sorted(name for name in model.weights if name.startswith(SHAPE_PREFIX) == is_shape)
        lines += [f"{name} = {model.weights[name]:.3f}" for name in names]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")


def parse_graph(text: str) -> tuple[str, tuple[str, ...]]:
    """Return name and files of a text NAME=FILE,FILE."""
    name, _, paths = text.partition("=")
    return name, tuple(paths.split(","))


def state_command(graphs: Sequence[tuple[str, tuple[str, ...]]], extras: Sequence[QuestionSet]) -> str:
    """Return the command with the names of files, without their folders."""
    parts = ["python", "benchmarks/fit_confidence.py"]
    for name, paths in graphs:
        parts += ["--graph", f"{name}={','.join(Path(path).name for path in paths)}"]
    for each in extras:
        parts += ["--extra", f"{each.name}={each.path.parent.name}/{each.path.name}"]
    return shlex.join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Collect the answers, fit, print the cross validation and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", action="append", type=parse_graph, default=[], metavar="NAME=FILE[,FILE]")
    parser.add_argument("--extra", action="append", type=parse_extra, default=[], metavar="NAME=QUESTIONS=KG")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="keep the features here, or read them from here")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    own = [each for each in find_sets() if not each.name.startswith(("held_out", "development/german"))]
    sets = [each for each in own if not each.is_ambiguous] + options.extra
    if options.rows and options.rows.exists():
        rows = [Row(**json.loads(line)) for line in options.rows.read_text(encoding="utf-8").splitlines()]
    else:
        rows = collect_all(sets, dict(options.graph))
    if options.rows:
        options.rows.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows), encoding="utf-8")
    model = fit(rows)
    print_reliability(rows, cross_validate(rows, model))
    if not options.check:
        write_model(model, rows, state_command(options.graph, options.extra))


if __name__ == "__main__":
    main()
