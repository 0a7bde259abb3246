"""Coreference resolution: which referent a pronoun or a noun stands for, by type, gender, recency and properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.morphology import (
    AUXILIARY,
    COMMAND,
    DO,
    FUNCTION,
    GENERIC,
    label_stems_of,
    lemma_stem_of,
    parse_degree,
    quantities_of,
    related_stems,
    split_label,
)
from chattyshared.language.tokenizer import tokenize
from chattyshared.language.wordnet import noun_kinds

from chattykg.conversation.referents import Property, Referent

_PERSON = frozenset(
    lemma_stem_of(word) for word in word_set("answer_types", "person") | word_set("followups", "further_persons")
)
_GROUP = frozenset(lemma_stem_of(word) for word in word_set("followups", "groups"))
_PLACE = frozenset(
    lemma_stem_of(word) for word in word_set("answer_types", "place") | word_set("followups", "further_places")
)
_HUMAN = frozenset(lemma_stem_of(word) for word in word_set("relation_labels", "personal"))
"""Words of predicates that only people have."""
_NOUN_GENDERS = word_map("followups", "person_genders")
_GENDERS = {"he": "male", "she": "female"}
_PRONOUN_GENDERS = {
    word: _GENDERS[group] for word, group in word_map("function_words", "pronoun_groups").items() if group in _GENDERS
}
PropertyDirection = Literal["out", "in", "agent", ""]
_RELATED_STEM_WEIGHT, _FAR_CLASS_WEIGHT = 0.7, 0.4
"""Weights (0 to 1) of a related word, and of a match with the class at the far end; a whole label has 1."""
MIN_PROPERTY_FIT = 0.5
"""Least fit (0 to about 1) of a property and the asked words at which its holder is a candidate."""
_FIT_TOLERANCE = 0.15
"""Holders within this distance of the best fit are candidates too."""
_AGENT_ENDINGS = ("er", "or", "ist", "by")
"""Endings of labels that name who does something: owner, operator, owned by."""
_EXTRA_WORD_BONUS, _WRONG_DIRECTION_FACTOR = 0.2, 0.75
"""Added to the fit for each further matching word; factor of a property in the other direction."""


def is_person(referent: Referent) -> bool | None:
    """Tell whether a referent is a person; None if its types do not tell (a band may be an "artist")."""
    if referent.gender:
        return True
    kinds = {lemma_stem_of(word) for label in referent.types for word in split_label(label)[-1:]}
    if kinds & _GROUP:
        return False
    if kinds & _PERSON or _HUMAN & {
        word for each in referent.properties if each.is_outward for word in label_stems_of(each.label)
    }:
        return True
    heads = (split_label(label)[-1] for label in referent.types if split_label(label))
    return False if referent.types and not any(noun_kinds(head)[:1] == ("person",) for head in heads) else None


def asks_of_people(stems: Iterable[str]) -> bool:
    """Tell whether asked words are said of people only ("born")."""
    return not _HUMAN.isdisjoint(stems)


def is_group(referent: Referent) -> bool:
    """Tell whether a referent is a group of people by its types."""
    return bool({lemma_stem_of(word) for label in referent.types for word in split_label(label)[-1:]} & _GROUP)


def is_place(referent: Referent) -> bool:
    """Tell whether a referent is a place by its types."""
    return bool({lemma_stem_of(word) for label in referent.types for word in split_label(label)} & _PLACE)


def fits_noun(referent: Referent, noun: str) -> bool:
    """Tell whether a referent is of the kind that a noun names ("film" for a Film, "person" for an Employee)."""
    noun_stems = related_stems(noun.rsplit(" ", 1)[-1])
    kinds = {lemma_stem_of(word) for label in referent.types for word in _head_nouns(label)}
    noun_stem = lemma_stem_of(noun.rsplit(" ", 1)[-1])
    if noun_stem in kinds:
        return True
    if kinds & noun_stems:
        return noun_stem not in _PERSON or is_person(referent) is not False
    return (
        lemma_stem_of(noun)
        in (lemma_stem_of("person"), lemma_stem_of("man"), lemma_stem_of("woman"), lemma_stem_of("guy"))
        and is_person(referent) is True
    )


def infer_genders(referents: Sequence[Referent], said: Sequence[tuple[str, str]]) -> tuple[Referent, ...]:
    """Return the referents with the genders that the conversation tells where the graph states none.

    ``said`` are the earlier questions, as asked and standing alone: "she" tells of the person that took its place,
    "her father" of the person that is the answer.
    """
    genders: dict[str, set[str]] = {}
    for turn, (asked, standalone) in enumerate(said, 1):
        words = [token.lower for token in tokenize(asked)]
        people = [r for r in referents if r.turn == turn and r.iri and is_person(r) is not False]
        meant = [r for r in people if r.label in standalone and r.label.casefold() not in asked.casefold()]
        for role, stated, group in (("topic", _PRONOUN_GENDERS, meant), ("answer", _NOUN_GENDERS, people)):
            found = {stated[word] for word in words if word in stated}
            iris = {r.iri for r in group if r.role == role and r.answer_count == 1}
            for iri in iris if len(iris) == 1 and len(found) == 1 else ():
                genders.setdefault(iri, set()).update(found)
    told = {iri: next(iter(found)) for iri, found in genders.items() if len(found) == 1}
    return tuple(replace(r, gender=r.gender or told.get(r.iri, "")) for r in referents)


def resolve_pronoun(
    pronoun: str,
    referents: Sequence[Referent],
    asked_stems: Mapping[str, float] | None = None,
    direction: PropertyDirection = "",
) -> Referent | None:
    """Return what "he", "her", "it", "there" stands for.

    ``asked_stems`` are the stems of what is asked, ``direction`` tells whose it is (see
    ``property_fit``): a referent that can have it goes before one that cannot.
    """
    asked_stems = asked_stems or {}
    if pronoun in ("he", "him", "his"):
        return _resolve_person("male", referents, asked_stems, direction)
    if pronoun in ("she", "her", "hers"):
        return _resolve_person("female", referents, asked_stems, direction)
    if pronoun == "there":
        places = [r for r in referents if r.iri and is_place(r)]
        return _best(places or [r for r in referents if r.iri and not is_person(r)], prefer_answer=True)
    if pronoun == "they":
        return _best(select_holders([r for r in referents if r.iri], asked_stems, direction), prefer_answer=True)
    things = [r for r in referents if r.iri and is_person(r) is not True]
    return _best(select_holders(things or [r for r in referents if r.iri], asked_stems, direction), prefer_answer=False)


def resolve_noun(
    noun: str,
    referents: Sequence[Referent],
    asked_stems: Mapping[str, float] | None = None,
    *,
    prefers_last_answer: bool = False,
) -> Referent | None:
    """Return what "the film" or "this company" stands for.

    ``asked_stems`` are the stems of what is asked now. ``prefers_last_answer`` is for "that film".
    """
    kind = [r for r in referents if fits_noun(r, noun)]
    exact = [
        r
        for r in kind
        if lemma_stem_of(noun.rsplit(" ", 1)[-1]) in {lemma_stem_of(part) for part in split_label(r.types[0])[-1:]}
    ]
    fitting = select_holders(kind if prefers_last_answer else exact or kind, asked_stems or {})
    for group in (fitting, kind):
        latest = [r for r in group if prefers_last_answer and r.role == "answer" and r.answer_count == 1]
        if latest:
            return max(latest, key=lambda r: r.turn)
    if fitting:
        return _best(fitting, prefer_answer=True)
    return None


def last_answers(referents: Sequence[Referent]) -> tuple[Referent, ...]:
    """Return the answers of the latest turn that had any, in their order."""
    answers = [r for r in referents if r.role == "answer"]
    last = max((r.turn for r in answers), default=0)
    return tuple(sorted((r for r in answers if r.turn == last), key=lambda r: r.position))


def last_list(referents: Sequence[Referent]) -> tuple[Referent, ...]:
    """Return the answers of the latest turn that had at least two."""
    lists = [r for r in referents if r.role == "answer" and r.answer_count > 1]
    return last_answers([r for r in lists if r.iri] or lists)


def asked_stems(question: str, excluded: str = "") -> Mapping[str, float]:
    """Return the stems of a question's words (1.0) and of related words (less); names and ``excluded`` are left out."""
    left_out = FUNCTION | COMMAND | GENERIC | set(excluded.lower().split())
    weights: dict[str, float] = {}
    tokens = tokenize(question)
    for at, token in enumerate(tokens):
        is_verb = at > 1 and tokens[at - 2].lower in DO and token.lower not in AUXILIARY  # "does it own"
        if token.kind != "word" or token.lower in left_out and not is_verb or token.is_capitalized and at:
            continue
        for word in (token.lower, *(token.lower.split("-") if "-" in token.lower else ())):
            for near in related_stems(word):
                weights[near] = max(
                    weights.get(near, 0.0), 1.0 if near == lemma_stem_of(word) else _RELATED_STEM_WEIGHT
                )
        for noun, _ in quantities_of(parse_degree(token.lower)[0] or token.lower):
            for part in split_label(noun):
                weights[lemma_stem_of(part)] = max(weights.get(lemma_stem_of(part), 0.0), _RELATED_STEM_WEIGHT)
    return weights


def property_fit(referent: Referent, stems: Mapping[str, float], direction: PropertyDirection = "") -> float:
    """Return how well a referent's best property matches the asked words; about 1 if the question says its whole label.

    ``direction`` is ``out`` if the referent is the subject ("its capital"), ``in`` if it is the object ("is it the
    capital of"), ``agent`` if it does what is asked ("does it own": an owner), "" if the words do not tell.
    """
    return max((score_property(each, stems, direction) for each in referent.properties), default=0.0)


def drop_possessed(referents: Sequence[Referent], noun: str) -> tuple[Referent, ...]:
    """Return the referents that "its NOUN" may be of: those that have one, or all but those of that kind itself."""
    stems = {stem: weight for stem, weight in asked_stems(noun).items() if weight == 1}
    holders = tuple(r for r in referents if any(_leads_from(each, stems) for each in r.properties))
    whole = tuple(r for r in holders if not fits_noun(r, noun) or _has_whole(r, noun))
    return whole or tuple(r for r in referents if not fits_noun(r, noun)) or tuple(referents)


def drop_asked_kind(
    referents: Sequence[Referent], noun: str, stems: Mapping[str, float], direction: PropertyDirection
) -> tuple[Referent, ...]:
    """Return the referents that may do what is asked to things of a kind: "which vessels does it own" asks no vessel.

    ``stems`` are those of what they do; all referents are returned if none of another kind is known to do it.
    """
    others = tuple(r for r in referents if not fits_noun(r, noun)) if noun and direction == "agent" else ()
    does = any(property_fit(r, stems, direction) >= MIN_PROPERTY_FIT for r in others)
    return others if does else tuple(referents)


def _has_whole(referent: Referent, noun: str) -> bool:
    """Tell whether a noun says the whole label of a property of a thing: a line has a "line number", but no line."""
    stems = {lemma_stem_of(word) for word in noun.split()}
    return any(each.is_outward and stems.issuperset(label_stems_of(each.label)) for each in referent.properties)


def find_holder(noun: str, referents: Sequence[Referent]) -> Referent | None:
    """Return the latest single thing with a property that a noun names ("that child": Ann, who has one)."""
    stems = {stem: weight for stem, weight in asked_stems(noun).items() if weight == 1}
    holders = [
        r
        for r in referents
        if r.iri and (r.role == "topic" or r.answer_count == 1)
        if any(_leads_from(each, stems) for each in r.properties)
    ]
    return max(holders, key=lambda r: r.turn, default=None)


def fills_role(referent: Referent, noun: str) -> bool:
    """Tell whether a property that a noun names leads to a thing ("that builder": a yard that built something)."""
    stems = {stem: weight for stem, weight in asked_stems(noun).items() if weight == 1}
    inward = (replace(each, far_class_labels=()) for each in referent.properties if not each.is_outward)
    return any(score_property(each, stems, "in") >= MIN_PROPERTY_FIT for each in inward)


def _leads_from(each: Property, stems: Mapping[str, float]) -> bool:
    """Tell whether a property of a thing has a label of some stems and leads from it."""
    own = replace(each, far_class_labels=())
    return each.is_outward and score_property(own, stems, "out") >= MIN_PROPERTY_FIT


def select_holders(
    referents: Sequence[Referent], stems: Mapping[str, float], direction: PropertyDirection = ""
) -> tuple[Referent, ...]:
    """Return the referents that can have what is asked; all of them if their properties do not differ."""
    known = [(property_fit(r, stems, direction), r) for r in referents if r.properties]
    best = max((score for score, _ in known), default=0.0)
    if best < MIN_PROPERTY_FIT:
        return tuple(referents)
    return tuple(r for score, r in known if score >= max(best - _FIT_TOLERANCE, MIN_PROPERTY_FIT))


def _head_nouns(label: str) -> tuple[str, ...]:
    """Return the words of a class label that say what a thing is: "category" of "product category"."""
    words = split_label(label)
    return (words[words.index("of") - 1], words[-1]) if "of" in words[1:] else words[-1:]


def _resolve_person(
    gender: str, referents: Sequence[Referent], said: Mapping[str, float], way: PropertyDirection
) -> Referent | None:
    people = [r for r in referents if is_person(r) is not False and r.iri and r.gender in ("", gender)]
    people = people or [
        r for r in referents if r.iri and r.role == "answer" and r.answer_count == 1 and r.gender in ("", gender)
    ]
    sure = [r for r in people if r.gender == gender] or [r for r in people if is_person(r)] or people
    return _best(select_holders(sure, said, way), prefer_answer=True)


def _best(candidates: Sequence[Referent], *, prefer_answer: bool) -> Referent | None:
    """Choose by turn and role: the last single answer first if it is preferred or was chosen among topics, else the
    topic."""
    if not candidates:
        return None
    last = max(r.turn for r in candidates)
    named = {r.iri for r in candidates if r.turn == last and r.role == "topic"}
    chosen = [r for r in candidates if r.turn == last and r.role == "answer" and r.answer_count == 1 and r.iri in named]
    if chosen:  # "Which is older, A or B?": goes on with the answer
        return chosen[0]
    pointed = {r.turn for r in candidates} - {r.turn for r in candidates if r.role == "topic"}
    times: dict[str, int] = {}
    for referent in candidates:
        if referent.role == "topic":
            times[referent.iri or referent.label] = times.get(referent.iri or referent.label, 0) + 1

    def worth(referent: Referent) -> tuple[float, int, int]:
        score = float(referent.turn - last)
        if referent.role == "answer":
            alone = 1.5 if prefer_answer else 0.5 if referent.turn in pointed else -0.75
            score += alone if referent.answer_count == 1 else -2.0
        else:
            score += 0.5 * min(times[referent.iri or referent.label], 4)
        return score, referent.turn, -referent.position

    return max(candidates, key=worth)


def score_property(each: Property, stems: Mapping[str, float], direction: PropertyDirection = "") -> float:
    """Return how well one property matches the asked words."""
    words = label_stems_of(each.label)
    weights = [stems[word] for word in words if word in stems]
    whole = sum(weights) / len(words) + _EXTRA_WORD_BONUS * (len(weights) - 1) if weights else 0.0
    ends = [label_stems_of(label)[-1:] for label in each.far_class_labels]
    far = _FAR_CLASS_WEIGHT * max((stems.get(end[0], 0.0) for end in ends if end), default=0.0)
    if direction == "agent":
        direction = "in" if each.label.lower().split(" ")[-1].endswith(_AGENT_ENDINGS) else ""
    against = direction == ("in" if each.is_outward else "out")
    return max(whole, far) * (_WRONG_DIRECTION_FACTOR if against else 1.0)
