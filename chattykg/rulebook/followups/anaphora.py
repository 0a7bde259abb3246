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
_ENDING = "'s"
_LONGEST = 6
ALTERNATIVES_PATTERN = re.compile(
    r"(?i)[,:]\s*(?:the\s+)?(?P<one>[^,:?]+?),?\s+or\s+(?:the\s+)?(?P<two>[^,:?]+?)\s*\?*\s*$"
)
"""The two things at the end of a question that chooses: "Which is older, A or B?"."""
_OF_TWO = re.compile(r"(?i)^\s*(?:of|between|among|out\s+of)\s+.+?\s+and\s+.+?,\s*(?:which|who|what)\b")
"""A question that chooses and names the two things first: "Of A and B, which is older?"."""
WHOLE_LIST_WORDS = frozenset("of between among than all both each except besides without excluding but".split())
"""Behind these "them" is the whole list; elsewhere ("Who made them?") it is any of it."""
_OF_THEM = (["of", "them"], ["of", "these"], ["of", "those"])
_LEFT = (["the", "rest"], ["the", "others"], ["the", "remaining"])


def resolve_which_one(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "which one", "which ones", "which of them", "who of them": the last list."""
    if tokens[index].lower not in ("which", "who") or ALTERNATIVES_PATTERN.search(discourse.question):
        return None
    at = index + 1
    if tokens[at : at + 1] and tokens[at].lower in ("one", "ones"):
        inner = resolve_of_them(tokens, at + 1, discourse)
        if inner:
            return f"Which {inner[0]}", inner[1]
        said = render_answer_set(discourse)
        return (f"Which of {said}", index + 2) if said else None
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
    said = render_answer_set(discourse, noun=noun)
    return (f"of {said}", end) if said else None


def resolve_class_label(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the product category", "this bill of material": the class label of a referent, in all its words."""
    if tokens[index].lower not in ("the", "this", "that"):
        return None
    best: tuple[int, str] = (0, "")
    for label in dict.fromkeys(label for referent in discourse.referents for label in referent.types):
        words = split_label(label)
        said = [token for token in tokens[index + 1 : index + 1 + 2 * len(words)] if token.kind != "mark"]
        same = tuple(token.lower for token in said[: len(words)]) == words
        if same and len(words) > 1:
            best = max(best, (tokens.index(said[len(words) - 1]) - index, label))
    size, label = best
    if not size or is_restricted_np(tokens, index + 1 + size):
        return None
    found = [referent for referent in discourse.referents if label in referent.types]
    label = " ".join(split_label(label))
    chosen = resolve_noun(
        label,
        found,
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
        return _pointed_list(noun, tokens, index, discourse)
    if word not in ("this", "that") or not is_demonstrative(tokens, index):
        return None
    if noun in ("year", "date", "day", "time"):
        said = next((a for a in discourse.answers if not a.iri), None)
        if noun == "year" and not (said and _YEAR.match(said.label)):
            return _spoken_year(tokens, index, discourse)
        return (said.label[:4] if noun == "year" else said.label, index + 2) if said else None
    if noun == "one":
        single = [a for a in discourse.answers if a.answer_count == 1 and a.iri]
        thing = single[0] if single else resolve_pronoun("it", discourse.unnamed_referents, discourse.asked_stems)
        return (render_referent(thing), index + 2) if thing else None
    if noun:
        return _pointed_thing(tokens, index, discourse)
    single = [a for a in discourse.answers if a.answer_count == 1]
    if single and not single[0].iri and index and tokens[index - 1].lower not in _BEFORE_A_VALUE:
        thing = resolve_pronoun("it", discourse.unnamed_referents, discourse.asked_stems)
        return (render_referent(thing), index + 1) if thing else None
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
        or noun.lower in FUNCTION | _PLACES_OF_DATA
        or parse_degree(noun.lower)[1]
        or noun.is_capitalized
    ):
        return None
    if is_restricted_np(tokens, end):
        return None
    if _is_plural_noun(noun):
        found = discourse.latest_list(noun.lower)
        same = found and (noun.lower == discourse.target_noun or fits_noun(found[0], noun.lower))
        return (render_answer_set(discourse, noun=noun.lower), end) if same else None
    referent = resolve_noun(
        noun.lower, discourse.referents, discourse.target_noun, discourse.asked_stems_without(noun.lower)
    )
    referent = referent or _by_deed(noun.lower, discourse)
    if referent is None:
        return _owned(tokens, index, discourse)
    return None if referent.label.lower() in " ".join(t.lower for t in tokens) else (render_referent(referent), end)


def invert_possessive(tokens: list[Token], index: int, replacement: tuple[str, int]) -> tuple[str, int] | None:
    """Return "the area of London" for "its area" (or "the city's area") in a question that only says yes or no.

    ``found`` is the name said instead of the words at a place and the place behind them; None where the order of the
    question stays as it is, since it is clear from the words where the owned thing's noun ends only
    before a value ("Is its area 1806?") and at the end ("Is 1806 its area?").
    """
    name, start = replacement
    marked = start < len(tokens) and tokens[start].kind == "possessive"
    if tokens[0].lower not in BE or not (marked or name.endswith(_ENDING)):
        return None
    name, start = (name, start + 1) if marked else (name.removesuffix(_ENDING), start)
    end = start
    while end < len(tokens) and end - start < _LONGEST and _in_noun(tokens, start, end):
        end += 1
    rest = [token for token in tokens[end:] if token.kind != "mark"]
    if end == start or (index <= 1) != bool(rest) or (rest and not _is_value_token(rest[0])):
        return None
    noun = " ".join(token.text for token in tokens[start:end])
    return f"the {noun} of {name}", end


def select_conjunction(tokens: list[Token], index: int) -> str:
    """Return how to join what stands for several things at a place: "or" where a question asks for any of them."""
    before = tokens[index - 1].lower if index else ""
    asks = tokens[0].lower in WH | COMMAND and index > 1
    return "or" if asks and before not in WHOLE_LIST_WORDS | AUXILIARY | WH | COMMAND | {"me", "about"} else "and"


def resolve_ordinal(tokens: list[Token], position: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the second one", "the last of them", "number 3", "the first film"."""
    answers = _two_named(tokens, position, discourse) or tuple(
        render_referent(answer) for answer in last_list(discourse.referents)
    )
    at = position + (tokens[position].lower == "the")
    if at >= len(tokens) or len(answers) < 2 or tokens[position].lower != "the":
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
    elif _ends(tokens, end) or tokens[end].lower in PREPOSITION and _ends(tokens, end + 1):
        if _ends(tokens, end) and tokens[0].lower in WH and tokens[position - 1].lower in BE:
            return None  # "Which of them was the first?" asks which it was
    elif end < len(tokens) and _same_kind(tokens[end].lower, discourse) and (word != "last" or _ends(tokens, end + 1)):
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
    end = _behind(tokens, index + 3, discourse)
    if number < 2 or number > len(answers) or not end:
        return None
    chosen = answers[:number] if words[1] == "first" else answers[-number:]
    return render_referents(chosen, select_conjunction(tokens, index)), end


def resolve_remainder(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the rest", "the others", "the remaining films": of the last list, what was not spoken of since."""
    words = [token.lower for token in tokens[index : index + 3]]
    if words[:2] not in _LEFT and not (words[:2] == ["the", "other"] and words[2:] and words[2] in NUMBERS):
        return None
    size = 3 if len(words) > 2 and words[1] in ("other", "remaining") and words[2] in (*NUMBERS, "ones") else 2
    end = _behind(tokens, index + size, discourse)
    answers = last_list(discourse.referents)
    if not end or not answers:
        return None
    since = _spoken_of(answers, discourse)
    said = discourse.question.casefold()
    left = tuple(r for r in answers if (r.iri or r.label) not in since and r.label.casefold() not in said)
    number = NUMBERS.get(words[2], 0) if size == 3 else 0
    if not left or len(left) == len(answers) or number and number != len(left):
        return None
    return (
        render_referents(left, select_conjunction(tokens, index)) if len(left) > 1 else render_referent(left[0])
    ), end


def resolve_other_one(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the other one", "the other": of the latest two that were listed, the one that was not spoken of last."""
    words = [token.lower for token in tokens[index : index + 3]]
    if words[:2] != ["the", "other"] or not (words[2:] == ["one"] or _ends(tokens, index + 2)):
        return None
    pairs = [r for r in discourse.referents if r.role == "answer" and r.answer_count == 2 and r.iri]
    turn = max((r.turn for r in pairs), default=0)
    spoken = {r.iri for r in discourse.referents if r.turn == last_turn(discourse) and r.turn > turn}
    left = [r for r in pairs if r.turn == turn and r.iri not in spoken]
    return (render_referent(left[0]), index + 2 + (words[2:] == ["one"])) if len(left) == 1 else None


def resolve_counted_set(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the two drugs", "both of them": the latest list of as many."""
    found = parse_counted_set(tokens, index)
    if found is None or any(token.is_capitalized or token.kind == "quoted" for token in tokens[found[1] :]):
        return None
    lists = last_answers([r for r in discourse.referents if r.role == "answer" and r.answer_count == found[0]])
    topics = discourse.compared_topics(lists)
    meant = topics if len(topics) == found[0] else lists
    return (render_referents(meant), found[1]) if meant else None


def _is_plural_noun(token: Token) -> bool:
    plural = token.lower.endswith("s") and token.lemma != token.lower or token.lower in ("people", "children")
    return token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION and plural


def _spoken_year(tokens: list[Token], place: int, scene: DiscourseContext) -> tuple[str, int] | None:
    """Read "that year" where a question before named one."""
    years = [year for told in reversed(scene.standalone_questions) for year in _YEAR.findall(told)]
    preposed = place > 0 and tokens[place - 1].lower in PREPOSITION
    return (years[0] if preposed else f"in {years[0]}", place + 2) if years else None


def _pointed_list(noun: str, tokens: list[Token], place: int, scene: DiscourseContext) -> tuple[str, int] | None:
    """Read "these films", "those": a list, or what was described."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if (
        not scene.answers
        and not describe_target(scene.previous_question)
        or following
        and following.lower in _SAYS_WHICH
    ):
        return None
    plural = noun.endswith("s") or noun in ("people", "ones", "children")
    number = following is not None and following.lower in NUMBERS
    inner = _described_within(noun, scene) if plural else ""
    if inner:
        return inner, place + 2
    whole = render_answer_set(scene, select_conjunction(tokens, place), noun if plural else "")
    return (whole, place + (2 if plural or number else 1)) if whole else None


def _pointed_thing(tokens: list[Token], place: int, scene: DiscourseContext) -> tuple[str, int] | None:
    """Read "this film", "that product manager"."""
    size = _compound(tokens, place + 1)
    noun = " ".join(token.lower for token in tokens[place + 1 : place + 1 + size])
    if _is_value(scene, noun):
        return f"{noun} {scene.answers[0].label}", place + 1 + size
    nearest = tokens[place].lower == "that"
    referent = resolve_noun(
        noun, scene.referents, scene.target_noun, scene.asked_stems_without(noun), prefers_last_answer=nearest
    )
    if referent is None and noun in ("group", "list", "set") and render_answer_set(scene):
        return render_answer_set(scene), place + 2
    if referent is None:
        answers = [a for a in scene.answers if a.answer_count == 1 and a.iri]
        referent = answers[0] if answers else resolve_pronoun("it", scene.referents)
    return (render_referent(referent), place + 1 + size) if referent else None


def _compound(tokens: list[Token], place: int) -> int:
    """Return how many words the noun at a place has ("product manager": two)."""
    end = place + 1
    while (
        end < len(tokens) and _is_noun(tokens[end]) and not (_verbal(tokens[end]) or parse_degree(tokens[end].lower)[1])
    ):
        end += 1
    return end - place


def _is_noun(token: Token) -> bool:
    return token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION


def _verbal(token: Token) -> bool:
    return token.lemma in VERBS or token.lower in IRREGULAR or token.lower.endswith(("ed", "ing"))


def _described_within(noun: str, scene: DiscourseContext) -> str:
    """Say "those battles" after "What are the results of the battles that ...?": what the description says of them."""
    described = describe_target(scene.previous_question)
    words = tokenize(described)
    of = next((token for token in words[:4] if token.lower == "of"), None)
    found = next((token for token in words if of and token.start > of.start and token.lower == noun), None)
    if found is None or related_stems(noun) & related_stems(scene.target_noun or noun):
        return ""
    return f"the {described[found.start :]}"


def _is_value(scene: DiscourseContext, noun: str) -> bool:
    """Tell whether the last answer is one literal of the kind that a noun names ("this horsepower")."""
    answers = scene.answers
    asked = bool(scene.target_noun) and bool(related_stems(noun) & related_stems(scene.target_noun))
    return len(answers) == 1 and not answers[0].iri and asked


def _owned(tokens: list[Token], place: int, scene: DiscourseContext) -> tuple[str, int] | None:
    """Read "in the crew" as the crew of what was answered or talked about, where that has one."""
    end, before = place + 2, tokens[place - 1].lower if place else ""
    if before not in PREPOSITION or any(t.is_capitalized or t.kind == "quoted" for t in tokens[1:]):
        return None
    if any(t.kind != "mark" for t in tokens[end:]):
        return None
    single = [r for r in scene.referents if r.iri and (r.role == "topic" or r.answer_count == 1)]
    latest = [r for r in single if r.turn == last_turn(scene)]
    able_to = [r for r in latest if property_fit(r, asked_stems(tokens[place + 1].lower)) >= MIN_PROPERTY_FIT]
    return (f"the {tokens[place + 1].text} of {render_referent(able_to[-1])}", end) if able_to else None


def _by_deed(noun: str, scene: DiscourseContext) -> Referent | None:
    """Return the last answer where the question asked for it by the noun's verb ("Who wrote it?": "the author")."""
    single = [a for a in scene.answers if a.answer_count == 1 and a.iri and a.turn == last_turn(scene)]
    told = tokenize(scene.previous_question)
    done = {lemma_stem_of(token.lower) for token in told if token.lower not in FUNCTION}
    named_so = any(noun in (token.lower, token.lemma) for token in told)
    return single[0] if single and related_stems(noun) & done and not named_so else None


def _in_noun(tokens: list[Token], start: int, at: int) -> bool:
    token = tokens[at]
    inner = token.lower == "of" and at > start
    return inner or token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION


def _is_value_token(token: Token) -> bool:
    return token.kind in ("number", "quoted") or token.is_capitalized


def _spoken_of(answers: tuple[Referent, ...], scene: DiscourseContext) -> set[str]:
    """Return the members of a list that later turns were about, or named apart from the others."""
    turn = answers[0].turn
    found = {r.iri or r.label for r in scene.referents if r.turn > turn}
    for told in scene.standalone_questions[turn:]:
        named_there = {r.iri or r.label for r in answers if r.label.casefold() in told.casefold()}
        found |= named_there if len(named_there) < len(answers) else set()
    return found


def _behind(tokens: list[Token], end: int, scene: DiscourseContext) -> int:
    """Return the place behind "of them" or the list's own noun (0 where other words make another thing of it)."""
    following = [token.lower for token in tokens[end : end + 2]]
    if following in _OF_THEM:
        return end + 2
    if following and (
        following[0] == scene.target_noun or following[0] != "of" and _names_the_list(tokens[end], scene)
    ):
        end += 1
    if _ends(tokens, end) or tokens[end].lower in AUXILIARY | {"and", "or"}:
        return end
    return end if tokens[end].lower in PREPOSITION - {"of", "by"} and _ends(tokens, end + 1) else 0


def _names_the_list(token: Token, scene: DiscourseContext) -> bool:
    plural = (
        token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION and token.lower.endswith("s")
    )
    return plural and _same_kind(token.lower, scene)


def _two_named(tokens: list[Token], place: int, scene: DiscourseContext) -> tuple[str, ...]:
    """Return what "the former" and "the latter" stand for: the two things of the latest question that chooses.

    Without such a question, the two that the last one names.
    """
    if (
        not {token.lower for token in tokens[place : place + 2]} & {"former", "latter"}
        or not scene.standalone_questions
    ):
        return ()
    for turn, told in reversed(tuple(enumerate(scene.standalone_questions, 1))):
        choice = ALTERNATIVES_PATTERN.search(told)
        if choice or _OF_TWO.match(told):
            pair = _pair(turn, scene) or ((choice["one"], choice["two"]) if choice else ())
            if pair:
                return pair
    return _pair(len(scene.standalone_questions), scene)


def _pair(turn: int, scene: DiscourseContext) -> tuple[str, ...]:
    """Return the names of the two things that a turn's question names, in its order; () if it names one or several."""
    said = scene.standalone_questions[turn - 1].casefold()
    found = {r.iri: (said.find(r.label.casefold()), render_referent(r)) for r in scene.referents if r.turn == turn}
    in_order = sorted(at_name for iri, at_name in found.items() if iri and at_name[0] >= 0)
    return tuple(name for _, name in in_order) if len(in_order) == 2 else ()


def _ends(tokens: list[Token], place: int) -> bool:
    return all(token.kind == "mark" for token in tokens[place:])


def _same_kind(noun: str, scene: DiscourseContext) -> bool:
    found: Referent | None = resolve_noun(noun, scene.answers[:1], scene.target_noun)
    return found is not None
