"""Contextual question rewriting: replace anaphora and complete ellipsis, so that a follow-up stands alone."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile

from chattyshared.language.morphology import AUXILIARY, DO, FUNCTION, HAVE, PREPOSITION
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.conversation.context import ConversationContext
from chattykg.conversation.pronouns import PERSONAL_PRONOUNS, is_bound_pronoun
from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.anaphora import (
    invert_possessive,
    is_verbal,
    resolve_definite_np,
    resolve_demonstrative,
    resolve_of_them,
    resolve_plural_pronoun,
    resolve_which_one,
)
from chattykg.rulebook.followups.dialogue_state import (
    DiscourseContext,
    add_compared_thing,
    describe_target,
    expand_exclusion,
    is_plural_reference,
    merge_sentences,
    render_answer_set,
    render_referent,
)
from chattykg.rulebook.followups.ellipsis import complete_ellipsis
from chattykg.rulebook.followups.refinement import (
    comparative_to_superlative,
    names_alternatives,
    rewrite_refinement,
    rewrite_selection,
)
from chattykg.rulebook.followups.resolution import (
    PropertyDirection,
    asks_of_people,
    drop_asked_kind,
    drop_possessed,
    infer_genders,
    is_group,
    is_person,
    resolve_pronoun,
)
from chattykg.rulebook.followups.set_references import (
    resolve_counted_set,
    resolve_ordinal,
    resolve_other_one,
    resolve_remainder,
    resolve_slice,
)

_OF_THEM_FIRST = re.compile(
    r"(?i)^\s*(and\s+)?(of|among)\s+(?P<which>(them|these|those)(\s+\w+)?)\s*,\s*(?P<word>which|who|how\s+many)"
    r"(\s+ones?|\s+of\s+them)?\s+(?P<rest>.+)$"
)
_POSSESSIVE = frozenset("its his their".split())
_OBJECT = frozenset("it he him she they them".split())
_ADDITIVE_END = re.compile(r"(?i)(?:,|(?<!\s))\s++(?:too|as\s+well|also)(?=\s*[?.!]*\s*$)")
_POSSESSIVE_PRONOUNS = frozenset("his hers theirs".split())
_RESOLVERS = (
    resolve_ordinal,
    resolve_slice,
    resolve_other_one,
    resolve_remainder,
    resolve_which_one,
    resolve_of_them,
    resolve_counted_set,
    resolve_demonstrative,
    resolve_plural_pronoun,
    resolve_definite_np,
)


def rewrite_follow_up(question: str, context: ConversationContext, referents: tuple[Referent, ...]) -> str:
    """Return the question with names instead of references; unchanged if it has none that can be resolved."""
    if not context.history:
        return question
    last = context.history[-1]
    previous = last.answer.standalone or last.question
    standalone = tuple(exchange.answer.standalone or exchange.question for exchange in context.history)
    original = tuple(exchange.question for exchange in context.history)
    referents = infer_genders(referents, tuple(zip(original, standalone, strict=True)))
    discourse = DiscourseContext(previous, referents, question, standalone, original)
    question = merge_sentences(question)
    discourse = replace(discourse, question=question)
    if names_alternatives(question):
        return question
    selection = rewrite_selection(question, render_answer_set(discourse) if len(discourse.latest_list()) > 1 else "")
    if selection:
        return selection
    question = _ADDITIVE_END.sub("", _move_set_phrase(question))
    refined = rewrite_refinement(question, previous, render_answer_set(discourse) if discourse.answers else "")
    if refined:
        return comparative_to_superlative(refined)
    replaced = comparative_to_superlative(expand_exclusion(_replace_references(question, discourse), discourse))
    replaced = add_compared_thing(replaced, discourse)
    return complete_ellipsis(replaced, context, discourse) or replaced


def _move_set_phrase(question: str) -> str:
    """Return "Which of them ...?" for "Of them, which ones ...?"."""
    match = _OF_THEM_FIRST.match(question)
    return f"{match['word'].capitalize()} of {match['which']} {match['rest']}" if match else question


def _replace_references(question: str, discourse: DiscourseContext) -> str:
    """Replace pronouns and anaphoric nouns by names."""
    tokens = list(tokenize(question))
    parts: list[str] = []
    index = copied = 0
    while index < len(tokens):
        match = _resolve_at(tokens, index, discourse)
        if match is None:
            index += 1
            continue
        turned = invert_possessive(tokens, index, match)
        text, end = turned or match
        parts += [question[copied : tokens[index].start], text]
        index = end
        copied = tokens[index - 1].end
    return "".join(parts) + question[copied:]


def _resolve_at(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Return the replacement of the words at an index, and the index behind them; None if nothing is replaced."""
    token = tokens[index]
    word = token.lower
    if token.kind == "quoted" or token.is_capitalized and index and _is_in_name(tokens, index):
        return None
    for find in _RESOLVERS:
        match = find(tokens, index, discourse)
        if match:
            return match
    if _is_reflexive(tokens, index) or word in PERSONAL_PRONOUNS and is_bound_pronoun(tokens, index):
        return None
    if word in _POSSESSIVE_PRONOUNS and tokens[index - 1].lower == "of" and index and not _is_possessive(tokens, index):
        return _resolve_possessive_pronoun(word, index, discourse)
    if word in _POSSESSIVE or word == "her" and _is_possessive(tokens, index):
        return _resolve_possessor(tokens, index, discourse)
    if word in _OBJECT or word == "her":
        direction = _property_direction(tokens, index)
        candidates = (
            _drop_selected(discourse.unnamed_referents)
            if tokens[index - 1].lower in ("that", "which")
            else discourse.unnamed_referents
        )
        noun = _counted_or_listed(tokens, index)
        candidates = drop_asked_kind(candidates, noun, discourse.asked_stems_without(noun), direction)
        referent = (
            resolve_pronoun(word, candidates, discourse.asked_stems, direction)
            if word not in ("they", "them")
            else _resolve_they(discourse.unnamed_referents, discourse, direction)
        )
        return (render_referent(referent), index + 1) if referent else None
    if word == "there" and not _is_existential(tokens, index):
        referent = resolve_pronoun("there", discourse.unnamed_referents)
        if referent is None:
            return None
        preposed = index > 0 and tokens[index - 1].lower in PREPOSITION
        return (render_referent(referent) if preposed else f"in {render_referent(referent)}"), index + 1
    return None


def _counted_or_listed(tokens: list[Token], index: int) -> str:
    """Return the noun that is asked for before "does it": "vessels" in "how many vessels does it own"."""
    is_asked = index > 1 and tokens[0].lower in ("which", "what", "how") and tokens[index - 2].kind == "word"
    return tokens[index - 2].lower if is_asked and tokens[index - 2].lower not in FUNCTION else ""


def _drop_selected(referents: tuple[Referent, ...]) -> tuple[Referent, ...]:
    """Drop referents that were selected from a list: "it" in "the countries that it borders" is no member of it."""
    topics = {r.turn for r in referents if r.role == "topic"}
    return tuple(r for r in referents if r.role == "topic" or r.turn in topics) or referents


def _is_in_name(tokens: list[Token], index: int) -> bool:
    """Tell whether a capitalised word is next to another one: "Will You Be There" is a name."""
    neighbours = tokens[index - 1 : index] + tokens[index + 1 : index + 2]
    return any(token.is_capitalized and (token is not tokens[0]) for token in neighbours)


def _is_reflexive(tokens: list[Token], index: int) -> bool:
    """Tell whether a possessive is bound by the asked thing: "its" in "has X as its part"."""
    before = [token.lower for token in tokens[:index]]
    own = tokens[index].lower in ("its", "their", "his", "her")
    if own and before[-1:] and before[-1] in HAVE and before[0] in ("which", "who", "what") and len(before) > 1:
        return True
    return before[-1:] == ["as"] and own


def _property_direction(tokens: list[Token], index: int) -> PropertyDirection:
    """Return ``in`` if a pronoun is the object of the asked property: "is it the capital", "supplied by it".

    It is ``agent`` behind "do": "does it supply".
    """
    if index > 1 and tokens[index - 1].lower == "by":
        return "in"
    following = [token.lower for token in tokens[index + 1 : index + 2]]
    if index and tokens[index - 1].lower in DO:
        return "agent"
    return "in" if following in (["the"], ["a"], ["an"], ["as"]) else ""


def _is_possessive(tokens: list[Token], index: int) -> bool:
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is None or following.kind in ("mark", "number"):
        return False
    return following.lower not in FUNCTION or following.lower in ("own", "most", "other", "current")


def _resolve_possessor(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    word = tokens[index].lower
    if word == "their" and is_plural_reference(discourse):
        return _possessed_by_set(tokens, index, render_answer_set(discourse))
    owners = drop_possessed(discourse.unnamed_referents, _possessed_noun(tokens, index))
    if word == "their":
        referent = _resolve_they(owners, discourse, "out")
    else:
        referent = resolve_pronoun(word, owners, discourse.asked_stems, "out")
    if referent is None:
        counted = (
            describe_target(discourse.previous_question)
            if word == "their" and discourse.previous_question.lower().startswith("how many")
            else ""
        )
        return _possessed_by_set(tokens, index, f"the {counted}") if counted else None
    return f"{render_referent(referent)}'s", index + 1


def _possessed_noun(tokens: list[Token], index: int) -> str:
    """Return the noun behind a possessive: "line" in "its line operated by", "club" in "their selling club"."""
    at = index + 1
    at += at + 1 < len(tokens) and is_verbal(tokens[at]) and _is_noun_word(tokens[at + 1])
    return " ".join(token.lower for token in takewhile(_is_noun_word, tokens[at:]))


def _is_noun_word(token: Token) -> bool:
    return token.kind == "word" and token.lower not in FUNCTION and not is_verbal(token)


def _resolve_possessive_pronoun(word: str, index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Resolve "hers" in "a student of hers"."""
    if word == "theirs" and is_plural_reference(discourse):
        return render_answer_set(discourse, "or"), index + 1
    referent = (
        _resolve_they(discourse.unnamed_referents, discourse, "out")
        if word == "theirs"
        else resolve_pronoun(word, discourse.unnamed_referents, discourse.asked_stems, "out")
    )
    return (render_referent(referent), index + 1) if referent else None


def _possessed_by_set(tokens: list[Token], index: int, owners: str) -> tuple[str, int]:
    """Turn "their names and ages" into "the names and ages of A, B and C"."""
    end = index + 1
    while (
        end < len(tokens)
        and (tokens[end].lower not in FUNCTION | AUXILIARY or tokens[end].lower in ("and", "or", "most"))
        and (tokens[end].kind in ("word", "number") or tokens[end].lower == ",")
    ):
        end += 1
    while tokens[end - 1].lower in ("and", "or", ","):
        end -= 1
    words = "".join(
        (" " if t.lower != "," else "") + t.text for t in tokens[index + 1 : end]
    )  # fmt: skip
    return f"the{words} of {owners}", end


def _resolve_they(
    referents: tuple[Referent, ...], discourse: DiscourseContext, direction: PropertyDirection = ""
) -> Referent | None:
    """Return the antecedent of singular "they": a group, or a person of unstated gender."""
    candidates = [r for r in referents if r.iri]
    people = [r for r in candidates if (is_person(r) or is_group(r)) and not r.gender]
    people = people or [r for r in candidates if is_person(r) is not False and not r.gender]
    if asks_of_people(discourse.asked_stems):
        people = [r for r in people if is_person(r)] or people
    return resolve_pronoun("they", people or candidates, discourse.asked_stems, direction) if candidates else None


def _is_existential(tokens: list[Token], index: int) -> bool:
    before = tokens[index - 1].lower if index else ""
    following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    many = any(t.lower in ("many", "much") for t in tokens[:index])
    if following in AUXILIARY:
        return True
    content = any(t.lower not in FUNCTION and t.kind == "word" for t in tokens[:index])
    return before in ("is", "are", "was", "were", "be") and (index <= 1 or many or content or not index)
