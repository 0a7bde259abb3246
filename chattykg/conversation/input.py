"""Input: a question on one line, the parts of a turn, warnings of several questions, and small talk."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from chattyshared.dialogue import History
from chattyshared.language.languages import language_of
from chattyshared.language.lexicon import alternation, word_list, word_set

from chattykg.linking.vocabulary_card import VocabularyCard

_JOINING_CHARACTERS = frozenset("\u200c\u200d")


_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")
"""Unicode categories of control, format, surrogate, private and unassigned characters."""


def normalize_question(question: str) -> str:
    """Return a question on one line, without control characters and invisible marks."""
    characters = (
        character if character in _JOINING_CHARACTERS or unicodedata.category(character) not in _INVISIBLE else
        " " if character.isspace() else ""
        for character in question
    )  # fmt: skip
    return " ".join("".join(characters).split())


def settle_clarified(question: str) -> str:
    """Return the question that a text settles: a question, what was asked back, and the reply, each behind a bar.

    Who agrees means what was asked back ("Did you mean the ids of the cars?"), unless it refers to the first question.
    """
    first, *others = question.split(" | ")
    if len(others) < 2:
        return question
    back, reply = _ASKED_BACK.match(others[-2]), others[-1]
    if back and _AGREEMENT.match(reply):
        return first if _PRONOUNS & set(_WORD.findall(back["rest"].lower())) else back["rest"]
    return reply if asks_question(reply) else first


_QUESTION_END = re.compile(r"(?<!\?)\?+[\"'”’)\]]*(?=\s)|[？؟]")
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|«[^«»]*»')
_MIN_QUESTION_WORDS = 3
"""Least words of a question: "right?" and "and why?" do not count."""


def multi_question_warning(question: str, card: VocabularyCard | None) -> Iterator[str]:
    """Yield a warning if the text holds several questions, since only one is answered.

    A question mark within quotes, or within a name that the graph knows, ends no question.
    """
    protected_spans = [match.span() for match in _QUOTED.finditer(question)]
    names = {mention.text for mention in (card.mentions if card else ()) if mention.kind == "vertex"}
    protected_spans += [m.span() for t in names if "?" in t for m in re.finditer(re.escape(t), question)]
    ends = [match.end() for match in _QUESTION_END.finditer(question)]
    ends = [end for end in ends if not any(start < end <= last for start, last in protected_spans)]
    parts = [question[start:end] for start, end in zip((0, *ends), (*ends, len(question)), strict=True)]
    question_count = sum(len(_WORD.findall(part)) >= _MIN_QUESTION_WORDS for part in parts)
    if question_count > 1:
        yield f"{question_count} questions were asked at once, and one is answered: ask them one at a time."


_AUXILIARIES = word_set("function_words", "auxiliaries", "modals")
_SUBJECTS = word_set("function_words", "subjects")
_LEAD = re.compile(r"^(?:(?:and|so|but|then|ok|okay|alright|also)\b|[\s,;:.–-])+", re.IGNORECASE)
_BOUNDARY = re.compile(
    r"(?<=[?])\s+|(?<!\s)(?:(?:\s*+,)?\s++(?:and|und)\s+|\s*+,\s+(?=how|what|when|where))", re.IGNORECASE
)
"""Begins only where no blank stands before, and gives no blank back, so that many of them take no longer."""
_ABOUT = re.compile(r"(?i)^\s*(?:and\s+)?(?:what|how)\s+about\b")
_ASKED_BACK = re.compile(
    rf"(?i)^(?:{alternation(word_list('clarification', 'offers'))})\s+"
    rf"(?:(?:{alternation(word_list('clarification', 'asking_verbs'))})\s+)?(?P<rest>.+)$"
)
_AGREEMENT = re.compile(rf"(?i)^(?:{alternation(word_list('clarification', 'agreements'))})\b")
_PRONOUNS = word_set("followups", "pronouns", "possessives")
_SENTENCE_END = re.compile(r"(?<=[\w)\"'][.!?])\s+(?=\w)")
MAX_PARTS = 4
"""Most questions of one turn that are answered; the last one holds what is left."""
_MAX_BOUNDARIES, _BEGINNING = 100, 200
"""Most places where a turn may be split that are tried, and the characters of a part that tell whether it asks."""


def split_questions(question: str) -> tuple[str, ...]:
    """Return the questions that a turn asks one after the other ("How long is it, and who built it?")."""
    parts: list[str] = []
    start = 0
    unquoted = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), question)
    for boundary in islice(_BOUNDARY.finditer(unquoted), _MAX_BOUNDARIES):
        left, right = question[start : boundary.start()], question[boundary.end() :][:_BEGINNING]
        asks = asks_question(right) and asks_question(left[:_BEGINNING]) and not _ABOUT.match(left)
        if len(parts) < MAX_PARTS - 1 and asks:
            parts.append(left.strip(" ,"))
            start = boundary.end()
    return (*parts, question[start:].strip())


def split_sentences(question: str) -> tuple[str, ...]:
    """Return the sentences of a turn."""
    return tuple(part for part in _SENTENCE_END.split(question) if _WORD.search(part))[-MAX_PARTS:]


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
    """Return a history without small talk and questions about the graph itself, which later ones do not refer to.

    "Who wrote it?" after "Thanks!" refers to the turn before that.
    """
    return tuple(e for e in history if not reply_to_small_talk(e.question) and not asks_about_graph(e.question))
