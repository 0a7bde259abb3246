"""Pronouns and definite noun phrases of one question: which stand for something that the question itself names."""

from __future__ import annotations

from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.morphology import (
    AUXILIARY,
    BE,
    COUNTRIES_BY_DEMONYM,
    DO,
    FUNCTION,
    HAVE,
    IRREGULAR,
    NAMING,
    PREPOSITION,
    VERBS,
    lemma_of,
    parse_degree,
)
from chattyshared.language.quantities import unit_forms, unit_names
from chattyshared.language.tokenizer import Token
from chattyshared.language.wordnet import has_sense, is_verb

PERSONAL_PRONOUNS = frozenset((*word_map("function_words", "pronoun_groups"), "himself", "herself"))

_POSSESSIVE = frozenset("its their his her".split())

_RESTRICTORS = word_set("followups", "noun_restrictors")

OPENERS = word_set("followups", "openers") | {"same"}

_LOOSE_PREPOSITIONS = word_set("prepositions", "time", "time_spans") - {"until"} | {"as", "to"}


def is_bound_pronoun(tokens: list[Token], index: int) -> bool:
    """Tell whether a pronoun has its antecedent in the same question."""
    before = [token.lower for token in tokens[:index]]
    word = tokens[index].lower
    if word in ("himself", "herself"):
        return True
    is_own = word in _POSSESSIVE and tokens[index + 1 : index + 2] and tokens[index + 1].lower == "own"
    if is_own and _names_possessor(before):
        return True
    if before[-1:] == ["as"] and HAVE & set(before):
        return True
    is_of_asked = before[:1] in (["which"], ["what"]) and len(before) > 3 and before[1] not in AUXILIARY
    if is_of_asked and word in ("its", "their") and before[-1] in PREPOSITION and HAVE & set(before):
        return True  # "which engine has the best power for its weight"
    if word in ("its", "their", "his", "her", "it", "they") and any(
        w in ("each", "every") or w == "whose" and at for at, w in enumerate(before)
    ):
        return True
    named = any(t.is_capitalized and t.lower not in FUNCTION and at for at, t in enumerate(tokens[:index]))
    joined = bool(before) and before[-1] in ("and", "or", "with") and word in _POSSESSIVE
    if joined and len(before) > 2:
        return named or any(w in before for w in ("all", "which", "the"))
    following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    if before[-1:] and before[-1] in ("that", "which", "who", "whom", "where"):
        return word == "they" and before[-1] == "which" and len(before) > 3 and before[-2] in PREPOSITION
    asked = any(w in before for w in ("which", "list")) and before[-1] not in AUXILIARY
    asked = asked and not is_verb_at(tokens, index - 1)
    return word in ("it", "they", "he", "she") and asked and following in AUXILIARY


def is_restricted_np(tokens: list[Token], end: int) -> bool:
    """Tell whether the words behind "the film" restrict it ("the film with Ann"), or make another noun of it."""
    if tokens[0].lower in OPENERS:  # "And is the vessel owned by Ann?"
        tokens, end = tokens[1:], end - 1
    if end >= len(tokens):
        return False
    next_token = tokens[end]
    if _is_participle(tokens, end):
        return True
    last = all(token.kind == "mark" for token in tokens[end + 1 :])
    if next_token.lower in COUNTRIES_BY_DEMONYM or (last and tokens[0].lower in BE and not next_token.is_capitalized):
        return False
    if (
        next_token.is_capitalized
        or next_token.kind == "quoted"
        or next_token.lower in _RESTRICTORS
        or next_token.lower in NAMING  # "the stadium names" are those of all
    ):
        return True
    if next_token.lower in PREPOSITION and is_unit(tokens[end + 1 :]):
        return False
    if next_token.lower in PREPOSITION:
        is_stranded = last and next_token.lower != "of"  # "is the pier at", but "is it the owner of"
        return not (next_token.lower in _LOOSE_PREPOSITIONS or is_stranded or _is_predicate(tokens, end))
    if parse_degree(next_token.lower)[1] == "er":
        return False
    if next_token.lower in ("first", "last") or (next_token.lower.endswith("ly") and not has_sense(next_token.lower)):
        return end + 1 >= len(tokens)
    if next_token.kind == "word" and any(token.lower in DO for token in tokens[:end]) and is_verb(next_token.lemma):
        return False  # "what vessels does the company own?"
    if next_token.kind == "word" and next_token.lower not in FUNCTION:
        behind = [token.lower for token in tokens[end + 1 :] if token.kind != "mark"]
        is_said_of_it = len(behind) == 1 and behind[0] in PREPOSITION  # "what is the department responsible for?"
        return lemma_of(next_token.lower) not in VERBS and not next_token.lower.endswith("ed") and not is_said_of_it
    return False


def _is_predicate(tokens: list[Token], at: int) -> bool:
    """Tell whether a preposition begins what a yes-or-no question says of a noun: "Is the site in North Oslo?".

    So it does in "Is the player under contract with Lund?".
    """
    at += 1 if any(token.lower in PREPOSITION for token in tokens[at + 2 : at + 3]) else 0
    rest = [token for token in tokens[at + 1 :] if token.kind != "mark" and token.lower not in FUNCTION]
    is_subject = tokens[0].lower in BE and tokens[1].lower == "the"
    return is_subject and bool(rest) and all(token.is_capitalized or token.kind != "word" for token in rest)


def is_verb_at(tokens: list[Token], index: int) -> bool:
    """Tell whether a token is a verb: a past form, or a base form after its auxiliary or its question word."""
    word, before = tokens[index].lower, [token.lower for token in tokens[:index]]
    return lemma_of(word) in VERBS and (bool(AUXILIARY & set(before)) or before[-1:] in (["who"], ["what"]))


def is_unit(tokens: list[Token]) -> bool:
    """Tell whether some words are the name of a unit of quantities."""
    text = " ".join(token.lower for token in tokens if token.kind != "mark")
    return text in unit_forms("question") or text in unit_names().values()


def _names_possessor(before: list[str]) -> bool:
    """Tell whether "her own" has an antecedent in the words before it (none in "And who are her own ...?")."""
    return any(word not in FUNCTION for word in before)


def _is_participle(tokens: list[Token], at: int) -> bool:
    """Tell whether a participle with its preposition stands there: "the films directed by", "rivers flowing into"."""
    word = tokens[at].lower
    led = at + 2 < len(tokens) and tokens[at + 1].lower in PREPOSITION and tokens[at + 2].kind != "mark"
    return led and tokens[0].lower not in AUXILIARY and (word.endswith(("ed", "ing")) or word in IRREGULAR)
