"""Fit the weights of the grammar's rules, and those by which the graph chooses among readings.

    python benchmarks/fit_grammar.py [SET...] [--extra NAME=QUESTIONS=KG] [--dialogues 20] [--write]

Each question with gold is parsed; each of its readings is answered by the engine alone, and is right if the answers are
the gold ones. Weights are then fitted by a log-linear model: the right readings of a question get the probability that
the wrong ones have. The questions are those of the sets (see question_sets.py) that open a conversation, and the
standalone questions of dialogues that are generated from the graphs of these sets. For each set the script prints the
share of questions whose first reading is right: with the weights of the rule file, with weights that are fitted on all
other sets, and at best. ``--write`` fits on all sets, writes the weights into the rule file, and prints the weights of
the graph's part, which ``chattykg/agents/readings.py`` holds.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.questions import read_questions
from question_sets import QuestionSet, is_right, parse_extra, select_sets

import chattykg.rulebook.grammar as grammar_package
from chattygen import RULEBOOK as GENERATOR_RULEBOOK
from chattygen import Options
from chattygen.pipeline import generate
from chattykg.agents.matching import matching
from chattykg.agents.planning import planning
from chattykg.agents.readings import EMPTY_COST, QUERY_WEIGHT, REFUSED_COST, open_reading
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.qir import QuestionReading
from chattykg.rulebook import RULEBOOK
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.parser import Parse, parse
from chattykg.settings import Settings
from chattykg.state import AgentContext, AgentState

RULE_FILE = Path(grammar_package.__file__).with_name("english.gram")
EPOCHS, RATE, SHRINKAGE = 12, 0.15, 0.02
"""Passes over the questions, step of each, and share by which weights go back to those of the file after each pass."""
QUERY, EMPTY, REFUSED = "graph: query score", "graph: empty", "graph: refused"
"""Features of what the graph holds of a reading."""
WEIGHT = re.compile(r" \[-?[\d.]+\]$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reading with its score, its features and whether its answers are the gold ones."""

    score: float
    features: Mapping[str, float]
    is_right: bool


Readings = Sequence[Candidate]


def standalone_questions(question_set: QuestionSet, dialogues: int) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield (graph, question, gold answers): the first questions of conversations, and generated ones."""
    for question in read_questions(question_set.path):
        if question.answers and (question.turn or 1) <= 1 and question.lang in ("", "en"):
            yield question.kg, question.question, question.answers
    for kg, sources in question_set.sources.items():
        options = Options(dialogues=dialogues, turns=5, seed=7)
        for result in generate(open_kg(sources), RuleModel(GENERATOR_RULEBOOK), options):
            for turn in result.dialogue.turns if result.dialogue else ():
                if turn.answers:
                    yield kg, turn.standalone, tuple(answer.value for answer in turn.answers)


def read_candidates(question: str, gold: Sequence[str], kg: KnowledgeGraph) -> Readings:
    """Parse a question and answer each of its readings."""
    card = build_vocabulary_card(question, kg)
    return [_candidate(each, question, gold, card, kg) for each in parse(question, card)]


def _candidate(each: Parse, question: str, gold: Sequence[str], card: VocabularyCard, kg: KnowledgeGraph) -> Candidate:
    context = AgentContext(kg, {"": RuleModel(RULEBOOK)}, Settings())
    state: AgentState = {"standalone": question, "question": question, "card": card}
    for step in (lambda: open_reading(state, context, (QuestionReading(each.qir, each.score),)),
                 lambda: matching(state, context), lambda: planning(state, context)):  # fmt: skip
        if state.get("answer") is None:
            state.update(step())
    answer = state["answer"]
    assert answer is not None
    features = Counter(_rules(each.node))
    features[QUERY] = answer.candidates[0].score if answer.candidates else 0.0  # type: ignore[assignment]
    features[EMPTY], features[REFUSED] = int(not answer.values), int(answer.reason is not None)
    return Candidate(each.score, features, is_right(answer, gold))


def _rules(node: Node) -> Iterator[str]:
    yield WEIGHT.sub("", node.rule.text) if node.rule else f"lexical: {node.category}"
    for child in node.children:
        yield from _rules(child)


def fit(questions: Iterable[Readings]) -> dict[str, float]:
    """Return the changes of the weights that make right readings likely, and the weights of the graph's features."""
    change = {QUERY: QUERY_WEIGHT, EMPTY: -EMPTY_COST, REFUSED: -REFUSED_COST}
    start = dict(change)
    telling = [q for q in questions if any(c.is_right for c in q) and not all(c.is_right for c in q)]
    rng = random.Random(1)
    for _ in range(EPOCHS):
        rng.shuffle(telling)
        for readings in telling:
            _step(readings, change)
        for name in change:
            change[name] += SHRINKAGE * (start.get(name, 0.0) - change[name])
    return change


def _step(readings: Readings, change: dict[str, float]) -> None:
    scores = [total(candidate, change) for candidate in readings]
    powers = [math.exp(score - max(scores)) for score in scores]
    right = sum(power for power, candidate in zip(powers, readings, strict=True) if candidate.is_right)
    for power, candidate in zip(powers, readings, strict=True):
        error = (power / right if candidate.is_right and right else 0.0) - power / sum(powers)
        for name, value in candidate.features.items():
            change[name] = change.get(name, 0.0) + RATE * error * value


def total(candidate: Candidate, change: Mapping[str, float]) -> float:
    """Return the score of a reading with changed weights."""
    return candidate.score + sum(change.get(name, 0.0) * value for name, value in candidate.features.items())


def first_is_right(readings: Readings, change: Mapping[str, float]) -> bool:
    """Tell whether the reading with the highest score is right."""
    return bool(readings) and max(readings, key=lambda candidate: total(candidate, change)).is_right


def write_weights(change: Mapping[str, float]) -> None:
    """Add the changes to the weights of the rule file."""
    lines = []
    for line in RULE_FILE.read_text(encoding="utf-8").splitlines():
        text = WEIGHT.sub("", line)
        found = WEIGHT.search(line)
        weight = (float(found[0][2:-1]) if found else 0.0) + change.get(text, 0.0)
        lines.append(f"{text} [{weight:.1f}]" if " -> " in text and abs(weight) >= 0.05 else text)
    RULE_FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit and print; write the weights if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--extra", action="append", type=parse_extra, default=[], metavar="NAME=QUESTIONS=KG")
    parser.add_argument("--dialogues", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    sets = [s for s in select_sets(options.sets, options.extra) if not s.is_ambiguous and "held_out" not in s.name]
    readings = {each.name: _read_set(each, options.dialogues) for each in sets}
    print(f"{'set':40} {'n':>5} {'file':>6} {'fitted':>6} {'best':>6}")
    start = {QUERY: QUERY_WEIGHT, EMPTY: -EMPTY_COST, REFUSED: -REFUSED_COST}
    for name, questions in readings.items():
        others = fit(q for other, group in readings.items() if other != name for q in group)
        rates = [fmean(first_is_right(q, weights) for q in questions) for weights in (start, others)]
        best = fmean(any(c.is_right for c in q) for q in questions)
        print(f"{name:40} {len(questions):5} {rates[0]:6.3f} {rates[1]:6.3f} {best:6.3f}")
    if options.write:
        change = fit(q for group in readings.values() for q in group)
        write_weights(change)
        print(", ".join(f"{name} {change[name]:.1f}" for name in (QUERY, EMPTY, REFUSED)))


def _read_set(question_set: QuestionSet, dialogues: int) -> list[Readings]:
    graphs = {kg: open_kg(sources) for kg, sources in question_set.sources.items()}
    questions = dict.fromkeys(standalone_questions(question_set, dialogues))
    return [read_candidates(question, gold, graphs[kg]) for kg, question, gold in questions]


if __name__ == "__main__":
    main()
