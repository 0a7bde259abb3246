"""A chat service for tests of the page: an engine with scripted answers, which can wait, and a hostile graph."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.dialogue import Answer, Clarification, ClarificationOption, LinkedTerm, Reason, Value
from chattyshared.errors import AnswerStopped, EndpointUnavailable
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from wire.running_service import ORCHARD, PIERS

from chattykg.engine import ChattyEngine, EngineResult
from chattykg.rulebook import RULEBOOK
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.steps import AnswerStep

BASE = "https://orchard.example/"
XSD = "http://www.w3.org/2001/XMLSchema#"
SCRIPT = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
MARKDOWN = "**bold** [link](javascript:document.title='owned')"
REVERSED = "fdp.\u202eexe.evil\u2066"
LONG = "endless " * 1250
FORMULA = '=HYPERLINK("http://evil.example","a")'
HOSTILE = f"""
:x1 a :Tree ; rdfs:label {SCRIPT!r} .
:x2 a :Tree ; rdfs:label "{MARKDOWN}" .
:x3 a :Tree ; rdfs:label "fdp.\\u202eexe.evil\\u2066" .
:x4 a :Tree ; rdfs:label "{LONG.strip()}" .
"""


def thing(name: str, label: str) -> Value:
    return Value(BASE + name, "iri", label=label)


def number(value: object) -> Value:
    return Value(str(value), "number", XSD + "integer")


LISTED = tuple(thing(f"t{n}", f"Tree-number {n} (*[\\^$.|?+{{/") for n in range(1, 46))
"""Names with all that has a meaning in a regular expression."""
TABLE_ROWS = (
    (thing("t1", "Old Bramley"), number(9), Value("1931-04-02", "literal", XSD + "date")),
    (thing("t2", "Young Russet"), number(112), Value("-0044-03-15", "literal", XSD + "date")),
    (thing("x1", FORMULA), number(30), Value("1950-09-12", "literal", XSD + "date")),
)
PLANTED = "Who planted Old Bramley?"
QUERY = f"SELECT ?tree WHERE {{ ?tree <{BASE}planted> ?who }}"
ANSWERS = {
    "list": Answer(
        LISTED, sparql=QUERY, confidence=0.8, sentence="every tree",
        entities=(LinkedTerm("tree", BASE + "Tree", "tree"),),
    ),
    "table": Answer(
        tuple(row[0] for row in TABLE_ROWS), rows=TABLE_ROWS, columns=("tree", "height", "planted on"), sparql=QUERY,
        confidence=0.95, sentence="every tree with its height",
    ),
    "namesake": Answer(
        (thing("t2", "Old Bramley"),), confidence=0.8, sentence="the child of Old Bramley",
        entities=(LinkedTerm("Old Bramley", BASE + "t1", "Old Bramley"),),
    ),
    "hostile": Answer(
        (thing("x1", SCRIPT), thing("x2", MARKDOWN), thing("x3", REVERSED), thing("x4", LONG)),
        sparql=QUERY, confidence=0.6, sentence=f"every {SCRIPT} {LONG}", notes=(MARKDOWN,),
        witness=((BASE + "x1", BASE + "planted", BASE + "x3"),),
    ),
    "text": Answer((Value(LONG.strip() + " end", "literal"),), confidence=0.9, sparql=QUERY, sentence="its text"),
    "unclear": Answer(
        without_values="clarification",
        clarification=Clarification("Which tree do you mean?", (
            ClarificationOption("list", BASE + "t1"), ClarificationOption("table", BASE + "t2"),
        )),
    ),
    "refusal": Answer(
        reason=Reason("unknown-name", "This graph knows no boats."), suggestions=("Who planted Old Bramley?",),
        notes=("This graph is about trees and people.",),
    ),
}  # fmt: skip


@dataclass
class ScriptedEngine:
    """Gives the scripted answer of a question; "slow" waits for ``go``, "broken" fails once, others go to an engine."""

    engine: ChattyEngine
    go: threading.Event = field(default_factory=threading.Event)
    ended: list[str] = field(default_factory=list)
    failures: int = 0

    def answer_with_trace(self, question: str, history: Any = (), *, span: str = "", progress: Any = None) -> Any:
        """Answer a question."""
        if question in ANSWERS:
            return EngineResult(ANSWERS[question])
        if question == "broken":
            self.failures += 1
            if self.failures == 1:
                raise EndpointUnavailable("the graph does not answer")
            question = PLANTED
        if question == "slow":
            self._wait(progress)
            question = PLANTED
        return self.engine.answer_with_trace(question, history, span=span, progress=progress)

    def answer(self, question: str, history: Any = (), *, span: str = "") -> Answer:
        """Answer an example question."""
        return self.engine.answer(question, history, span=span)

    def _wait(self, progress: Any) -> None:
        for text in ("Linked “Old Bramley” (tree)", "Running query 1", "Running query 2"):
            progress.report(AnswerStep("query", text))
        try:
            while not self.go.wait(0.02):
                progress.check_stop()
        except AnswerStopped:
            self.ended.append("stopped")
            raise
        self.ended.append("answered")


def scripted_registry(folder: Path) -> tuple[DatasetRegistry, ScriptedEngine]:
    """Return two data sets; the first one answers by the script."""
    datasets = {}
    for name, text in (("orchard", ORCHARD + HOSTILE), ("piers", PIERS)):
        file = folder / f"{name}.ttl"
        file.write_text(text, encoding="utf-8")
        kg = open_kg([str(file)])
        datasets[name] = ServedDataset(name, kg, ChattyEngine(kg, RuleModel(RULEBOOK)))
    scripted = ScriptedEngine(datasets["orchard"].engine)
    orchard = ServedDataset("orchard", datasets["orchard"].kg, scripted)  # type: ignore[arg-type]
    return DatasetRegistry({**datasets, "orchard": orchard}, "rules"), scripted
