"""Golden runs: what the commands make of fixed inputs, each as one value of JSON; ``GROUPS`` lists them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import click
from chattyshared.errors import ConfigError
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, LanguageModel, Request, Usage, count_characters
from chattyshared.model.replay import PREFIX
from chattyshared.resources import open_kg, open_model
from click.testing import CliRunner

import chattygen.cli
import chattykg.cli
from chattygen import RULEBOOK, Options, record_run
from chattygen.options import ApproachName
from chattykg.engine import Settings
from chattykg.experience.retrieval import examples_from
from chattykg.runs.answer_run import EngineConfig, RunOptions, answer_to_file, build_manifest, open_engine
from chattykg.runs.inputs import make_input

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent
DEVELOPMENT, LINT, RECORDED = (ROOT / path for path in ("benchmarks/development", "benchmarks/lint", "tests"))
DIALOGUES = 6
COPY = "COPY"
"""Stands in arguments for a file that is thrown away."""
_ENGINE_VERSION = re.compile(r"\b(pyoxigraph|rdflib) \d[\d.]*")
DIGEST_LENGTH = 12
"""Hexadecimal digits: two of some thousand texts collide once in 10^8 runs."""

Golden = dict[str, Any]


class GoldenFault(Exception):
    """A golden run cannot be made or its file cannot be read; the message is one line."""


GRAPHS: dict[str, Path | str] = {
    "demo": "demo",
    **{path.parent.name: path for path in sorted(DEVELOPMENT.glob("*/graph.ttl"))},
    **{name: DEVELOPMENT / f"constraint_talk/{name}.ttl" for name in ("bicycles", "hotels")},
    **{name: DEVELOPMENT / f"qualifiers/{name}.ttl" for name in ("clinic", "transit")},
}


def digest(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:DIGEST_LENGTH]


@lru_cache(maxsize=4)
def load_graph(source: Path | str) -> KnowledgeGraph:
    try:
        return open_kg(source)
    except ConfigError as error:
        raise GoldenFault(f"no golden run over the graph {source}: {' '.join(str(error).split())}") from error


def generate(source: Path | str, model: LanguageModel, options: Options) -> Golden:
    """Return a benchmark as its header without versions, a row a turn, and digests of what else is in its files."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "benchmark.jsonl"
        record_run(load_graph(source), model, options, path)
        (_, first), *lines = read_lines(path)
        written = path.read_text(encoding="utf-8").partition("\n")[2]
        rejected = [line for _, line in read_lines(path.with_name(f"{path.name}.rejected.jsonl"))]
    header = first["benchmark"]
    del header["generate"]["versions"]
    turns = [turn_row(dialogue["id"], turn) for _, dialogue in lines for turn in dialogue.pop("turns")]
    dialogues = {dialogue["id"]: {name: short(value) for name, value in dialogue.items()} for _, dialogue in lines}
    return {
        "header": header,
        "turns": turns,
        "dialogues": dialogues,
        "rejected": list(map(short, rejected)),
        "bytes": digest(written),
    }


def short(value: object) -> object:
    """Return a value, or the digest of one that is long."""
    return value if len(json.dumps(value)) <= 80 else digest(value)


def turn_row(dialogue: str, turn: dict[str, Any]) -> dict[str, Any]:
    kept = {name: turn.pop(name, "") for name in ("form", "link", "question")}
    digests = {name: digest(turn.pop(name, "")) for name in ("sparql", "answers")}
    return {"id": f"{dialogue}/{turn.pop('turn')}", **kept, **digests, "rest": digest(turn)}


def generate_by_rules(graph: str) -> dict[str, Golden]:
    model = open_model("rules", RULEBOOK)
    return {
        f"generate/{graph}.{approach}": generate(GRAPHS[graph], model, Options(approach=approach, dialogues=DIALOGUES))
        for approach in get_args(ApproachName)
    }


def report(program: click.Command, name: str, *arguments: str | Path) -> dict[str, Golden]:
    """Return the JSON that a command prints, without folders and versions."""
    with TemporaryDirectory() as scratch:
        words = [f"{scratch}/copy.jsonl" if argument == COPY else str(argument) for argument in arguments]
        done = CliRunner().invoke(program, words, prog_name="chatty")
    printed = done.stdout.replace(f"{ROOT}/", "").replace(f"{scratch}/", "")
    try:
        return {f"reports/{name}": json.loads(_ENGINE_VERSION.sub(r"\1", printed))}
    except ValueError:
        said = " ".join((done.stderr or done.stdout or repr(done.exception)).split())
        raise GoldenFault(f"{words[0]} gives no JSON for {name} (exit code {done.exit_code}): {said}") from None


class InOrder:
    """A recorded model that replies to changed prompts, too: as it did to this one, else to its agent's next one."""

    def __init__(self, trace: Path) -> None:
        self.name = f"{PREFIX}{trace}"
        self.requests: list[Request] = []
        self.calls = [event["data"] for _, event in read_lines(trace) if event["kind"] == "model"]
        self.waiting = list(self.calls)

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        same = [call for call in self.calls if call["digest"] == request.digest()]
        call = next(iter(same or [call for call in self.waiting if call["agent"] == request.agent]), None)
        if call is None:
            raise GoldenFault(f"{self.name.replace(f'{ROOT}/', '')}: no reply is left for {request.agent}")
        self.waiting = [other for other in self.waiting if other is not call]
        return Completion(call["text"], Usage(calls=1), call["finish"])

    def to_golden(self) -> Golden:
        """Return a row a request, and each text of a message once, by its digest."""
        texts = {digest(message.content): message.content for request in self.requests for message in request.messages}
        rows = [
            {
                "agent": request.agent,
                "attempt": request.attempt,
                "characters": count_characters(request),
                "schema": digest([request.schema, request.tools_as_json()]),
                "messages": [digest(message.content) for message in request.messages],
            }
            for request in self.requests
        ]
        return {"requests": rows, "texts": texts}


def replay_generation(name: str, options: Options) -> dict[str, Golden]:
    model = InOrder(RECORDED / f"chattygen/recorded/{name}.trace.jsonl")
    turns = generate("demo", model, options)["turns"]
    return {f"requests/{name}": {**model.to_golden(), "turns": turns}}


def replay_answers(strategy: str, questions: str, experience: str = "") -> dict[str, Golden]:
    folder, kg = RECORDED / "chattykg/recorded", load_graph("demo")
    model, asked = InOrder(folder / f"{strategy}.trace.jsonl"), make_input(folder / questions, "follow-up")
    examples = examples_from(folder / experience if experience else None, kg, model.name, asked.held_out)
    config = EngineConfig(Settings(strategy=strategy)).with_examples(examples)  # type: ignore[arg-type]
    options = RunOptions()
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "answers.jsonl"
        manifest = build_manifest(kg, "recorded", asked.manifest_entry, options, config)
        answer_to_file(
            path, asked.conversations, lambda trace: open_engine(kg, model, trace, config), manifest, options
        )
        answers = {
            line["id"]: {"status": line["status"], "labels": line["labels"], "sparql": line["sparql"]}
            for _, line in read_lines(path)
        }
    return {f"requests/{strategy}": {**model.to_golden(), "answers": answers}}


def _reports() -> dict[str, Callable[[], dict[str, Golden]]]:
    generator, scorer = chattygen.cli.main, chattykg.cli.main
    commands: dict[str, tuple[click.Command, str, tuple[str | Path, ...]]] = {
        f"{command}.{graph}": (generator, graph, (command, LINT / f"{graph}.jsonl"))
        for graph in ("demo", "football", "clinic", "service")
        for command in ("lint", "stats")
    }
    faulty = FOLDER / "files/faulty.jsonl"  # 6 dialogues with queries, gold and words broken by hand
    commands["lint.faulty"] = (generator, "library", ("lint", faulty))
    commands["audit.faulty"] = (generator, "library", ("audit", faulty))
    commands["certify.faulty"] = (generator, "library", ("audit", "--certify", "-o", COPY, faulty))
    commands["audit.questions"] = (generator, "football", ("audit", DEVELOPMENT / "football/questions.jsonl"))
    answers = (FOLDER / f"files/{history}_history.jsonl" for history in ("own", "gold"))
    commands["evaluate"] = (scorer, "library", ("evaluate", LINT / "library.jsonl", *answers))
    return {
        f"reports/{name}": partial(report, program, name, *words, "--kg", GRAPHS[graph], "--json")
        for name, (program, graph, words) in commands.items()
    }


STAGES = Options(approach="multi-stage", types=("Film", "Person"), dialogues=3, turns=4)
GROUPS: dict[str, Callable[[], dict[str, Golden]]] = {
    **{f"generate/{graph}": partial(generate_by_rules, graph) for graph in GRAPHS},
    **_reports(),
    "requests/planned": partial(replay_generation, "planned", Options(dialogues=4, turns=5)),
    "requests/multi_stage": partial(replay_generation, "multi_stage", STAGES),
    "requests/direct": partial(replay_answers, "direct", "talk.jsonl"),
    "requests/staged": partial(replay_answers, "staged", "questions.jsonl"),
    "requests/agent": partial(replay_answers, "agent", "described.jsonl"),
    "requests/auto": partial(replay_answers, "auto", "hard.jsonl", "demo.experience.jsonl"),
    "requests/mkgqagent": partial(replay_answers, "mkgqagent", "linked.jsonl", "demo.experience.jsonl"),
    "requests/triad": partial(replay_answers, "triad", "linked_names.jsonl"),
}
"""What makes the golden files, by the beginning of their names."""
