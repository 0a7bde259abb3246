"""Which referent a pronoun or a pointing noun stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chattykg.linking.wording import parts, related, stem, stems
from chattykg.referents import Referent
from chattykg.rulebook.ability import Way, able

_PERSON = frozenset(
    stem(word) for word in
    "person people human man woman actor actress artist author writer director manager employee politician player "
    "athlete singer musician scientist student teacher professor president leader monarch king queen customer member "
    "staff engineer painter composer founder astronaut architect character conductor visitor driver passenger "
    "doctor patient researcher poet philosopher developer supervisor".split()
)  # fmt: skip
_GROUP = frozenset(
    stem(word) for word in
    "organization organisation company band group team club party agency institution institute corporation firm "
    "orchestra ensemble choir committee department ministry government union association society supplier "
    "manufacturer publisher label studio bank brand university school college hospital".split()
)  # fmt: skip
_PLACE = frozenset(
    stem(word) for word in
    "place location city country town region state province village continent area settlement building venue site "
    "district county capital island river mountain lake stadium street museum airport park university school".split()
)  # fmt: skip
_HUMAN = frozenset(stem(word) for word in "birth born birthday birthdate birthplace gender sex spouse surname".split())
"""What the graph says of people only, whatever their class is called."""


def is_person(referent: Referent) -> bool | None:
    """Tell whether a referent is a person; None where its types do not say (a band may well be an "artist")."""
    if referent.gender:
        return True
    kinds = {stem(word) for label in referent.types for word in parts(label)[-1:]}
    if kinds & _GROUP:
        return False
    if kinds & _PERSON or _HUMAN & {word for each in referent.properties if each.outward for word in stems(each.label)}:
        return True
    return False if referent.types else None


def is_group(referent: Referent) -> bool:
    """Tell whether a referent is a group of people by its types."""
    return bool({stem(word) for label in referent.types for word in parts(label)[-1:]} & _GROUP)


def is_place(referent: Referent) -> bool:
    """Tell whether a referent is a place by its types."""
    return bool({stem(word) for label in referent.types for word in parts(label)} & _PLACE)


def fits_noun(referent: Referent, noun: str) -> bool:
    """Tell whether a referent is of the kind that a noun names ("film" for a Film, "person" for an Employee)."""
    wanted = related(noun.rsplit(" ", 1)[-1])
    kinds = {stem(word) for label in referent.types for word in _heads(label)}
    own = stem(noun.rsplit(" ", 1)[-1])
    if own in kinds:
        return True
    if kinds & wanted:
        return own not in _PERSON or is_person(referent) is not False
    return stem(noun) in (stem("person"), stem("man"), stem("woman"), stem("guy")) and is_person(referent) is True


def _heads(label: str) -> tuple[str, ...]:
    """Return the words of a class label that say what a thing is: "category" of "product category"."""
    words = parts(label)
    return (words[words.index("of") - 1], words[-1]) if "of" in words[1:] else words[-1:]


def singular(
    pronoun: str, referents: Sequence[Referent], said: Mapping[str, float] | None = None, way: Way = ""
) -> Referent | None:
    """Return what "he", "her", "it", "there" stands for.

    ``said`` are the stems of what is asked, ``way`` tells whose it is (see ``ability``): a referent that can have it
    goes before one that cannot.
    """
    said = said or {}
    if pronoun in ("he", "him", "his"):
        return _person("male", referents, said, way)
    if pronoun in ("she", "her", "hers"):
        return _person("female", referents, said, way)
    if pronoun == "there":
        places = [r for r in referents if r.iri and is_place(r)]
        return _best(places or [r for r in referents if r.iri and not is_person(r)], prefer_answer=True)
    if pronoun == "they":
        return _best(able([r for r in referents if r.iri], said, way), prefer_answer=True)
    things = [r for r in referents if r.iri and is_person(r) is not True]
    return _best(able(things or [r for r in referents if r.iri], said, way), prefer_answer=False)


def _person(gender: str, referents: Sequence[Referent], said: Mapping[str, float], way: Way) -> Referent | None:
    people = [r for r in referents if is_person(r) is not False and r.iri and r.gender in ("", gender)]
    people = people or [r for r in referents if r.iri and r.role == "answer" and r.of == 1 and r.gender in ("", gender)]
    sure = [r for r in people if r.gender == gender] or [r for r in people if is_person(r)] or people
    return _best(able(sure, said, way), prefer_answer=True)


def _best(found: Sequence[Referent], *, prefer_answer: bool) -> Referent | None:
    """Choose by turn and role: the last single answer first where it is preferred, else what is talked about."""
    if not found:
        return None
    last = max(r.turn for r in found)
    pointed = {r.turn for r in found} - {r.turn for r in found if r.role == "topic"}
    times: dict[str, int] = {}
    for referent in found:
        if referent.role == "topic":
            times[referent.iri or referent.label] = times.get(referent.iri or referent.label, 0) + 1

    def worth(referent: Referent) -> tuple[float, int, int]:
        score = float(referent.turn - last)
        if referent.role == "answer":
            alone = 1.5 if prefer_answer else 0.5 if referent.turn in pointed else -0.75
            score += alone if referent.of == 1 else -2.0
        else:
            score += 0.5 * min(times[referent.iri or referent.label], 4)
        return score, referent.turn, -referent.place

    return max(found, key=worth)


def by_noun(
    noun: str,
    referents: Sequence[Referent],
    asked: str,
    said: Mapping[str, float] | None = None,
    *,
    nearest: bool = False,
) -> Referent | None:
    """Return what "the film" or "this company" stands for; ``nearest`` ("that film") wants the last answer.

    ``asked`` is the noun that the last question asked for: its single answer is one of that kind, whatever its types.
    ``said`` are the stems of what is asked now.
    """
    kind = [r for r in referents if fits_noun(r, noun)]
    exact = [r for r in kind if stem(noun.rsplit(" ", 1)[-1]) in {stem(part) for part in parts(r.types[0])[-1:]}]
    fitting = able(kind if nearest else exact or kind, said or {})
    for group in (fitting, kind):
        latest = [r for r in group if nearest and r.role == "answer" and r.of == 1]
        if latest:
            return max(latest, key=lambda r: r.turn)
    if fitting:
        return _best(fitting, prefer_answer=True)
    last = max((r.turn for r in referents), default=0)
    answers = [r for r in referents if r.turn == last and r.role == "answer" and r.of == 1]
    if answers and asked and related(noun) & related(asked):
        return answers[0]
    return None


def last_answers(referents: Sequence[Referent]) -> tuple[Referent, ...]:
    """Return the answers of the latest turn that had any, in their order."""
    answers = [r for r in referents if r.role == "answer"]
    last = max((r.turn for r in answers), default=0)
    return tuple(sorted((r for r in answers if r.turn == last), key=lambda r: r.place))


def last_list(referents: Sequence[Referent]) -> tuple[Referent, ...]:
    """Return the answers of the latest turn that had at least two."""
    lists = [r for r in referents if r.role == "answer" and r.of > 1]
    return last_answers([r for r in lists if r.iri] or lists)
