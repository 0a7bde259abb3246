"""Gold and answers for the tests of the scores: a harbor, its ships and their crews."""

from pathlib import Path

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Value

from chattykg.evaluation.answer_matching import AnswerElement, element_from_answer, element_from_value
from chattykg.evaluation.gold import answer_type_of
from chattykg.evaluation.metrics import Gold, SystemAnswer, TurnScore, score_turn
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.system_runs import Answers

HARBOR = "https://harbor.example/"
A, B, C, D = (f"{HARBOR}{name}" for name in ("Aurora", "Borealis", "Castor", "Dione"))


def value(text: str) -> AnswerElement:
    if text.startswith("https://"):
        return element_from_value(Value(text, "iri"))
    if text in ("true", "false"):
        return element_from_value(Value(text, "boolean"))
    return element_from_value(Value(text, "number" if text.isdigit() else "literal"))


def gold(*texts: str, id: str = "q", **rest: object) -> Gold:
    elements = tuple(map(value, texts))
    return Gold(id, elements, **{"answer_type": answer_type_of(elements), **rest})  # type: ignore[arg-type]


def says(*texts: str, **rest: object) -> SystemAnswer:
    return SystemAnswer(tuple(element_from_answer(text) for text in texts), AnswerLine("q", **rest))  # type: ignore[arg-type]


def turn(right: Gold, what: SystemAnswer | None) -> TurnScore:
    return score_turn(right, what)


def card(*turns: TurnScore) -> Scorecard:
    """The scorecard of a system that answered these turns."""
    return Scorecard("ours", Answers(Path("ours.jsonl"), {}), tuple((turn.gold, turn.answer) for turn in turns))
