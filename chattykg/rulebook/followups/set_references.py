"""References to members or parts of an answer set: "the second one", "the rest", "the latter", "the two films"."""

from __future__ import annotations

import re

from chattyshared.language.inflection import is_plural
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    AUXILIARY,
    BE,
    COMMAND,
    FUNCTION,
    NUMBERS,
    ORDINALS,
    PREPOSITION,
    WH,
)
from chattyshared.language.tokenizer import Token

from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.dialogue_state import (
    DiscourseContext,
    last_turn,
    render_referent,
    render_referents,
)
from chattykg.rulebook.followups.resolution import (
    fits_noun,
    last_answers,
    last_list,
    resolve_noun,
)

ALTERNATIVES_PATTERN = re.compile(
    r"(?i)[,:]\s*(?:the\s+)?(?P<one>[^,:?]+?),?\s+or\s+(?:the\s+)?(?P<two>[^,:?]+?)\s*\?*\s*$"
)
"""The two things at the end of a question that chooses: "Which is older, A or B?"."""
_OF_TWO = re.compile(r"(?i)^\s*(?:of|between|among|out\s+of)\s+.+?\s+and\s+.+?,\s*(?:which|who|what)\b")
"""A question that chooses and names the two things first: "Of A and B, which is older?"."""
WHOLE_LIST_WORDS = word_set("followups", "whole_list_words")
"""Behind these "them" is the whole list; elsewhere ("Who made them?") it is any of it."""
_OF_THEM = (["of", "them"], ["of", "these"], ["of", "those"])
_REMAINDER = (["the", "rest"], ["the", "others"], ["the", "remaining"])


def select_conjunction(tokens: list[Token], index: int) -> str:
    """Return the conjunction for a set at an index: "or" if the question asks for any of its members."""
    before = tokens[index - 1].lower if index else ""
    asks = tokens[0].lower in WH | COMMAND and index > 1
    return "or" if asks and before not in WHOLE_LIST_WORDS | AUXILIARY | WH | COMMAND | {"me", "about"} else "and"


def resolve_ordinal(tokens: list[Token], start: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the second one", "the last of them", "number 3", "the first film"."""
    answers = _named_alternatives(tokens, start, discourse) or tuple(
        render_referent(answer) for answer in last_list(discourse.referents)
    )
    at = start + (tokens[start].lower == "the")
    if at >= len(tokens) or len(answers) < 2 or tokens[start].lower != "the":
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
    elif word not in ("latter", "former"):
        if _is_end(tokens, end) or tokens[end].lower in PREPOSITION and _is_end(tokens, end + 1):
            if _is_end(tokens, end) and tokens[0].lower in WH and tokens[start - 1].lower in BE:
                return None  # "Which of them was the first?" asks which it was
        elif _is_answer_kind(tokens[end].lower, discourse) and (word != "last" or _is_end(tokens, end + 1)):
            end += 1
        else:
            return None
    return answers[index], end + 2 * ([t.lower for t in tokens[end : end + 2]] in _OF_THEM)


def resolve_slice(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the last two", "the first three of them": so many from one end of the last list."""
    words = [token.lower for token in tokens[index : index + 3]]
    if len(words) < 3 or words[0] != "the" or words[1] not in ("first", "last"):
        return None
    number = int(words[2]) if words[2].isdecimal() else NUMBERS.get(words[2], 0)
    answers = last_list(discourse.referents)
    end = _end_of_set_np(tokens, index + 3, discourse)
    if number < 2 or number > len(answers) or not end:
        return None
    chosen = answers[:number] if words[1] == "first" else answers[-number:]
    return render_referents(chosen, select_conjunction(tokens, index)), end


def resolve_remainder(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the rest", "the others", "the remaining films": of the last list, what no later turn mentioned."""
    words = [token.lower for token in tokens[index : index + 3]]
    if words[:2] not in _REMAINDER and not (words[:2] == ["the", "other"] and words[2:] and words[2] in NUMBERS):
        return None
    size = 3 if len(words) > 2 and words[1] in ("other", "remaining") and words[2] in (*NUMBERS, "ones") else 2
    end = _end_of_set_np(tokens, index + size, discourse)
    answers = last_list(discourse.referents)
    if not end or not answers:
        return None
    later_mentions = _later_mentions(answers, discourse)
    question = discourse.question.casefold()
    remaining = tuple(
        r for r in answers if (r.iri or r.label) not in later_mentions and r.label.casefold() not in question
    )
    number = NUMBERS.get(words[2], 0) if size == 3 else 0
    if not remaining or len(remaining) == len(answers) or number and number != len(remaining):
        return None
    return (
        render_referents(remaining, select_conjunction(tokens, index))
        if len(remaining) > 1
        else render_referent(remaining[0])
    ), end


def resolve_other_one(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the other one", "the other", "the other film": of the latest two that were listed, the one that was not
    mentioned last; or of two that were compared since, the one that the answer did not name."""
    words = [token.lower for token in tokens[index : index + 3]]
    if words[:2] != ["the", "other"]:
        return None
    noun = "" if _is_end(tokens, index + 2) or words[2:] == ["one"] else words[2]
    if noun and (is_plural(noun) or tokens[index + 2].is_capitalized):
        return None
    end = index + 2 + (words[2:] == ["one"] or bool(noun))
    pairs = [r for r in discourse.referents if r.role == "answer" and r.answer_count == 2 and r.iri]
    turn = max((r.turn for r in pairs), default=0)
    compared, names = _latest_choice(discourse)
    spoken = {r.iri for r in discourse.referents if r.turn == last_turn(discourse) and r.turn > turn}
    remaining = [r for r in pairs if r.turn == turn and r.iri not in spoken]
    if compared > turn or (compared and len(remaining) != 1):
        chosen = {r.iri or r.label for r in discourse.referents if r.turn == compared and r.role == "answer"}
        topics = {r.iri: r for r in discourse.referents if r.turn == compared and r.role == "topic" and r.iri}
        named = {iri: render_referent(r) for iri, r in topics.items()} or dict(zip(names, names, strict=True))
        fitting = {iri for iri, r in topics.items() if fits_noun(r, noun)} if noun else set(named)
        others = [name for iri, name in named.items() if iri not in chosen and iri in fitting]
        return (others[0], end) if len(others) == 1 else None
    is_clear = len(remaining) == 1 and (not noun or fits_noun(remaining[0], noun))
    return (render_referent(remaining[0]), end) if is_clear else None


def resolve_counted_set(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the two drugs", "both of them": the latest list of as many."""
    words = [token.lower for token in tokens[index : index + 5]]
    start = 1 if words[0] in ("the", "all") else 0
    number = 2 if words[0] == "both" else NUMBERS.get(words[start], 0) if start and words[start:] else 0
    end = index + start + 1
    if number < 2:
        return None
    if words[start + 1 : start + 3] in _OF_THEM:
        end += 2
    elif end < len(tokens) and _is_plain_noun(tokens[end]):
        if not tokens[end].lower.endswith("s") and tokens[end].lemma == tokens[end].lower:
            return None
        end += 1
    if any(token.is_capitalized or token.kind == "quoted" for token in tokens[end:]):
        return None
    lists = last_answers([r for r in discourse.referents if r.role == "answer" and r.answer_count == number])
    topics = discourse.compared_topics(lists)
    members = topics if len(topics) == number else lists
    return (render_referents(members), end) if len(members) == number else None


def _later_mentions(answers: tuple[Referent, ...], discourse: DiscourseContext) -> set[str]:
    """Return the members of a list that later turns were about, or named apart from the others."""
    turn = answers[0].turn
    mentioned = {r.iri or r.label for r in discourse.referents if r.turn > turn}
    for standalone in discourse.standalone_questions[turn:]:
        named_there = {r.iri or r.label for r in answers if r.label.casefold() in standalone.casefold()}
        mentioned |= named_there if len(named_there) < len(answers) else set()
    return mentioned


def _end_of_set_np(tokens: list[Token], end: int, discourse: DiscourseContext) -> int:
    """Return the index behind "of them" or the list's own noun (0 if other words follow)."""
    following = [token.lower for token in tokens[end : end + 2]]
    if following in _OF_THEM:
        return end + 2
    if following and following[0] != "of" and _names_answer_set(tokens[end], discourse):
        end += 1
    if _is_end(tokens, end) or tokens[end].lower in AUXILIARY | {"and", "or"}:
        return end
    return end if tokens[end].lower in PREPOSITION - {"of", "by"} and _is_end(tokens, end + 1) else 0


def _names_answer_set(token: Token, discourse: DiscourseContext) -> bool:
    return _is_plain_noun(token) and token.lower.endswith("s") and _is_answer_kind(token.lower, discourse)


def _is_plain_noun(token: Token) -> bool:
    return token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION


def _named_alternatives(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, ...]:
    """Return what "the former" and "the latter" stand for: the two things of the latest question that chooses.

    Without such a question, the two that the last one names.
    """
    if (
        not {token.lower for token in tokens[index : index + 2]} & {"former", "latter"}
        or not discourse.standalone_questions
    ):
        return ()
    return _latest_choice(discourse)[1] or _named_pair(len(discourse.standalone_questions), discourse)


def _latest_choice(discourse: DiscourseContext) -> tuple[int, tuple[str, ...]]:
    """Return the latest turn whose question chooses between two things, and their names; (0, ()) if there is none."""
    for turn, standalone in reversed(tuple(enumerate(discourse.standalone_questions, 1))):
        choice = ALTERNATIVES_PATTERN.search(standalone)
        answers = {r.iri for r in discourse.referents if r.turn == turn and r.role == "answer"}
        named = {r.iri for r in discourse.referents if r.turn == turn and r.role == "topic"}
        is_chosen = " or " in standalone and len(answers) == 1 and answers < named
        if choice or is_chosen or _OF_TWO.match(standalone):
            pair = _named_pair(turn, discourse) or ((choice["one"], choice["two"]) if choice else ())
            if pair:
                return turn, pair
    return 0, ()


def _named_pair(turn: int, discourse: DiscourseContext) -> tuple[str, ...]:
    """Return the names of the two things that a turn's question names, in its order; () if it names one or several."""
    question = discourse.standalone_questions[turn - 1].casefold()
    offsets = {
        r.iri: (question.find(r.label.casefold()), render_referent(r)) for r in discourse.referents if r.turn == turn
    }
    in_order = sorted(at_name for iri, at_name in offsets.items() if iri and at_name[0] >= 0)
    return tuple(name for _, name in in_order) if len(in_order) == 2 else ()


def _is_end(tokens: list[Token], index: int) -> bool:
    return all(token.kind == "mark" for token in tokens[index:])


def _is_answer_kind(noun: str, discourse: DiscourseContext) -> bool:
    latest = last_list(discourse.referents)[:1] or discourse.answers[:1]
    referent: Referent | None = resolve_noun(noun, latest)
    return referent is not None
