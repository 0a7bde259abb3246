"""What is said of a thing as its own, the other way round: "Is 1806 its area?" asks for "the area of London"."""

from __future__ import annotations

from chattykg.linking.tokens import Token
from chattykg.rulebook.legacy.closed_words import BE, FUNCTION

_ENDING = "'s"
_LONGEST = 6


def turned_round(tokens: list[Token], place: int, found: tuple[str, int]) -> tuple[str, int] | None:
    """Return "the area of London" for "its area" (or "the city's area") in a question that only says yes or no.

    ``found`` is the name said instead of the words at a place and the place behind them; None where the order of the
    question stays as it is, since it is clear from the words where the owned thing's noun ends only
    before a value ("Is its area 1806?") and at the end ("Is 1806 its area?").
    """
    name, start = found
    marked = start < len(tokens) and tokens[start].kind == "possessive"
    if tokens[0].lower not in BE or not (marked or name.endswith(_ENDING)):
        return None
    name, start = (name, start + 1) if marked else (name.removesuffix(_ENDING), start)
    end = start
    while end < len(tokens) and end - start < _LONGEST and _in_noun(tokens, start, end):
        end += 1
    rest = [token for token in tokens[end:] if token.kind != "mark"]
    if end == start or (place <= 1) != bool(rest) or (rest and not _is_value(rest[0])):
        return None
    noun = " ".join(token.text for token in tokens[start:end])
    return f"the {noun} of {name}", end


def _in_noun(tokens: list[Token], start: int, at: int) -> bool:
    token = tokens[at]
    inner = token.lower == "of" and at > start
    return inner or token.kind == "word" and not token.capital and token.lower not in FUNCTION


def _is_value(token: Token) -> bool:
    return token.kind in ("number", "quoted") or token.capital
