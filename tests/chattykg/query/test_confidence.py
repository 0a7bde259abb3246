"""Confidence is a probability that grows with the evidence, and its features tell what the engine knows."""

from __future__ import annotations

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, EngineResult, Settings
from chattykg.query.confidence import ConfidenceModel, content_words, load_confidence_model
from chattykg.rulebook import RULEBOOK


@pytest.fixture(scope="module")
def demo() -> ChattyEngine:
    return ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))


@pytest.fixture(scope="module")
def known(demo: ChattyEngine) -> EngineResult:
    return demo.answer_with_trace("Who directed Inception?")


def test_the_model_and_the_engine_know_the_same_features(known: EngineResult) -> None:
    assert set(load_confidence_model().weights) == set(known.features)
    assert all(0 <= value <= 1 for value in known.features.values())


def test_more_evidence_never_lowers_a_confidence(known: EngineResult) -> None:
    model = load_confidence_model()
    for name in (name for name in known.features if not name.startswith("is_")):
        steps = [model.estimate({**known.features, name: value}) for value in (0.0, 0.5, 1.0)]
        assert steps == sorted(steps), name


def test_a_model_is_a_logistic_regression() -> None:
    model = ConfidenceModel(-1.0, {"coverage": 2.0})
    assert model.estimate({"coverage": 0.5}) == 0.5
    with pytest.raises(KeyError):
        model.estimate({})


def test_words_that_nothing_uses_lower_coverage(demo: ChattyEngine, known: EngineResult) -> None:
    assert known.features["coverage"] == 1.0
    odd = demo.answer_with_trace("Who directed the great Inception?")
    assert odd.features["coverage"] < 1.0
    assert odd.answer.confidence < known.answer.confidence


def test_function_words_have_no_content() -> None:
    assert content_words("What is the population of the largest city?") == ("population", "largest", "city")


def test_an_answer_below_the_threshold_is_refused(demo: ChattyEngine, known: EngineResult) -> None:
    strict = Settings(threshold=min(1.0, known.answer.confidence + 0.001))
    refused = ChattyEngine(demo.kg, RuleModel(RULEBOOK), settings=strict).answer("Who directed Inception?")
    assert refused.reason is not None
    assert (refused.values, refused.reason.code, refused.sparql) == ((), "too-unsure", known.answer.sparql)
