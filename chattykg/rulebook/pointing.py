"""Words that point back: "which of them", "this film", "those", "they", "the company"."""

from __future__ import annotations

import re

from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import degree, parts, related, stem
from chattykg.referents import Referent
from chattykg.rulebook.ability import ENOUGH, asked_stems, fit
from chattykg.rulebook.leaning import is_demonstrative, says_which
from chattykg.rulebook.legacy.closed_words import FUNCTION, IRREGULAR, NUMBERS, PREPOSITION, VERBS
from chattykg.rulebook.positions import CHOICE, joint
from chattykg.rulebook.previous import description
from chattykg.rulebook.references import by_noun, fits_noun, singular
from chattykg.rulebook.scene import Scene, last_turn, named, say_all, say_many, says_many

_YEAR = re.compile(r"\b[12]\d{3}\b")
_SAYS_WHICH = frozenset("that who which whose from with in born above below".split())
_BEFORE_A_ROLE = frozenset("all each every any it he she they".split())
"""Behind these "the channel" is no channel that was spoken of: "is it the channel"."""
_BEFORE_A_VALUE = frozenset(
    "than above below over under before after since until by in on is was equal exactly".split()
)
"""Behind these "that" is the number or the date of the last answer; elsewhere ("the form for that") a thing."""

_PLACES_OF_DATA = frozenset(
    "list lists table tables database data results result question questions graph records".split()
)


def which_one(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "which one", "which ones", "which of them", "who of them": the last list."""
    if tokens[place].lower not in ("which", "who") or CHOICE.search(scene.question):
        return None
    at = place + 1
    if tokens[at : at + 1] and tokens[at].lower in ("one", "ones"):
        inner = of_them(tokens, at + 1, scene)
        if inner:
            return f"Which {inner[0]}", inner[1]
        said = say_all(scene)
        return (f"Which of {said}", place + 2) if said else None
    found = of_them(tokens, place + 1, scene) if place + 1 < len(tokens) else None
    return (f"Which {found[0]}", found[1]) if found else None


def of_them(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "of them", "of those films", "of these two": the last list, of the kind that is named."""
    following = [token.lower for token in tokens[place : place + 3]]
    if following[:1] != ["of"] or following[1:2] not in (["them"], ["these"], ["those"]):
        return None
    if place and tokens[place - 1].kind == "word" and tokens[place - 1].lower not in FUNCTION:
        return None
    end, noun = place + 2, ""
    if following[2:3] and following[2] in NUMBERS:
        end += 1
    behind = tokens[end] if end < len(tokens) else None
    if behind is not None and following[1] != "them" and _is_plural_noun(behind):
        noun, end = behind.lower, end + 1
    elif behind is not None and behind.lower == scene.asked and following[1] != "them":
        end += 1
    said = say_all(scene, noun=noun)
    return (f"of {said}", end) if said else None


def _is_plural_noun(token: Token) -> bool:
    plural = token.lower.endswith("s") and token.lemma != token.lower or token.lower in ("people", "children")
    return token.kind == "word" and not token.capital and token.lower not in FUNCTION and plural


def typed(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the product category", "this bill of material": the class label of a referent, in all its words."""
    if tokens[place].lower not in ("the", "this", "that"):
        return None
    best: tuple[int, str] = (0, "")
    for label in dict.fromkeys(label for referent in scene.referents for label in referent.types):
        words = parts(label)
        said = [token for token in tokens[place + 1 : place + 1 + 2 * len(words)] if token.kind != "mark"]
        same = tuple(token.lower for token in said[: len(words)]) == words
        if same and len(words) > 1:
            best = max(best, (tokens.index(said[len(words) - 1]) - place, label))
    size, label = best
    if not size or says_which(tokens, place + 1 + size):
        return None
    found = [referent for referent in scene.referents if label in referent.types]
    label = " ".join(parts(label))
    chosen = by_noun(label, found, scene.asked, scene.said_besides(label), nearest=tokens[place].lower == "that")
    return (named(chosen), place + 1 + size) if chosen else None


def pointing(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "this film", "that year", "that"; "these films", "those"."""
    word = tokens[place].lower
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    plain = following is not None and following.kind == "word" and following.lower not in FUNCTION - {"one"}
    noun = following.lower if following is not None and plain else ""
    if word in ("these", "those"):
        return _pointed_list(noun, tokens, place, scene)
    if word not in ("this", "that") or not is_demonstrative(tokens, place):
        return None
    if noun in ("year", "date", "day", "time"):
        said = next((a for a in scene.answers if not a.iri), None)
        if noun == "year" and not (said and _YEAR.match(said.label)):
            return _spoken_year(tokens, place, scene)
        return (said.label[:4] if noun == "year" else said.label, place + 2) if said else None
    if noun == "one":
        single = [a for a in scene.answers if a.of == 1 and a.iri]
        thing = single[0] if single else singular("it", scene.others, scene.said)
        return (named(thing), place + 2) if thing else None
    if noun:
        return _pointed_thing(tokens, place, scene)
    single = [a for a in scene.answers if a.of == 1]
    if single and not single[0].iri and place and tokens[place - 1].lower not in _BEFORE_A_VALUE:
        thing = singular("it", scene.others, scene.said)
        return (named(thing), place + 1) if thing else None
    return (named(single[0]), place + 1) if single else None


def _spoken_year(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "that year" where a question before named one."""
    years = [year for told in reversed(scene.told) for year in _YEAR.findall(told)]
    preposed = place > 0 and tokens[place - 1].lower in PREPOSITION
    return (years[0] if preposed else f"in {years[0]}", place + 2) if years else None


def _pointed_list(noun: str, tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "these films", "those": a list, or what was described."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if not scene.answers and not description(scene.previous) or following and following.lower in _SAYS_WHICH:
        return None
    plural = noun.endswith("s") or noun in ("people", "ones", "children")
    number = following is not None and following.lower in NUMBERS
    inner = _described_within(noun, scene) if plural else ""
    if inner:
        return inner, place + 2
    whole = say_all(scene, joint(tokens, place), noun if plural else "")
    return (whole, place + (2 if plural or number else 1)) if whole else None


def _pointed_thing(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "this film", "that product manager"."""
    size = _compound(tokens, place + 1)
    noun = " ".join(token.lower for token in tokens[place + 1 : place + 1 + size])
    if _is_value(scene, noun):
        return f"{noun} {scene.answers[0].label}", place + 1 + size
    nearest = tokens[place].lower == "that"
    referent = by_noun(noun, scene.referents, scene.asked, scene.said_besides(noun), nearest=nearest)
    if referent is None and noun in ("group", "list", "set") and say_all(scene):
        return say_all(scene), place + 2
    if referent is None:
        answers = [a for a in scene.answers if a.of == 1 and a.iri]
        referent = answers[0] if answers else singular("it", scene.referents)
    return (named(referent), place + 1 + size) if referent else None


def _compound(tokens: list[Token], place: int) -> int:
    """Return how many words the noun at a place has ("product manager": two)."""
    end = place + 1
    while end < len(tokens) and _is_noun(tokens[end]) and not (_verbal(tokens[end]) or degree(tokens[end].lower)[1]):
        end += 1
    return end - place


def _is_noun(token: Token) -> bool:
    return token.kind == "word" and not token.capital and token.lower not in FUNCTION


def _verbal(token: Token) -> bool:
    return token.lemma in VERBS or token.lower in IRREGULAR or token.lower.endswith(("ed", "ing"))


def _described_within(noun: str, scene: Scene) -> str:
    """Say "those battles" after "What are the results of the battles that ...?": what the description says of them."""
    described = description(scene.previous)
    words = tokenise(described)
    of = next((token for token in words[:4] if token.lower == "of"), None)
    found = next((token for token in words if of and token.start > of.start and token.lower == noun), None)
    if found is None or related(noun) & related(scene.asked or noun):
        return ""
    return f"the {described[found.start :]}"


def _is_value(scene: Scene, noun: str) -> bool:
    """Tell whether the last answer is one literal of the kind that a noun names ("this horsepower")."""
    answers = scene.answers
    asked = bool(scene.asked) and bool(related(noun) & related(scene.asked))
    return len(answers) == 1 and not answers[0].iri and asked


def plural(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "they" and "them" (also "each of them", "all of them") where the last answer is a list."""
    word = tokens[place].lower
    if word not in ("they", "them") or not says_many(scene):
        return None
    return say_many(scene, joint(tokens, place) if word == "them" else "and"), place + 1


def definite(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the film", "the company" with nothing behind that says which."""
    before = tokens[place - 1].lower if place else ""
    if tokens[place].lower != "the" or place + 1 >= len(tokens) or before in _BEFORE_A_ROLE:
        return None
    noun, end = tokens[place + 1], place + 2
    if noun.kind != "word" or noun.lower in FUNCTION | _PLACES_OF_DATA or degree(noun.lower)[1] or noun.capital:
        return None
    if says_which(tokens, end):
        return None
    if _is_plural_noun(noun):
        found = scene.listed_last(noun.lower)
        same = found and (noun.lower == scene.asked or fits_noun(found[0], noun.lower))
        return (say_all(scene, noun=noun.lower), end) if same else None
    referent = by_noun(noun.lower, scene.referents, scene.asked, scene.said_besides(noun.lower))
    referent = referent or _by_deed(noun.lower, scene)
    if referent is None:
        return _owned(tokens, place, scene)
    return None if referent.label.lower() in " ".join(t.lower for t in tokens) else (named(referent), end)


def _owned(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "in the crew" as the crew of what was answered or talked about, where that has one."""
    end, before = place + 2, tokens[place - 1].lower if place else ""
    if before not in PREPOSITION or any(t.capital or t.kind == "quoted" for t in tokens[1:]):
        return None
    if any(t.kind != "mark" for t in tokens[end:]):
        return None
    single = [r for r in scene.referents if r.iri and (r.role == "topic" or r.of == 1)]
    latest = [r for r in single if r.turn == last_turn(scene)]
    able_to = [r for r in latest if fit(r, asked_stems(tokens[place + 1].lower)) >= ENOUGH]
    return (f"the {tokens[place + 1].text} of {named(able_to[-1])}", end) if able_to else None


def _by_deed(noun: str, scene: Scene) -> Referent | None:
    """Return the last answer where the question asked for it by the noun's verb ("Who wrote it?": "the author")."""
    single = [a for a in scene.answers if a.of == 1 and a.iri and a.turn == last_turn(scene)]
    told = tokenise(scene.previous)
    done = {stem(token.lower) for token in told if token.lower not in FUNCTION}
    named_so = any(noun in (token.lower, token.lemma) for token in told)
    return single[0] if single and related(noun) & done and not named_so else None
