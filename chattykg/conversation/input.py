"""Input: a turn on one line, its questions and sentences, and small talk."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from chattyshared.dialogue import History
from chattyshared.language.languages import language_of
from chattyshared.language.lexicon import alternation, load_lexicon, word_list, word_set

_JOINING_CHARACTERS = frozenset("\u200c\u200d")
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")
"""Unicode categories of control, format, surrogate, private and unassigned characters."""
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|«[^«»]*»')
_MIN_QUESTION_WORDS = 3
"""Least words of a question: "right?" and "and why?" do not count."""
_AUXILIARIES = word_set("function_words", "auxiliaries", "modals")
_SUBJECTS = word_set("function_words", "subjects")
_LEAD = re.compile(r"^(?:(?:and|so|but|then|ok|okay|alright|also)\b|[\s,;:.–-])+", re.IGNORECASE)
_BOUNDARY = re.compile(
    r"(?<=[?])\s+|(?<!\s)(?:(?:\s*+,)?\s++(?:and|und)\s+|\s*+,\s+(?=how|what|when|where))", re.IGNORECASE
)
"""Begins only where no blank stands before, and gives no blank back, so that many of them take no longer."""
_ABOUT = re.compile(r"(?i)^\s*(?:and\s+)?(?:what|how)\s+about\b")
_SENTENCE_END = re.compile(r"(?<=[\w)\"'][.!?])\s+(?=\w)")
MAX_PARTS = 4
"""Most questions of one turn that are answered; the last one holds what is left."""
_MAX_BOUNDARIES, _BEGINNING = 100, 200
"""Most places where a turn may be split that are tried, and the characters of a part that tell whether it asks."""


def normalize_question(question: str) -> str:
    """Return a question on one line, without control characters and invisible marks."""
    characters = (
        character if character in _JOINING_CHARACTERS or unicodedata.category(character) not in _INVISIBLE else
        " " if character.isspace() else ""
        for character in question
    )  # fmt: skip
    return " ".join("".join(characters).split())


def multi_question_warning(question: str) -> Iterator[str]:
    """Yield a warning if a text holds several questions, since only one is answered."""
    count = sum(part.endswith("?") for part in split_questions(question))
    if count > 1:
        yield f"{count} questions were asked at once, and one is answered: ask them one at a time."


def find_boundaries(turn: str) -> tuple[int, ...]:
    """Return the places where a turn may be split, each that of the last character before."""
    unquoted = _hide_quoted(turn)
    found = (match.start() for pattern in (_BOUNDARY, _SENTENCE_END) for match in pattern.finditer(unquoted))
    return tuple(sorted({start - 1 for start in islice(found, _MAX_BOUNDARIES)}))


def _hide_quoted(text: str) -> str:
    return _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), text)


def split_questions(question: str) -> tuple[str, ...]:
    """Return the questions that a turn asks one after the other ("How long is it, and who built it?")."""
    parts: list[str] = []
    start = 0
    for boundary in islice(_BOUNDARY.finditer(_hide_quoted(question)), _MAX_BOUNDARIES):
        left, right = question[start : boundary.start()], question[boundary.end() :][:_BEGINNING]
        asks = asks_question(right) and asks_question(left[:_BEGINNING]) and not _ABOUT.match(left)
        if len(parts) < MAX_PARTS - 1 and asks:
            parts.append(left.strip(" ,"))
            start = boundary.end()
    return (*parts, question[start:].strip())


def split_sentences(question: str) -> tuple[str, ...]:
    """Return the sentences of a turn."""
    ends = [match.span() for match in _SENTENCE_END.finditer(_hide_quoted(question))]
    starts = (0, *(end for _, end in ends))
    parts = (question[start:end] for start, end in zip(starts, (*(begin for begin, _ in ends), None), strict=True))
    return tuple(part for part in parts if _WORD.search(part))[-MAX_PARTS:]


def asks_question(text: str) -> bool:
    """Tell whether a text begins as a question does: by a question word with more behind it, or by an inverted verb."""
    words = _WORD.findall(_LEAD.sub("", _QUOTED.sub("X", text)).replace("'s ", " is "))
    lower = [word.lower() for word in words]
    language = language_of(text)
    question_words = language.words("closed_classes", "question_words")
    if not language.words("function_words", "auxiliaries"):
        return len(words) >= _MIN_QUESTION_WORDS and not question_words.isdisjoint(lower[:2])
    if lower and lower[0] in ("in", "at", "on", "for", "to") and lower[1:2] in (["which"], ["what"]):
        return True
    if len(words) < _MIN_QUESTION_WORDS - 1:
        return False
    if lower[0] in _AUXILIARIES:
        return lower[1] in _SUBJECTS or words[1][0].isupper()
    return lower[0] in question_words and not (lower[0] == "which" and lower[1] in _AUXILIARIES)


_MARKS = r"[\s.,!;:)-]*"
"""Marks around small talk; quotes are none, because a quoted word is a name."""
_OPENING = rf"{_MARKS}(?:(?:{alternation(word_list('small_talk', 'openers'))})[\s,.!;-]+)*"
_CLOSING = rf"(?:[\s,.!;-]+(?:{alternation(word_list('small_talk', 'closers'))}))*{_MARKS}"
_REPLIES = tuple(
    (re.compile(rf"(?i)^{_OPENING}(?:{said})(?:[\s,.!;-]+(?:{said}))*{_CLOSING}$"), row["reply"])
    for row in load_lexicon("small_talk")["acts"]
    for said in (alternation(row["words"]),)
)
_GRAPH_QUESTIONS = word_set("small_talk", "graph_questions")
_GRAPH_NOUN = re.compile(rf"^(?:{alternation(word_list('small_talk', 'graph_nouns'))})$")
_WORDS = re.compile(r"[^\W_]+")
_DESCRIPTION = re.compile(
    rf"(?i)^{_OPENING}(?:please\s+)?(?:{alternation(word_list('small_talk', 'description_openers'))})\s+"
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
    """Return a history without small talk and questions about the graph itself, which later ones do not refer to.

    "Who wrote it?" after "Thanks!" refers to the turn before that.
    """
    return tuple(e for e in history if not reply_to_small_talk(e.question) and not asks_about_graph(e.question))
