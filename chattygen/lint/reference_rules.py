"""Rules for how turns depend on each other: each reference has one antecedent, what a turn needs stands before it, and
nothing is asked again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.language.inflection import denote_persons, head_noun
from chattyshared.language.lexicon import alternation, word_list, word_map
from chattyshared.language.wordnet import noun_kinds
from chattyshared.terms import iri_to_words

from chattygen.lexicalization.lexicon import ORGANIZATION_AGENTS
from chattygen.lint.dialogue_view import (
    NAME_MASK,
    DialogueView,
    TurnView,
    folded_words,
    mask_names,
    mentions_name,
    mentions_part_of_name,
)
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import AskedFact, conditioned_lists, facts_of, first_hop

_PRONOUN_GROUPS = word_map("function_words", "pronoun_groups")
_PERSONAL = re.compile(rf"\b(?:{alternation(_PRONOUN_GROUPS)})\b", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"\b(?:is|was) it (?:true|that|the case)\b|\bdoes it take\b(?! (?:place|part|care|shape)\b)|\bit (?:is|was) that\b",
    re.IGNORECASE,
)
_BOUND_PRONOUN = re.compile(r"\b(have|has|had|with) ([^?]+? as) (?:its|their|his|her)\b", re.IGNORECASE)
"""A pronoun for the subject of its own sentence: ``Which country has X as its capital?``."""
_DEMONSTRATIVE = re.compile(
    rf"\b(?:{alternation(word_list('function_words', 'demonstratives'))}"
    rf"|(?:the|that|this) (?:\w+ )?(?:one|last|next|previous|{alternation(word_list('function_words', 'ordinals'))})"
    r"|(?:what|how) about)\b"
    r"|\bthat\b(?! (?:is|was|has|had)\b)",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(r"\b(?:the former|the latter|(?:that|this) one|of those)\b")
_DEFINITE = re.compile(r"\bthe [a-z]", re.IGNORECASE)
_TOPIC_SHIFT = re.compile(r"^And (?:the )?[A-Z0-9\"'“‘(](?:(?! (?:is|was|did|does|has|were|are|do) )[^?])*\?$")
"""``And Paris?``: a question that shifts to another entity and names it, in a file without links."""
_PEOPLE_KINDS = frozenset(("person", "group", "animal"))
"""Kinds of nouns for what ``they`` may mean."""
_GENDERS = {"he": "male", "she": "female"}


def reference_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge how each question depends on the earlier ones."""
    names = dialogue.all_names()
    for turn in dialogue.turns:
        if turn.standalone.strip() and (reason := _dependence(dialogue, turn, turn.standalone, names)):
            yield Finding("not-standalone", f'{reason}: "{turn.standalone}"', turn=turn.number)
        if turn.number == 1:
            if turn.question.strip() and (reason := _dependence(dialogue, turn, turn.question, names)):
                yield turn.finding("reference", reason)
            continue
        masked = mask_names(turn.question, names)
        for reason in (
            _missing_reference(dialogue, turn, masked),
            _unclear_antecedent(dialogue, turn, kg_facts, masked),
            _wrong_pronoun(dialogue, turn, kg_facts, masked, mask_names(turn.standalone, names)),
        ):
            if reason:
                yield turn.finding("reference", reason)


def _dependence(dialogue: DialogueView, turn: TurnView, text: str, names: tuple[str, ...]) -> str:
    """Return why a standalone question, or the opening one, does not stand alone."""
    iris = dialogue.iris_to_name(turn)
    if dialogue.seed.iri in iris and dialogue.seed.label:
        if not any(mentions_name(text, name) for name in dialogue.names_of(dialogue.seed.iri)):
            return f'does not name "{dialogue.seed.label}"'
    else:
        entity_names = [name for iri in iris for name in dialogue.names_of(iri)]
        if entity_names and not any(mentions_part_of_name(text, name) for name in entity_names):
            return f'does not name "{entity_names[0]}"'
    masked = _EXPLETIVE.sub("", mask_names(text, names))
    pronoun = _PERSONAL.search(masked) or _DEPENDENT.search(masked)
    preceding = masked[: pronoun.start()] if pronoun else ""
    has_antecedent = NAME_MASK in preceding or re.search(r"(?<=\s)[A-Z0-9]|\b(?:have|has|had|with)\b", preceding)
    return f'"{pronoun[0]}" has no antecedent' if pronoun and not has_antecedent else ""


def _missing_reference(dialogue: DialogueView, turn: TurnView, masked: str) -> str:
    """Return why a follow-up refers to nothing: it names what the question before was about, or has no referring word.

    A name stands rightly where the question before was about several things, or about another.
    """
    if turn.link == "shift" or not turn.question.strip() or (not turn.link and _TOPIC_SHIFT.match(turn.question)):
        return ""
    text = _EXPLETIVE.sub("", masked)
    existential = re.sub(r"\b(?:is|are|was|were) there\b", "", text, flags=re.IGNORECASE)
    if _PERSONAL.search(text) or _DEMONSTRATIVE.search(existential):
        return ""
    topics = dialogue.turns[turn.number - 2].query.iris
    repeated = [name for iri in turn.query.iris if topics == (iri,) for name in dialogue.names_of(iri)]
    name = next((name for name in repeated if mentions_name(turn.question, name)), "")
    if name and not _DEFINITE.search(text.partition(NAME_MASK)[2]):
        return f'names "{name}" again'
    return "" if NAME_MASK in masked or _DEFINITE.search(text) else "refers to nothing"


def _unclear_antecedent(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts, masked: str) -> str:
    """Return why a pronoun has several antecedents: several answers, or a similar entity in the turn before."""
    groups, previous, seed = _pronoun_groups(masked), dialogue.turns[turn.number - 2], dialogue.seed
    if turn.link == "answer":
        antecedent = _antecedent_turn(dialogue, turn)
        pronoun = re.search(r"\b(?:it|its|he|him|his|she|her|that \w+)\b", masked, re.IGNORECASE)
        if antecedent and antecedent.has_list and pronoun and not re.search(r"\bof (?:them|those)\b", masked):
            return f'"{pronoun[0]}", but turn {antecedent.number} has {len(antecedent.answers or ())} answers'
    if turn.link not in ("topic", "") or len(groups) != 1 or seed.iri not in turn.query.iris:
        return ""
    group = next(iter(groups))
    if previous.link in ("answer", "position", "shift") and seed.iri not in previous.query.iris:
        others = _pronoun_groups(mask_names(previous.question, dialogue.all_names()))
        return f"turn {previous.number} was about something else" if not others or group in others else ""
    ends = [answer for answer in previous.answers or () if answer.kind == "iri" and answer.value != seed.iri]
    if len(ends) != 1 or len(previous.answers or ()) != 1 or ends[0].value in turn.query.iris:
        return ""
    is_person = bool(re.search(r"\b(?:who|whom|whose)\b", previous.question, re.IGNORECASE))
    if group in _GENDERS:
        agrees = kg_facts.gender_of(ends[0].value) == _GENDERS[group]
    else:
        agrees = is_person == (group == "they")
    is_alike = folded_words(previous.answer_type) == folded_words(iri_to_words(seed.type)) != []
    if agrees and (is_alike or _can_be_asked_of(ends[0].value, turn, seed.iri, kg_facts)):
        return f'may mean "{ends[0].label}", the answer before'
    return ""


def _can_be_asked_of(iri: str, turn: TurnView, seed: str, kg_facts: KGFacts) -> bool:
    """Tell whether the class of an entity has what a turn asks of the seed: a reader knows that no price has a
    manager."""
    classes = set(kg_facts.kg.vocabulary.superclasses(*kg_facts.types_of(iri))) if kg_facts.kg else set()
    for subject, predicate, end in turn.query.patterns:
        entry = kg_facts.entry(str(predicate)) if seed in (str(subject), str(end)) else None
        if entry and classes & set(entry.domains if str(subject) == seed else entry.ranges):
            return True
    return False


def _antecedent_turn(dialogue: DialogueView, turn: TurnView) -> TurnView | None:
    """Return the latest turn whose answers occur in this turn's query."""
    earlier = reversed(dialogue.before(turn))
    return next((each for each in earlier if not each.answer_values.isdisjoint(turn.query.iris)), None)


def _pronoun_groups(masked: str) -> set[str]:
    """Return the pronouns of a text by group: it, he, she, they."""
    text = _BOUND_PRONOUN.sub(r"\1 \2", _EXPLETIVE.sub("", masked))
    return {_PRONOUN_GROUPS[word.casefold()] for word in _PERSONAL.findall(text)}


def _wrong_pronoun(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts, masked: str, standalone: str) -> str:
    """Return why a pronoun does not fit: he or she against the KG, it for a person, they for a single thing."""
    groups = _pronoun_groups(masked) - _pronoun_groups(standalone)
    antecedent, seed = _antecedent_turn(dialogue, turn), dialogue.seed
    candidates = [iri for iri in turn.query.iris if antecedent and iri in antecedent.answer_values]
    iri = seed.iri if turn.link in ("topic", "") and seed.iri in turn.query.iris else next(iter(candidates), "")
    if turn.link in ("among", "shift") or len(groups) != 1 or not iri:
        return ""
    group = next(iter(groups))
    stated = (iri_to_words(seed.type),) if iri == seed.iri and seed.type else ()
    labels = kg_facts.class_labels(iri) or stated
    kinds = set(noun_kinds(head_noun(labels[0]))) if labels else set()
    if group == "it" and denote_persons(labels) and head_noun(labels[0]) not in ORGANIZATION_AGENTS:
        return f'"it" for a {labels[0]}'
    if group != "it" and kinds and kinds.isdisjoint(_PEOPLE_KINDS):
        return f'"{group}" for a {labels[0]}'
    gender = kg_facts.gender_of(iri) if group in _GENDERS and kg_facts.kg else _GENDERS.get(group, "")
    return f"the graph states {gender or 'no gender'}" if gender != _GENDERS.get(group, "") else ""


def order_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge whether what a turn needs stands before it, and whether an earlier turn has answered it."""
    passed_facts: dict[AskedFact, int] = {}
    for turn in dialogue.turns:
        if turn.query.syntax_error or turn.unanswerable:
            continue
        hop = first_hop(turn.query)
        reason = _unnamed_bridge(dialogue, turn) or _unlisted_base(dialogue, turn)
        if reason:
            yield turn.finding("order", reason)
        facts = facts_of(turn.query)
        given = next((passed_facts[fact] for fact in facts if fact in passed_facts and turn.query.form == "ASK"), 0)
        if given:
            yield turn.finding("repeated", f"follows from turn {given}")
        if hop is not None:
            passed_facts.setdefault(hop.fact, turn.number)
    yield from _repeated(dialogue)


def _unnamed_bridge(dialogue: DialogueView, turn: TurnView) -> str:
    """Return why a turn speaks of what no turn has named: a question of two steps needs its bridge before it, or the
    first step as a question. A question of another form passes a node that nobody names."""
    hop, mentioned = first_hop(turn.query), dialogue.mentioned_before(turn)
    if hop is None and len(turn.query.iris) == 1 and turn.number > 1 and turn.link != "shift":
        iri = turn.query.iris[0]
        names = dialogue.names_of(iri)
        is_named = iri in mentioned or any(mentions_part_of_name(turn.question, name) for name in names)
        return f'no turn has named "{names[0]}"' if names and not is_named else ""
    if hop is None or turn.form not in ("", "two-hop"):
        return ""
    entity, _, side = hop.fact
    ends = {o if side == "out" else s for s, _, o in turn.witness if (s if side == "out" else o) == entity}
    is_asked = any(hop.fact in facts_of(earlier.query) for earlier in dialogue.before(turn))
    return "" if ends & mentioned or is_asked else "asks about what no turn has named"


def _unlisted_base(dialogue: DialogueView, turn: TurnView) -> str:
    """Return why a condition on a list comes before the list; not if it opens the dialogue."""
    readings = list(conditioned_lists(turn.query))
    if (
        (turn.number == 1 and turn.question == turn.standalone)
        or first_hop(turn.query)
        or turn.query.form == "ASK"
        or turn.form == "list"
        or not any(r.conditions for r in readings)
    ):
        return ""
    listed = {fact for earlier in dialogue.before(turn) for fact in facts_of(earlier.query)}
    is_known = bool(turn.answer_iris) and dialogue.answered_before(turn).issuperset(turn.answer_iris)
    is_listed = not listed.isdisjoint(reading.fact for reading in readings)
    return "" if is_listed or is_known else "selects from a list that no turn has asked for"


def _repeated(dialogue: DialogueView) -> Iterator[Finding]:
    """The same query again, or one fact again by another operation."""
    queries: dict[str, int] = {}
    asked: dict[AskedFact, int] = {}
    mentioned = {dialogue.seed.iri}
    for turn in dialogue.turns:
        query, facts = turn.query, facts_of(turn.query)
        if query.syntax_error or not turn.sparql.strip():
            continue
        earlier = queries.get(query.canonical_text) or next((asked[fact] for fact in facts if fact in asked), 0)
        if earlier:
            yield turn.finding("repeated", f"turn {earlier} has asked this already")
        queries.setdefault(query.canonical_text, turn.number)
        for entity, predicate, side in facts:
            if query.form != "ASK" or entity in mentioned:
                asked.setdefault((entity, predicate, side), turn.number)
        mentioned |= turn.answer_values
