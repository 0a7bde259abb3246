"""Contextual question rewriting: replace anaphora and complete ellipsis, so that a follow-up stands alone."""

from __future__ import annotations

import re
from dataclasses import replace

from chattyshared.language.tokenizer import Token, tokenize

from chattykg.conversation.context import ConversationContext
from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.anaphora import (
    invert_possessive,
    resolve_class_label,
    resolve_counted_set,
    resolve_definite_np,
    resolve_demonstrative,
    resolve_of_them,
    resolve_ordinal,
    resolve_other_one,
    resolve_plural_pronoun,
    resolve_remainder,
    resolve_slice,
    resolve_which_one,
)
from chattykg.rulebook.followups.detection import PERSONAL_PRONOUNS, is_bound_pronoun
from chattykg.rulebook.followups.dialogue_state import (
    DiscourseContext,
    describe_target,
    expand_exclusion,
    find_target_noun,
    is_plural_reference,
    merge_sentences,
    render_answer_set,
    render_plural_reference,
    render_referent,
)
from chattykg.rulebook.followups.ellipsis import complete_ellipsis
from chattykg.rulebook.followups.refinement import (
    comparative_to_superlative,
    names_alternatives,
    rewrite_refinement,
    rewrite_selection,
)
from chattykg.rulebook.followups.resolution import PropertyDirection, is_group, is_person, resolve_pronoun
from chattykg.rulebook.legacy.closed_words import AUXILIARY, FUNCTION, HAVE, PREPOSITION

_OF_THEM_FIRST = re.compile(
    r"(?i)^\s*(and\s+)?(of|among)\s+(?P<which>(them|these|those)(\s+\w+)?)\s*,\s*(?P<word>which|who|how\s+many)"
    r"(\s+ones?|\s+of\s+them)?\s+(?P<rest>.+)$"
)
_POSSESSIVE = frozenset("its his their".split())
_OBJECT = frozenset("it he him she they them".split())
_TOO = re.compile(r"(?i),?\s+(?:too|as\s+well|also)(?=\s*[?.!]*\s*$)")
_OWNED = frozenset("his hers theirs".split())
_FINDERS = (
    resolve_ordinal,
    resolve_slice,
    resolve_other_one,
    resolve_remainder,
    resolve_which_one,
    resolve_of_them,
    resolve_counted_set,
    resolve_class_label,
    resolve_demonstrative,
    resolve_plural_pronoun,
    resolve_definite_np,
)


def rewrite_follow_up(question: str, context: ConversationContext, referents: tuple[Referent, ...]) -> str:
    """Return the question with names in the place of references; unchanged where nothing fits."""
    if not context.history:
        return question
    last = context.history[-1]
    previous = last.answer.standalone or last.question
    told = tuple(exchange.answer.standalone or exchange.question for exchange in context.history)
    spoken = tuple(exchange.question for exchange in context.history)
    scene = DiscourseContext(previous, find_target_noun(previous), referents, question, told, spoken)
    question = merge_sentences(question)
    scene = replace(scene, question=question)
    if names_alternatives(question):
        return question
    chosen = rewrite_selection(question, render_answer_set(scene) if len(scene.latest_list()) > 1 else "")
    if chosen:
        return chosen
    question = _TOO.sub("", _set_last(question))
    refined = rewrite_refinement(question, previous, render_answer_set(scene) if scene.answers else "")
    if refined:
        return comparative_to_superlative(refined)
    replaced = comparative_to_superlative(expand_exclusion(_replace(question, scene), scene))
    return complete_ellipsis(replaced, context, scene) or replaced


def _set_last(question: str) -> str:
    """Return "Which of them ...?" for "Of them, which ones ...?"."""
    found = _OF_THEM_FIRST.match(question)
    return f"{found['word'].capitalize()} of {found['which']} {found['rest']}" if found else question


def _replace(question: str, scene: DiscourseContext) -> str:
    """Put names in the place of pronouns and pointing nouns."""
    tokens = list(tokenize(question))
    said: list[str] = []
    place = done = 0
    while place < len(tokens):
        found = _at(tokens, place, scene)
        if found is None:
            place += 1
            continue
        turned = invert_possessive(tokens, place, found)
        text, behind = turned or found
        said += [question[done : tokens[place].start], text]
        place = behind
        done = tokens[place - 1].end
    return "".join(said) + question[done:]


def _at(tokens: list[Token], place: int, scene: DiscourseContext) -> tuple[str, int] | None:
    """Return what to say instead of the words at a place, and the place behind them."""
    token = tokens[place]
    word = token.lower
    if token.kind == "quoted" or token.is_capitalized and place and _is_in_name(tokens, place):
        return None
    for find in _FINDERS:
        found = find(tokens, place, scene)
        if found:
            return found
    if _reflexive(tokens, place) or word in PERSONAL_PRONOUNS and is_bound_pronoun(tokens, place):
        return None
    if word in _OWNED and tokens[place - 1].lower == "of" and place and not _owns(tokens, place):
        return _owner_behind(word, place, scene)
    if word in _POSSESSIVE or word == "her" and _owns(tokens, place):
        return _owner(tokens, place, scene)
    if word in _OBJECT or word == "her":
        way = _way(tokens, place)
        known = (
            _without_chosen(scene.unnamed_referents)
            if tokens[place - 1].lower in ("that", "which")
            else scene.unnamed_referents
        )
        referent = (
            resolve_pronoun(word, known, scene.asked_stems, way) if word not in ("they", "them") else _group(scene, way)
        )
        if word == "it" and _is_dummy(tokens, place):
            return None
        return (render_referent(referent), place + 1) if referent else None
    if word == "there" and not _existential(tokens, place):
        referent = resolve_pronoun("there", scene.unnamed_referents)
        if referent is None:
            return None
        preposed = place > 0 and tokens[place - 1].lower in PREPOSITION
        return (render_referent(referent) if preposed else f"in {render_referent(referent)}"), place + 1
    return None


def _without_chosen(referents: tuple[Referent, ...]) -> tuple[Referent, ...]:
    """Leave out what was chosen from a list: "the countries that it borders" are those of what bounds the list."""
    topics = {r.turn for r in referents if r.role == "topic"}
    return tuple(r for r in referents if r.role == "topic" or r.turn in topics) or referents


def _is_in_name(tokens: list[Token], place: int) -> bool:
    """Tell whether a capitalised word stands beside another: "Will You Be There" is a name."""
    beside = tokens[place - 1 : place] + tokens[place + 1 : place + 2]
    return any(token.is_capitalized and (token is not tokens[0]) for token in beside)


def _reflexive(tokens: list[Token], place: int) -> bool:
    """Tell whether "its" in "has X as its part" is the asked thing's own."""
    before = [token.lower for token in tokens[:place]]
    own = tokens[place].lower in ("its", "their", "his", "her")
    if own and before[-1:] and before[-1] in HAVE and before[0] in ("which", "who", "what") and len(before) > 1:
        return True
    return before[-1:] == ["as"] and own


def _way(tokens: list[Token], place: int) -> PropertyDirection:
    """Tell that a pronoun is said to be something of another: "is it the capital", "supplied by it"."""
    if place > 1 and tokens[place - 1].lower == "by":
        return "in"
    following = [token.lower for token in tokens[place + 1 : place + 2]]
    return "in" if following in (["the"], ["a"], ["an"], ["as"]) else ""


def _owns(tokens: list[Token], place: int) -> bool:
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is None or following.kind in ("mark", "number"):
        return False
    return following.lower not in FUNCTION or following.lower in ("own", "most", "other", "current")


def _owner(tokens: list[Token], place: int, scene: DiscourseContext) -> tuple[str, int] | None:
    word = tokens[place].lower
    if word == "their":
        if is_plural_reference(scene):
            return _owned_by_all(tokens, place, render_plural_reference(scene))
        referent = _group(scene, "out")
    else:
        referent = resolve_pronoun(word, scene.unnamed_referents, scene.asked_stems, "out")
    if referent is None:
        counted = (
            describe_target(scene.previous_question)
            if word == "their" and scene.previous_question.lower().startswith("how many")
            else ""
        )
        return _owned_by_all(tokens, place, f"the {counted}") if counted else None
    return f"{render_referent(referent)}'s", place + 1


def _owner_behind(word: str, place: int, scene: DiscourseContext) -> tuple[str, int] | None:
    """Read "hers" in "a student of hers": whose it is, by name."""
    if word == "theirs" and is_plural_reference(scene):
        return render_plural_reference(scene, "or"), place + 1
    referent = (
        _group(scene, "out")
        if word == "theirs"
        else resolve_pronoun(word, scene.unnamed_referents, scene.asked_stems, "out")
    )
    return (render_referent(referent), place + 1) if referent else None


def _owned_by_all(tokens: list[Token], place: int, owners: str) -> tuple[str, int]:
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
    return f"the{words} of {owners}", end


def _group(scene: DiscourseContext, way: PropertyDirection = "") -> Referent | None:
    """Return what "they" stands for where it is one thing: a group, or a person of unstated gender."""
    candidates = [r for r in scene.unnamed_referents if r.iri]
    people = [r for r in candidates if (is_person(r) or is_group(r)) and not r.gender]
    people = people or [r for r in candidates if is_person(r) is not False and not r.gender]
    return resolve_pronoun("they", people or candidates, scene.asked_stems, way) if candidates else None


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
