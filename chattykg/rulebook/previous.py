"""The question before: what it asked for, said as a noun group that a new question can hold."""

from __future__ import annotations

import re

from chattykg.linking.tokens import Token, tokenise
from chattykg.rulebook.legacy.closed_words import (
    AUXILIARY,
    BE,
    COMMAND,
    DETERMINER,
    DO,
    FUNCTION,
    NAMING,
    POLITE,
    PREPOSITION,
    VERBS,
)

_LEAD = re.compile(
    r"(?i)^\s*((please|okay|ok|now|then|and|so|well|also|just|can you|could you|would you|i want to know|i want|"
    r"i would like to (know|see)|tell me|let me know|do you know)\b[,\s]*)+"
)

_ORDERED = re.compile(r"(?i)\s+(ordered|sorted|ranked|arranged)\s+(by|in|from)\b.*$")
_KEPT = re.compile(r"(?i)^(we|you|i)\s+((do|can|could)\s+)?(have|has|know|know of|got|get|find|offer|keep)\s*$")
"""What follows "which antibiotics" in "which antibiotics do we have" says nothing of them."""
_THERE = re.compile(r"(?i)\s+(are|is|were) there( in total)?$")


def is_plural(tokens: tuple[Token, ...]) -> bool:
    """Tell whether plain words name a kind of things: "the physicians"."""
    last = tokens[-1]
    plain = all(token.kind == "word" and not token.capital for token in tokens)
    return plain and last.lower not in FUNCTION and (last.lemma != last.lower or last.lower == "people")


def body(question: str) -> str:
    """Return a question without its final mark, its politeness and its leading command."""
    text = _LEAD.sub("", question.strip().rstrip("?!. ")).strip()
    words = text.split(" ")
    while words and words[0].lower().strip(",") in COMMAND | POLITE and len(words) > 1:
        words = words[1:]
        while words and words[0].lower() in ("me", "us", "just", "only", "also"):
            words = words[1:]
    return " ".join(words)


def asked_noun(question: str) -> str:
    """Return the head noun of what a question asks for ("Which old films ..." -> "films"; "" if it names none)."""
    described = description(question)
    run: list[str] = []
    for token in tokenise(described):
        if token.lower in FUNCTION or token.kind != "word":
            if run:
                break
            continue
        if token.capital and run:
            break
        run.append(token.lower)
        if len(run) > 1 and run[-1].endswith("ed"):
            run.pop()
            break
    return run[-1] if run else ""


def description(question: str) -> str:
    """Return what a question asks for as a noun group without article ("" if it is not of that kind)."""
    text = _ORDERED.sub("", body(question))
    tokens = tokenise(text)
    if not tokens:
        return ""
    text = _THERE.sub("", text) if tokens[0].lower in ("which", "what") else text
    word = tokens[0].lower
    if word in ("which", "what") and len(tokens) > 1:
        return _wh(text, tokens)
    if word in ("who", "whom") and len(tokens) > 2:
        if tokens[1].lower in BE and tokens[2].lower in DETERMINER:
            return _plain(text[tokens[2].start :])
        return f"people who {text[tokens[1].start :]}"
    if word == "how" and len(tokens) > 3 and tokens[1].lower == "many":
        text = _THERE.sub("", text)
        return _relative(text, tokenise(text), 3 if tokens[2].lower == "of" else 2)
    if word in AUXILIARY or word in ("when", "where", "how", "whose", "if", "whether"):
        return ""
    if word in PREPOSITION:
        return ""
    return _plain(text)


def _wh(text: str, tokens: tuple[Token, ...]) -> str:
    if tokens[1].lower in BE and len(tokens) > 2:
        return _plain(text[tokens[2].start :])
    if tokens[1].lower == "of" or tokens[1].lower in AUXILIARY:
        return ""
    return _relative(text, tokens, 1)


def _relative(text: str, tokens: tuple[Token, ...], start: int) -> str:
    """Turn "films did Nolan direct" into "films that Nolan direct", "films star X" into "films that star X"."""
    verb = next((at for at in range(start + 1, len(tokens)) if tokens[at].lower in AUXILIARY), 0)
    clause_at = next(
        (at for at in range(start + 1, len(tokens)) if tokens[at].lower in ("that", "who", "whose", "which", "where")),
        0,
    )
    if clause_at and (not verb or clause_at < verb):
        verb = 0
    if not verb:
        at = 0 if clause_at else _predicate(tokens, start)
        rest = f" that {text[_begin(tokens[at]) :]}" if at else ""
        return _plain(
            text[_begin(tokens[start]) : tokens[at].start].rstrip() + rest if at else text[_begin(tokens[start]) :]
        )
    head, rest = text[_begin(tokens[start]) : tokens[verb].start].strip(), text[tokens[verb].start :]
    if tokens[verb].lower in DO:
        rest = _emphatic(text, tokens, verb)
    elif tokens[verb].lower in BE:
        rest = _subject_first(text, tokens, verb)
    if rest.lower() in ("are there", "is there", "exist", "are in total"):
        return _plain(head)
    rest = re.sub(r"(?i)^(are|is|were|was) there\s*", "", rest)
    if _KEPT.match(rest):
        return _plain(head)
    preposition = bool(re.match(r"(?i)(in|on|of|by|at|from|with|for)\b", rest))
    return _plain(f"{head} {rest}" if preposition else f"{head} that {rest}")


def _predicate(tokens: tuple[Token, ...], start: int) -> int:
    """Return where the verb of "films star X" stands: a base form right behind a plural noun (0: there is none)."""
    for at in range(start + 1, len(tokens) - 1):
        before, token = tokens[at - 1], tokens[at]
        if token.kind != "word" or before.capital or before.lower in FUNCTION or token.lower in FUNCTION:
            return 0
        if token.lower == token.lemma and token.lemma in VERBS and before.lemma != before.lower:
            return at
    return 0


def _emphatic(text: str, tokens: tuple[Token, ...], auxiliary: int) -> str:
    """Put the auxiliary before its verb ("did Ann build" as "Ann did build"), so that the clause's verb stays clear."""
    rest = text[tokens[auxiliary].end :].strip()
    verbs = [token for token in tokens[auxiliary + 2 :] if token.lemma in VERBS and not token.capital]
    if not verbs:
        return rest
    verb = verbs[0]
    return f"{text[tokens[auxiliary].end : verb.start].strip()} {tokens[auxiliary].lower} {text[verb.start :]}"


def _subject_first(text: str, tokens: tuple[Token, ...], verb: int) -> str:
    """Put a name before its verb: "is Ann the manager of" says "Ann is the manager of"."""
    end = verb + 1
    while end < len(tokens) and (tokens[end].capital or tokens[end].kind == "quoted"):
        end += 1
    if end == verb + 1 or end == len(tokens):
        return text[tokens[verb].start :]
    name = text[_begin(tokens[verb + 1]) : tokens[end].start].strip()
    return f"{name} {tokens[verb].text} {text[tokens[end].start :]}"


def _begin(token: Token) -> int:
    """Return where a token begins, with the mark before it if it is quoted."""
    return token.start - (token.kind == "quoted")


def _plain(text: str) -> str:
    """Drop articles and "names of the" from the beginning."""
    words = text.strip(" ,").split(" ")
    while words and words[0].lower() in DETERMINER | {"of"}:
        words = words[1:]
    if len(words) > 2 and words[0].lower() in NAMING and words[1].lower() in ("of", "for"):
        return _plain(" ".join(words[2:]))
    return " ".join(words)
