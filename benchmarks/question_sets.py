"""Answer the question sets with the rule model, and print one line of figures for each set.

    python benchmarks/question_sets.py [SET...] [--json FILE]
    python benchmarks/question_sets.py development --extra NAME=QUESTIONS=KG

A SET is ``held_out``, ``development``, ``paraphrases``, or the start of a name such as ``development/qualifiers``.
Without SET all are asked. ``--extra`` adds another file of questions. Its KG is ``demo``, an RDF file, or a folder with
an RDF file for each ``kg`` of the questions; then each graph has a line, and the last line is their mean.

``F1`` counts each question, and empty gold is right if nothing is said; ``gold F1`` is over the questions with gold.
``said`` is the share of all questions with an answer, ``answered`` that of the questions with gold, ``false`` that of
those without. ``ECE``, ``AUROC`` and ``P@.9`` (precision of the answers with a confidence of at least 0.9, and their
number) tell what confidences are worth. Of ambiguous questions the last lines tell the share to which the engine asks
back, the share of which it names all options, and the share that the next turn resolves. No question is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

from chattyshared.answers import answer_to_json
from chattyshared.dialogue import Answer, Exchange
from chattyshared.jsonlines import read_lines
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.questions import Question, read_questions
from chattyshared.text import Column, render_rows

from chattykg.engine import ChattyEngine, Settings
from chattykg.evaluation.gold import gold_of_questions
from chattykg.evaluation.metrics import TurnScore, mean, mean_f1, score_turn
from chattykg.evaluation.reliability import measure_reliability
from chattykg.evaluation.system_runs import read_system_run
from chattykg.rulebook import RULEBOOK
from chattykg.runs.batch import answer_conversation
from chattykg.runs.question_sets import conversations_from_questions

FOLDER = Path(__file__).parent
GRAPH_SUFFIXES = (".ttl", ".nt")
REFUSAL_CODES = ("ambiguous", "missing-referent")
"""Codes of the refusals that ask which thing is meant."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A file of questions; ``sources`` are the files of each graph by the ``kg`` of the questions."""

    name: str
    path: Path
    sources: Mapping[str, tuple[str, ...]]
    is_split: bool = False

    @property
    def is_ambiguous(self) -> bool:
        """Tell whether the questions have several readings."""
        return self.path.stem == "ambiguous"


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one set; rates are None where the set has nothing to measure them."""

    n: int
    f1: float
    gold_f1: float | None
    said: float
    answered: float | None
    false: float | None
    ece: float | None
    auroc: float | None
    sure_precision: float | None
    sure_n: int


@dataclass(frozen=True, slots=True)
class AmbiguityFigures:
    """Shares of the ambiguous questions (``n``), and of the ``controls``, which are not ambiguous."""

    n: int
    asks_back: float
    names_options: float
    resolved: float
    controls: int
    controls_right: float


def find_sets() -> Iterator[QuestionSet]:
    """Yield the sets of this folder."""
    for path in sorted(FOLDER.glob("*/*/*.jsonl")):
        name = path.relative_to(FOLDER).with_suffix("").as_posix()
        yield QuestionSet(name, path, {kg: _graph_of(path, kg) for kg in _graph_names(path)})
    yield QuestionSet("paraphrases", FOLDER / "paraphrases.jsonl", {"": ("demo",)})


def parse_extra(text: str) -> QuestionSet:
    """Return the set of a text NAME=QUESTIONS=KG."""
    name, questions, kg = text.split("=", 2)
    path = Path(questions)
    if not Path(kg).is_dir():
        return QuestionSet(name, path, {graph: (kg,) for graph in _graph_names(path)})
    graphs = {graph: (str(_existing(Path(kg) / graph)),) for graph in _graph_names(path)}
    return QuestionSet(name, path, graphs, is_split=True)


def _graph_names(path: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.get("kg") or "" for _, value in read_lines(path)))


def _graph_of(path: Path, kg: str) -> tuple[str, ...]:
    """Return the files of a graph: named ``kg``, else ``graph``, else as the last word of the file of questions."""
    if kg == "demo":
        german = path.parent / "demo_de.ttl"
        return (str(files("chattydata").joinpath("demo.ttl")), str(german)) if german.exists() else ("demo",)
    names = [kg] if kg else ["graph", path.stem.rpartition("_")[2]]
    return (str(_existing(*(path.parent / name for name in names))),)


def _existing(*paths: Path) -> Path:
    candidates = (path.with_name(path.name + suffix) for path in paths for suffix in GRAPH_SUFFIXES)
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        sys.exit(f"no graph {' or '.join(map(str, paths))} with suffix {' or '.join(GRAPH_SUFFIXES)}")
    return found


def open_engine(sources: Sequence[str], settings: Settings | None = None) -> ChattyEngine:
    """Return the engine with the rule model over the files of a graph."""
    return ChattyEngine(open_kg(sources), RuleModel(RULEBOOK), settings=settings)


def answer_set(question_set: QuestionSet) -> dict[str, list[TurnScore]]:
    """Ask all questions, with the engine's own history, and return the scored turns of each graph."""
    questions = read_questions(question_set.path)
    turns: dict[str, list[TurnScore]] = {}
    for kg, sources in question_set.sources.items():
        asked = [question for question in questions if question.kg == kg]
        turns[kg] = score_questions(open_engine(sources), asked)
    return turns


def score_questions(engine: ChattyEngine, questions: Sequence[Question]) -> list[TurnScore]:
    """Ask questions of one graph and compare the answers with gold, as ``chattykg evaluate`` does."""
    lines = []
    for conversation in conversations_from_questions(questions):
        lines += [dict(outcome.line) for outcome in answer_conversation(engine, conversation)]
    answers = read_answer_lines(lines)
    return [score_turn(gold, answers.answer_to(gold.id)) for gold in gold_of_questions(questions) if gold.is_scored]


def read_answer_lines(lines: Iterable[Mapping[str, Any]]) -> Any:
    """Return the lines of an answers file as a system run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return read_system_run(path)


def measure(turns: Sequence[TurnScore]) -> Figures:
    """Return the figures of scored turns."""
    with_gold = [turn for turn in turns if turn.is_answerable]
    without = [turn for turn in turns if not turn.is_answerable]
    reliability = measure_reliability(turns) or {}
    return Figures(
        n=len(turns),
        f1=mean_f1(turns),
        gold_f1=mean_f1(with_gold) if with_gold else None,
        said=fmean(turn.is_answered for turn in turns),
        answered=mean(turn.is_answered for turn in with_gold) if with_gold else None,
        false=mean(turn.is_answered for turn in without) if without else None,
        ece=reliability.get("ece"),
        auroc=reliability.get("auroc"),
        sure_precision=reliability.get("sure_precision"),
        sure_n=reliability.get("sure_n", 0),
    )


def measure_ambiguity(question_set: QuestionSet) -> AmbiguityFigures:
    """Ask each ambiguous question and its next turn, and the controls."""
    entries = [value for _, value in read_lines(question_set.path)]
    engines = {kg: open_engine(sources, _asking()) for kg, sources in question_set.sources.items()}
    asked, named, resolved, controls = [], [], [], []
    for entry in entries:
        engine = engines[entry["kg"]]
        answer = engine.answer(entry["question"])
        if entry.get("control"):
            controls.append(is_right(answer, entry["answers"]))
            continue
        asked.append(asks_back(answer))
        if entry["options"]:
            named.append(names_options(answer, entry))
        if entry.get("next"):
            following = engine.answer(entry["next"], (Exchange(entry["question"], answer),))
            resolved.append(is_right(following, gold_of_next(answer, entry)))
    return AmbiguityFigures(len(asked), fmean(asked), fmean(named), fmean(resolved), len(controls), fmean(controls))


def _asking() -> Settings:
    """Return settings with which the engine asks back, if it can."""
    return Settings(**({"clarify": "ask"} if "clarify" in {field.name for field in fields(Settings)} else {}))


def asks_back(answer: Answer) -> bool:
    """Tell whether an answer asks which thing is meant."""
    return answer.status == "clarification" or (answer.reason is not None and answer.reason.code in REFUSAL_CODES)


def names_options(answer: Answer, entry: Mapping[str, Any]) -> bool:
    """Tell whether reason, notes or clarification hold, for each option, a word that only this option has."""
    line = answer_to_json(entry["id"], entry["question"], answer)
    text = json.dumps([line.get(key) for key in ("reason", "notes", "clarification")], ensure_ascii=False).casefold()
    return all(any(word in text for word in words) for words in _words_of_options(entry))


def _words_of_options(entry: Mapping[str, Any]) -> list[set[str]]:
    """Return the words of each option that no other option has; hints tell options of one label apart."""
    labels = entry.get("option_hints") or entry["options"]
    words = [set(label.casefold().split()) for label in labels]
    return [part.difference(*words[:index], *words[index + 1 :]) for index, part in enumerate(words)]


def gold_of_next(answer: Answer, entry: Mapping[str, Any]) -> Sequence[str]:
    """Return gold of the next turn; "the second one" means the second option in the order of the engine."""
    line = answer_to_json(entry["id"], entry["question"], answer)
    offered = (line.get("clarification") or {}).get("options", [])
    if "next_option_index" not in entry or entry["next_option_index"] >= len(offered):
        return list(entry["answers"])
    label = offered[entry["next_option_index"]]["label"].casefold()
    matches = (index for index, words in enumerate(_words_of_options(entry)) if any(word in label for word in words))
    index = next(matches, None)
    return [] if index is None else list(entry["readings"][index]["answers"])


def is_right(answer: Answer, gold_texts: Sequence[str]) -> bool:
    """Tell whether an answer equals gold."""
    (gold,) = gold_of_questions([Question("1", "", answers=tuple(gold_texts))])
    return score_turn(gold, read_answer_lines([answer_to_json("1", "", answer)]).answer_to("1")).is_exact


def print_figures(figures: Mapping[str, Figures]) -> None:
    """Print a line for each set."""
    heads = ("n", "F1", "gold F1", "said", "answered", "false", "ECE", "AUROC", "P@.9", "(n)")
    rows = [
        (name, str(part.n), *(rate_text(value) for value in list(asdict(part).values())[1:-1]), str(part.sure_n))
        for name, part in figures.items()
    ]
    print("\n".join(render_rows([Column("set"), *(Column(head, right=True) for head in heads)], rows)))


def ambiguity_text(part: AmbiguityFigures) -> str:
    """Return the line of a set of ambiguous questions."""
    shares = f"asks back {part.asks_back:.3f}, names the options {part.names_options:.3f}"
    resolved = f"resolved by the next turn {part.resolved:.3f}"
    return f"{part.n} ambiguous: {shares}, {resolved}; {part.controls} controls: right {part.controls_right:.3f}"


def rate_text(value: float | None) -> str:
    """Return a rate to three decimals, or a dash."""
    return "-" if value is None else f"{value:.3f}"


def select_sets(prefixes: Sequence[str], extras: Sequence[QuestionSet]) -> list[QuestionSet]:
    """Return the sets whose names begin with one of the prefixes (all, if there is none), then the extra ones."""
    sets = list(find_sets())
    for prefix in prefixes:
        if not any(question_set.name.startswith(prefix) for question_set in sets):
            sys.exit(f"no set {prefix!r}: the sets are {', '.join(question_set.name for question_set in sets)}")
    return [each for each in sets if not prefixes or each.name.startswith(tuple(prefixes))] + list(extras)


def measure_sets(sets: Sequence[QuestionSet]) -> dict[str, Figures]:
    """Return the figures of each set, of each graph of a split set, and of all turns of a group of sets."""
    figures: dict[str, Figures] = {}
    groups: dict[str, list[list[TurnScore]]] = {}
    for question_set in sets:
        turns = answer_set(question_set)
        every = [turn for part in turns.values() for turn in part]
        group, _, rest = question_set.name.partition("/")
        groups.setdefault(group if rest else "", []).append(every)
        if question_set.is_split:
            parts = {f"{question_set.name}/{kg}": measure(part) for kg, part in turns.items()}
            figures |= parts | {f"{question_set.name} (mean)": _mean(list(parts.values()))}
        else:
            figures[question_set.name] = measure(every)
    for group, members in groups.items():
        if group and len(members) > 1:
            figures[f"{group} (all turns)"] = measure([turn for part in members for turn in part])
    return figures


def _mean(parts: Sequence[Figures]) -> Figures:
    """Return the means of the figures over graphs; numbers are sums."""
    values = {field.name: [getattr(part, field.name) for part in parts] for field in fields(Figures)}
    stated = {name: [value for value in column if value is not None] for name, column in values.items()}
    means = {name: fmean(column) if column else None for name, column in stated.items()}
    return Figures(**means | {"n": sum(values["n"]), "sure_n": sum(values["sure_n"])})


def main(arguments: Sequence[str] | None = None) -> None:
    """Answer the sets and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--extra", action="append", type=parse_extra, default=[], metavar="NAME=QUESTIONS=KG")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    options = parser.parse_args(arguments)
    sets = select_sets(options.sets, options.extra)
    figures = measure_sets([question_set for question_set in sets if not question_set.is_ambiguous])
    if figures:
        print_figures(figures)
    ambiguous = {each.name: measure_ambiguity(each) for each in sets if each.is_ambiguous}
    for name, part in ambiguous.items():
        print(f"{name}: {ambiguity_text(part)}")
    if options.json:
        every = {name: asdict(part) for name, part in (figures | ambiguous).items()}
        options.json.write_text(json.dumps(every, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
