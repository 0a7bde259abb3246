"""Small talk, which asks for nothing: "Thanks!", "ok", "Hello", "bye"."""

from __future__ import annotations

import re

from chattyshared.dialogue import History
from chattyshared.language.lexicon import alternation, word_list, word_set

_OPENING = rf"(?:(?:{alternation(word_list('small_talk', 'openers'))})[\s,.!;-]+)*"
_CLOSING = (
    r"(?:[\s,.!;-]+(?:you|a lot|very much|so much|again|for (?:that|this|your help|the help)|then|now|there|all))*"
)
_ACTS: tuple[tuple[str, str], ...] = (
    (r"(?:many\s+)?thanks|thank(?:\s+you)?|thx|cheers|much\s+appreciated", "You are welcome."),
    (r"(?:good\s*)?bye(?:[\s-]*bye)?|see\s+you(?:\s+(?:later|soon))?|good\s+night", "Goodbye."),
    (r"hello|hi|hey|good\s+(?:morning|afternoon|evening|day)|greetings", "Hello. Ask a question about the graph."),
    (alternation(word_list("small_talk", "acknowledgments")).replace(r"\ ", r"\s+"), "That is no question."),
)  # fmt: skip
_MARKS = r"[\s.,!;:)-]*"
"""Marks around small talk; quotes are none, because a quoted word is a name."""
_REPLIES = tuple(
    (re.compile(rf"(?i)^{_MARKS}{_OPENING}(?:{w})(?:[\s,.!;-]+(?:{w}))*{_CLOSING}{_MARKS}$"), r) for w, r in _ACTS
)


_GRAPH_QUESTIONS = word_set("small_talk", "graph_questions")
_GRAPH_NOUN = re.compile(rf"^(?:{alternation(word_list('small_talk', 'graph_nouns'))})$")
_WORDS = re.compile(r"[^\W_]+")
_DESCRIPTION = re.compile(
    rf"(?i)^{_MARKS}{_OPENING}(?:please\s+)?(?:{alternation(word_list('small_talk', 'description_openers'))})\s+"
    rf"(?:(?P<article>the|an?)\s+)?(?P<name>\S.*?)(?:[\s,]+please)?[\s.,!?]*$"
)


def reply_to_small_talk(utterance: str) -> str:
    """Return the reply to small talk ("" for anything else, also for small talk before a question)."""
    if utterance.rstrip().endswith("?"):
        return ""
    return next((reply for pattern, reply in _REPLIES if pattern.match(utterance)), "")


def asks_about_graph(utterance: str) -> bool:
    """Tell whether an utterance asks what the graph is about, or what can be asked."""
    words = [_GRAPH_NOUN.sub("graph", word) for word in _WORDS.findall(re.sub(r"['’]s\b", " is", utterance.lower()))]
    return " ".join(words).removeprefix("please ").removesuffix(" please") in _GRAPH_QUESTIONS


def described_name(utterance: str) -> tuple[str, str]:
    """Return the words behind "tell me about" or "what is", and their article; two "" if there are none."""
    match = _DESCRIPTION.match(utterance)
    return (match["name"], match["article"] or "") if match else ("", "")


def drop_small_talk(history: History) -> History:
    """Return a history without small talk: "Who wrote it?" after "Thanks!" refers to the turn before that."""
    return tuple(exchange for exchange in history if not reply_to_small_talk(exchange.question))
