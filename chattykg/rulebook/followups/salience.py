"""Salience: which thing of the conversation a reference stands for, by type, gender, number, recency and properties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from chattyshared.dialogue import History
from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.morphology import (
    COMMAND,
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


def _stems(*lists: tuple[str, str]) -> frozenset[str]:
    return frozenset(lemma_stem_of(word) for file, key in lists for word in word_set(file, key))


_PERSON = _stems(("answer_types", "person"), ("followups", "further_persons"))
_GROUP = _stems(("followups", "groups"))
_PLACE = _stems(("answer_types", "place"), ("followups", "further_places"))
_AROUND = word_set("prepositions", "place")
_NOUN_GENDERS = word_map("followups", "person_genders")
_GENDERS = {"he": "male", "she": "female"}
_PRONOUN_GENDERS = {
    word: _GENDERS[group] for word, group in word_map("function_words", "pronoun_groups").items() if group in _GENDERS
}
WRONG_DIRECTION_FACTOR = 0.75
"""Factor (0 to 1) in the fit of a property that leads the other way than what is asked; set by hand."""
MIN_FIT, FIT_TOLERANCE = 0.5, 0.15
"""Least fit at which a thing can have what is asked, and the distance from the best fit of further candidates."""


def find_antecedent(
    referents: Sequence[Referent],
    stems: frozenset[str],
    *,
    kind: str = "thing",
    gender: str = "",
    noun: str = "",
    is_inward: bool = False,
    prefers_answer: bool = False,
) -> Referent | None:
    """Return the most salient referent that a reference in the singular may stand for.

    ``stems`` are those of what is asked about it (``asked_stems``), ``kind`` is ``person``, ``thing``, ``place`` or
    ``any`` ("they"); ``noun`` takes its place. ``prefers_answer``: the last answer goes before all ("that film").
    """
    single = [r for r in referents if r.iri and (r.role == "topic" or r.answer_count == 1)]
    able = [r for r in single if gender in ("", r.gender or gender)]
    if noun:
        fitting = [r for r in able if fits_noun(r, noun)]
        return _most_salient(select_able(fitting, stems), prefers_answer=True)
    groups = ([r for r in able if is_preferred(r, gender)] for is_preferred in _PREFERENCES[kind])
    fitting = next(filter(None, groups), [])
    return _most_salient(select_able(fitting, stems, is_inward=is_inward), kind != "thing" or prefers_answer)


_PREFERENCES: Mapping[str, Sequence[Callable[[Referent, str], bool]]] = {
    "person": (
        lambda r, gender: bool(r.gender) and r.gender == gender,
        lambda r, _: is_person(r) is True,
        lambda r, _: is_person(r) is None or r.role == "answer" and r.answer_count == 1,
    ),
    "thing": (lambda r, _: is_person(r) is not True, lambda r, _: not r.gender),
    "place": (
        lambda r, _: any(_PLACE & set(map(lemma_stem_of, split_label(label))) for label in r.types),
        lambda r, _: any(not p.is_outward and _AROUND.intersection(split_label(p.label)[-1:]) for p in r.properties),
        lambda r, _: is_person(r) is not True,
    ),
    "any": (
        lambda r, _: (is_person(r) is True or bool(_heads(r) & _GROUP)) and not r.gender,
        lambda r, _: is_person(r) is not False and not r.gender,
        lambda r, _: True,
    ),
}
"""What the antecedent of each kind of reference is, the best first."""


def _most_salient(candidates: Sequence[Referent], prefers_answer: bool) -> Referent | None:
    """Return the latest candidate, of several topics the most mentioned; a topic, or an answer where that is preferred,
    counts as one turn later."""
    role, mentions = "answer" if prefers_answer else "topic", Counter(r.iri for r in candidates)

    def salience(r: Referent) -> tuple[int, bool, int, int]:
        return r.turn + (r.role == role), r.role == "topic", mentions[r.iri], -r.position

    return max(candidates, key=salience, default=None)


def is_person(referent: Referent) -> bool | None:
    """Tell whether a referent is a person; None if its types do not tell (a band may be an "artist")."""
    if referent.gender:
        return True
    heads = _heads(referent)
    if heads & _GROUP:
        return False
    if heads & _PERSON:
        return True
    words = [split_label(label)[-1] for label in referent.types if split_label(label)]
    return False if words and not any(noun_kinds(word)[:1] == ("person",) for word in words) else None


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
            for iri in iris if len(iris) == len(found) == 1 else ():
                genders.setdefault(iri, set()).update(found)
    told = {iri: next(iter(found)) for iri, found in genders.items() if len(found) == 1}
    return tuple(replace(r, gender=r.gender or told.get(r.iri, "")) for r in referents)


def fits_noun(referent: Referent, noun: str) -> bool:
    """Tell whether a referent is of the kind that a noun names ("film" for a Film, "person" for an Employee)."""
    head = lemma_stem_of(noun.rsplit(" ", 1)[-1])
    heads = _heads(referent)
    if head in heads:
        return True
    is_related = bool(heads & related_stems(noun.rsplit(" ", 1)[-1]))
    return is_related and (head not in _PERSON or is_person(referent) is not False)


def _heads(referent: Referent) -> set[str]:
    """Return the stems of the words of class labels that say what a thing is: "category" of "product category"."""
    heads: set[str] = set()
    for label in referent.types:
        words = split_label(label)
        heads |= {lemma_stem_of(word) for word in words[-1:]}
        if "of" in words[1:]:
            heads.add(lemma_stem_of(words[words.index("of") - 1]))
    return heads


def asked_stems(question: str, excluded: str = "") -> frozenset[str]:
    """Return the stems of a question's words; names and ``excluded`` are left out."""
    left_out = FUNCTION | COMMAND | GENERIC | set(excluded.lower().split())
    words = [token for at, token in enumerate(tokenize(question)) if not (token.is_capitalized and at)]
    texts = [token.lower for token in words if token.kind == "word" and token.lower not in left_out]
    nouns = [noun for text in texts for noun, _ in quantities_of(parse_degree(text)[0] or text)]  # "old": age
    return frozenset(lemma_stem_of(part) for text in (*texts, *nouns) for part in text.replace("-", " ").split())


def property_fit(referent: Referent, stems: frozenset[str], *, is_inward: bool = False) -> float:
    """Return how well a referent's best property matches the asked words (0 to 1); ``is_inward``: it leads to it."""
    return max((_fit(each, stems, is_inward=is_inward) for each in referent.properties), default=0.0)


def _fit(each: Property, stems: frozenset[str], *, is_inward: bool) -> float:
    words = label_stems_of(each.label)
    share = sum(word in stems for word in words) / max(1, len(words))
    return share * (WRONG_DIRECTION_FACTOR if is_inward and each.is_outward else 1.0)


def select_able(referents: Sequence[Referent], stems: frozenset[str], *, is_inward: bool = False) -> Sequence[Referent]:
    """Return the referents that can have what is asked; all of them if their properties do not differ."""
    fits = [(property_fit(r, stems, is_inward=is_inward), r) for r in referents if r.properties]
    best = max((fit for fit, _ in fits), default=0.0)
    return referents if best < MIN_FIT else [r for fit, r in fits if fit >= max(best - FIT_TOLERANCE, MIN_FIT)]


def find_parallel_turns(history: History) -> Iterator[int]:
    """Yield the numbers of the last turns that ask for the same relations, latest first."""
    asked = [frozenset(linked.iri for linked in each.answer.relations) for each in history]
    for turn in range(len(asked), 0, -1):
        if not asked[-1] or asked[turn - 1] != asked[-1]:
            return
        yield turn


def find_bearer(noun: str, referents: Sequence[Referent], *, is_owner: bool = False) -> Referent | None:
    """Return the latest single thing to which leads what a noun names ("that builder": a yard that built something), or
    that has it (``is_owner``: "that child" of the person spoken of)."""
    single = [r for r in referents if r.iri and (r.role == "topic" or r.answer_count == 1)]
    bearers = [(bearing(r, noun, is_owner=is_owner), r) for r in single]
    fitting = [(fit, r.turn, r) for fit, r in bearers if fit >= MIN_FIT]
    return max(fitting, key=lambda each: each[:2], default=(0, 0, None))[-1]


def bearing(referent: Referent, noun: str, *, is_owner: bool = True) -> float:
    """Return how well a property that a noun names leads from a thing, or to it (0 to 1)."""
    stems = asked_stems(noun)
    labels = (each.label for each in referent.properties if each.is_outward == is_owner)
    return max((_fit(Property(label), stems, is_inward=False) for label in labels), default=0.0)
