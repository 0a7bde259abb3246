"""The rule model's replies to mKGQAgent: the grammar tells what to look up, and what is found is put into a query.

Without the vocabulary the grammar reads one fact about named things: its values, how many there are, whether it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.errors import ModelRefused
from chattyshared.language.morphology import label_stems_of, lemma_of, word_family
from chattyshared.model import Request
from chattyshared.terms import iri_to_words

from chattykg.exploration.actions import ANSWER, Action
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QuestionReading, Relation, is_unknown, to_json
from chattykg.rulebook.qir import read_question
from chattykg.rulebook.unstated_questions import find_unstated

_THING = re.compile(r'(e:\d+) "[^"]*" \[(.*)\](?:, also "[^"]*")?(?:, 0\.9[7-9] like it)?')
"""The line of a thing that has the very name that was searched, but for an article."""
_PREDICATE = re.compile(r"(\S+?)(?: \(.*\))?: (.*?) -> (.*?) \d+x; e\.g\. .*")
_DATE, _NUMBER = re.compile(r"date\w*|gYear\w*"), re.compile(r"int\w*|decimal|double|float|\w+Integer")
_LITERAL = re.compile(rf"text|boolean|time|{_DATE.pattern}|{_NUMBER.pattern}")
_PLAIN_PARTS = {"shape", "target", "triples"}
"""The parts of a QIR that asks for one fact."""
_Fact = tuple[str, str, Sequence[str]]
"""A predicate, its triple pattern, and the classes of the unknown in it."""


def plan_question(request: Request) -> Any:
    """Reply with a step for each name and for the relation; with none for a question that is not read."""
    reading = _read(request)
    return {"steps": [f'{tool}: "{text}"' for tool, text in _look_ups(reading)] if reading else []}


def act(request: Request) -> Any:
    """Reply with the next look-up, and with the query when all is looked up; the graph's response changes nothing.

    Raises:
        ModelRefused: the question is not read, or several relations may be meant.
    """
    reading = _read(request)
    if reading is None:
        raise ModelRefused("the embedded rules read only one fact about named things.")
    seen = {step.action: step.observation.splitlines() for step in request.variables["steps"]}
    found: dict[str, list[str]] = {}
    for tool, text in _look_ups(reading):
        action = Action(tool, {"text": text})
        if action.as_prompt_text() not in seen:
            return {"tool": tool, "arguments": action.arguments}
        found[text] = seen[action.as_prompt_text()]
    return {"tool": ANSWER, "arguments": _write_answer(reading, found)}


def _look_ups(reading: QuestionReading) -> list[tuple[str, str]]:
    names = [("search_entities", name) for name in reading.qir.entities()]
    return [*names, ("search_predicates", reading.qir.triples[0].relation)]


def _read(request: Request) -> QuestionReading | None:
    question = str(request.variables["question"]).partition("\n")[0]
    card = VocabularyCard(question=question)
    for reading in () if find_unstated(question, card) else read_question(question, card)[:1]:
        if to_json(reading.qir).keys() <= _PLAIN_PARTS and len(reading.qir.triples) == 1 and reading.qir.entities():
            return reading
    return None


def _write_answer(reading: QuestionReading, found: Mapping[str, list[str]]) -> dict[str, Any]:
    qir, (triple,) = reading.qir, reading.qir.triples
    things = {name: [m for m in map(_THING.fullmatch, found[name]) if m] for name in qir.entities()}
    if unknown := [name for name, meant in things.items() if not meant]:
        return {"shape": "none", "sparql": "", "unused": unknown}
    facts = [fact for line in found[triple.relation] for fact in _find_facts(line, triple, things)]
    facts = [fact for fact in facts if _fits(fact, reading)]
    facts = [fact for fact in facts if _has_name(fact[0], triple)] or facts
    if not facts:
        return {"shape": "none", "sparql": "", "unused": []}
    if facts[1:]:
        raise ModelRefused(f"several relations may be meant by {triple.relation!r}.")
    (_, pattern, kinds), shape = facts[0], qir.shape
    if unused := [word for word in reading.unused if {lemma_of(word)} != set(map(lemma_of, kinds))]:
        return {"shape": "none", "sparql": "", "unused": unused}
    if shape == "boolean":
        return {"shape": shape, "sparql": f"ASK {{ {pattern} }}"}
    if shape == "count" and all(map(_NUMBER.fullmatch, kinds)):
        return {"shape": "number", "sparql": f"SELECT DISTINCT ?x {{ {pattern} }}"}
    asked = "(COUNT(DISTINCT ?x) AS ?n)" if shape == "count" else "DISTINCT ?x"
    return {"shape": shape, "sparql": f"SELECT {asked} {{ {pattern} }}"}


def _find_facts(line: str, triple: Relation, things: Mapping[str, list[re.Match[str]]]) -> Iterator[_Fact]:
    """Yield what a line of a predicate may state: from the phrase's subject to its object, or the other way."""
    match, words = _PREDICATE.fullmatch(line), {w for word in triple.relation.split() for w in word_family(word)}
    if match is None or set(label_stems_of(" ".join(words))).isdisjoint(label_stems_of(line.partition(" -> ")[0])):
        return
    for ends in (triple.ends(), triple.ends()[::-1]):
        sides = list(zip(ends, (match[2].split("|"), match[3].split("|")), strict=True))
        terms = ["?x" if is_unknown(end) else _choose(things[end], kinds) for end, kinds in sides]
        if all(terms):
            unknown = next((kinds for end, kinds in sides if is_unknown(end)), [])
            yield match[1], f"{terms[0]} {match[1]} {terms[1]}", unknown
            if _has_name(match[1], triple):
                return


def _choose(things: Sequence[re.Match[str]], kinds: Sequence[str]) -> str:
    """Return the number of the only thing of some classes; "" for none, or for several."""
    fitting = [thing[1] for thing in things if not set(kinds).isdisjoint(thing[2].split(", "))]
    return fitting[0] if len(fitting) == 1 else ""


def _has_name(predicate: str, triple: Relation) -> bool:
    return iri_to_words(predicate.strip("<>")).casefold() == triple.relation.casefold()


def _fits(fact: _Fact, reading: QuestionReading) -> bool:
    """Tell whether the unknown may be what is asked for: a date, a thing, or only things of the class that is named."""
    asked, kinds = reading.qir.target, fact[2]
    if reading.qir.shape == "date":
        return all(map(_DATE.fullmatch, kinds))
    if asked in ("?who", "?place"):
        return not any(map(_LITERAL.fullmatch, kinds))
    return asked[1:] not in kinds or len(kinds) == 1
