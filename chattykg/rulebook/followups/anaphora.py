"""Anaphora: referring expressions in a follow-up and the referents or sets that they stand for."""

from __future__ import annotations

import re

from chattyshared.language.morphology import lemma_stem_of, parse_degree, related_stems, split_label
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.detection import is_demonstrative, is_restricted_np
from chattykg.rulebook.followups.dialogue_state import (
    DiscourseContext,
    describe_target,
    is_plural_reference,
    last_turn,
    render_answer_set,
    render_plural_reference,
    render_referent,
    render_referents,
)
from chattykg.rulebook.followups.refinement import parse_counted_set
from chattykg.rulebook.followups.resolution import (
    MIN_PROPERTY_FIT,
    asked_stems,
    fits_noun,
    last_answers,
    last_list,
    property_fit,
    resolve_noun,
    resolve_pronoun,
)
from chattykg.rulebook.legacy.closed_words import (
    AUXILIARY,
    BE,
    COMMAND,
    FUNCTION,
    IRREGULAR,
    NUMBERS,
    ORDINALS,
    PREPOSITION,
    VERBS,
    WH,
)

_YEAR = re.compile(r"\b[12]\d{3}\b")
_RESTRICTORS = frozenset("that who which whose from with in born above below".split())
_BEFORE_A_ROLE = frozenset("all each every any it he she they".split())
"""Behind these "the channel" is no channel that was spoken of: "is it the channel"."""
_BEFORE_A_VALUE = frozenset(
    "than above below over under before after since until by in on is was equal exactly".split()
)
"""Behind these "that" is the number or the date of the last answer; elsewhere ("the form for that") a thing."""
_DATA_NOUNS = frozenset("list lists table tables database data results result question questions graph records".split())
_POSSESSIVE_ENDING = "'s"
_MAX_POSSESSED_WORDS = 6
ALTERNATIVES_PATTERN = re.compile(
    r"(?i)[,:]\s*(?:the\s+)?(?P<one>[^,:?]+?),?\s+or\s+(?:the\s+)?(?P<two>[^,:?]+?)\s*\?*\s*$"
)
"""The two things at the end of a question that chooses: "Which is older, A or B?"."""
_OF_TWO = re.compile(r"(?i)^\s*(?:of|between|among|out\s+of)\s+.+?\s+and\s+.+?,\s*(?:which|who|what)\b")
"""A question that chooses and names the two things first: "Of A and B, which is older?"."""
WHOLE_LIST_WORDS = frozenset("of between among than all both each except besides without excluding but".split())
"""Behind these "them" is the whole list; elsewhere ("Who made them?") it is any of it."""
_OF_THEM = (["of", "them"], ["of", "these"], ["of", "those"])
_REMAINDER = (["the", "rest"], ["the", "others"], ["the", "remaining"])


def resolve_which_one(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "which one", "which ones", "which of them", "who of them": the last list."""
    if tokens[index].lower not in ("which", "who") or ALTERNATIVES_PATTERN.search(discourse.question):
        return None
    at = index + 1
    if tokens[at : at + 1] and tokens[at].lower in ("one", "ones"):
        inner = resolve_of_them(tokens, at + 1, discourse)
        if inner:
            return f"Which {inner[0]}", inner[1]
        answer_set = render_answer_set(discourse)
        return (f"Which of {answer_set}", index + 2) if answer_set else None
    found = resolve_of_them(tokens, index + 1, discourse) if index + 1 < len(tokens) else None
    return (f"Which {found[0]}", found[1]) if found else None


def resolve_of_them(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "of them", "of those films", "of these two": the last list, of the kind that is named."""
    following = [token.lower for token in tokens[index : index + 3]]
    if following[:1] != ["of"] or following[1:2] not in (["them"], ["these"], ["those"]):
        return None
    if index and tokens[index - 1].kind == "word" and tokens[index - 1].lower not in FUNCTION:
        return None
    end, noun = index + 2, ""
    if following[2:3] and following[2] in NUMBERS:
        end += 1
    behind = tokens[end] if end < len(tokens) else None
    if behind is not None and following[1] != "them" and _is_plural_noun(behind):
        noun, end = behind.lower, end + 1
    elif behind is not None and behind.lower == discourse.target_noun and following[1] != "them":
        end += 1
    answer_set = render_answer_set(discourse, noun=noun)
    return (f"of {answer_set}", end) if answer_set else None


def resolve_class_label(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the product category", "this bill of material": the class label of a referent, in all its words."""
    if tokens[index].lower not in ("the", "this", "that"):
        return None
    best: tuple[int, str] = (0, "")
    for label in dict.fromkeys(label for referent in discourse.referents for label in referent.types):
        words = split_label(label)
        words_behind = [token for token in tokens[index + 1 : index + 1 + 2 * len(words)] if token.kind != "mark"]
        same = tuple(token.lower for token in words_behind[: len(words)]) == words
        if same and len(words) > 1:
            best = max(best, (tokens.index(words_behind[len(words) - 1]) - index, label))
    size, label = best
    if not size or is_restricted_np(tokens, index + 1 + size):
        return None
    candidates = [referent for referent in discourse.referents if label in referent.types]
    label = " ".join(split_label(label))
    chosen = resolve_noun(
        label,
        candidates,
        discourse.target_noun,
        discourse.asked_stems_without(label),
        prefers_last_answer=tokens[index].lower == "that",
    )
    return (render_referent(chosen), index + 1 + size) if chosen else None


def resolve_demonstrative(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "this film", "that year", "that"; "these films", "those"."""
    word = tokens[index].lower
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    plain = following is not None and following.kind == "word" and following.lower not in FUNCTION - {"one"}
    noun = following.lower if following is not None and plain else ""
    if word in ("these", "those"):
        return _demonstrative_set(noun, tokens, index, discourse)
    if word not in ("this", "that") or not is_demonstrative(tokens, index):
        return None
    if noun in ("year", "date", "day", "time"):
        literal = next((a for a in discourse.answers if not a.iri), None)
        if noun == "year" and not (literal and _YEAR.match(literal.label)):
            return _mentioned_year(tokens, index, discourse)
        return (literal.label[:4] if noun == "year" else literal.label, index + 2) if literal else None
    if noun == "one":
        single = [a for a in discourse.answers if a.answer_count == 1 and a.iri]
        referent = single[0] if single else resolve_pronoun("it", discourse.unnamed_referents, discourse.asked_stems)
        return (render_referent(referent), index + 2) if referent else None
    if noun:
        return _demonstrative_referent(tokens, index, discourse)
    single = [a for a in discourse.answers if a.answer_count == 1]
    if single and not single[0].iri and index and tokens[index - 1].lower not in _BEFORE_A_VALUE:
        referent = resolve_pronoun("it", discourse.unnamed_referents, discourse.asked_stems)
        return (render_referent(referent), index + 1) if referent else None
    return (render_referent(single[0]), index + 1) if single else None


def resolve_plural_pronoun(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "they" and "them" (also "each of them", "all of them") where the last answer is a list."""
    word = tokens[index].lower
    if word not in ("they", "them") or not is_plural_reference(discourse):
        return None
    return render_plural_reference(discourse, select_conjunction(tokens, index) if word == "them" else "and"), index + 1


def resolve_definite_np(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the film", "the company" with nothing behind that says which."""
    before = tokens[index - 1].lower if index else ""
    if tokens[index].lower != "the" or index + 1 >= len(tokens) or before in _BEFORE_A_ROLE:
        return None
    noun, end = tokens[index + 1], index + 2
    if (
        noun.kind != "word"
        or noun.lower in FUNCTION | _DATA_NOUNS
        or parse_degree(noun.lower)[1]
        or noun.is_capitalized
    ):
        return None
    if is_restricted_np(tokens, end):
        return None
    if _is_plural_noun(noun):
        answers = discourse.latest_list(noun.lower)
        same = answers and (noun.lower == discourse.target_noun or fits_noun(answers[0], noun.lower))
        return (render_answer_set(discourse, noun=noun.lower), end) if same else None
    referent = resolve_noun(
        noun.lower, discourse.referents, discourse.target_noun, discourse.asked_stems_without(noun.lower)
    )
    referent = referent or _agent_of_last_question(noun.lower, discourse)
    if referent is None:
        return _possessed_np(tokens, index, discourse)
    return None if referent.label.lower() in " ".join(t.lower for t in tokens) else (render_referent(referent), end)


def invert_possessive(tokens: list[Token], index: int, replacement: tuple[str, int]) -> tuple[str, int] | None:
    """Return "the area of London" for "its area" (or "the city's area") in a question that only says yes or no.

    ``replacement`` is the name and the index behind the words that it replaces. The result is None if the order stays:
    the end of the possessed noun is clear only before a value ("Is its area 1806?") and at the end of the question ("Is
    1806 its area?").
    """
    name, start = replacement
    marked = start < len(tokens) and tokens[start].kind == "possessive"
    if tokens[0].lower not in BE or not (marked or name.endswith(_POSSESSIVE_ENDING)):
        return None
    name, start = (name, start + 1) if marked else (name.removesuffix(_POSSESSIVE_ENDING), start)
    end = start
    while end < len(tokens) and end - start < _MAX_POSSESSED_WORDS and _is_in_noun(tokens, start, end):
        end += 1
    rest = [token for token in tokens[end:] if token.kind != "mark"]
    if end == start or (index <= 1) != bool(rest) or (rest and not _is_value_token(rest[0])):
        return None
    noun = " ".join(token.text for token in tokens[start:end])
    return f"the {noun} of {name}", end


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
    elif following and following[0] == discourse.target_noun or word in ("latter", "former"):
        end += following[:1] == [discourse.target_noun]
    elif _is_end(tokens, end) or tokens[end].lower in PREPOSITION and _is_end(tokens, end + 1):
        if _is_end(tokens, end) and tokens[0].lower in WH and tokens[start - 1].lower in BE:
            return None  # "Which of them was the first?" asks which it was
    elif (
        end < len(tokens)
        and _is_answer_kind(tokens[end].lower, discourse)
        and (word != "last" or _is_end(tokens, end + 1))
    ):
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
    """Read "the other one", "the other": of the latest two that were listed, the one that was not mentioned last."""
    words = [token.lower for token in tokens[index : index + 3]]
    if words[:2] != ["the", "other"] or not (words[2:] == ["one"] or _is_end(tokens, index + 2)):
        return None
    pairs = [r for r in discourse.referents if r.role == "answer" and r.answer_count == 2 and r.iri]
    turn = max((r.turn for r in pairs), default=0)
    spoken = {r.iri for r in discourse.referents if r.turn == last_turn(discourse) and r.turn > turn}
    remaining = [r for r in pairs if r.turn == turn and r.iri not in spoken]
    return (render_referent(remaining[0]), index + 2 + (words[2:] == ["one"])) if len(remaining) == 1 else None


def resolve_counted_set(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the two drugs", "both of them": the latest list of as many."""
    counted_set = parse_counted_set(tokens, index)
    if counted_set is None or any(token.is_capitalized or token.kind == "quoted" for token in tokens[counted_set[1] :]):
        return None
    lists = last_answers([r for r in discourse.referents if r.role == "answer" and r.answer_count == counted_set[0]])
    topics = discourse.compared_topics(lists)
    members = topics if len(topics) == counted_set[0] else lists
    return (render_referents(members), counted_set[1]) if members else None


def _is_plural_noun(token: Token) -> bool:
    plural = token.lower.endswith("s") and token.lemma != token.lower or token.lower in ("people", "children")
    return token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION and plural


def _mentioned_year(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "that year" where a question before named one."""
    years = [year for standalone in reversed(discourse.standalone_questions) for year in _YEAR.findall(standalone)]
    preposed = index > 0 and tokens[index - 1].lower in PREPOSITION
    return (years[0] if preposed else f"in {years[0]}", index + 2) if years else None


def _demonstrative_set(
    noun: str, tokens: list[Token], index: int, discourse: DiscourseContext
) -> tuple[str, int] | None:
    """Read "these films", "those": a list, or what was described."""
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if (
        not discourse.answers
        and not describe_target(discourse.previous_question)
        or following
        and following.lower in _RESTRICTORS
    ):
        return None
    plural = noun.endswith("s") or noun in ("people", "ones", "children")
    number = following is not None and following.lower in NUMBERS
    inner = _inner_description(noun, discourse) if plural else ""
    if inner:
        return inner, index + 2
    whole = render_answer_set(discourse, select_conjunction(tokens, index), noun if plural else "")
    return (whole, index + (2 if plural or number else 1)) if whole else None


def _demonstrative_referent(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "this film", "that product manager"."""
    size = _compound_length(tokens, index + 1)
    noun = " ".join(token.lower for token in tokens[index + 1 : index + 1 + size])
    if _is_literal_answer(discourse, noun):
        return f"{noun} {discourse.answers[0].label}", index + 1 + size
    nearest = tokens[index].lower == "that"
    referent = resolve_noun(
        noun,
        discourse.referents,
        discourse.target_noun,
        discourse.asked_stems_without(noun),
        prefers_last_answer=nearest,
    )
    if referent is None and noun in ("group", "list", "set") and render_answer_set(discourse):
        return render_answer_set(discourse), index + 2
    if referent is None:
        answers = [a for a in discourse.answers if a.answer_count == 1 and a.iri]
        referent = answers[0] if answers else resolve_pronoun("it", discourse.referents)
    return (render_referent(referent), index + 1 + size) if referent else None


def _compound_length(tokens: list[Token], index: int) -> int:
    """Return how many words the noun at a place has ("product manager": two)."""
    end = index + 1
    while (
        end < len(tokens)
        and _is_noun(tokens[end])
        and not (_is_verbal(tokens[end]) or parse_degree(tokens[end].lower)[1])
    ):
        end += 1
    return end - index


def _is_noun(token: Token) -> bool:
    return token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION


def _is_verbal(token: Token) -> bool:
    return token.lemma in VERBS or token.lower in IRREGULAR or token.lower.endswith(("ed", "ing"))


def _inner_description(noun: str, discourse: DiscourseContext) -> str:
    """Say "those battles" after "What are the results of the battles that ...?": what the description says of them."""
    described = describe_target(discourse.previous_question)
    words = tokenize(described)
    of = next((token for token in words[:4] if token.lower == "of"), None)
    noun_token = next((token for token in words if of and token.start > of.start and token.lower == noun), None)
    if noun_token is None or related_stems(noun) & related_stems(discourse.target_noun or noun):
        return ""
    return f"the {described[noun_token.start :]}"


def _is_literal_answer(discourse: DiscourseContext, noun: str) -> bool:
    """Tell whether the last answer is one literal of the kind that a noun names ("this horsepower")."""
    answers = discourse.answers
    asked = bool(discourse.target_noun) and bool(related_stems(noun) & related_stems(discourse.target_noun))
    return len(answers) == 1 and not answers[0].iri and asked


def _possessed_np(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "in the crew" as the crew of the latest referent that has one."""
    end, before = index + 2, tokens[index - 1].lower if index else ""
    if before not in PREPOSITION or any(t.is_capitalized or t.kind == "quoted" for t in tokens[1:]):
        return None
    if any(t.kind != "mark" for t in tokens[end:]):
        return None
    single = [r for r in discourse.referents if r.iri and (r.role == "topic" or r.answer_count == 1)]
    latest = [r for r in single if r.turn == last_turn(discourse)]
    able_to = [r for r in latest if property_fit(r, asked_stems(tokens[index + 1].lower)) >= MIN_PROPERTY_FIT]
    return (f"the {tokens[index + 1].text} of {render_referent(able_to[-1])}", end) if able_to else None


def _agent_of_last_question(noun: str, discourse: DiscourseContext) -> Referent | None:
    """Return the last answer where the question asked for it by the noun's verb ("Who wrote it?": "the author")."""
    single = [a for a in discourse.answers if a.answer_count == 1 and a.iri and a.turn == last_turn(discourse)]
    standalone = tokenize(discourse.previous_question)
    verb_stems = {lemma_stem_of(token.lower) for token in standalone if token.lower not in FUNCTION}
    named_so = any(noun in (token.lower, token.lemma) for token in standalone)
    return single[0] if single and related_stems(noun) & verb_stems and not named_so else None


def _is_in_noun(tokens: list[Token], start: int, at: int) -> bool:
    token = tokens[at]
    inner = token.lower == "of" and at > start
    return inner or token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION


def _is_value_token(token: Token) -> bool:
    return token.kind in ("number", "quoted") or token.is_capitalized


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
    if following and (
        following[0] == discourse.target_noun or following[0] != "of" and _names_answer_set(tokens[end], discourse)
    ):
        end += 1
    if _is_end(tokens, end) or tokens[end].lower in AUXILIARY | {"and", "or"}:
        return end
    return end if tokens[end].lower in PREPOSITION - {"of", "by"} and _is_end(tokens, end + 1) else 0


def _names_answer_set(token: Token, discourse: DiscourseContext) -> bool:
    plural = (
        token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION and token.lower.endswith("s")
    )
    return plural and _is_answer_kind(token.lower, discourse)


def _named_alternatives(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, ...]:
    """Return what "the former" and "the latter" stand for: the two things of the latest question that chooses.

    Without such a question, the two that the last one names.
    """
    if (
        not {token.lower for token in tokens[index : index + 2]} & {"former", "latter"}
        or not discourse.standalone_questions
    ):
        return ()
    for turn, standalone in reversed(tuple(enumerate(discourse.standalone_questions, 1))):
        choice = ALTERNATIVES_PATTERN.search(standalone)
        if choice or _OF_TWO.match(standalone):
            pair = _named_pair(turn, discourse) or ((choice["one"], choice["two"]) if choice else ())
            if pair:
                return pair
    return _named_pair(len(discourse.standalone_questions), discourse)


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
    referent: Referent | None = resolve_noun(noun, discourse.answers[:1], discourse.target_noun)
    return referent is not None
