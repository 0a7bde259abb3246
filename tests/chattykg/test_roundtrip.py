"""The round trip over the bundled graph, with the rule models."""

import json
from pathlib import Path
from typing import Any

import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.errors import ConfigError, ModelUnavailable
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.model.rules import RuleModel

import chattygen
from chattykg.conversation.context import ConversationContext
from chattykg.engine import Settings
from chattykg.evaluation.evaluate import evaluate
from chattykg.roundtrip import (
    ExperienceOptions,
    RoundtripModels,
    RoundtripResult,
    RunFolder,
    roundtrip,
    run_folder_name,
)
from chattykg.rulebook import RULEBOOK
from chattykg.runs.answer_run import EngineConfig, RunOptions
from chattykg.runs.cost_estimate import RehearsalModel

pytestmark = pytest.mark.slow

MANY = 10_000
OPTIONS = chattygen.Options(dialogues=3, turns=3)


@pytest.fixture(scope="module")
def kg(demo: KnowledgeGraph) -> KnowledgeGraph:
    return demo


class Failing:
    """A model whose server is gone after some calls."""

    name = "rules"

    def __init__(self, model: LanguageModel, calls: int) -> None:
        self._model, self._limit, self.calls = model, calls, 0

    def complete(self, request: Request) -> Completion:
        if self.calls == self._limit:
            raise ModelUnavailable("gone", model=self.name)
        self.calls += 1
        return self._model.complete(request)


class Listening(Failing):
    """A model that keeps the conversations that it is shown."""

    def __init__(self) -> None:
        super().__init__(RuleModel(RULEBOOK), MANY)
        self.shown: list[ConversationContext] = []

    def complete(self, request: Request) -> Completion:
        if request.agent == "answer/rephraser":
            self.shown.append(request.variables["history"])
        return super().complete(request)


def models(asking: int = MANY, answering: int = MANY) -> tuple[Failing, Failing]:
    return Failing(RuleModel(chattygen.RULEBOOK), asking), Failing(RuleModel(RULEBOOK), answering)


def go(kg: KnowledgeGraph, path: Path, pair: tuple[Failing, Failing] | None = None, **way: Any) -> RoundtripResult:
    return roundtrip(kg, RoundtripModels(*(pair or models()), "rules"), OPTIONS, RunFolder(path), RunOptions(**way))


def timeless(path: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{key: part for key, part in line.items() if key not in ("seconds", "stages")} for line in lines]


@pytest.fixture(scope="module")
def whole(kg: KnowledgeGraph, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    path = tmp_path_factory.mktemp("runs") / "whole"
    done = go(kg, path)
    assert (done.dialogues, done.errors, len(done.evaluation.turns())) == (3, 0, 9)
    return RunFolder(path)


def test_everything_lies_in_the_folder(whole):
    assert sorted(file.name for file in whole.path.iterdir()) == [
        "answers.jsonl", "answers.jsonl.run.json", "answers.jsonl.trace.jsonl", "benchmark.jsonl",
        "benchmark.jsonl.rejected.jsonl", "benchmark.jsonl.run.json", "benchmark.jsonl.trace.jsonl", "scores.json",
    ]  # fmt: skip
    assert json.loads(whole.scores.read_text()) == evaluate(whole.benchmark, whole.answers).figures
    assert all(trace.stat().st_size for trace in whole.traces)


def test_run_again_it_makes_the_same_of_what_is_there(kg, whole):
    before = {file.name: file.read_bytes() for file in whole.path.iterdir()}
    told: list[int] = []
    done = go(kg, whole.path, on_progress=told.append, workers=2)
    assert {file.name: file.read_bytes() for file in whole.path.iterdir()} == before
    assert (len(done.evaluation.turns()), told) == (9, [9])


@pytest.mark.parametrize("half", [0, 1])
def test_stopped_in_either_half_it_goes_on_to_the_same_bytes(kg, whole, tmp_path, half):
    counted = models()
    go(kg, tmp_path / "counted", counted)
    limits = [MANY, MANY]
    limits[half] = counted[half].calls - 1
    with pytest.raises(ModelUnavailable):
        go(kg, tmp_path / "cut", models(*limits))
    assert not RunFolder(tmp_path / "cut").scores.exists()
    rest = models()
    go(kg, tmp_path / "cut", rest, workers=3)
    assert 0 < rest[half].calls < counted[half].calls
    assert RunFolder(tmp_path / "cut").benchmark.read_bytes() == whole.benchmark.read_bytes()
    assert timeless(RunFolder(tmp_path / "cut").answers) == timeless(whole.answers)


def test_a_model_that_is_gone_from_the_start_leaves_what_was_there(kg, whole, tmp_path):
    with pytest.raises(ConfigError, match="rules: gone"):
        go(kg, tmp_path / "runs" / "none", models(asking=0))
    assert list(tmp_path.iterdir()) == []
    before = {file.name: file.read_bytes() for file in whole.path.iterdir()}
    with pytest.raises(ConfigError, match="rules: gone"):
        go(kg, whole.path, models(asking=0), overwrite=True)
    assert {file.name: file.read_bytes() for file in whole.path.iterdir()} == before


def test_one_trace_for_both_halves_can_be_wanted(kg, tmp_path):
    trace = tmp_path / "trace.jsonl"
    go(kg, tmp_path / "run", trace=trace)
    agents = {json.loads(line)["data"].get("agent", "").split("/")[0] for line in trace.read_text().splitlines()}
    assert agents == {"", "generate", "answer"}
    assert not any(path.exists() for path in RunFolder(tmp_path / "run").traces)


def test_another_history_is_another_run(kg, whole):
    with pytest.raises(ConfigError, match='history: "own" there, "gold" now'):
        go(kg, whole.path, history="gold")


def test_the_right_history_has_the_links_of_its_queries(kg, tmp_path):
    listening = Listening()
    go(kg, tmp_path / "gold", (models()[0], listening), history="gold")
    linked = [one for shown in listening.shown for exchange in shown.history for one in exchange.answer.entities]
    assert linked and all(one.label and one.type and "://" not in one.type for one in linked)


@pytest.mark.parametrize(
    ("sources", "name"),
    [
        (["demo"], "demo"),
        (["../data/prod-vocab.ttl", "/x/prod-inst.nt.gz"], "prod-vocab-prod-inst"),
        (["http://127.0.0.1:8890/sparql"], "127-0-0-1-8890-sparql"),
        (["../.."], "graph"),
        (["x" * 100 + ".ttl"], "x" * 60),
    ],
)
def test_a_folder_is_called_by_the_graph(sources, name):
    assert run_folder_name(sources) == name


# the closed loop: some dialogues teach what others are answered with

LEARNING = chattygen.Options(dialogues=6, turns=3)


class NeedsExamples:
    """A model that answers only where it is shown examples; it keeps them."""

    name = "pupil"

    def __init__(self, kg):
        self._rehearsal, self.shown = RehearsalModel(kg), []

    def complete(self, request):
        if request.agent == "answer/direct":
            self.shown.append(request.variables["examples"])
            if not request.variables["examples"]:
                return Completion(json.dumps({"shape": "none", "sparql": "", "unused": []}), Usage(1, 1, 1))
        return self._rehearsal.complete(request)


def learn(kg, path, model, **options):
    config = EngineConfig(Settings(strategy="direct"))
    models = RoundtripModels(RuleModel(chattygen.RULEBOOK), model, "pupil", config)
    experience = ExperienceOptions(learns=True, is_used=model.name != "rules")
    return roundtrip(
        kg, models, LEARNING, RunFolder(path), RunOptions(wording="standalone", **options), experience=experience
    )


def test_other_dialogues_are_answered_without_and_with_what_was_learned(kg, tmp_path):
    model = NeedsExamples(kg)
    result, folder = learn(kg, tmp_path, model), RunFolder(tmp_path)
    test, training = read_benchmark(folder.benchmark), read_benchmark(folder.training)
    assert (len(test), len(training), result.dialogues) == (3, 3, 3)
    assert not {d.seed.iri for d in test} & {d.seed.iri for d in training}
    gain = result.gain
    assert gain is not None
    assert gain.scores is not None
    assert gain.without.f1 == 0.0 < gain.scores.f1
    assert f"F1 0.000 without, {gain.scores.f1:.3f} with examples" in gain.describe()
    scores = json.loads(folder.scores.read_text())
    assert scores["f1"] == 0.0 and scores["experience"]["better"] > 0 == scores["experience"]["worse"]
    assert scores["experience"]["gain"] == pytest.approx(gain.scores.f1, abs=1e-6)
    questions = {turn.standalone for dialogue in test for turn in dialogue.turns}
    assert not any(f'"{question}" ->' in text for text in model.shown for question in questions)
    asked = len(model.shown)
    again = learn(kg, tmp_path, model)
    assert (again.gain, len(model.shown)) == (gain, asked)


def test_the_rules_gain_nothing_and_say_so(kg, tmp_path):
    result = learn(kg, tmp_path, RuleModel(RULEBOOK))
    assert result.gain is not None
    assert "the rules use no examples, so they gain nothing" in result.gain.describe()
    assert not RunFolder(tmp_path).answers_with_examples.exists()
    assert RunFolder(tmp_path).experience.exists()


def test_the_benchmark_of_another_run_is_kept(kg, tmp_path):
    folder = RunFolder(tmp_path)
    chattygen.generate("demo", dialogues=1, turns=2, seed=9).save(folder.benchmark)
    content = folder.benchmark.read_bytes()
    with pytest.raises(ConfigError, match="belongs to another run"):
        learn(kg, tmp_path, RuleModel(RULEBOOK))
    assert folder.benchmark.read_bytes() == content
