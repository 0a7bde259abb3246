"""A follow-up, with what it leans on put into its words."""

from __future__ import annotations

from dataclasses import dataclass

from chattykg.agents.history import Context
from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import degree
from chattykg.referents import Referent
from chattykg.rulebook.closed_words import AUXILIARY, FUNCTION, NUMBERS, ORDINALS, PREPOSITION
from chattykg.rulebook.ellipsis import complete
from chattykg.rulebook.leaning import is_demonstrative
from chattykg.rulebook.previous import asked_noun, description
from chattykg.rulebook.references import by_noun, is_person, last_answers, last_list, singular
from chattykg.rulebook.refinement import refine

NAMED_AT_MOST = 12
"""Answers that are said by name; a longer list is said by the words that described it."""
_POSSESSIVE = frozenset("its his their".split())
_OBJECT = frozenset("it he him she they them".split())
_PLAIN_LABEL = 7


@dataclass(frozen=True, slots=True)
class Scene:
    """What a rewriting looks at: the last question as it was understood, and the referents."""

    previous: str
    asked: str
    referents: tuple[Referent, ...]

    @property
    def answers(self) -> tuple[Referent, ...]:
        """The answers of the latest turn that had any."""
        return last_answers(self.referents)


def rewrite(question: str, context: Context, referents: tuple[Referent, ...]) -> str:
    """Return the question with names in the place of references; unchanged where nothing fits."""
    if not context.history:
        return question
    last = context.history[-1]
    previous = last.answer.standalone or last.question
    scene = Scene(previous, asked_noun(previous), referents)
    refined = refine(question, previous, _all(scene) if scene.answers else "")
    if refined:
        return refined
    replaced = _replace(question, scene)
    return complete(replaced, previous, context, referents) or replaced


def _replace(question: str, scene: Scene) -> str:
    """Put names in the place of pronouns and pointing nouns."""
    tokens = list(tokenise(question))
    said: list[str] = []
    place = done = 0
    while place < len(tokens):
        found = _at(tokens, place, scene)
        if found is None:
            place += 1
            continue
        said += [question[done : tokens[place].start], found[0]]
        place = found[1]
        done = tokens[place - 1].end
    return "".join(said) + question[done:]


def _at(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Return what to say instead of the words at a place, and the place behind them."""
    token = tokens[place]
    word = token.lower
    if token.kind == "quoted":
        return None
    for find in (_ordinal, _which_one, _pointing, _plural, _definite):
        found = find(tokens, place, scene)
        if found:
            return found
    if word in _POSSESSIVE or word == "her" and _owns(tokens, place):
        return _owner(tokens, place, scene)
    if word in _OBJECT or word == "her":
        referent = singular(word, scene.referents) if word not in ("they", "them") else _group(scene)
        if word == "it" and _is_dummy(tokens, place):
            return None
        return (_named(referent), place + 1) if referent else None
    if word == "there" and not _existential(tokens, place):
        referent = singular("there", scene.referents)
        if referent is None:
            return None
        preposed = place > 0 and tokens[place - 1].lower in PREPOSITION
        return (_named(referent) if preposed else f"in {_named(referent)}"), place + 1
    return None


def _named(referent: Referent) -> str:
    label = referent.label
    if len(label.split()) > _PLAIN_LABEL or any(mark in label for mark in '?!,;:"'):
        return '"' + label.replace('"', "'") + '"'
    return label


def _listed(answers: tuple[Referent, ...], joint: str = "and") -> str:
    names = ['"' + answer.label.replace('"', "'") + '"' for answer in answers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}"


def _owns(tokens: list[Token], place: int) -> bool:
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is None or following.kind in ("mark", "number"):
        return False
    return following.lower not in FUNCTION or following.lower in ("own", "most", "other", "current")


def _owner(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    word = tokens[place].lower
    if word == "their":
        answers = scene.answers
        if len(answers) > 1 and _last_turn(scene) == answers[0].turn:
            return _owned_by_all(tokens, place, scene)
        referent = _group(scene)
    else:
        referent = singular(word, scene.referents)
    if referent is None:
        return None
    return f"{_named(referent)}'s", place + 1


def _owned_by_all(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int]:
    """Turn "their names and ages" into "the names and ages of A, B and C"."""
    end = place + 1
    while (
        end < len(tokens)
        and (tokens[end].lower not in FUNCTION | AUXILIARY or tokens[end].lower in ("and", "or", "most"))
        and (tokens[end].kind in ("word", "number") or tokens[end].lower == ",")
    ):
        end += 1
    while tokens[end - 1].lower in ("and", "or", ","):
        end -= 1
    words = "".join(
        (" " if t.lower != "," else "") + t.text for t in tokens[place + 1 : end]
    )  # fmt: skip
    return f"the{words} of {_all(scene)}", end


def _all(scene: Scene) -> str:
    """Say the whole last answer: by names where they are few, else as it was described."""
    answers = scene.answers
    described = description(scene.previous)
    if described and (len(answers) > NAMED_AT_MOST or not answers or not all(a.iri for a in answers)):
        return f"the {described}"
    return _listed(answers[:100])


def _group(scene: Scene) -> Referent | None:
    """Return what "they" stands for where it is one thing: a group, or a person of unstated gender."""
    candidates = [r for r in scene.referents if r.iri]
    people = [r for r in candidates if is_person(r) is not False and not r.gender]
    return singular("it", people or candidates) if candidates else None


def _last_turn(scene: Scene) -> int:
    return max((r.turn for r in scene.referents), default=0)


def _is_dummy(tokens: list[Token], place: int) -> bool:
    rest = [t.lower for t in tokens[place + 1 : place + 3]]
    return rest[:1] == ["take"] or rest == ["is", "true"] or rest[:1] == ["true"]


def _existential(tokens: list[Token], place: int) -> bool:
    before = tokens[place - 1].lower if place else ""
    following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    many = any(t.lower in ("many", "much") for t in tokens[:place])
    if following in AUXILIARY:
        return True
    content = any(t.lower not in FUNCTION and t.kind == "word" for t in tokens[:place])
    return before in ("is", "are", "was", "were", "be") and (place <= 1 or many or content or not place)


def _ordinal(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the second one", "the last of them", "number 3", "the first film"."""
    answers = last_list(scene.referents)
    at = place + (tokens[place].lower == "the")
    if at >= len(tokens) or len(answers) < 2 or tokens[place].lower != "the":
        return None
    word = tokens[at].lower
    index = -1 if word in ("last", "latter") else ORDINALS.get(word, 0) - 1 if word in ORDINALS else None
    index = 0 if word == "former" else index
    if index is None or index >= len(answers):
        return None
    end = at + 1
    following = [t.lower for t in tokens[end : end + 2]]
    if following[:1] in (["one"], ["answer"], ["result"], ["person"], ["item"]):
        end += 1
    elif following == ["of", "them"] or following == ["of", "these"] or following == ["of", "those"]:
        end += 2
    elif following and following[0] == scene.asked or word in ("latter", "former"):
        end += following[:1] == [scene.asked]
    elif end < len(tokens) and _same_kind(tokens[end].lower, scene) and word != "last":
        end += 1
    else:
        return None
    if [t.lower for t in tokens[end : end + 2]] in (["of", "them"], ["of", "these"], ["of", "those"]):
        end += 2
    return _named(answers[index]), end


def _same_kind(noun: str, scene: Scene) -> bool:
    found = by_noun(noun, scene.answers[:1], scene.asked)
    return found is not None


def _which_one(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "which one", "which ones", "which of them", "who of them": the last list."""
    if tokens[place].lower not in ("which", "who") or len(scene.answers) < 2 and not description(scene.previous):
        return None
    following = [t.lower for t in tokens[place + 1 : place + 3]]
    if following[:1] in (["one"], ["ones"]):
        return f"Which of {_all(scene)}", place + 2
    if following[:1] == ["of"] and following[1:2] in (["them"], ["these"], ["those"]):
        skip = 3 + (place + 3 < len(tokens) and tokens[place + 3].lower == scene.asked)
        return f"Which of {_all(scene)}", place + skip
    return None


def _pointing(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "this film", "that year", "that"; "these films", "those"."""
    word = tokens[place].lower
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    noun = (
        following.lower if following and following.kind == "word" and following.lower not in FUNCTION - {"one"} else ""
    )
    if word in ("these", "those"):
        if not scene.answers and not description(scene.previous):
            return None
        if following and following.lower in (
            "that",
            "who",
            "which",
            "whose",
            "from",
            "with",
            "in",
            "born",
            "above",
            "below",
        ):
            return None
        plural = noun.endswith("s") or noun in ("people", "ones", "children")
        number = following is not None and following.lower in NUMBERS
        return _all(scene), place + (2 if plural or number else 1)
    if word not in ("this", "that") or not is_demonstrative(tokens, place):
        return None
    if noun in ("year", "date", "day", "time"):
        said = next((a for a in scene.answers if not a.iri), None)
        return (said.label[:4] if noun == "year" else said.label, place + 2) if said else None
    if noun and noun != "one":
        referent = by_noun(noun, scene.referents, scene.asked)
        if referent is None:
            answers = [a for a in scene.answers if a.of == 1 and a.iri]
            referent = answers[0] if answers else singular("it", scene.referents)
        return (_named(referent), place + 2) if referent else None
    single = [a for a in scene.answers if a.of == 1]
    if not single:
        return None
    return _named(single[0]), place + (2 if noun else 1)


def _plural(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "they" and "them" (also "each of them", "all of them") where the last answer is a list."""
    word = tokens[place].lower
    if word not in ("they", "them") or len(scene.answers) < 2:
        return None
    if scene.answers[0].turn != _last_turn(scene):
        return None
    return _all(scene), place + 1


def _definite(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the film", "the company" with nothing behind that says which."""
    if tokens[place].lower != "the" or place + 1 >= len(tokens):
        return None
    noun = tokens[place + 1]
    if noun.kind != "word" or noun.lower in FUNCTION or degree(noun.lower)[1] or noun.capital:
        return None
    end = place + 2
    behind = tokens[end].lower if end < len(tokens) else ""
    if behind in PREPOSITION - {
        "in",
        "on",
        "by",
        "before",
        "after",
        "since",
        "during",
        "from",
        "to",
        "with",
    } or behind in ("that", "which", "who", "whose"):
        return None
    if behind == "with" or end < len(tokens) and (tokens[end].capital or tokens[end].kind == "quoted"):
        return None
    if noun.lower.endswith("s") and noun.lower == scene.asked and len(scene.answers) > 1:
        return _all(scene), end
    referent = by_noun(noun.lower, scene.referents, scene.asked)
    if referent is None or referent.label.lower() in " ".join(t.lower for t in tokens):
        return None
    return _named(referent), end
