"""A plan over the graph of ships of ``tests/chattykg``, and an engine whose replies a test gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from chattyshared.benchmark import Benchmark, make_header, write_benchmark
from chattyshared.dialogue import Answer, Dialogue, History, LinkedTerm, Seed, Turn, Value

from chattykg.simulation.goals import GoalPlan, plans_from_dialogues
from chattykg.simulation.simulated_user import SimulatedUser, UserSettings

S, V = "https://ships.example/", "https://ships.example/vocab/"
ANN, BOB = Value(S + "ann", "iri", label="Ann Lee"), Value(S + "bob", "iri", label="Bob Ray")
KIEL, LUND = Value(S + "kiel", "iri", label="Kiel Port"), Value(S + "lund", "iri", label="Lund Port")
GERMANY = Value(S + "de", "iri", label="Germany")


def turn(number: int, question: str, standalone: str, link: Any, kind: str, triple: tuple[str, str, str], *gold: Value,
         form: Any = "object") -> Turn:  # fmt: skip
    terms = " ".join(term if term.startswith("?") else f"<{term}>" for term in triple)
    sparql = f"ASK {{ {terms} }}" if form == "boolean" else f"SELECT DISTINCT ?x WHERE {{ {terms} }}"
    return Turn(number, question, standalone, form, link, kind, bool(gold), "easy", sparql, gold, (triple,))


CAPTAIN = turn(1, "Who is the captain of Aurora?", "Who is the captain of Aurora?", "opens", "person",
               (S + "aurora", V + "captain", "?x"), ANN)  # fmt: skip
BIRTH = turn(2, "Where was she born?", "Where was Ann Lee born?", "answer", "Harbor",
             (S + "ann", V + "birthPlace", "?x"), KIEL)  # fmt: skip
COUNTRY = turn(3, "What country is Kiel Port in?", "What country is Kiel Port in?", "answer", "country",
               (S + "kiel", V + "country", "?x"), GERMANY)  # fmt: skip
SCRAPPED = turn(4, "When was the ship scrapped?", "When was Aurora scrapped?", "topic", "date",
                (S + "aurora", V + "scrapped", "?x"))  # fmt: skip
TALK = Dialogue("d0001", Seed(S + "aurora", "Aurora", V + "Ship"), (CAPTAIN, BIRTH, COUNTRY, SCRAPPED))
REFUSAL = Answer()


def plan_of(*turns: Turn, lang: str = "", kg: Any = None) -> GoalPlan:
    """The plan of some turns about Aurora."""
    (plan,) = plans_from_dialogues([replace(TALK, turns=turns, lang=lang)], kg)
    return plan


def told(*values: Value, about: str = "", sentence: str = "", **more: Any) -> Answer:
    """An answer with values, perhaps linked to a thing, by its label."""
    entities = (LinkedTerm(about, S + about, about),) if about else ()
    return Answer(values, entities=entities, sentence=sentence, **more)


class ScriptedEngine:
    """Replies in sequence, and keeps what it was asked; the last reply is repeated, and an exception is raised."""

    def __init__(self, *replies: Answer | Exception) -> None:
        self.replies, self.asked, self.histories = list(replies), list[str](), list[History]()

    def answer(self, question: str, history: History = (), *, span: str = "") -> Answer:
        self.asked.append(question)
        self.histories.append(history)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


def converse(plan: GoalPlan, engine: Any, **settings: Any) -> SimulatedUser:
    """Let a user talk with an engine."""
    return SimulatedUser(engine, plan, UserSettings(**settings)).converse()


def write_plan(path: Path, count: int = 1) -> Path:
    """Write a benchmark that repeats the talk."""
    generate = {"options": {}, "seed": 0, "model": "by hand", "prompts": {}, "versions": {}}
    header = make_header("ships", sources=["ships.ttl"], fingerprint="", triples=70, generate=generate)
    write_benchmark(path, Benchmark(header, tuple(replace(TALK, id=f"d{n:04}") for n in range(1, count + 1))))
    return path
