"""Attributes of the last answer's event: "since when?", "for how much?" ask the node that states the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chattyshared.language.closed_classes import FUNCTION, IRREGULAR, ORDINALS, PREPOSITION
from chattyshared.language.lexicon import alternation, word_list, word_set
from chattyshared.language.morphology import drop_bracketed, split_label
from chattyshared.language.units import measured_adjective

from chattykg.conversation.referents import Property, Referent
from chattykg.linking.reified_relations import BEGIN_WORDS, END_WORDS
from chattykg.rulebook.followups.dialogue_state import render_referent
from chattykg.rulebook.followups.resolution import MIN_PROPERTY_FIT, asked_stems, score_property

_FRAGMENT = re.compile(
    rf"(?i)^\s*(?:(?:{alternation(word_set('followups', 'openers', 'polite_openers'))})\b[,\s]*)*"
    r"(?:(?P<lead>in|on|at|for|from|since|until|till|with|to|by)\s+)?"
    r"(?P<asked>when|how\s+much|how\s+many|which|what)(?P<noun>(?:\s+[a-z][a-z-]+){0,3}?)(?P<span>\s+to\s+when)?"
    r"(?:\s+(?:exactly|precisely))?(?:\s+(?:is|was|were|did|does)\s+(?:it|that|this|there)"
    rf"(?:\s+(?:{alternation(word_list('followups', 'happening_verbs'))}))?)?\s*[?.!]*\s*$"
)
_WHO_WAS = re.compile(
    r"(?i)^\s*(?:and\s+|so\s+)?(?:who|what)\s+(?:is|was)\s+the\s+(?P<noun>[a-z-]+(?:\s[a-z-]+)?)\s*[?.!]*$"
)
_MOMENTS = word_set("followups", "moment_nouns")
_NO_NOUNS = FUNCTION | IRREGULAR | ORDINALS.keys()
"""Words that no attribute is named by: "which came first?" compares what was listed."""


def is_attribute_fragment(question: str) -> bool:
    """Tell whether a question asks for an attribute without saying of what: "in which year?", "how much exactly?"."""
    match = _FRAGMENT.match(question)
    if match is None or not _NO_NOUNS.isdisjoint(match["noun"].lower().split()):
        return False
    return bool(match["noun"]) or match["asked"].lower() in ("when", "how much")


def ask_attribute(question: str, referents: Sequence[Referent]) -> str:
    """Return "What is the start date of contract 4?" for "Since when?"; "" where no event has such an attribute.

    The event is the only node that states the last answer. An attribute that is named may also be one of the answer or
    of what the last question named.
    """
    events = [referent for referent in referents if referent.role == "event"]
    if len(events) != 1:
        events = []
    named = _WHO_WAS.match(question)
    if named and events:
        fitting = _find_named(named["noun"], events[0].properties)
        others = [r for r in referents if r.role != "event" and r.turn == events[0].turn]
        held = any(_find_named(named["noun"], other.properties) for other in others)
        return _ask(fitting, events[0]) if not held else ""
    match = _FRAGMENT.match(question)
    if match is None or not is_attribute_fragment(question):
        return ""
    noun, last = match["noun"].lower().strip(), max((referent.turn for referent in referents), default=0)
    said = [r for r in referents if r.turn == last and r.iri and r.role != "event" and r.answer_count == 1]
    for holder in (*events, *said):
        own = [each for each in holder.properties if each.is_outward]
        is_own = holder.role == "event" or noun and noun not in _MOMENTS
        found = _find_attributes(match, own) if is_own else _find_moments(match, own)
        asked = _ask(found, holder)
        if asked and noun.endswith("year") and len(found) == 1 and found[0].measure == "date":
            return asked.replace("What is", "In which year was", 1)
        if asked:
            return asked
    return ""


def _ask(properties: Sequence[Property], holder: Referent) -> str:
    names = [" ".join(split_label(drop_bracketed(each.label))) for each in properties]
    if len(names) == 1 and names[0].rsplit(" ", 1)[-1] in PREPOSITION:
        return f"When was {render_referent(holder)} {names[0]}?"
    return f"What is the {' and the '.join(names)} of {render_referent(holder)}?" if names else ""


def _find_moments(match: re.Match[str], properties: Sequence[Property]) -> tuple[Property, ...]:
    """Return the begin or end that is asked for of a thing itself ("since when?"), or what the noun names ("time")."""
    noun, dates = match["noun"].lower().strip(), [each for each in properties if each.measure == "date"]
    words = {"since": BEGIN_WORDS, "until": END_WORDS, "till": END_WORDS}.get((match["lead"] or "").lower())
    named = [each for each in properties if noun and noun in split_label(each.label)]
    return tuple(_with_words(dates, words)[:1] if words else named[:1])


def _find_attributes(match: re.Match[str], properties: Sequence[Property]) -> tuple[Property, ...]:
    """Return the properties that a fragment asks for."""
    asked, lead, noun = match["asked"].lower(), (match["lead"] or "").lower(), match["noun"].lower().strip()
    dates = [each for each in properties if each.measure == "date"]
    begin, end = _with_words(dates, BEGIN_WORDS), _with_words(dates, END_WORDS)
    if match["span"]:
        return (*begin[:1], *end[:1]) if begin and end else ()
    if asked == "when" or noun in _MOMENTS:
        others = [each for each in dates if each not in (*begin, *end)]
        wanted = end if lead in ("until", "till", "to") else begin if lead in ("since", "from") else others or begin
        return tuple(wanted[:1] or (dates if len(dates) == 1 else ()))
    numbers = [each for each in properties if each.measure == "number"]
    if not noun:
        money = [each for each in numbers if "expensive" in map(measured_adjective, split_label(each.label))]
        return tuple(wanted) if len(wanted := money or numbers) == 1 else ()
    return _find_named(noun, numbers if asked.startswith("how") else properties)


def _find_named(noun: str, properties: Sequence[Property]) -> tuple[Property, ...]:
    """Return the property that a noun names best, if one does."""
    stems = asked_stems(noun)
    scores = {each: score_property(replace(each, label=each.label.split(" of ")[0]), stems) for each in properties}
    best = max(scores, key=lambda each: scores[each], default=None)
    return (best,) if best and scores[best] >= MIN_PROPERTY_FIT else ()


def _with_words(properties: Sequence[Property], words: frozenset[str]) -> list[Property]:
    return [each for each in properties if not words.isdisjoint(split_label(each.label))]
