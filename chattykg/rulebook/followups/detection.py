"""Detection of context dependence: signs of anaphora and ellipsis that make a question a follow-up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattyshared.dialogue import History
from chattyshared.language.closed_classes import (
    AUXILIARY,
    BE,
    COMMAND,
    DO,
    FUNCTION,
    GENERIC,
    HAVE,
    IRREGULAR,
    NAMING,
    NOUN_ING,
    PREPOSITION,
    VERBS,
    WH,
)
from chattyshared.language.lexicon import word_list, word_map, word_set
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM, lemma_of, parse_degree, split_label
from chattyshared.language.quantities import unit_forms, unit_names
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import has_sense, is_verb
from chattyshared.terms import iri_to_words

from chattykg.rulebook.followups.dialogue_state import merge_sentences
from chattykg.rulebook.followups.refinement import rewrite_selection

_ORDER = re.compile(r"(?i),\s*(in\s+(\w+\s+)?order|from\s+the|ordered|sorted|by)\b.*$")
"""An ordering at the end of a question; it holds no anaphor."""
PERSONAL_PRONOUNS = frozenset((*word_map("function_words", "pronoun_groups"), "himself", "herself"))
_POSSESSIVE = frozenset("its their his her".split())
_RESTRICTORS = word_set("followups", "noun_restrictors")
_OPENERS = word_set("followups", "openers") | {"same"}
_PHRASES = tuple(tuple(phrase.split()) for phrase in word_list("followups", "phrases"))
_ORDINAL = frozenset((*word_list("function_words", "ordinals")[:5], "last", "next", "previous", "other"))
_FINAL_ADVERBS = frozenset("too also instead else others then".split())
TIME_QUESTION = re.compile(
    r"(?i)^(?:and )?(?P<asking>(?:(?:since|until|till|from) )?when|(?:in )?(?:which|what) year)\s*[?.!]*$"
)
"""A question for the time of what was said before: "since when?"."""
_LOOSE_PREPOSITIONS = word_set("prepositions", "time", "time_spans") - {"until"} | {"as", "to"}
_BEFORE_A_NOUN = AUXILIARY | PREPOSITION | frozenset("and or".split())
_REFINEMENT_VERBS = word_set("followups", "refinement_verbs")


def is_context_dependent(question: str, history: History) -> bool:
    """Tell whether a question with a history before it cannot be understood by itself."""
    tokens = [token for token in tokenize(_ORDER.sub("", question)) if token.kind != "mark"]
    words = [token.lower for token in tokens]
    if not words:
        return False
    return (
        has_anaphor(tokens)
        or _opens_elliptically(words)
        or any(_has_phrase(words, phrase) for phrase in _PHRASES)
        or words[-1] in _FINAL_ADVERBS
        or words[0] in _REFINEMENT_VERBS
        or _has_ordinal_one(words)
        or _names_known_type(tokens, history)
        or _has_definite_np(tokens)
        or bool(rewrite_selection(question, "those"))
        or merge_sentences(question) != question
        or _asks_for_others(tokens)
        or is_bare_name(tokens)
        or lacks_counted_noun(tokens)
        or bool(TIME_QUESTION.match(question))
        or _names_nothing(tokens)
    )


def lacks_counted_noun(tokens: Sequence[Token]) -> bool:
    """Tell whether a question counts something that it does not name: "Who won the most?"."""
    words = [token.lower for token in tokens if token.kind != "mark"]
    return len(words) > 2 and words[-1] in ("most", "fewest", "least") and words[0] in ("who", "which", "what")


def is_bare_name(tokens: list[Token]) -> bool:
    """Tell whether a question is nothing but a name: "Oslo?", "The Red Fort?"."""
    named = [
        token for token in tokens if token.kind == "quoted" or token.is_capitalized and token.lower not in FUNCTION
    ]
    known = AUXILIARY | WH | COMMAND
    return bool(named) and len(tokens) <= 5 and not any(
        token.lower in known or token.kind == "word" and not token.is_capitalized and token.lower not in FUNCTION
        for token in tokens
    )  # fmt: skip


def has_anaphor(tokens: list[Token]) -> bool:
    """Tell whether a pronoun or a demonstrative has its antecedent outside the question."""
    for index, token in enumerate(tokens):
        word, before = token.lower, tokens[index - 1].lower if index else ""
        if token.kind == "quoted" or token.is_capitalized and index and word not in ("it", "its"):
            continue
        if word in PERSONAL_PRONOUNS and not is_bound_pronoun(tokens, index):
            return True
        if word in ("these", "those"):
            return True
        if word in ("this", "that") and is_demonstrative(tokens, index):
            return True
        if word == "there" and before not in AUXILIARY and not _is_existential(tokens, index):
            return True
    return False


def is_demonstrative(tokens: list[Token], index: int) -> bool:
    """Tell whether "that" (or "this") is a demonstrative and does not begin a clause."""
    word = tokens[index].lower
    if word == "this":
        return True
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is None or following.kind == "mark":
        return True
    if not index:
        return following.lower in AUXILIARY
    if following.lower in AUXILIARY:
        return False
    if index + 2 < len(tokens) and tokens[index + 2].lower == "or":
        return True
    before = tokens[index - 1].lower
    return before in _BEFORE_A_NOUN or _is_verb(tokens, index - 1) or _is_main_verb(tokens, index - 1)


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
    asked = asked and not _is_verb(tokens, index - 1)
    return word in ("it", "they", "he", "she") and asked and following in AUXILIARY


def is_restricted_np(tokens: list[Token], end: int) -> bool:
    """Tell whether the words behind "the film" restrict it ("the film with Ann"), or make another noun of it."""
    if tokens[0].lower in _OPENERS:  # "And is the vessel owned by Ann?"
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
    if next_token.lower in PREPOSITION and _is_unit(tokens[end + 1 :]):
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


def _is_verb(tokens: list[Token], index: int) -> bool:
    """Tell whether a token is a verb: a past form, or a base form after its auxiliary or its question word."""
    word, before = tokens[index].lower, [token.lower for token in tokens[:index]]
    return lemma_of(word) in VERBS and (bool(AUXILIARY & set(before)) or before[-1:] in (["who"], ["what"]))


def _is_main_verb(tokens: list[Token], index: int) -> bool:
    """Tell whether a verb in the third person stands behind the noun that is asked for: "which employee manages that
    part"; no clause follows it, which would have a verb of its own."""
    word, lemma = tokens[index].lower, tokens[index].lemma
    asks = index == 2 and tokens[0].lower in WH and tokens[1].lemma == tokens[1].lower
    following = tokens[index + 2 : index + 3]
    is_clause = bool(following) and (_is_verb_form(following[0]) or following[0].lower in AUXILIARY)
    return asks and word.endswith("s") and word != lemma and is_verb(lemma) and not is_clause


def _is_verb_form(token: Token) -> bool:
    return token.lower in IRREGULAR or token.lower != token.lemma and is_verb(token.lemma)


def _is_unit(tokens: list[Token]) -> bool:
    text = " ".join(token.lower for token in tokens if token.kind != "mark")
    return text in unit_forms("question") or text in unit_names().values()


def _is_existential(tokens: list[Token], index: int) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].lower in AUXILIARY


def _names_possessor(before: list[str]) -> bool:
    """Tell whether "her own" has an antecedent in the words before it (none in "And who are her own ...?")."""
    return any(word not in FUNCTION for word in before)


def _asks_for_others(tokens: list[Token]) -> bool:
    """Tell whether a question excludes what was mentioned before: "which other films", "who else"."""
    if any(token.lower == "else" for token in tokens[1:3]) and tokens[0].lower in WH:
        return True
    return tokens[0].lower in WH and any(token.lower == "other" for token in tokens[1:3])


def _opens_elliptically(words: list[str]) -> bool:
    polite = [word for word in words if word not in ("okay", "ok", "please", "so", "well")]
    return bool(polite) and polite[0] in _OPENERS


def _has_phrase(words: list[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(tuple(words[at : at + size]) == phrase for at in range(len(words) - size + 1))


def _has_ordinal_one(words: list[str]) -> bool:
    loose = any(
        word == "the" and words[at + 1 : at + 2] in (["first"], ["second"], ["third"])
        and (not words[at + 2 :] or len(words) == at + 3 and words[-1] in PREPOSITION)
        for at, word in enumerate(words)
    )  # fmt: skip
    return loose or any(
        word in _ORDINAL and words[at + 1 : at + 2] in (["one"], ["ones"], ["two"], ["three"])
        for at, word in enumerate(words)
    )


def _names_known_type(tokens: list[Token], history: History) -> bool:
    """Tell whether a definite noun names a type of an earlier turn ("the product category", "the category"), or one
    of a list at the end of the question ("the first category")."""
    has_list = any(len(exchange.answer.values) > 1 for exchange in history)
    words = [token.lower for token in tokens]
    types = dict.fromkeys(linked.type for exchange in history for linked in exchange.answer.entities if linked.type)
    kinds = {split_label(iri_to_words(iri)) for iri in types}
    kinds |= {kind[-1:] for kind in kinds}
    for kind_words in sorted(kind for kind in kinds if kind and kind[0]):
        size = len(kind_words)
        for at in range(1, len(words) - size + 1):
            is_definite = tuple(words[at : at + size]) == kind_words and words[at - 1] in ("the", "this", "that")
            is_counted = has_list and words[at - 2 : at - 1] == ["the"] and words[at - 1] in _ORDINAL
            is_one_of_list = is_counted and tuple(words[at:]) == kind_words
            if is_one_of_list or is_definite and not is_restricted_np(tokens, at + size):
                return True
    return False


def _is_participle(tokens: list[Token], at: int) -> bool:
    """Tell whether a participle with its preposition stands there: "the films directed by", "rivers flowing into"."""
    word = tokens[at].lower
    led = at + 2 < len(tokens) and tokens[at + 1].lower in PREPOSITION and tokens[at + 2].kind != "mark"
    return led and tokens[0].lower not in AUXILIARY and (word.endswith(("ed", "ing")) or word in IRREGULAR)


def _names_nothing(tokens: list[Token]) -> bool:
    """Tell whether a question names nothing: only function words, a lone comparative, or a bare "the NOUN"."""
    words = [token.lower for token in tokens]
    content = [t for t in tokens if t.lower not in FUNCTION and t.lower not in COMMAND and t.lower not in GENERIC]
    if any(t.kind == "quoted" or t.is_capitalized and at and t.lower not in FUNCTION for at, t in enumerate(tokens)):
        return False
    if any(t.kind == "number" for t in tokens):
        return _ends_with_definite_np(words)
    if (
        tokens[0].is_capitalized
        and tokens[0].lower not in FUNCTION | WH | COMMAND
        and len(tokens) > 1
        and tokens[1].kind == "possessive"
    ):
        return False
    verbal = any(word in WH or word in AUXILIARY or word in COMMAND for word in words)
    if not content or len(tokens) <= 3 and not verbal:
        return True
    if any(parse_degree(word)[1] == "er" or word in ("more", "less") for word in words) and "than" not in words:
        return True
    return _ends_with_definite_np(words)


def _has_definite_np(tokens: list[Token]) -> bool:
    """Find "the film's", "the film as its ...", "is the film ...": a whole noun group beside other things."""
    for at, token in enumerate(tokens[:-2]):
        noun, next_token = tokens[at + 1], tokens[at + 2]
        plain = (
            noun.kind == "word"
            and not noun.is_capitalized
            and noun.lower not in FUNCTION
            and not parse_degree(noun.lower)[1]
        )
        if token.lower != "the" or not plain or lemma_of(noun.lower) != noun.lower:
            continue
        if next_token.kind == "possessive" or next_token.lower in {"as", "a", "an", "the"} | HAVE:
            return True
        if at == 1 and tokens[0].lower in AUXILIARY and not is_restricted_np(tokens, at + 2):
            return True
        is_subject = at > 0 and tokens[at - 1].lower in DO and is_verb(next_token.lemma)
        if is_subject or next_token.lower in PREPOSITION and _is_unit(tokens[at + 3 :]):
            return True
        if tokens[at + 3 : at + 4] and tokens[at + 3].kind == "possessive" and not next_token.is_capitalized:
            return True
    return False


def _ends_with_definite_np(words: list[str]) -> bool:
    """Find "the film" (or a bare "the director?")."""
    for at, word in enumerate(words[:-1]):
        noun = words[at + 1]
        ends = at + 2 == len(words) or words[at + 2] in AUXILIARY or words[at + 2] in ("'s", "the", "a", "an")
        ends = ends or at + 3 == len(words) and words[-1] in PREPOSITION
        verbal = at + 2 < len(words) and words[at + 2] not in FUNCTION
        if word == "the" and noun not in FUNCTION and not parse_degree(noun)[1] and (ends or verbal):
            return lemma_of(noun) == noun or noun in NOUN_ING
    return False
