"""The closed loop: a round trip learns from some dialogues and answers others."""

import json

import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.errors import ConfigError
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, Usage
from chattyshared.model.rules import RuleModel

import chattygen
from chattykg.engine import Settings
from chattykg.roundtrip import ExperienceOptions, RoundtripModels, RunFolder, roundtrip
from chattykg.rulebook import RULEBOOK
from chattykg.runs.answer_run import EngineConfig, RunOptions
from chattykg.runs.cost_estimate import RehearsalModel

pytestmark = pytest.mark.slow
OPTIONS = chattygen.Options(dialogues=6, turns=3)


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


@pytest.fixture(scope="module")
def kg():
    return open_kg("demo")


def learn(kg, path, model, **options):
    config = EngineConfig(Settings(strategy="direct"))
    models = RoundtripModels(RuleModel(chattygen.RULEBOOK), model, "pupil", config)
    experience = ExperienceOptions(learns=True, is_used=model.name != "rules")
    return roundtrip(
        kg, models, OPTIONS, RunFolder(path), RunOptions(wording="standalone", **options), experience=experience
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
