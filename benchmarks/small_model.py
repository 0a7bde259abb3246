"""Ask a small model of a server fixed samples of question sets: alone, with the second opinion, and the rules alone.

    python benchmarks/small_model.py --base-url URL [--model openai:NAME] [--number N] [SET...]

A SET is the start of a name as in ``question_sets.py``, ``paraphrases`` unless said; ``--extra`` adds another one.
The N questions of a set are the same in each run; ``false`` counts the answers to those without gold. Replies, with
their tokens and seconds, are kept in ``--replies``: a repeat asks nothing twice and prints the same table. ``--prompt``
takes another prompt than the one that suits the model; ``--examples auto`` shows questions that are made from each
graph, a file those of ``chattykg learn``; ``--misses`` prints what the model alone misses. Tokens are those that the
server counts; seconds are those of its replies, which grow with whatever else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.answers import answer_to_json
from chattyshared.dialogue import Answer
from chattyshared.jsonlines import read_lines, to_json_line
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.model.registry import ModelFactory
from chattyshared.model.rules import RuleModel
from chattyshared.model.target import ModelOptions
from chattyshared.questions import Question, read_questions
from chattyshared.text import Column, render_rows
from question_sets import QuestionSet, parse_extra, rate_text, read_answer_lines, select_sets

from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.evaluation.gold import gold_of_questions
from chattykg.evaluation.metrics import TurnScore, mean_f1, score_turn
from chattykg.experience.leak_guard import HeldOutQuestion
from chattykg.experience.learning import select_own_examples
from chattykg.experience.retrieval import examples_from
from chattykg.rulebook import RULEBOOK

HEADS = ("set", "who", "n", "F1", "false", "calls", "prompt tokens", "cached", "reply tokens", "seconds")
REPLY_TOKENS = 300
"""Tokens of a reply at most: a small model that repeats itself does not end."""


@dataclass(slots=True)
class KeptModel:
    """A model whose replies are kept in a file with the seconds that they took; ``seconds`` sums them."""

    model: LanguageModel
    path: Path
    seconds: float = 0.0
    _kept: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.exists():
            self._kept = {line["digest"]: line for _, line in read_lines(self.path)}

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self.model.name

    def complete(self, request: Request) -> Completion:
        """Return the kept reply, or ask the model."""
        digest = request.digest()
        if digest not in self._kept:
            started = time.perf_counter()
            reply = self.model.complete(request)
            spent = round(time.perf_counter() - started, 2)
            line = {"digest": digest, "seconds": spent, "usage": asdict(reply.usage)}
            self._kept[digest] = line | {"text": reply.text, "finish": reply.finish}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(to_json_line(self._kept[digest]) + "\n")
        line = self._kept[digest]
        self.seconds += line["seconds"]
        return Completion(line["text"], Usage(**line["usage"]), line["finish"])


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of one of the three to a question, its score, and the seconds of the model."""

    question: Question
    answer: Answer
    score: TurnScore
    seconds: float


def sample(questions: Sequence[Question], number: int) -> Sequence[Question]:
    """Return so many questions, evenly spread over their file."""
    return questions[:: max(1, len(questions) // number)][:number]


def ask(question_set: QuestionSet, model: KeptModel, chosen: argparse.Namespace) -> dict[str, list[Reply]]:
    """Ask the sample of a set; return the replies by who gave them."""
    questions = sample(read_questions(question_set.path), chosen.number)
    golds = {gold.id: gold for gold in gold_of_questions(questions)}
    replies: dict[str, list[Reply]] = {}
    for graph, sources in question_set.sources.items():
        asked = [each for each in questions if each.kg == graph]
        for who, engine in open_engines(sources, asked, model, chosen):
            for question in asked:
                before, answer = model.seconds, engine.answer(question.question)
                line = answer_to_json(question.id, question.question, answer)
                score = score_turn(golds[question.id], read_answer_lines([line]).answer_to(question.id))
                replies.setdefault(who, []).append(Reply(question, answer, score, model.seconds - before))
    return replies


def open_engines(
    sources: Sequence[str], asked: Sequence[Question], model: KeptModel, chosen: argparse.Namespace
) -> Iterator[tuple[str, ChattyEngine]]:
    """Yield the three engines over a graph."""
    kg, rules = open_kg(sources), RuleModel(RULEBOOK)
    held_out = [HeldOutQuestion((question.question,), question.sparql) for question in asked]
    examples = None
    if chosen.examples == "auto":
        examples = select_own_examples(kg, held_out)
    elif chosen.examples != "off":
        examples = examples_from(chosen.examples, kg, model.name, held_out)
    components = Components(examples=examples.pool if examples else None, second_opinion=rules)
    for who, strategy in (("alone", "direct"), ("with second opinion", "auto")):
        settings = Settings(strategy=strategy, prompt=chosen.prompt)
        yield who, ChattyEngine(kg, model, settings=settings, components=components)
    yield "rules alone", ChattyEngine(kg, rules)


def render_row(name: str, who: str, replies: Sequence[Reply]) -> tuple[str, ...]:
    """Return the figures of a set and of who answers it; amounts are means of a question."""
    without = [reply.score.is_answered for reply in replies if not reply.score.is_answerable]
    usage, count = sum((reply.answer.usage for reply in replies), Usage()), len(replies)
    tokens = (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
    return (
        name, who, str(count), rate_text(mean_f1([reply.score for reply in replies])),
        f"{sum(without)} of {len(without)}" if without else "-", f"{usage.calls / count:.2f}",
        *(f"{amount / count:,.0f}" for amount in tokens), f"{sum(reply.seconds for reply in replies) / count:.1f}",
    )  # fmt: skip


def render_miss(reply: Reply) -> str:
    """Return a missed question with what was said, the query and the gold query."""
    question, answer = reply.question, reply.answer
    said = [value.label or value.value for value in answer.values[:4]] or answer.explanation
    lines = (f"{question.id} {question.question}", f"said: {said}; {' '.join(answer.notes)}",
             f"query: {' '.join(answer.sparql.split())}", f"gold: {question.sparql or 'none'}")  # fmt: skip
    return "\n   ".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the model, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=["paraphrases"], metavar="SET")
    parser.add_argument("--base-url", required=True, metavar="URL")
    parser.add_argument("--model", default="openai:qwen2.5-coder-1.5b", metavar="SPEC")
    parser.add_argument("--number", type=int, default=20, metavar="N", help="questions of a set")
    parser.add_argument("--prompt", default="auto", choices=("auto", "full", "lean"))
    parser.add_argument("--examples", default="off", metavar="auto|off|FILE")
    parser.add_argument("--extra", action="append", default=[], type=parse_extra, metavar="NAME=QUESTIONS=KG")
    parser.add_argument("--replies", type=Path, default=Path("small_model.replies.jsonl"), metavar="FILE")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows of the table")
    chosen = parser.parse_args(arguments)
    factory = ModelFactory(
        {"base_url": chosen.base_url, "model_timeout": 3_000}, os.environ, ModelOptions(reply_tokens=REPLY_TOKENS)
    )
    model, rows = KeptModel(factory(chosen.model, RULEBOOK), chosen.replies), []
    for question_set in select_sets(chosen.sets, chosen.extra):
        replies = ask(question_set, model, chosen)
        rows += [render_row(question_set.name, who, each) for who, each in replies.items()]
        for reply in replies["alone"] if chosen.misses else ():
            if reply.score.f1 < 1:
                print(render_miss(reply))
    columns = [Column(head, right=place > 1) for place, head in enumerate(HEADS)]
    print("\n".join(render_rows(columns, rows)))
    if chosen.json:
        chosen.json.write_text(json.dumps([dict(zip(HEADS, row, strict=True)) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
