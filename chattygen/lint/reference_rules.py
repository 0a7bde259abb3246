"""Rules for follow-ups: they refer, each reference has one antecedent, and the stated links are true."""

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

_PRONOUN_GROUPS = word_map("function_words", "pronoun_groups")
_PERSONAL = re.compile(rf"\b(?:{alternation(_PRONOUN_GROUPS)})\b", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"\b(?:is|was) it (?:true|that|the case)\b|\bdoes it take\b(?! (?:place|part|care|shape)\b)|\bit (?:is|was) that\b",
    re.IGNORECASE,
)
_BOUND_PRONOUN = re.compile(r"\b(?:have|has|had|with) [^?]+? as (?:its|their|his|her)\b", re.IGNORECASE)
"""A pronoun for the subject of its own sentence: ``Which country has X as its capital?``."""
_ORDINALS = {word: number for number, word in enumerate(word_list("function_words", "ordinals")[:8], 1)}
_DEMONSTRATIVE = re.compile(
    rf"\b(?:{alternation(word_list('function_words', 'demonstratives'))}"
    rf"|(?:the|that|this) (?:\w+ )?(?:one|{alternation(list(_ORDINALS)[:5])}|last|next|previous)|(?:what|how) about)\b"
    r"|\bthat\b(?! (?:is|was|has|had)\b)",
    re.IGNORECASE,
)
_DEFINITE_NOUN_PHRASE = re.compile(r"\bthe (?=([a-z][\w-]*(?: [\w-]+){0,3}))", re.IGNORECASE)
_RESTATED_SET = re.compile(
    r"\b(?:of|among) (?:(?:its|his|her|their|(?:the|this|that) [a-z]+(?:'s|s')) [a-z]+"
    r"|the [a-z]+ (?!of (?:them|those|these)\b))"
)
"""A set that is stated anew: ``of the people who ...``, ``of its products``, ``of the album's songs``."""
_PARTITIVE = re.compile(r"\bof (?:them|those|these)\b|\b(?:them|they|those|these|ones|their)\b", re.IGNORECASE)
_TOPIC_SHIFT = re.compile(r"^And (?:the )?[A-Z0-9\"'“‘(](?:(?! (?:is|was|did|does|has|were|are|do) )[^?])*\?$")
"""``And Paris?``: a question that shifts to another entity and names it, in a file without links."""
_PEOPLE_KINDS = frozenset(("person", "group", "animal"))
"""Kinds of nouns for what ``they`` may mean."""
_GENDERS = {"he": "male", "she": "female"}


def reference_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge how each turn depends on the earlier ones."""
    names = dialogue.all_names()
    used: dict[str, tuple[str, int]] = {}
    for turn in dialogue.turns:
        yield from _dependent_questions(dialogue, turn, names)
        if turn.number > 1:
            yield from _missing_references(dialogue, turn, names)
            yield from _unresolved_references(dialogue, turn, kg_facts, names)
        yield from _wrong_links(dialogue, turn)
        yield from _wrong_genders(dialogue, turn, kg_facts, names, used)


def _dependent_questions(dialogue: DialogueView, turn: TurnView, names: tuple[str, ...]) -> Iterator[Finding]:
    """A standalone question, and the opening one, names what it is about and depends on nothing."""
    texts = [turn.standalone, *([turn.question] if turn.number == 1 else [])]
    for kind, text in zip(("not-standalone", "unresolved"), texts, strict=False):
        if text.strip() and (reason := _dependence(dialogue, turn, text, names)):
            yield Finding(kind, f'{reason}: "{text}"', turn=turn.number)
            return


def _dependence(dialogue: DialogueView, turn: TurnView, text: str, names: tuple[str, ...]) -> str:
    iris = dialogue.iris_to_name(turn)
    if dialogue.seed.iri in iris and dialogue.seed.label:
        if not any(mentions_name(text, name) for name in dialogue.names_of(dialogue.seed.iri)):
            return f'does not name "{dialogue.seed.label}"'
    else:
        entity_names = [name for iri in iris for name in dialogue.names_of(iri)]
        if entity_names and not any(mentions_part_of_name(text, name) for name in entity_names):
            return f'does not name "{entity_names[0]}"'
    masked = _EXPLETIVE.sub("", mask_names(text, names))
    pronoun = _PERSONAL.search(masked) or re.search(r"\b(?:the former|the latter|(?:that|this) one|of those)\b", masked)
    preceding = masked[: pronoun.start()] if pronoun else ""
    has_antecedent = (
        NAME_MASK in preceding
        or re.search(r"(?<=\s)[A-Z0-9]", preceding)
        or re.search(r"\b(?:have|has|had|with)\b", preceding)
    )
    return f'"{pronoun[0]}" has no antecedent' if pronoun and not has_antecedent else ""


def _missing_references(dialogue: DialogueView, turn: TurnView, names: tuple[str, ...]) -> Iterator[Finding]:
    """A follow-up refers; it neither repeats the standalone question nor repeats an earlier name."""
    if turn.link == "shift" or not turn.question.strip() or (not turn.link and _TOPIC_SHIFT.match(turn.question)):
        return
    if folded_words(turn.question) == folded_words(turn.standalone):
        yield turn.finding("no-reference", "the same as the standalone question")
        return
    masked = _EXPLETIVE.sub("", mask_names(turn.question, names))
    without_existential = re.sub(r"\b(?:is|are|was|were) there\b", "", masked, flags=re.IGNORECASE)
    is_reference = bool(
        _PERSONAL.search(masked)
        or _DEMONSTRATIVE.search(without_existential)
        or _refers_by_class(dialogue, turn, masked)
    )
    if not is_reference:
        repeated_name = next(
            (name for name in _mentioned_names(dialogue, turn) if mentions_name(turn.question, name)), ""
        )
        if repeated_name:
            yield turn.finding("no-reference", f'names "{repeated_name}" again')
        elif not _DEFINITE_NOUN_PHRASE.search(masked):
            yield turn.finding("no-reference", "refers to nothing")


def _refers_by_class(dialogue: DialogueView, turn: TurnView, masked: str) -> bool:
    """Tell whether a question refers by the class of an entity mentioned earlier: ``the film``."""
    class_labels = [iri_to_words(dialogue.seed.type)] if dialogue.seed.type else []
    class_labels += [iri_to_words(earlier.answer_type) for earlier in dialogue.before(turn) if earlier.answer_type]
    heads = {word.rstrip("s") for label in class_labels for word in folded_words(label)[-1:]}
    for match in _DEFINITE_NOUN_PHRASE.finditer(masked):
        words = folded_words(match[1])
        if any(w.rstrip("s") in heads and words[n + 1 : n + 2] != ["of"] for n, w in enumerate(words[:3])):
            return True
    return False


def _mentioned_names(dialogue: DialogueView, turn: TurnView) -> list[str]:
    """Return the names of the entities in this turn's query that were mentioned earlier."""
    mentioned = {dialogue.seed.iri, *dialogue.answered_before(turn)}
    names = [name for iri in turn.query.iris if iri in mentioned for name in dialogue.names_of(iri)]
    return names or [dialogue.seed.label]


def _unresolved_references(
    dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts, names: tuple[str, ...]
) -> Iterator[Finding]:
    """Each reference has one antecedent."""
    earlier_turns = dialogue.before(turn)
    masked = mask_names(turn.question, names)
    if turn.link == "answer":
        antecedent = _antecedent_turn(turn, earlier_turns)
        pronoun = re.search(r"\b(?:it|its|he|him|his|she|her|that \w+)\b", masked, re.IGNORECASE)
        if antecedent and antecedent.has_list and pronoun and not re.search(r"\bof (?:them|those)\b", masked):
            number = len(antecedent.answers or ())
            yield turn.finding("unresolved", f'"{pronoun[0]}", but turn {antecedent.number} has {number} answers')
    restates_set = _RESTATED_SET.search(masked)
    if turn.link == "among" and not restates_set and not _PARTITIVE.search(masked):
        yield turn.finding("unresolved", "does not state the set")
    if turn.link == "among" and not restates_set:
        yield from _wrong_set(turn, earlier_turns)
    if turn.link == "shift" and not turn.unanswerable:
        entity_names = [name for iri in turn.query.iris for name in dialogue.names_of(iri)]
        unnamed = (
            not any(mentions_part_of_name(turn.question, name) for name in entity_names)
            if entity_names
            else not re.search(r"(?<=\s)[\"'“‘]?[A-Z0-9]", turn.question)
        )
        if unnamed:
            yield turn.finding("unresolved", "shifts to another entity without naming it")
    yield from _wrong_positions(turn, earlier_turns, masked)
    if turn.link in ("topic", ""):
        yield from _competing_antecedents(dialogue, turn, kg_facts, masked)


def _wrong_set(turn: TurnView, earlier_turns: tuple[TurnView, ...]) -> Iterator[Finding]:
    """``Of them`` means the latest list; if the query uses an earlier one, both must have the same answer."""
    list_turns = [earlier for earlier in earlier_turns if earlier.has_list]
    if not list_turns or not turn.answers or _is_within(list_turns[-1], turn):
        return
    latest = list_turns[-1]
    is_subset = not turn.query.counted_variables and turn.answer_values <= latest.answer_values
    if not is_subset and any(_is_within(earlier, turn) for earlier in list_turns):
        message = f"means the answers of turn {latest.number}, the query those of an earlier turn"
        yield turn.finding("unresolved", message)


def _antecedent_turn(turn: TurnView, earlier_turns: tuple[TurnView, ...]) -> TurnView | None:
    """Return the latest turn whose answers occur in this turn's query."""
    iris = set(turn.query.iris)
    return next((earlier for earlier in reversed(earlier_turns) if iris & earlier.answer_values), None)


def _wrong_positions(turn: TurnView, earlier_turns: tuple[TurnView, ...], masked: str) -> Iterator[Finding]:
    """A position in a list, or one of two, needs a list of that length, or two named entities, in an earlier turn."""
    if turn.link != "position":
        return
    lengths = [
        len(earlier.answers or ())
        for earlier in earlier_turns
        if not earlier.is_polar and not earlier.query.counted_variables
    ]
    longest = max(
        [*lengths, *(2 for earlier in earlier_turns if re.search(r"\b(?:or|than|and)\b", earlier.standalone))],
        default=0,
    )
    ordinals = [word for word in folded_words(masked) if word in _ORDINALS]
    needed = max((_ORDINALS[word] for word in ordinals), default=2)
    if longest < max(needed, 2):
        yield turn.finding("unresolved", f"at most {longest} things were mentioned before")
    elif not (
        ordinals or re.search(r"\b(?:last|former|latter|next|previous|other|final|top)\b", masked, re.IGNORECASE)
    ):
        yield turn.finding("unresolved", "names no position")


def _competing_antecedents(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts, masked: str) -> Iterator[Finding]:
    """A pronoun for the topic is ambiguous if the previous turn was about, or was answered by, a similar entity."""
    groups = _pronoun_groups(masked)
    previous = dialogue.turns[turn.number - 2]
    if len(groups) != 1 or dialogue.seed.iri not in turn.query.iris:
        return
    group = next(iter(groups))
    if previous.link in ("answer", "position", "shift") and dialogue.seed.iri not in previous.query.iris:
        previous_groups = _pronoun_groups(mask_names(previous.question, dialogue.all_names()))
        if not previous_groups or group in previous_groups:
            yield turn.finding("unresolved", f"turn {previous.number} was about something else")
        return
    ends = [a for a in previous.answers or () if a.kind == "iri" and a.value != dialogue.seed.iri]
    if len(ends) != 1 or len(previous.answers or ()) != 1 or ends[0].value in turn.query.iris:
        return
    is_person = bool(re.search(r"\b(?:who|whom|whose)\b", previous.question, re.IGNORECASE))
    agrees = {"it": not is_person, "they": is_person}.get(
        group, kg_facts.genders.get(ends[0].value) == _GENDERS.get(group)
    )
    if agrees and _could_mean(dialogue, turn, previous, ends[0].value, kg_facts):
        yield turn.finding("unresolved", f'may mean "{ends[0].label}", the answer before')


def _could_mean(dialogue: DialogueView, turn: TurnView, previous: TurnView, iri: str, kg_facts: KGFacts) -> bool:
    """Tell whether a question could be asked of another entity as well: a reader knows that a price has no manager.

    True for entities of the seed's own class; with a KG, also for those whose class has the predicate that is asked.
    """
    if previous.answer_type and folded_words(previous.answer_type) == folded_words(iri_to_words(dialogue.seed.type)):
        return True
    asked = [(str(p), "out" if str(s) == dialogue.seed.iri else "in") for s, p, o in turn.query.patterns
             if dialogue.seed.iri in (str(s), str(o))]  # fmt: skip
    return any(predicate in kg_facts.possible_predicates.get((iri, side), ()) for predicate, side in asked)


def _pronoun_groups(masked: str) -> set[str]:
    """Return the pronouns of a text by group: it, he, she, they."""
    text = _BOUND_PRONOUN.sub(lambda match: match[0].rsplit(" ", 1)[0], _EXPLETIVE.sub("", masked))
    return {_PRONOUN_GROUPS[word.casefold()] for word in _PERSONAL.findall(text)}


def _wrong_genders(
    dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts, names: tuple[str, ...], used: dict[str, tuple[str, int]]
) -> Iterator[Finding]:
    """He and she are stated by the KG, and stay the same for one entity."""
    groups = _pronoun_groups(mask_names(turn.question, names)) - _pronoun_groups(mask_names(turn.standalone, names))
    if turn.link in ("among", "shift") or turn.number == 1 or len(groups) != 1:
        return
    group, iri = next(iter(groups)), _referent(dialogue, turn)
    if not iri:
        return
    misnomer = _wrong_kind(dialogue, iri, group, kg_facts)
    if misnomer:
        yield turn.finding("gender", misnomer)
        return
    stated_gender = kg_facts.genders.get(iri, "")
    if kg_facts.has_kg and group in _GENDERS and stated_gender != _GENDERS[group]:
        statement = f"states {stated_gender}" if stated_gender else "states no gender"
        yield turn.finding("gender", f"the graph {statement}")
        return
    earlier_group, earlier_turn = used.setdefault(iri, (group, turn.number))
    if earlier_group != group and "they" not in (earlier_group, group):
        yield Finding(
            "gender", f'"{group}", but "{earlier_group}" in turn {earlier_turn}: "{turn.question}"', turn=turn.number
        )


def _wrong_kind(dialogue: DialogueView, iri: str, group: str, kg_facts: KGFacts) -> str:
    """Tell that a pronoun for things means a person, or one for people a single thing, by the labels of its class."""
    known = (iri_to_words(dialogue.seed.type),) if iri == dialogue.seed.iri and dialogue.seed.type else ()
    labels = kg_facts.class_labels.get(iri, known)
    kinds = set(noun_kinds(head_noun(labels[0]))) if labels else set()
    if group == "it" and denote_persons(labels) and head_noun(labels[0]) not in ORGANIZATION_AGENTS:
        return f'"it" for a {labels[0]}'
    return f'"they" for a {labels[0]}' if group == "they" and kinds and kinds.isdisjoint(_PEOPLE_KINDS) else ""


def _referent(dialogue: DialogueView, turn: TurnView) -> str:
    """Return what a follow-up refers to: the topic, or the earlier answer in its query."""
    if turn.link in ("topic", "") and dialogue.seed.iri in turn.query.iris:
        return dialogue.seed.iri
    antecedent = _antecedent_turn(turn, dialogue.before(turn))
    return next((iri for iri in turn.query.iris if antecedent and iri in antecedent.answer_values), "")


def _wrong_links(dialogue: DialogueView, turn: TurnView) -> Iterator[Finding]:
    """What a link states shows in the queries and answers before it."""
    if not turn.link or turn.query.syntax_error:
        return
    earlier_turns = dialogue.before(turn)
    iris = set(turn.query.iris)
    list_turns = [earlier for earlier in earlier_turns if earlier.has_list]
    reason = ""
    if (turn.link == "opens") != (turn.number == 1):
        reason = "only the first turn opens" if turn.number > 1 else "the first turn opens"
    elif turn.link == "answer" and not iris & dialogue.answered_before(turn):
        reason = "the query uses no earlier answer"
    elif turn.link in ("topic", "position") and iris and not iris & dialogue.mentioned_before(turn):
        reason = "the query uses nothing that was mentioned before"
    elif turn.link == "among" and not any(_is_within(earlier, turn) for earlier in list_turns):
        reason = "the query is not about the answers of an earlier turn"
    elif (
        turn.link == "shift"
        and not turn.unanswerable
        and not any(_asks_same(earlier, turn) for earlier in earlier_turns)
    ):
        reason = "no earlier turn asked the same of something else"
    if reason:
        yield Finding("wrong-link", f"{turn.link}: {reason}", turn=turn.number)


def _is_within(earlier: TurnView, turn: TurnView) -> bool:
    """Tell whether a query is about the answers of an earlier turn: it contains its predicates and entities, or the
    answers."""
    values = earlier.answer_values
    return values <= set(turn.query.iris) or (
        set(earlier.query.predicates) <= set(turn.query.predicates)
        and set(earlier.query.iris) - {i for i in earlier.query.iris if earlier.link == "among"} <= set(turn.query.iris)
    )


def _asks_same(earlier: TurnView, turn: TurnView) -> bool:
    """Tell whether two queries ask the same of different entities."""
    return (
        set(earlier.query.predicates) == set(turn.query.predicates)
        and earlier.query.canonical_text != turn.query.canonical_text
    )
