"""Rules for follow-ups: that they refer, that each reference has one antecedent, and that links tell the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.terms import iri_to_words

from chattygen.lint.defect import LintFinding
from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.entity_names import NAME_MASK, folded_words, mask_names, mentions_name, mentions_part_of_name
from chattygen.lint.kg_facts import KGFacts

_PERSONAL = re.compile(r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs)\b", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"\b(?:is|was) it (?:true|that|the case)\b|\bdoes it take\b(?! (?:place|part|care|shape)\b)|\bit (?:is|was) that\b",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:have|has|had|with) [^?]+? as (?:its|their|his|her)\b", re.IGNORECASE)
"""A pronoun for the subject of its own sentence: ``Which country has X as its capital?``."""
_POINTING = re.compile(
    r"\b(?:this|these|those|former|latter|others|the other|another|the same|both|either|neither|ones|else|there"
    r"|(?:the|that|this) (?:\w+ )?(?:one|first|second|third|fourth|fifth|last|next|previous)|(?:what|how) about)\b"
    r"|\bthat\b(?! (?:is|was|has|had)\b)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"\bthe (?=([a-z][\w-]*(?: [\w-]+){0,3}))", re.IGNORECASE)
_DESCRIBED = re.compile(
    r"\b(?:of|among) (?:(?:its|his|her|their|(?:the|this|that) [a-z]+(?:'s|s')) [a-z]+"
    r"|the [a-z]+ (?!of (?:them|those|these)\b))"
)
"""A set that is said anew: ``of the people who ...``, ``of its products``, ``of the album's songs``."""
_AMONG = re.compile(r"\bof (?:them|those|these)\b|\b(?:them|they|those|these|ones|their)\b", re.IGNORECASE)
_SHIFTING = re.compile(r"^And (?:the )?[A-Z0-9\"'“‘(](?:(?! (?:is|was|did|does|has|were|are|do) )[^?])*\?$")
"""``And Paris?``: what goes to something else names it, where the file has no links to say so."""
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8}
_GROUPS = {
    "it": "it", "its": "it", "he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she",
    "they": "they", "them": "they", "their": "they", "theirs": "they",
}  # fmt: skip
_GENDERS = {"he": "male", "she": "female"}


def reference_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[LintFinding]:
    """Judge how each turn hangs on what was said before it."""
    names = dialogue.all_names()
    used: dict[str, tuple[str, int]] = {}
    for line in dialogue.turns:
        yield from _standalone(dialogue, line, names)
        if line.number > 1:
            yield from _refers(dialogue, line, names)
            yield from _resolves(dialogue, line, kg_facts, names)
        yield from _link(dialogue, line)
        yield from _gender(dialogue, line, kg_facts, names, used)


def _standalone(talk: DialogueView, line: TurnView, names: tuple[str, ...]) -> Iterator[LintFinding]:
    """A standalone question, and the opening one, names what it is about and leans on nothing."""
    texts = [line.standalone, *([line.question] if line.number == 1 else [])]
    for kind, text in zip(("not-standalone", "unresolved"), texts, strict=False):
        if text.strip() and (why := _leans(talk, line, text, names)):
            yield LintFinding(kind, line.number, f'{why}: "{text}"')
            return


def _leans(talk: DialogueView, line: TurnView, text: str, names: tuple[str, ...]) -> str:
    iris = talk.iris_to_name(line)
    if talk.seed.iri in iris and talk.seed.label:
        if not any(mentions_name(text, name) for name in talk.names_of(talk.seed.iri)):
            return f'does not name "{talk.seed.label}"'
    else:
        called = [name for iri in iris for name in talk.names_of(iri)]
        if called and not any(mentions_part_of_name(text, name) for name in called):
            return f'does not name "{called[0]}"'
    bare = _EXPLETIVE.sub("", mask_names(text, names))
    found = _PERSONAL.search(bare) or re.search(r"\b(?:the former|the latter|(?:that|this) one|of those)\b", bare)
    before = bare[: found.start()] if found else ""
    named = (
        NAME_MASK in before or re.search(r"(?<=\s)[A-Z0-9]", before) or re.search(r"\b(?:have|has|had|with)\b", before)
    )
    return f'"{found[0]}" stands for nothing' if found and not named else ""


def _refers(talk: DialogueView, line: TurnView, names: tuple[str, ...]) -> Iterator[LintFinding]:
    """A follow-up refers; it neither repeats the standalone question nor names again what was spoken of."""
    if line.link == "shift" or not line.question.strip() or (not line.link and _SHIFTING.match(line.question)):
        return
    said = f'"{line.question}"'
    if folded_words(line.question) == folded_words(line.standalone):
        yield LintFinding("no-reference", line.number, f"the same as the standalone question: {said}")
        return
    bare = _EXPLETIVE.sub("", mask_names(line.question, names))
    pointed = re.sub(r"\b(?:is|are|was|were) there\b", "", bare, flags=re.IGNORECASE)
    refers = bool(_PERSONAL.search(bare) or _POINTING.search(pointed) or _by_kind(talk, line, bare))
    if not refers:
        again = next((name for name in _spoken_of(talk, line) if mentions_name(line.question, name)), "")
        if again:
            yield LintFinding("no-reference", line.number, f'names "{again}" again: {said}')
        elif not _DEFINITE.search(bare):
            yield LintFinding("no-reference", line.number, f"refers to nothing: {said}")


def _by_kind(talk: DialogueView, line: TurnView, bare: str) -> bool:
    """Tell whether a question refers by the class of something spoken of: ``the film``."""
    kinds = [iri_to_words(talk.seed.type)] if talk.seed.type else []
    kinds += [iri_to_words(before.answer_type) for before in talk.turns[: line.number - 1] if before.answer_type]
    heads = {word.rstrip("s") for kind in kinds for word in folded_words(kind)[-1:]}
    for found in _DEFINITE.finditer(bare):
        words = folded_words(found[1])
        if any(w.rstrip("s") in heads and words[n + 1 : n + 2] != ["of"] for n, w in enumerate(words[:3])):
            return True
    return False


def _spoken_of(talk: DialogueView, line: TurnView) -> list[str]:
    """Return the names of what this turn asks about and was spoken of before."""
    earlier = {talk.seed.iri, *(a.value for one in talk.turns[: line.number - 1] for a in one.answers or ())}
    return [name for iri in line.query.iris if iri in earlier for name in talk.names_of(iri)] or [talk.seed.label]


def _resolves(talk: DialogueView, line: TurnView, known: KGFacts, names: tuple[str, ...]) -> Iterator[LintFinding]:
    """Each reference has one antecedent."""
    before, said = talk.turns[: line.number - 1], f'"{line.question}"'
    bare = mask_names(line.question, names)
    if line.link == "answer":
        source = _source(line, before)
        one = re.search(r"\b(?:it|its|he|him|his|she|her|that \w+)\b", bare, re.IGNORECASE)
        if source and len(source.answers or ()) > 1 and one and not re.search(r"\bof (?:them|those)\b", bare):
            said = f'"{one[0]}", but turn {source.number} has {len(source.answers or ())} answers: {said}'
            yield LintFinding("unresolved", line.number, said)
    described = _DESCRIBED.search(bare)
    if line.link == "among" and not described and not _AMONG.search(bare):
        yield LintFinding("unresolved", line.number, f"does not say among which: {said}")
    if line.link == "among" and not described:
        yield from _which_set(line, before)
    if line.link == "shift":
        called = [name for iri in line.query.iris for name in talk.names_of(iri)]
        unnamed = (
            not any(mentions_part_of_name(line.question, name) for name in called)
            if called
            else not _has_name(line.question)
        )
        if unnamed:
            yield LintFinding("unresolved", line.number, f"goes to something else without naming it: {said}")
    yield from _places(line, before, bare)
    if line.link in ("topic", ""):
        yield from _rivals(talk, line, known, bare)


def _which_set(line: TurnView, before: tuple[TurnView, ...]) -> Iterator[LintFinding]:
    """``Of them`` means the latest list; where the query goes to an earlier one, both must have the same answer."""
    lists = [one for one in before if len(one.answers or ()) > 1]
    if not lists or not line.answers or _within(lists[-1], line):
        return
    latest = {a.value for a in lists[-1].answers or ()}
    same = not line.query.counted_variables and {a.value for a in line.answers} <= latest
    if not same and any(_within(one, line) for one in lists):
        said = f'means the answers of turn {lists[-1].number}, the query those of an earlier turn: "{line.question}"'
        yield LintFinding("unresolved", line.number, said)


def _source(line: TurnView, before: tuple[TurnView, ...]) -> TurnView | None:
    """Return the latest turn whose answers this one's query speaks of."""
    iris = set(line.query.iris)
    return next((one for one in reversed(before) if iris & {a.value for a in one.answers or ()}), None)


def _has_name(text: str) -> bool:
    return bool(re.search(r"(?<=\s)[\"'“‘]?[A-Z0-9]", text))


def _places(line: TurnView, before: tuple[TurnView, ...], bare: str) -> Iterator[LintFinding]:
    """A place in a list, or one of two, needs a list that long, or two things named, in an earlier turn."""
    if line.link != "position":
        return
    lengths = [len(one.answers or ()) for one in before if not one.is_polar and not one.query.counted_variables]
    longest = max([*lengths, *(2 for one in before if re.search(r"\b(?:or|than|and)\b", one.standalone))], default=0)
    words = [word for word in folded_words(bare) if word in _ORDINALS]
    needed = max((_ORDINALS[word] for word in words), default=2)
    if longest < max(needed, 2):
        said = f'at most {longest} things were named before: "{line.question}"'
        yield LintFinding("unresolved", line.number, said)
    elif not (words or re.search(r"\b(?:last|former|latter|next|previous|other|final|top)\b", bare, re.IGNORECASE)):
        yield LintFinding("unresolved", line.number, f'names no place: "{line.question}"')


def _rivals(talk: DialogueView, line: TurnView, known: KGFacts, bare: str) -> Iterator[LintFinding]:
    """A pronoun for the topic misleads where the turn before was about, or was answered by, another such thing."""
    groups = _groups(bare)
    last = talk.turns[line.number - 2]
    if len(groups) != 1 or talk.seed.iri not in line.query.iris:
        return
    group, said = next(iter(groups)), f'"{line.question}"'
    if last.link in ("answer", "position", "shift") and talk.seed.iri not in last.query.iris:
        theirs = _groups(mask_names(last.question, talk.all_names()))
        if not theirs or group in theirs:
            yield LintFinding("unresolved", line.number, f"turn {last.number} was about something else: {said}")
        return
    ends = [a for a in last.answers or () if a.kind == "iri" and a.value != talk.seed.iri]
    if len(ends) != 1 or len(last.answers or ()) != 1 or ends[0].value in line.query.iris:
        return
    person = bool(re.search(r"\b(?:who|whom|whose)\b", last.question, re.IGNORECASE))
    fits = {"it": not person, "they": person}.get(group, known.genders.get(ends[0].value) == _GENDERS.get(group))
    if fits and _could_mean(talk, line, last, ends[0].value, known):
        yield LintFinding("unresolved", line.number, f'may mean "{ends[0].label}", the answer before: {said}')


def _could_mean(talk: DialogueView, line: TurnView, last: TurnView, iri: str, known: KGFacts) -> bool:
    """Tell whether a question could be asked of another thing as well: a reader knows that a price has no manager.

    Things of the seed's own class always; with a KG, also those whose like have the predicate that is asked.
    """
    if last.answer_type and folded_words(last.answer_type) == folded_words(iri_to_words(talk.seed.type)):
        return True
    sides = [(str(p), "out" if str(s) == talk.seed.iri else "in") for s, p, o in line.query.patterns
             if talk.seed.iri in (str(s), str(o))]  # fmt: skip
    return any(predicate in known.possible_predicates.get((iri, side), ()) for predicate, side in sides)


def _groups(bare: str) -> set[str]:
    """Return the pronouns of a text by person: it, he, she, they."""
    told = _WITHIN.sub(lambda found: found[0].rsplit(" ", 1)[0], _EXPLETIVE.sub("", bare))
    return {_GROUPS[word.casefold()] for word in _PERSONAL.findall(told)}


def _gender(
    talk: DialogueView, line: TurnView, known: KGFacts, names: tuple[str, ...], used: dict[str, tuple[str, int]]
) -> Iterator[LintFinding]:
    """He and she are stated by the KG, and stay the same for one entity."""
    said = _groups(mask_names(line.question, names)) - _groups(mask_names(line.standalone, names))
    if line.link in ("among", "shift") or line.number == 1 or len(said) != 1:
        return
    group, iri = next(iter(said)), _subject(talk, line)
    if not iri:
        return
    stated = known.genders.get(iri, "")
    if known.has_kg and group in _GENDERS and stated != _GENDERS[group]:
        fact = f"states {stated}" if stated else "states no gender"
        yield LintFinding("gender", line.number, f'the graph {fact}: "{line.question}"')
        return
    earlier, turn = used.setdefault(iri, (group, line.number))
    if earlier != group and "they" not in (earlier, group):
        yield LintFinding("gender", line.number, f'"{group}", but "{earlier}" in turn {turn}: "{line.question}"')


def _subject(talk: DialogueView, line: TurnView) -> str:
    """Return what a follow-up refers to: the topic, or the earlier answer that its query speaks of."""
    if line.link in ("topic", "") and talk.seed.iri in line.query.iris:
        return talk.seed.iri
    source = _source(line, talk.turns[: line.number - 1])
    told = {a.value for a in source.answers or ()} if source else set()
    return next((iri for iri in line.query.iris if iri in told), "")


def _link(talk: DialogueView, line: TurnView) -> Iterator[LintFinding]:
    """What a link says can be seen in the queries and answers before it."""
    if not line.link or line.query.syntax_error:
        return
    before = talk.turns[: line.number - 1]
    iris = set(line.query.iris)
    answers = {a.value for one in before for a in one.answers or ()}
    spoken_of = {talk.seed.iri, *answers, *(iri for one in before for iri in one.query.iris)}
    lists = [one for one in before if len(one.answers or ()) > 1]
    why = ""
    if (line.link == "opens") != (line.number == 1):
        why = "only the first turn opens" if line.number > 1 else "the first turn opens"
    elif line.link == "answer" and not iris & answers:
        why = "the query speaks of no earlier answer"
    elif line.link in ("topic", "position") and iris and not iris & spoken_of:
        why = "the query speaks of nothing that was spoken of before"
    elif line.link == "among" and not any(_within(one, line) for one in lists):
        why = "the query is not about the answers of an earlier turn"
    elif line.link == "shift" and not any(_alike(one, line) for one in before):
        why = "no earlier turn asked the same of something else"
    if why:
        yield LintFinding("wrong-link", line.number, f"{line.link}: {why}")


def _within(earlier: TurnView, line: TurnView) -> bool:
    """Tell whether a query is about the answers of an earlier one: it holds its predicates and ends, or the answers."""
    told = {a.value for a in earlier.answers or ()}
    return told <= set(line.query.iris) or (
        set(earlier.query.predicates) <= set(line.query.predicates)
        and set(earlier.query.iris) - {i for i in earlier.query.iris if earlier.link == "among"} <= set(line.query.iris)
    )


def _alike(earlier: TurnView, line: TurnView) -> bool:
    """Tell whether two queries ask the same of different things."""
    return (
        set(earlier.query.predicates) == set(line.query.predicates)
        and earlier.query.canonical_text != line.query.canonical_text
    )
