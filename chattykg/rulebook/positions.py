"""Words that point to places in the last list: "the second one", "the last two", "the rest", "the former"."""

from __future__ import annotations

import re

from chattykg.linking.tokens import Token
from chattykg.referents import Referent
from chattykg.rulebook.choosing import counted
from chattykg.rulebook.legacy.closed_words import AUXILIARY, BE, COMMAND, FUNCTION, NUMBERS, ORDINALS, PREPOSITION, WH
from chattykg.rulebook.references import by_noun, last_answers, last_list
from chattykg.rulebook.scene import Scene, last_turn, listed, named

CHOICE = re.compile(r"(?i)[,:]\s*(?:the\s+)?(?P<one>[^,:?]+?),?\s+or\s+(?:the\s+)?(?P<two>[^,:?]+?)\s*\?*\s*$")
"""The two things at the end of a question that chooses: "Which is older, A or B?"."""
_OF_TWO = re.compile(r"(?i)^\s*(?:of|between|among|out\s+of)\s+.+?\s+and\s+.+?,\s*(?:which|who|what)\b")
"""A question that chooses and names the two things first: "Of A and B, which is older?"."""
WHOLE = frozenset("of between among than all both each except besides without excluding but".split())
"""Behind these "them" is the whole list; elsewhere ("Who made them?") it is any of it."""
_OF_THEM = (["of", "them"], ["of", "these"], ["of", "those"])
_LEFT = (["the", "rest"], ["the", "others"], ["the", "remaining"])


def joint(tokens: list[Token], place: int) -> str:
    """Return how to join what stands for several things at a place: "or" where a question asks for any of them."""
    before = tokens[place - 1].lower if place else ""
    asks = tokens[0].lower in WH | COMMAND and place > 1
    return "or" if asks and before not in WHOLE | AUXILIARY | WH | COMMAND | {"me", "about"} else "and"


def ordinal(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the second one", "the last of them", "number 3", "the first film"."""
    answers = _two_named(tokens, place, scene) or tuple(named(answer) for answer in last_list(scene.referents))
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
    elif following in _OF_THEM:
        end += 2
    elif following and following[0] == scene.asked or word in ("latter", "former"):
        end += following[:1] == [scene.asked]
    elif _ends(tokens, end) or tokens[end].lower in PREPOSITION and _ends(tokens, end + 1):
        if _ends(tokens, end) and tokens[0].lower in WH and tokens[place - 1].lower in BE:
            return None  # "Which of them was the first?" asks which it was
    elif end < len(tokens) and _same_kind(tokens[end].lower, scene) and (word != "last" or _ends(tokens, end + 1)):
        end += 1
    else:
        return None
    return answers[index], end + 2 * ([t.lower for t in tokens[end : end + 2]] in _OF_THEM)


def stretch(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the last two", "the first three of them": so many from one end of the last list."""
    words = [token.lower for token in tokens[place : place + 3]]
    if len(words) < 3 or words[0] != "the" or words[1] not in ("first", "last"):
        return None
    number = int(words[2]) if words[2].isdecimal() else NUMBERS.get(words[2], 0)
    answers = last_list(scene.referents)
    end = _behind(tokens, place + 3, scene)
    if number < 2 or number > len(answers) or not end:
        return None
    chosen = answers[:number] if words[1] == "first" else answers[-number:]
    return listed(chosen, joint(tokens, place)), end


def rest(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the rest", "the others", "the remaining films": of the last list, what was not spoken of since."""
    words = [token.lower for token in tokens[place : place + 3]]
    if words[:2] not in _LEFT and not (words[:2] == ["the", "other"] and words[2:] and words[2] in NUMBERS):
        return None
    size = 3 if len(words) > 2 and words[1] in ("other", "remaining") and words[2] in (*NUMBERS, "ones") else 2
    end = _behind(tokens, place + size, scene)
    answers = last_list(scene.referents)
    if not end or not answers:
        return None
    since = _spoken_of(answers, scene)
    said = scene.question.casefold()
    left = tuple(r for r in answers if (r.iri or r.label) not in since and r.label.casefold() not in said)
    number = NUMBERS.get(words[2], 0) if size == 3 else 0
    if not left or len(left) == len(answers) or number and number != len(left):
        return None
    return (listed(left, joint(tokens, place)) if len(left) > 1 else named(left[0])), end


def _spoken_of(answers: tuple[Referent, ...], scene: Scene) -> set[str]:
    """Return the members of a list that later turns were about, or named apart from the others."""
    turn = answers[0].turn
    found = {r.iri or r.label for r in scene.referents if r.turn > turn}
    for told in scene.told[turn:]:
        named_there = {r.iri or r.label for r in answers if r.label.casefold() in told.casefold()}
        found |= named_there if len(named_there) < len(answers) else set()
    return found


def _behind(tokens: list[Token], end: int, scene: Scene) -> int:
    """Return the place behind "of them" or the list's own noun (0 where other words make another thing of it)."""
    following = [token.lower for token in tokens[end : end + 2]]
    if following in _OF_THEM:
        return end + 2
    if following and (following[0] == scene.asked or following[0] != "of" and _names_the_list(tokens[end], scene)):
        end += 1
    if _ends(tokens, end) or tokens[end].lower in AUXILIARY | {"and", "or"}:
        return end
    return end if tokens[end].lower in PREPOSITION - {"of", "by"} and _ends(tokens, end + 1) else 0


def _names_the_list(token: Token, scene: Scene) -> bool:
    plural = token.kind == "word" and not token.capital and token.lower not in FUNCTION and token.lower.endswith("s")
    return plural and _same_kind(token.lower, scene)


def other_one(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the other one", "the other": of the latest two that were listed, the one that was not spoken of last."""
    words = [token.lower for token in tokens[place : place + 3]]
    if words[:2] != ["the", "other"] or not (words[2:] == ["one"] or _ends(tokens, place + 2)):
        return None
    pairs = [r for r in scene.referents if r.role == "answer" and r.of == 2 and r.iri]
    turn = max((r.turn for r in pairs), default=0)
    spoken = {r.iri for r in scene.referents if r.turn == last_turn(scene) and r.turn > turn}
    left = [r for r in pairs if r.turn == turn and r.iri not in spoken]
    return (named(left[0]), place + 2 + (words[2:] == ["one"])) if len(left) == 1 else None


def several(tokens: list[Token], place: int, scene: Scene) -> tuple[str, int] | None:
    """Read "the two drugs", "both of them": the latest list of as many."""
    found = counted(tokens, place)
    if found is None or any(token.capital or token.kind == "quoted" for token in tokens[found[1] :]):
        return None
    lists = last_answers([r for r in scene.referents if r.role == "answer" and r.of == found[0]])
    topics = scene.compared(lists)
    meant = topics if len(topics) == found[0] else lists
    return (listed(meant), found[1]) if meant else None


def _two_named(tokens: list[Token], place: int, scene: Scene) -> tuple[str, ...]:
    """Return what "the former" and "the latter" stand for: the two things of the latest question that chooses.

    Without such a question, the two that the last one names.
    """
    if not {token.lower for token in tokens[place : place + 2]} & {"former", "latter"} or not scene.told:
        return ()
    for turn, told in reversed(tuple(enumerate(scene.told, 1))):
        choice = CHOICE.search(told)
        if choice or _OF_TWO.match(told):
            pair = _pair(turn, scene) or ((choice["one"], choice["two"]) if choice else ())
            if pair:
                return pair
    return _pair(len(scene.told), scene)


def _pair(turn: int, scene: Scene) -> tuple[str, ...]:
    """Return the names of the two things that a turn's question names, in its order; () if it names one or several."""
    said = scene.told[turn - 1].casefold()
    found = {r.iri: (said.find(r.label.casefold()), named(r)) for r in scene.referents if r.turn == turn}
    in_order = sorted(at_name for iri, at_name in found.items() if iri and at_name[0] >= 0)
    return tuple(name for _, name in in_order) if len(in_order) == 2 else ()


def _ends(tokens: list[Token], place: int) -> bool:
    return all(token.kind == "mark" for token in tokens[place:])


def _same_kind(noun: str, scene: Scene) -> bool:
    found: Referent | None = by_noun(noun, scene.answers[:1], scene.asked)
    return found is not None
