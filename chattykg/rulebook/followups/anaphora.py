"""Anaphora: pronouns, demonstratives and definite noun phrases, and the referents or sets they stand for."""

from __future__ import annotations

import re

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    BE,
    DO,
    FUNCTION,
    IRREGULAR,
    NUMBERS,
    PREPOSITION,
    VERBS,
    lemma_stem_of,
    parse_degree,
    related_stems,
    split_label,
)
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.conversation.pronouns import is_restricted_np
from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.detection import is_demonstrative
from chattykg.rulebook.followups.dialogue_state import (
    DiscourseContext,
    describe_target,
    is_plural_reference,
    last_turn,
    render_answer_set,
    render_referent,
)
from chattykg.rulebook.followups.resolution import (
    MIN_PROPERTY_FIT,
    asked_stems,
    fills_role,
    find_holder,
    fits_noun,
    property_fit,
    resolve_noun,
    resolve_pronoun,
)
from chattykg.rulebook.followups.set_references import ALTERNATIVES_PATTERN, select_conjunction

_YEAR = re.compile(r"\b[12]\d{3}\b")
_RESTRICTORS = word_set("followups", "restrictors")
_BEFORE_A_ROLE = frozenset("all each every any it he she they".split())
"""Behind these "the channel" is no channel that was spoken of: "is it the channel"."""
_BEFORE_A_VALUE = word_set("followups", "value_words") | word_set("prepositions", "time")
"""Behind these "that" is the number or the date of the last answer; elsewhere ("the form for that") a thing."""
_DATA_NOUNS = word_set("followups", "data_nouns")
_POSSESSIVE_ENDING = "'s"
_MAX_POSSESSED_WORDS = 6


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
    end += max(0, _length_of_class(tokens, end, discourse) - 1) if following[1] != "them" else 0
    next_token = tokens[end] if end < len(tokens) else None
    if next_token is not None and following[1] != "them" and _is_plural_noun(next_token):
        noun, end = next_token.lower, end + 1
    answer_set = render_answer_set(discourse, noun=noun)
    return (f"of {answer_set}", end) if answer_set else None


def _length_of_class(tokens: list[Token], index: int, discourse: DiscourseContext) -> int:
    """Return how many words of the class label of a referent, in the plural, stand at a place ("ferry lines": two)."""
    labels = {split_label(label) for referent in discourse.referents for label in referent.types}
    texts = {words: tokens[index : index + len(words)] for words in labels if words}
    lengths = (
        len(words)
        for words, text in texts.items()
        if text[-1:] and (*(token.lower for token in text[:-1]), text[-1].lemma) == words
    )
    return max(lengths, default=0)


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
            return None
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
    return render_answer_set(discourse, select_conjunction(tokens, index) if word == "them" else "and"), index + 1


def resolve_definite_np(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "the film", "the company" without a restriction after the noun."""
    before = tokens[index - 1].lower if index else ""
    if tokens[index].lower != "the" or index + 1 >= len(tokens) or before in _BEFORE_A_ROLE:
        return None
    end = index + 1 + max(1, _length_of_class(tokens, index + 1, discourse))
    noun = tokens[end - 1]
    if (
        noun.kind != "word"
        or noun.lower in FUNCTION | _DATA_NOUNS
        or parse_degree(noun.lower)[1]
        or noun.is_capitalized
    ):
        return None
    if is_restricted_np(tokens, end) or _is_owner(tokens, index, discourse):
        return None
    if _is_plural_noun(noun):
        answers = discourse.latest_list(noun.lower)
        same = answers and fits_noun(answers[0], noun.lower)
        return (render_answer_set(discourse, noun=noun.lower), end) if same else None
    referent = resolve_noun(noun.lower, discourse.referents, discourse.asked_stems_without(noun.lower))
    if referent is None and not (index == 2 and before in BE):  # "Who is the author?" asks for one
        referent = next((r for r in discourse.referents[::-1] if r.iri and fills_role(r, noun.lower)), None)
    referent = referent or _answer_by_role(noun.lower, discourse)
    if referent is None:
        return _possessed_np(tokens, index, discourse)
    text = " ".join(token.lower for token in tokens)
    return None if f" {referent.label.lower()} " in f" {text} " else (render_referent(referent), end)


def _is_owner(tokens: list[Token], index: int, discourse: DiscourseContext) -> bool:
    """Tell whether "the home team" is whose goals are asked for where a thing has "goals of the home team"."""
    words = [token.lower for token in tokens]
    before, behind = " ".join(words[: index - 1]), " ".join(words[index + 1 :])
    labels = {each.label.lower() for referent in discourse.referents for each in referent.properties}
    parts = (label.partition(" of the ") for label in labels)
    return words[index - 1] in DO and any(
        owner and before.endswith(f" {things}") and behind.startswith(f"{owner} have") for things, _, owner in parts
    )


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


def _is_plural_noun(token: Token) -> bool:
    plural = token.lower.endswith("s") and token.lemma != token.lower or token.lower in ("people", "children")
    return token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION and plural


def _demonstrative_set(
    noun: str, tokens: list[Token], index: int, discourse: DiscourseContext
) -> tuple[str, int] | None:
    """Read "these films", "those": a list, or what was described."""
    size = max(1, _length_of_class(tokens, index + 1, discourse))
    noun = tokens[index + size].lower if size > 1 else noun
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
    whole = render_answer_set(discourse, select_conjunction(tokens, index), noun if plural else "")
    return (whole, index + (1 + size if plural or number else 1)) if whole else None


def _demonstrative_referent(tokens: list[Token], index: int, discourse: DiscourseContext) -> tuple[str, int] | None:
    """Read "this film", "that product manager"."""
    size = _compound_length(tokens, index + 1)
    noun = " ".join(token.lower for token in tokens[index + 1 : index + 1 + size])
    nearest = tokens[index].lower == "that"
    referent = resolve_noun(
        noun,
        discourse.referents,
        discourse.asked_stems_without(noun),
        prefers_last_answer=nearest,
    )
    if referent is None and noun in ("group", "list", "set") and render_answer_set(discourse):
        return render_answer_set(discourse), index + 2
    holder = find_holder(noun, discourse.referents) if referent is None else None
    if holder is not None:
        referent = next((a for a in discourse.answers if a.answer_count == 1 and fills_role(a, noun)), None)
    if holder is not None and referent is None:
        return f"the {noun} of {render_referent(holder)}", index + 1 + size
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
        and not (is_verbal(tokens[end]) or parse_degree(tokens[end].lower)[1])
    ):
        end += 1
    return end - index


def _is_noun(token: Token) -> bool:
    return token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION


def is_verbal(token: Token) -> bool:
    """Tell whether a word is a verb by its lemma or its ending."""
    return token.lemma in VERBS or token.lower in IRREGULAR or token.lower.endswith(("ed", "ing"))


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


def _answer_by_role(noun: str, discourse: DiscourseContext) -> Referent | None:
    """Return the latest answer to a question that asked for it by the noun or its verb ("Who wrote it?": "the author").

    A noun within the last question ("the director of the film") names another thing than its answer.
    """
    single = [r for r in discourse.referents if r.role == "answer" and r.answer_count == 1 and r.iri]
    for answer in sorted(single, key=lambda r: -r.turn):
        standalone = tokenize(discourse.standalone_questions[answer.turn - 1])
        stems = {lemma_stem_of(token.lower) for token in standalone if token.lower not in FUNCTION}
        named = [at for at, token in enumerate(standalone) if noun in (token.lower, token.lemma)]
        is_other = bool(named) and named[0] > 1 and answer.turn == last_turn(discourse)
        if related_stems(noun) & stems and not is_other:
            return answer
    return None


def _is_in_noun(tokens: list[Token], start: int, at: int) -> bool:
    token = tokens[at]
    inner = token.lower == "of" and at > start
    return inner or token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION


def _is_value_token(token: Token) -> bool:
    return token.kind in ("number", "quoted") or token.is_capitalized
