"""Detection of context dependence: signs of anaphora and ellipsis that make a question a follow-up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattyshared.dialogue import History
from chattyshared.language.lexicon import word_list
from chattyshared.language.morphology import (
    AUXILIARY,
    COMMAND,
    DO,
    FUNCTION,
    GENERIC,
    HAVE,
    NOUN_ING,
    PREPOSITION,
    WH,
    lemma_of,
    parse_degree,
    split_label,
)
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import is_verb
from chattyshared.terms import iri_to_words

from chattykg.conversation.pronouns import (
    OPENERS,
    PERSONAL_PRONOUNS,
    is_bound_pronoun,
    is_restricted_np,
    is_unit,
    is_verb_at,
    is_verb_form,
)
from chattykg.rulebook.followups.dialogue_state import merge_sentences
from chattykg.rulebook.followups.refinement import rewrite_selection

_ORDER = re.compile(r"(?i),\s*(in\s+(\w+\s+)?order|from\s+the|ordered|sorted|by)\b.*$")
"""An ordering at the end of a question; it holds no anaphor."""
_PHRASES = tuple(tuple(phrase.split()) for phrase in word_list("followups", "phrases"))
_ORDINAL = frozenset((*word_list("function_words", "ordinals")[:5], "last", "next", "previous", "other"))
_FINAL_ADVERBS = frozenset("too also instead else others then".split())
TIME_QUESTION = re.compile(
    r"(?i)^(?:and )?(?P<asking>(?:(?:since|until|till|from) )?when|(?:in )?(?:which|what) year)\s*[?.!]*$"
)
"""A question for the time of what was said before: "since when?"."""
_BEFORE_A_NOUN = AUXILIARY | PREPOSITION | frozenset("and or".split())


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
    return before in _BEFORE_A_NOUN or is_verb_at(tokens, index - 1) or _is_main_verb(tokens, index - 1)


def _is_existential(tokens: list[Token], index: int) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].lower in AUXILIARY


def _asks_for_others(tokens: list[Token]) -> bool:
    """Tell whether a question excludes what was mentioned before: "which other films", "who else"."""
    if any(token.lower == "else" for token in tokens[1:3]) and tokens[0].lower in WH:
        return True
    return tokens[0].lower in WH and any(token.lower == "other" for token in tokens[1:3])


def _opens_elliptically(words: list[str]) -> bool:
    polite = [word for word in words if word not in ("okay", "ok", "please", "so", "well")]
    return bool(polite) and polite[0] in OPENERS


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
        if is_subject or next_token.lower in PREPOSITION and is_unit(tokens[at + 3 :]):
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


def _is_main_verb(tokens: list[Token], index: int) -> bool:
    """Tell whether a verb in the third person stands behind the noun that is asked for: "which employee manages that
    part"; no clause follows it, which would have a verb of its own."""
    word, lemma = tokens[index].lower, tokens[index].lemma
    asks = index == 2 and tokens[0].lower in WH and tokens[1].lemma == tokens[1].lower
    following = tokens[index + 2 : index + 3]
    is_clause = bool(following) and (is_verb_form(following[0]) or following[0].lower in AUXILIARY)
    return asks and word.endswith("s") and word != lemma and is_verb(lemma) and not is_clause
