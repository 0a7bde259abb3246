"""Gold and answers for the tests of the scores: a harbor, its ships and their crews."""

from chattyshared.dialogue import Value

from chattykg.evaluation.answer_matching import Element, gold_value, said
from chattykg.evaluation.gold import kind_of
from chattykg.evaluation.metrics import Gold, Said, TurnScore, score_turn

HARBOR = "https://harbor.example/"
A, B, C, D = (f"{HARBOR}{name}" for name in ("Aurora", "Borealis", "Castor", "Dione"))


def value(text: str) -> Element:
    if text.startswith("https://"):
        return gold_value(Value(text, "iri"))
    if text in ("true", "false"):
        return gold_value(Value(text, "boolean"))
    return gold_value(Value(text, "number" if text.isdigit() else "literal"))


def gold(*texts: str, id: str = "q", **rest: object) -> Gold:
    elements = tuple(map(value, texts))
    return Gold(id, elements, **{"kind": kind_of(elements), **rest})  # type: ignore[arg-type]


def says(*texts: str, **rest: object) -> Said:
    return Said(tuple(said(text) for text in texts), **rest)  # type: ignore[arg-type]


def turn(right: Gold, what: Said | None) -> TurnScore:
    return score_turn(right, what)
