"""The rule model's replies to mKGQAgent: the grammar tells what to look up, and what is found is put into a query.

Without the vocabulary the grammar reads one fact about named things: its values, how many there are, whether it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from chattyshared.errors import ModelRefused
from chattyshared.language.morphology import label_stems_of, lemma_of, word_family
from chattyshared.model import Request

from chattykg.exploration.actions import ANSWER, Action
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, QuestionReading, is_unknown, to_json
from chattykg.rulebook.qir import read_question
from chattykg.rulebook.unstated_questions import find_unstated

_THING = re.compile(r'(e:\d+) "[^"]*" \[(.*)\](?:, also "[^"]*")?(?:, 0\.9[7-9] like it)?')
"""The line of a thing that has the very name that was searched, but for an article."""
_PREDICATE = re.compile(r"(\S+?)(?: \(.*\))?: (.*?) -> (.*?) \d+x; e\.g\. .*")
_DATE, _NUMBER = re.compile(r"date\w*|gYear\w*"), re.compile(r"int\w*|decimal|double|float|\w+Integer")
_LITERAL = re.compile(rf"text|boolean|time|{_DATE.pattern}|{_NUMBER.pattern}")
_Things = Mapping[str, list[re.Match[str]]]


def plan_question(request: Request) -> Any:
    """Reply with a step for each name and for the relation; with none for a question that is not read."""
    return {"steps": [action.as_prompt_text() for action in _look_ups(_read(request))]}


def act(request: Request) -> Any:
    """Reply with the next look-up, and with the query when all is looked up; the graph's response changes nothing.

    Raises:
        ModelRefused: the question is not read, or several relations may be meant.
    """
    reading, found = _read(request), dict[str, list[str]]()
    if reading is None:
        raise ModelRefused("the embedded rules read only one fact about named things.")
    seen = {step.action: step.observation.splitlines() for step in request.variables["steps"]}
    for action in _look_ups(reading):
        if action.as_prompt_text() not in seen:
            return {"tool": action.tool, "arguments": action.arguments}
        found[action.arguments["text"]] = seen[action.as_prompt_text()]
    return {"tool": ANSWER, "arguments": {"sparql": "", **_write_answer(reading, found)}}


def _read(request: Request) -> QuestionReading | None:
    question = str(request.variables["question"]).partition("\n")[0]
    card = VocabularyCard(question=question)
    for reading in () if find_unstated(question, card) else read_question(question, card)[:1]:
        is_plain = to_json(reading.qir).keys() <= {"shape", "target", "triples"} and len(reading.qir.triples) == 1
        return reading if is_plain and reading.qir.entities() else None
    return None


def _look_ups(reading: QuestionReading | None) -> list[Action]:
    qir = reading.qir if reading else QIR("list")
    names = [Action("search_entities", {"text": name}) for name in qir.entities()]
    return [*names, *(Action("search_predicates", {"text": relation}) for relation in qir.relations())]


def _write_answer(reading: QuestionReading, found: Mapping[str, list[str]]) -> dict[str, Any]:
    qir = reading.qir
    things = {name: [m for m in map(_THING.fullmatch, found[name]) if m] for name in qir.entities()}
    if unknown := [name for name, meant in things.items() if not meant]:
        return {"shape": "none", "unused": unknown}
    facts = [fact for line in found[qir.relations()[0]] for fact in _find_facts(line, qir, things)]
    if not facts:
        return {"shape": "none"}
    if facts[1:]:
        raise ModelRefused(f"several relations may be meant by {qir.relations()[0]!r}.")
    ((pattern, kinds),) = facts
    if unused := [word for word in reading.unused if {lemma_of(word)} != set(map(lemma_of, kinds))]:
        return {"shape": "none", "unused": unused}
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
    fitting = [thing[1] for thing in things[name] if not set(kinds).isdisjoint(thing[2].split(", "))]
    return fitting[0] if len(fitting) == 1 else ""


def _fits(kinds: list[str], qir: QIR) -> bool:
    """Tell whether the unknown may be what is asked for: a date, a thing, or only things of the class that is named."""
    if qir.shape == "date":
        return all(map(_DATE.fullmatch, kinds))
    is_thing = qir.target in ("?who", "?place")
    return not any(map(_LITERAL.fullmatch, kinds)) if is_thing else qir.target[1:] not in kinds or len(kinds) == 1
