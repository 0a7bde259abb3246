"""Questions that no graph answers as they stand: for reasons, for opinions, and of what nobody has named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattyshared.dialogue import ReasonCode
from chattyshared.language.languages import ENGLISH
from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.morphology import AUXILIARY, FUNCTION, GENERIC_WORDS, lemma_of
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.conversation.pronouns import PERSONAL_PRONOUNS, is_bound_pronoun, is_restricted_np
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown

_SELF_REFERENCES = word_set("followups", "data_nouns") | word_set("clarification", "present_nouns")
"""Nouns with which "this" refers to the graph or to the present: "in this graph", "this year"."""
_EXPLETIVE_COMPLEMENTS = word_set("clarification", "expletive_complements")
_AUXILIARIES = word_set("function_words", "auxiliaries")
_PLACES = ENGLISH.ordinals.keys() | word_map("followups", "positions").keys() | {"other"}
"""Words with which "one" refers to a list."""
_PLURAL = frozenset(("they", "them", "their", "theirs"))
"""Pronouns that a class named before may stand for: "Which tankers are there, and how long are they?"."""
_CLAUSE_END = re.compile(r"[.;:,?!–—]|\s-\s|\b(?:and|und)\b", re.IGNORECASE)
"""What stands between a thing and the clause that refers to it: "There is a red tram. What is it called?"."""
_EMPTY_WORDS = GENERIC_WORDS | word_set("politeness", "wrappers")
"""Words behind a relation that do not say whose it is."""
_WHY = re.compile(r"(?i)^\W*(?:(?:and|but|so|then|okay|ok)\W+)*(?:why|how\s+come|for\s+what\s+reason)\b")
_OPINION = re.compile(
    r"(?i)\b(?:(?:do|would|can|could|should)\s+you\s+(?:like|think|feel|believe|prefer|recommend|suggest|advise)"
    r"|what\s+do\s+you\s+think|your\s+(?:opinion|favou?rite|advice)|in\s+your\s+view)\b"
)
_REASONS = word_set("unanswerable", "reason_nouns")
_POINTING = ("the", "this", "that")
_PERSONS = word_set("unanswerable", "person_pronouns")


def find_missing_referent(question: str, card: VocabularyCard, *, has_referents: bool = False) -> str:
    """Return the pronoun or demonstrative that refers to nothing: the question names no thing; "" if there is none.

    With ``has_referents`` the conversation has named things, and a personal pronoun is left that stands for none.
    """
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    classes = card.mentions_of_kind("class")
    pronouns = card.language.words("followups", "open_pronouns")
    class_iris = {iri for mention in classes for iri in mention.iris}
    vertices = {str(hit.iri) for mention in card.mentions_of_kind("vertex") for hit in mention.hits}
    if vertices - class_iris:
        return ""
    words = card.language.words("closed_classes", "question_words")
    asked_from = next((index for index, token in enumerate(tokens) if token.lower in words), 0)
    for index, token in enumerate(tokens):
        if index < asked_from:
            continue  # politeness before the question: "help me with this one: which painting is the widest?"
        if token.kind == "quoted":
            continue
        is_bound = any(
            each.end <= token.start and (token.lower in _PLURAL or _CLAUSE_END.search(question, each.end, token.start))
            for each in classes
        )
        if pronouns:
            is_left = token.text in pronouns
        else:
            is_left = _refers(tokens, index) and not _is_idle(tokens, index)
            is_personal = token.lower in PERSONAL_PRONOUNS
            if token.lower in ("one", "ones") and index and tokens[index - 1].lower in _PLACES:
                return f"{tokens[index - 1].text} {token.text}"  # "the first one" of nothing
            is_left = is_left and (not vertices if is_personal else not has_referents)
        if is_left and not is_bound:
            return token.text
    return ""


def _refers(tokens: list[Token], index: int) -> bool:
    """Tell whether a token refers to something outside the question."""
    word, following = tokens[index].lower, [token.lower for token in tokens[index + 1 :]]
    if tokens[index].is_capitalized and index and word not in ("it", "its"):
        return False
    if word in PERSONAL_PRONOUNS:
        return not is_bound_pronoun(tokens, index)
    if word in ("these", "those"):
        return following[:1] not in (["who"], ["that"], ["which"], ["with"])
    is_opening = index == 1 and tokens[0].lower in _AUXILIARIES
    return word == "this" or (word == "that" and (len(following) < 2 or following[0] == "one" or is_opening))


def _is_idle(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether "it" stands for a clause ("is it true that"), or "this" for the graph or the present."""
    following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    return following in (_EXPLETIVE_COMPLEMENTS if tokens[index].lower == "it" else _SELF_REFERENCES)


def find_unnamed_thing(question: str, qir: QIR, *, has_referents: bool = False) -> str:
    """Return the noun of the one thing that a question refers to and does not name; "" if there is none.

    "the film" in "Is the film longer than Dune?" is no film at all: the QIR has nothing else of it than its class. With
    ``has_referents`` the noun may be one that the graph has no class for.
    """
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    texts, classes = [token.lower for token in tokens], dict(qir.classes)
    counted = {end for having in qir.having for end in (having.group, having.counted)}
    asked = {qir.target, *qir.targets, *counted, *(unknown for unknown, _ in qir.values)}
    asked |= {qir.order.by, qir.order.per} if qir.order else set()
    asked |= {end for condition in qir.filters for end in (condition.unknown, condition.value)}
    for unknown in qir.unknowns():
        noun = classes.get(unknown, unknown.strip("?0123456789").replace("_", " ") if has_referents else "")
        words = noun.lower().split()
        is_free = unknown not in asked and sum(unknown in each.ends() for each in (*qir.triples, *qir.negated)) == 1
        if words and is_free and not qir.either and lemma_of(words[-1]) == words[-1]:
            ends = (at for at in range(len(words), len(texts) + 1) if texts[at - len(words) : at] == words)
            starts = ((end - len(words), end) for end in ends)
            if any(at and texts[at - 1] in _POINTING and not is_restricted_np(tokens, end) for at, end in starts):
                return noun
    return ""


def find_missing_owner(question: str, qir: QIR) -> str:
    """Return the property of which the question does not say whose it is ("What is the price?"); "" if it does.

    Such a QIR asks for the values of one relation at anything; the question has the relation in the singular behind
    "the", and nothing after it ("the phone number, please"), so it asks for the value of one thing.
    """
    if len(qir.triples) != 1 or qir.classes or qir.filters or qir.values or qir.negated or qir.order or qir.having:
        return ""
    relation = qir.triples[0]
    is_open = all(map(is_unknown, relation.ends())) and qir.target in relation.ends() and not qir.aggregate
    words = [token.lower for token in tokenize(relation.relation)]
    tokens = [token.lower for token in tokenize(question) if token.kind != "mark"]
    if not is_open or not words or qir.shape in ("boolean", "count") or lemma_of(words[-1]) != words[-1]:
        return ""
    size = len(words) + 1
    ends = (at + size for at in range(len(tokens)) if tokens[at : at + size] == ["the", *words])
    return relation.relation if any(_EMPTY_WORDS.issuperset(tokens[end:]) for end in ends) else ""


def find_unstated(question: str, card: VocabularyCard) -> tuple[ReasonCode, str] | None:
    """Return why no graph answers a question, with a sentence; None where one may."""
    named = [*card.mentions_of_kind("vertex"), *card.mentions_of_kind("value")]
    said = question
    for mention in named:
        said = said[: mention.start] + " " * len(mention.text) + said[mention.start + len(mention.text) :]
    if _OPINION.search(said):
        return "not-stated", "it asks for an opinion, and a graph holds statements only"
    labels = (entry.label for entry in card.predicates)
    if _WHY.match(question) and not any(_REASONS & set(map(lemma_of, label.lower().split())) for label in labels):
        return "not-stated", "it asks for a reason, and the graph states none"
    person = "" if named else _unnamed_person(question)
    return ("missing-referent", f'it is not said who "{person}" is') if person else None


def _unnamed_person(question: str) -> str:
    """Return the pronoun for a person that nothing before it in the question can stand for."""
    tokens = tokenize(question)
    for position, token in enumerate(tokens):
        before = [earlier.lower for earlier in tokens[:position]]
        if token.lower in _PERSONS and (FUNCTION.issuperset(before) or before[-1] in AUXILIARY):
            return token.text
    return ""
