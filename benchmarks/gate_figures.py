"""The figures of the gate: how each row of gate.toml is measured, by the commands or by the engine's public names.

A task measures the rows that begin with one of its prefixes. Of a held-out set it yields sums only, never a question.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any, Literal

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, Request
from chattyshared.model.rules import RuleModel
from chattyshared.questions import Question, read_questions
from chattyshared.sparql.analysis import parse_query_terms
from click.testing import CliRunner
from gate_world import QUICK_PREFIXES, SLOW_PREFIXES, measure_world
from question_sets import FOLDER, QuestionSet, answer_set, find_sets, measure
from rdflib import OWL, RDF, RDFS, XSD, URIRef
from wide_graph import TARGETS, TRIPLES
from wide_graph import measure as measure_wide

import chattygen.cli
import chattykg.cli
from chattykg.engine import ChattyEngine, Settings
from chattykg.evaluation.metrics import TurnScore
from chattykg.rulebook import RULEBOOK

Values = Iterator[tuple[str, float]]
FIXED = FOLDER / "fixed"
BASE_COMMIT, MIX_COMMIT = "9cabdb23", "96c5738f"
"""The commit whose values are the bases and whose lint judges, and the last one whose generator kept the mix."""
CK25 = ("ck25/prod-vocab.ttl", "ck25/prod-inst.ttl")
FIXED_OPTIONS = ("--dialogues", "40", "--turns", "5", "--seed", "0", "--model", "rules")
"""How the fixed files were made, by MIX_COMMIT."""
FRESH_OPTIONS = ("--dialogues", "20", "--turns", "5", "--seed", "11", "--model", "rules")
GRAPHS = {
    "demo": "demo",
    "clinic": str(FOLDER / "development" / "qualifiers" / "clinic.ttl"),
    **{name: str(FOLDER / "development" / name / "graph.ttl") for name in ("export", "football", "service")},
}
FIXED_GRAPHS = ("demo", "football", "service", "export")
FRESH_GRAPHS = {
    "demo": "demo",
    "football": GRAPHS["football"],
    "festival": str(FOLDER / "development" / "festival" / "graph.ttl"),
    "library": str(FOLDER / "development" / "library" / "graph.ttl"),
    **{name: str(FOLDER / "held_out" / name / "graph.ttl") for name in ("apples", "events", "lifeboats", "taxonomy")},
}
FRESH_OTHERS = {"ck25": CK25, "music": ("stardog_music/kg.nt",), "databases": ("spider_dialogues_6db/kg.nt",)}
"""Graphs of others."""
LOOKUPS = ("object", "subject", "literal", "date", "number", "list")
FORMS = ("count", "boolean", "two-hop", "superlative", "comparison", "filter", "conjunction", "negation",
         "unanswerable")  # fmt: skip
LINKS = ("topic", "answer", "among", "position", "shift")
MIN_OF_FORM, MIN_OF_KIND = 5, 10
"""Turns of a form in a fixed file, and questions of a kind in all held-out sets, from which there is a row."""
MIXED_FORMS = ("lookup", *LOOKUPS, *FORMS)
STRATEGIES: tuple[Literal["direct", "agent", "staged"], ...] = ("direct", "agent", "staged")
_ECHO = re.compile(r'(?:mention|nothing is named) "[^"\n]*"')
"""Where a prompt repeats the question's words."""


class NotRun(Exception):
    """A task cannot be run here; the text says why."""


@dataclass(frozen=True, slots=True)
class Places:
    """The checkout, the data of others, and the folder of what the gate makes once."""

    root: Path
    data: Path
    cache: Path


@dataclass(frozen=True, slots=True)
class Task:
    """A measurement, and the prefixes of its rows; ``files`` are the fixed benchmark files that it reads."""

    prefixes: tuple[str, ...]
    measure: Callable[..., Values]
    arguments: tuple[Any, ...] = ()
    files: tuple[str, ...] = ()

    def owns(self, row: str) -> bool:
        """Tell whether the task measures a row."""
        return row.startswith(self.prefixes)

    def meets(self, prefixes: Sequence[str]) -> bool:
        """Tell whether the task measures rows with one of some prefixes."""
        return any(own.startswith(other) or other.startswith(own) for own in self.prefixes for other in prefixes)


def tasks_of(places: Places, *, quick: bool) -> list[Task]:
    """Return all tasks, those that take long first."""
    sets: dict[str, list[QuestionSet]] = {}
    for each in find_sets():
        if not each.is_ambiguous:
            folder = each.name.rpartition("/")[0] or each.name
            sets.setdefault(folder, []).append(each)
    held_out = [each for name, members in sets.items() if name.startswith("held_out/") for each in members]
    world = QUICK_PREFIXES if quick else (*SLOW_PREFIXES, *QUICK_PREFIXES)
    tasks = [
        *(Task((prefix,), measure_world, (places.root, prefix)) for prefix in world),
        Task(("lint/",), measure_lint, (places,)),
        Task(("sets/held_out/",), measure_held_out, (held_out,)),
        Task(("roundtrip/ck25/",), measure_ck25, (places,)),
    ]
    for name in FIXED_GRAPHS:
        file = f"{name}.jsonl"
        arguments = (name, FIXED / file, [GRAPHS[name]])
        tasks.append(Task((f"roundtrip/{name}/",), measure_round_trip, arguments, (file,)))
    for name, graph in FRESH_GRAPHS.items():
        tasks.append(Task((f"fresh/{name}/",), measure_fresh, (places, name, [graph])))
    for name, parts in FRESH_OTHERS.items():
        tasks.append(
            Task((f"fresh/{name}/",), measure_fresh, (places, name, [str(places.data / part) for part in parts]))
        )
    for name, members in sets.items():
        if not name.startswith("held_out/"):
            tasks.append(Task((f"sets/{name}/",), measure_sets, (members,)))
        tasks.append(Task((f"recall/{name}/",), measure_recall, (name, members)))
    tasks += [Task((f"shares/{name}/",), measure_shares, (name,)) for name in ("demo", "football", "service")]
    tasks += [Task(("mix/",), measure_mixes)]
    return [*tasks, Task(("seconds/",), measure_seconds, (), ("demo.jsonl",))]


def run_command(main: Any, *arguments: str) -> str:
    """Run a command of the product in this process and return what it prints.

    Raises:
        RuntimeError: it failed.
    """
    done = CliRunner().invoke(main, arguments)
    if done.exit_code:
        raise RuntimeError(f"exit {done.exit_code} of {arguments[0]}: {done.output.strip()[-200:]}") from done.exception
    return done.stdout


def checkout(commit: str, places: Places) -> Path:
    """Return a folder with the tree of a commit, and unpack it first if it is not there.

    Raises:
        NotRun: this checkout has no such commit.
    """
    folder = places.cache / commit
    if folder.is_dir():
        return folder
    done = subprocess.run(["git", "-C", str(places.root), "archive", commit], capture_output=True, check=False)
    if done.returncode:
        raise NotRun(f"commit {commit} is not in this checkout")
    places.cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places.cache) as name:
        tree = Path(name) / commit
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(tree, filter="data")
        tree.rename(folder)
    return folder


def run_old(commit: str, places: Places, *arguments: str, folder: Path) -> str:
    """Run chattygen of a commit in a folder by this interpreter; return what it prints.

    Raises:
        RuntimeError: it failed.
    """
    tree = checkout(commit, places)
    path = os.pathsep.join(str(tree / part) for part in ("", "shared", "prompts", "data"))
    call = [sys.executable, "-P", "-c", "from chattygen.cli import main; main()", *arguments]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode} of {arguments[0]} of {commit}: {done.stderr.strip()[-200:]}")
    return done.stdout


def score_benchmark(file: Path, graphs: Sequence[str]) -> dict[str, Any]:
    """Answer a benchmark file by rules, and return the scores that ``evaluate --json`` prints."""
    kg = [part for graph in graphs for part in ("--kg", graph)]
    with tempfile.TemporaryDirectory() as name:
        answers = str(Path(name) / "answers.jsonl")
        run_command(chattykg.cli.main, "answer", *kg, "--benchmark", str(file), "-o", answers)
        return dict(json.loads(run_command(chattykg.cli.main, "evaluate", "--json", str(file), answers)))


def measure_round_trip(name: str, file: Path, graphs: Sequence[str]) -> Values:
    """Yield F1, false answers, and F1 by form of a fixed file; rare forms are left out."""
    scores = score_benchmark(file, graphs)
    yield f"roundtrip/{name}/f1", scores["f1"]
    yield f"roundtrip/{name}/false", scores["false_answers"]
    for form, part in scores["by_form"].items():
        if part["n"] >= MIN_OF_FORM:
            yield f"roundtrip/{name}/form/{form}", part["f1"]


def measure_ck25(places: Places) -> Values:
    """Yield the same of CK25, whose file MIX_COMMIT makes if it is not there."""
    if not all((places.data / name).is_file() for name in CK25):
        raise NotRun("no data of others (--data)")
    file = places.cache / "ck25.jsonl"
    if not file.is_file():
        graphs = [part for name in CK25 for part in ("--kg", name)]
        places.cache.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=places.cache) as name:
            made = Path(name) / file.name
            run_old(MIX_COMMIT, places, "generate", *graphs, *FIXED_OPTIONS, "-o", str(made), folder=places.data)
            made.rename(file)
    yield from measure_round_trip("ck25", file, [str(places.data / name) for name in CK25])


def measure_fresh(places: Places, name: str, graphs: Sequence[str]) -> Values:
    """Yield F1 and false answers on dialogues that today's generator makes.

    The fixed files hold the wording of an old generator: a rule that today's wording needs is missed here only.
    """
    if any(graph.startswith(str(places.data)) and not Path(graph).is_file() for graph in graphs):
        raise NotRun("no data of others (--data)")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "benchmark.jsonl"
        kg = [part for graph in graphs for part in ("--kg", graph)]
        run_command(chattygen.cli.main, "generate", *kg, *FRESH_OPTIONS, "-o", str(file))
        scores = score_benchmark(file, graphs)
    yield f"fresh/{name}/f1", scores["f1"]
    yield f"fresh/{name}/false", scores["false_answers"]


def generate_turns(graph: str, *options: str, dialogues: int = 40) -> list[list[dict[str, Any]]]:
    """Return the turns of each dialogue that today's generator makes by rules."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "benchmark.jsonl"
        run_command(chattygen.cli.main, "generate", "--kg", graph, "--dialogues", str(dialogues), *options,
                    "-o", str(file))  # fmt: skip
        return [json.loads(line)["turns"] for line in file.read_text(encoding="utf-8").splitlines()[1:]]


def count_forms(dialogues: Sequence[Sequence[dict[str, Any]]]) -> Counter[str]:
    """Count the turns by form; a turn without an answer counts as unanswerable alone, ``lookup`` is their sum."""
    turns = [turn for dialogue in dialogues for turn in dialogue]
    counts = Counter(turn["form"] if turn["answerable"] else "unanswerable" for turn in turns)
    counts["lookup"] = sum(counts[form] for form in LOOKUPS)
    return counts


def measure_shares(name: str) -> Values:
    """Yield the shares of turns by form and link, the turns a dialogue, and the number of predicates asked about."""
    dialogues = generate_turns(GRAPHS[name])
    turns = [turn for dialogue in dialogues for turn in dialogue]
    forms, links = count_forms(dialogues), Counter(turn["link"] for turn in turns)
    yield from ((f"shares/{name}/form/{form}", forms[form] / len(turns)) for form in ("lookup", *FORMS))
    yield from ((f"shares/{name}/link/{link}", links[link] / len(turns)) for link in LINKS)
    yield f"shares/{name}/turns", len(turns) / len(dialogues)
    yield f"shares/{name}/predicates", len({predicate for turn in turns for _, predicate, _ in turn["triples"]})


def measure_mixes() -> Values:
    """Yield the share of each form that ``--mix FORM=40`` reaches on the demo graph."""
    for form in MIXED_FORMS:
        dialogues = generate_turns("demo", "--mix", f"{form}=40", dialogues=20)
        yield f"mix/{form}", count_forms(dialogues)[form] / sum(map(len, dialogues))


UNJUDGED = ("format", "open-list")
"""Kinds of the lint of BASE_COMMIT that do not count: its schema lacks the unanswerable kind ``relation``, and
questions about an open list now say that they ask what is recorded."""


def measure_lint(places: Places) -> Values:
    """Yield the marks a hundred turns of today's dialogues, by the lint of BASE_COMMIT; without UNJUDGED kinds."""
    for name, graph in GRAPHS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "benchmark.jsonl"
            run_command(chattygen.cli.main, "generate", "--kg", graph, "--dialogues", "12", "-o", str(file))
            printed = run_old(BASE_COMMIT, places, "lint", "--json", "--kg", graph, str(file), folder=Path(folder))
        (report,) = json.loads(printed)["files"]
        marks = sum(number for kind, number in report["classes"].items() if kind not in UNJUDGED)
        yield f"lint/{name}", 100 * marks / report["turns"]


def measure_sets(question_sets: Sequence[QuestionSet]) -> Values:
    """Yield gold F1, false answers and the precision of what is answered."""
    for question_set in question_sets:
        turns = [turn for part in answer_set(question_set).values() for turn in part]
        yield from set_values(f"sets/{question_set.name}", turns)


def measure_held_out(question_sets: Sequence[QuestionSet]) -> Values:
    """Yield the same of held-out sets, of all their turns together, and F1 of the kinds that are not rare."""
    every: list[TurnScore] = []
    by_kind: dict[str, list[float]] = {}
    for question_set in question_sets:
        kinds = {str(each.id): str(each.extra.get("kind")) for each in read_questions(question_set.path)}
        turns = [turn for part in answer_set(question_set).values() for turn in part]
        every += turns
        yield from set_values(f"sets/{question_set.name}", turns)
        for turn in turns:
            if turn.is_answerable:
                by_kind.setdefault(kinds[turn.gold.id], []).append(turn.f1)
    yield from set_values("sets/held_out/all", every)
    yield "sets/held_out/false-count", sum(turn.is_answered and not turn.is_answerable for turn in every)
    yield from ((f"sets/held_out/kind/{kind}", fmean(f1)) for kind, f1 in by_kind.items() if len(f1) >= MIN_OF_KIND)


def set_values(name: str, turns: Sequence[TurnScore]) -> Values:
    """Yield the figures of scored turns; the precision is the mean F1 of the turns with an answer."""
    figures = measure(turns)
    answered = [turn.f1 for turn in turns if turn.is_answered]
    if figures.gold_f1 is not None:
        yield f"{name}/f1", figures.gold_f1
    if figures.false is not None:
        yield f"{name}/false", figures.false
    yield f"{name}/precision", fmean(answered) if answered else 0.0


class Captured(Exception):
    """The first request is taken."""


@dataclass(slots=True)
class CapturingModel:
    """A model that keeps the first request and ends the work."""

    name: str = "capturing"
    requests: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Completion:
        """Keep a request.

        Raises:
            Captured: always.
        """
        self.requests.append(request)
        raise Captured


def measure_recall(name: str, question_sets: Sequence[QuestionSet]) -> Values:
    """Yield, for each strategy, the share of questions whose gold IRIs all stand in its first prompt, and its tokens.

    Asked are the questions that stand alone and those that open a conversation.
    """
    found: dict[str, list[bool]] = {strategy: [] for strategy in STRATEGIES}
    tokens: dict[str, list[int]] = {strategy: [] for strategy in STRATEGIES}
    for question_set in question_sets:
        openings = [each for each in read_questions(question_set.path) if each.dialogue_id is None or each.turn == 1]
        for graph, sources in question_set.sources.items():
            kg, known = open_kg(sources), dict[str, bool]()
            for question in openings:
                iris = gold_iris(question, kg, known) if question.kg == graph and question.answers else []
                for strategy in STRATEGIES if iris else ():
                    request = first_request(kg, question.question, strategy)
                    if request is not None:
                        shown = shows_all(request, question.question, kg, iris)
                        found[strategy].append(shown)
                        tokens[strategy].append(sum(len(message.content) for message in request.messages) // 4)
    for strategy in STRATEGIES if all(found.values()) else ():
        yield f"recall/{name}/{strategy}", fmean(found[strategy])
        yield f"recall/{name}/{strategy}-tokens", fmean(tokens[strategy])


def gold_iris(question: Question, kg: KnowledgeGraph, known: dict[str, bool]) -> list[str]:
    """Return the IRIs of the gold query that the graph holds, without those by which it states labels and classes."""
    terms = parse_query_terms(question.sparql)
    structural = {*kg.profile.labels, *kg.profile.types, *kg.profile.subclasses}
    iris = sorted({*terms.vertices, *terms.predicates} - structural) if terms else []
    iris = [iri for iri in iris if not iri.startswith(tuple(map(str, (RDF, RDFS, OWL, XSD))))]
    for iri in iris:
        if iri not in known:
            known[iri] = kg.endpoint.ask(
                f"ASK {{ {{ <{iri}> ?p ?o }} UNION {{ ?s <{iri}> ?o }} UNION {{ ?s ?p <{iri}> }} }}"
            )
    return [iri for iri in iris if known[iri]]


def first_request(kg: KnowledgeGraph, question: str, strategy: Literal["direct", "agent", "staged"]) -> Request | None:
    """Return the first request that a strategy makes for a question; None if it makes none, or for another purpose."""
    model = CapturingModel()
    with suppress(Captured):
        ChattyEngine(kg, model, settings=Settings(strategy=strategy)).answer(question)
    agents = {"direct": "answer/direct", "agent": "answer/agent", "staged": "answer/qir"}
    return next((each for each in model.requests if each.agent == agents[strategy]), None)


def shows_all(request: Request, question: str, kg: KnowledgeGraph, iris: Sequence[str]) -> bool:
    """Tell whether a prompt shows every IRI, by its name or its label; the question itself does not count."""
    text = _ECHO.sub("", request.messages[-1].content.replace(question, "")).casefold()
    for iri in iris:
        label, local = kg.label(URIRef(iri)).casefold(), re.split(r"[/#]", iri)[-1].casefold()
        names = rf"(?<=[:/#]){re.escape(local)}(?![\w-])|(?<![\w-]){re.escape(label)}(?![\w-])"
        if not re.search(names, text) and not re.search(rf"(?<=[:,] ){re.escape(local)}(?![\w-])", _find_list(text)):
            return False
    return True


def _find_list(text: str) -> str:
    """Return the line of a prompt that names predicates, each prefix once."""
    return next((line for line in text.splitlines() if line.startswith("further predicates: ")), "")


def measure_seconds() -> Values:
    """Yield the milliseconds of the processor that a question standing alone takes by rules on the demo graph.

    Then those over graphs with many predicates, and the share of these questions that are answered right.
    """
    lines = (FIXED / "demo.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    questions = [turn["standalone"] for line in lines for turn in json.loads(line)["turns"]]
    engine = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))
    engine.answer(questions[0])
    spent = []
    for question in questions:
        started = time.process_time()
        engine.answer(question)
        spent.append(1000 * (time.process_time() - started))
    yield "seconds/demo-p50-ms", median(spent)
    yield "seconds/demo-p95-ms", quantiles(spent, n=20)[-1]
    for number in TARGETS:
        with tempfile.TemporaryDirectory() as folder:
            p50, p95, right = measure_wide(number, TRIPLES, Path(folder))
        yield from ((f"seconds/wide-{number}-{name}", value) for name, value in (("p50-ms", p50), ("p95-ms", p95)))
        yield f"seconds/wide-{number}-right", right
