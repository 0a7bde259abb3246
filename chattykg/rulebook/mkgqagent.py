"""The rule model's replies to mKGQAgent: the grammar tells what to look up, and what is found is put into a query.

Without the vocabulary the grammar reads one fact about named things: its values, how many there are, whether it holds.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from chattyshared.errors import ModelRefused
from chattyshared.language.morphology import label_stems_of, lemma_of, word_family
from chattyshared.model import Request

from chattykg.conversation.unstated_questions import find_unstated
from chattykg.exploration.actions import ANSWER, Action
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, QuestionReading, is_unknown, to_json
from chattykg.rulebook.qir import read_question

_THING = re.compile(r'(e:\d+) "[^"]*"(?: \[(.*)\])?(?:, also "[^"]*")?(?:, 0\.9[7-9] like it)?')
"""The line of a thing that has the very name that was searched, but for an article."""
_PREDICATE = re.compile(r"(\S+?)(?: \(.*\))?: (.*?) -> (.*?) \d+x; e\.g\. .*")
_DATE, _NUMBER = re.compile(r"date\w*|gYear\w*"), re.compile(r"int\w*|decimal|double|float|\w+Integer")
_LITERAL = re.compile(rf"text|boolean|time|{_DATE.pattern}|{_NUMBER.pattern}")
MAX_TRIED = 3
"""Patterns that are tried where several may be meant."""
_Things = Mapping[str, list[re.Match[str]]]


def plan_question(request: Request) -> Any:
    """Reply with a step for each name and for the relation; with none for a question that is not read."""
    qir = reading.qir if (reading := _read(request)) else QIR("list")
    return {"steps": [*(f"link the thing {name}" for name in qir.entities()), *map("link {}".format, qir.relations())]}


def act(request: Request) -> Any:
    """Reply with the next look-up, and with the query when all is looked up; the graph's response changes nothing.

    Raises:
        ModelRefused: the question is not read, or not one relation is meant.
    """
    reading = _read(request)
    if reading is None:
        raise ModelRefused("the embedded rules read only one fact about named things.")
    steps = request.variables["steps"]
    seen = {step.action: step.observation.splitlines() for step in steps if not step.action.startswith(ANSWER)}
    actions = _solve(reading, str(request.variables["question"]))
    action = next(actions)
    while action.as_prompt_text() in seen:
        action = actions.send(seen[action.as_prompt_text()])
    return {"tool": action.tool, "arguments": action.arguments}


def _read(request: Request) -> QuestionReading | None:
    question = str(request.variables["question"]).partition("\n")[0]
    card = VocabularyCard(question=question)
    for reading in () if find_unstated(question, card) else read_question(question, card)[:1]:
        is_plain = to_json(reading.qir).keys() <= {"shape", "target", "triples"} and len(reading.qir.triples) == 1
        return reading if is_plain and reading.qir.entities() else None
    return None


def _solve(reading: QuestionReading, question: str) -> Generator[Action, list[str], None]:
    """Yield the actions that lead to the answer; each is sent what it found."""
    qir, things = reading.qir, dict[str, list[re.Match[str]]]()
    for name in qir.entities():
        lines = yield Action("search_entities", {"text": name})
        things[name] = [match for match in map(_THING.fullmatch, lines) if match]
        if not things[name]:
            yield Action(ANSWER, {"shape": "none", "sparql": "", "unused": [name] if name in question else []})
    lines = yield Action("search_predicates", {"text": qir.triples[0].relation})
    facts = [fact for line in lines for fact in _find_facts(line, qir, things)]
    facts = [(pattern, kinds) for pattern, kinds in facts if qir.target[1:] in kinds] or facts
    for fact in facts[:] if 1 < len(facts) <= MAX_TRIED and qir.shape != "boolean" else ():
        truth = yield Action("run", {"query": f"ASK {{ {fact[0]} }}"})
        facts = [other for other in facts if other != fact or truth == ["true"]]
    if len(facts) != 1:
        raise ModelRefused(f'{len(facts) or "no"} relations were found for "{qir.triples[0].relation}".')
    ((pattern, kinds),) = facts
    if unused := [word for word in reading.unused if {lemma_of(word)} != set(map(lemma_of, kinds))]:
        raise ModelRefused(f'the embedded rules have no use for "{unused[0]}".')
    yield Action(ANSWER, _write_query(pattern, kinds, qir))


def _write_query(pattern: str, kinds: list[str], qir: QIR) -> dict[str, Any]:
    if qir.shape == "boolean":
        return {"shape": "boolean", "sparql": f"ASK {{ {pattern} }}"}
    is_stored = qir.shape == "count" and all(map(_NUMBER.fullmatch, kinds))
    asked = "(COUNT(DISTINCT ?x) AS ?n)" if qir.shape == "count" and not is_stored else "DISTINCT ?x"
    return {"shape": "number" if is_stored else qir.shape, "sparql": f"SELECT {asked} {{ {pattern} }}"}


def _find_facts(line: str, qir: QIR, things: _Things) -> Iterator[tuple[str, list[str]]]:
    """Yield the patterns that a predicate makes, each way, with the classes of the unknown, where classes fit."""
    match, (triple,) = _PREDICATE.fullmatch(line), qir.triples
    words = " ".join(other for word in triple.relation.split() for other in word_family(word))
    if match is None or set(label_stems_of(words)).isdisjoint(label_stems_of(line.partition(" -> ")[0])):
        return
    for subject, object_ in (triple.ends(), triple.ends()[::-1]):
        sides = {subject: match[2].split("|"), object_: match[3].split("|")}
        terms = ["?x" if is_unknown(end) else _choose(end, kinds, things) for end, kinds in sides.items()]
        unknown = next((kinds for end, kinds in sides.items() if is_unknown(end)), [])
        if all(terms) and _fits(unknown, qir):
            yield f"{terms[0]} {match[1]} {terms[1]}", unknown
            if match[1].rpartition(":")[2].casefold() == triple.relation.casefold():
                return


def _choose(name: str, kinds: list[str], things: _Things) -> str:
    """Return the number of the only thing of a name that has one of some classes; "" for none, or for several."""
    fitting = [thing[1] for thing in things[name] if not thing[2] or not set(kinds).isdisjoint(thing[2].split(", "))]
    return fitting[0] if len(fitting) == 1 else ""


def _fits(kinds: list[str], qir: QIR) -> bool:
    """Tell whether the unknown may be what is asked for: a date, a thing, or only things of the class that is named."""
    if qir.shape == "date":
        return all(map(_DATE.fullmatch, kinds))
    is_thing = qir.target in ("?who", "?place")
    return not any(map(_LITERAL.fullmatch, kinds)) if is_thing else qir.target[1:] not in kinds or len(kinds) == 1
