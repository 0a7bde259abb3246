"""Follow-ups that leave words out: "And in 2010?", "What about Oslo?", "Only those from France", "How many?"."""

from __future__ import annotations

import re

from chattykg.agents.history import Context
from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import degree
from chattykg.referents import Referent
from chattykg.rulebook.ability import asked_stems, fit
from chattykg.rulebook.closed_words import AUXILIARY, COMMAND, FUNCTION, IRREGULAR, NAMING, PREPOSITION, WH

_OPENING = re.compile(
    r"(?i)^\s*((and|or|but|then|also|now|okay|ok|so|well|please|just|only)\b[,\s]*)*"
    r"((what|how)\s+(is|was|about|of)\s+(?=about)|(what|how)\s+about\b|same\s+for\b|the same for\b)?\s*"
)
_ABOUT = re.compile(r"(?i)\b(what|how)\s+about\b|^\s*(and\s+)?(the\s+)?same\s+(for|question for)\b")
_HAS = 0.4
_JOINED = re.compile(r"(?i)^\s*(and|or|but|also)\b")
_HOW_MANY_IN = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many\s+(were\s+there\s+|are\s+there\s+)?(just\s+)?"
    r"(?P<rest>(in|for|from|at|by|with|on|of(?!\s+(the|them|these|those|his|her|its|their|all)\b|.*'s))\s+.+)$"
)
_SUPERLATIVE_WORDS = frozenset("maximum minimum max min average mean highest lowest most least total sum".split())


def complete(question: str, previous: str, context: Context, referents: tuple[Referent, ...]) -> str:
    """Return the question with what it leaves out taken from the one before ("" where nothing is left out)."""
    many = _HOW_MANY_IN.match(question)
    if many and previous.lower().startswith("how many"):
        return _fragment(many["rest"], previous, context, referents)
    if _ABOUT.search(question) or _JOINED.match(question) or _is_fragment(question):
        return _fragment(question, previous, context, referents)
    return _baseless(question, previous, referents)


def _is_fragment(question: str) -> bool:
    """Tell whether a question has neither verb nor question word nor command: "In Germany?", "The director?"."""
    tokens = [t for t in tokenise(question) if t.kind != "mark"]
    if not tokens or len(tokens) > 6:
        return False
    words = [t.lower for t in tokens]
    if any(word in WH or word in AUXILIARY for word in words):
        return False
    proper = any(t.capital and t.lower not in FUNCTION for t in tokens[1:])
    return words[0] in PREPOSITION or len(tokens) <= 3 and not proper and words[0] not in COMMAND


def _fragment(question: str, previous: str, context: Context, referents: tuple[Referent, ...]) -> str:
    rest = _OPENING.sub("", question.strip().rstrip("?!. "), count=1).strip()
    tokens = tokenise(rest)
    if not tokens:
        return ""
    if tokens[0].lower in WH or tokens[0].lower in AUXILIARY:
        return rest[0].upper() + rest[1:] + "?" if len(tokens) > 2 else ""
    if any(t.lower in AUXILIARY for t in tokens) and not tokens[0].capital:
        return ""
    for change in (_another_time, _another_degree, _another_place, _another_name, _another_relation):
        changed = change(rest, tokens, previous, context, referents)
        if changed:
            return changed
    return ""


def _another_time(
    rest: str, tokens: tuple[Token, ...], previous: str, context: Context, referents: tuple[Referent, ...]
) -> str:
    """ "in 2010", "after", "2015": another year or another side of it."""
    year = re.search(r"\b([12]\d{3})(-\d\d(-\d\d)?)?\b", rest)
    known = re.search(r"\b([12]\d{3})(-\d\d(-\d\d)?)?\b", previous)
    if year and len(tokens) <= 4:
        if not known:
            return f"{previous.rstrip('?!. ')} {rest if tokens[0].lower in PREPOSITION else 'in ' + year[0]}?"
        if tokens[0].lower in PREPOSITION:
            before = re.search(
                r"(?i)\b(in|before|after|since|until|on|during|by)\s+(the\s+year\s+)?$", previous[: known.start()]
            )
            start = before.start() if before else known.start()
            return previous[:start] + rest + previous[known.end() :]
        return previous[: known.start()] + year[0] + previous[known.end() :]
    side = re.search(r"(?i)\b(before|after)\b", previous)
    if len(tokens) == 1 and tokens[0].lower in ("before", "after") and side:
        return previous[: side.start()] + tokens[0].lower + previous[side.end() :]
    return ""


def _another_degree(
    rest: str, tokens: tuple[Token, ...], previous: str, context: Context, referents: tuple[Referent, ...]
) -> str:
    """ "the minimum", "the oldest", "more than 3": another degree of the same."""
    words = [t for t in tokens if t.lower not in ("the", "with", "a", "for")]
    if words and (words[0].lower in _SUPERLATIVE_WORDS or degree(words[0].lower)[1] == "est"):
        old = next(
            (t for t in tokenise(previous) if t.lower in _SUPERLATIVE_WORDS or degree(t.lower)[1] == "est"), None
        )
        if old is None:
            return ""
        if len(words) == 1:
            return previous[: old.start] + words[0].text + previous[old.end :]
        after = [t for t in tokenise(previous) if t.start > old.end]
        end = after[0].end if after and after[0].kind == "word" and after[0].lower not in FUNCTION else old.end
        return previous[: old.start] + rest[words[0].start :] + previous[end:]
    bound = re.match(
        r"(?i)^(with\s+)?((more|less|fewer|greater|higher|lower)\s+than|at\s+(least|most)|over|under|above|below)\s+\S+$",
        rest,
    )
    old_bound = re.search(
        r"(?i)((more|less|fewer|greater|higher|lower)\s+than|at\s+(least|most)|over|under|above|below)\s+\S+?(?=[\s?!.]|$)",
        previous,
    )
    if bound and old_bound:
        return previous[: old_bound.start()] + re.sub(r"(?i)^with\s+", "", rest) + previous[old_bound.end() :]
    number = re.fullmatch(r"\d+(\.\d+)?", rest)
    old_number = re.search(r"\b\d+(\.\d+)?\b", previous)
    if number and old_number:
        return previous[: old_number.start()] + rest + previous[old_number.end() :]
    return ""


def _another_place(
    rest: str, tokens: tuple[Token, ...], previous: str, context: Context, referents: tuple[Referent, ...]
) -> str:
    """ "in Germany", "by Nolan", "from Spain": the same preposition with another name, or one more condition."""
    if tokens[0].lower not in PREPOSITION or len(tokens) < 2:
        return ""
    name = _spoken_name(previous, context, after=tokens[0].lower)
    if name:
        start, end = name
        return previous[:start] + rest[tokens[1].start :] + previous[end:]
    any_name = _spoken_name(previous, context)
    said = _capital_spans(f"x {rest}")
    if any_name and len(said) == 1 and len(_capital_spans(previous)) == 1:
        return previous[: any_name[0]] + f"x {rest}"[slice(*said[0])] + previous[any_name[1] :]
    if tokens[0].lower in ("for", "of", "about") and any_name:
        return previous[: any_name[0]] + rest[tokens[1].start :] + previous[any_name[1] :]
    return f"{previous.rstrip('?!. ')} {rest}?"


def _another_name(
    rest: str, tokens: tuple[Token, ...], previous: str, context: Context, referents: tuple[Referent, ...]
) -> str:
    """ "Oslo": the same question about another thing."""
    if tokens[-1].kind == "possessive":
        rest, tokens = rest[: tokens[-1].start], tokens[:-1]
    proper = tokens[0].kind == "quoted" or any(t.capital for t in tokens if t.lower not in FUNCTION)
    if not proper and _names_another(rest, tokens, referents):
        rest = re.sub(r"(?i)^(the|a|an)\s+", "", rest)
        proper, tokens = True, tokenise(rest)
    possessive = any(t.kind == "possessive" for t in tokens)
    if not proper or possessive or len(tokens) > 9:
        return ""
    name = _spoken_name(previous, context)
    if name is None:
        return ""
    said = (
        f'"{tokens[0].text}"'
        if tokens[0].kind == "quoted" and previous[name[0] - 1 : name[0]] not in ('"', "“")
        else rest
    )
    return (
        previous[: name[0]]
        + (tokens[0].text if said == rest and tokens[0].kind == "quoted" else said)
        + previous[name[1] :]
    )


def _names_another(rest: str, tokens: tuple[Token, ...], referents: tuple[Referent, ...]) -> bool:
    """Tell whether plain words name another thing: what was asked about is a literal, or has no property so called."""
    topics = [r for r in referents if r.role == "topic"]
    plain = all(t.kind == "word" and (t.lower not in FUNCTION or t.lower in ("the", "a", "an")) for t in tokens)
    if not topics or not plain or degree(tokens[-1].lower)[1]:
        return False
    latest = max(topics, key=lambda referent: referent.turn)
    return not latest.iri or bool(latest.properties) and fit(latest, asked_stems(rest)) < _HAS


def _another_relation(
    rest: str, tokens: tuple[Token, ...], previous: str, context: Context, referents: tuple[Referent, ...]
) -> str:
    """ "its director", "the writer", "birth date": the same thing, asked for something else."""
    if any(t.kind == "possessive" for t in tokens) or " of " in rest:
        return f"What is {rest}?" if tokens[0].lower not in PREPOSITION else ""
    if tokens[0].lower in PREPOSITION or any(t.lower in PREPOSITION for t in tokens) or len(tokens) > 5:
        return ""
    topic = _topic(referents)
    return f"What is the {re.sub(r'(?i)^the ', '', rest)} of {topic}?" if topic else ""


def _spoken_name(previous: str, context: Context, after: str = "") -> tuple[int, int] | None:
    """Return where the last question names an entity (behind a preposition, if one is given): the last such place."""
    mentions = [linked.mention for linked in context.history[-1].answer.entities]
    mentions += [linked.label for linked in context.history[-1].answer.entities]
    found = []
    for mention in mentions:
        for match in re.finditer(re.escape(mention), previous, flags=re.IGNORECASE) if mention else ():
            before = previous[: match.start()].rstrip(' "“').rsplit(" ", 1)[-1].lower()
            if not after or before == after:
                found.append(match.span())
    if not found:
        found = [span for span in _capital_spans(previous) if not after or _word_before(previous, span[0]) == after]
    return max(found, key=lambda span: (span[1] - span[0] > 0, span[0], span[1] - span[0])) if found else None


def _word_before(text: str, start: int) -> str:
    return text[:start].rstrip(' "“').rsplit(" ", 1)[-1].lower()


def _capital_spans(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for token in tokenise(text)[1:]:
        if token.kind == "quoted":
            spans.append((token.start, token.end))
        elif token.kind == "word" and token.capital and token.lower not in FUNCTION:
            if spans and text[spans[-1][1] : token.start].strip() == "":
                spans[-1] = (spans[-1][0], token.end)
            else:
                spans.append((token.start, token.end))
    return spans


def _topic(referents: tuple[Referent, ...]) -> str:
    """Return the label of what is talked about: named last, once per turn."""
    topics = [r for r in referents if r.role == "topic"]
    if not topics:
        single = [r for r in referents if r.of == 1 and r.iri]
        return single[-1].label if single else ""
    last = max(r.turn for r in topics)
    return next(r.label for r in topics if r.turn == last)


def _baseless(question: str, previous: str, referents: tuple[Referent, ...]) -> str:
    """Give "What is the population?", "Who is the director?" the thing that is talked about."""
    match = re.match(
        r"(?i)^\s*(?P<lead>(what|who|when|where)(\s+(is|was|are|were)|['’]s)|(show|give|tell|list)(\s+me)?)\s+(the\s+)(?P<noun>[\w\s,]+?)\s*\?*$",
        question,
    )
    if not match:
        return ""
    words = [t.lower for t in tokenise(match["noun"])]
    if not words or len(words) > 4 or any(w in FUNCTION - {"and"} for w in words) or words[-1] in NAMING:
        return ""
    topic = _topic(referents)
    verbal = words[-1] in IRREGULAR or words[-1].endswith("ed")
    if not topic or topic.lower() in question.lower() or degree(words[0])[1] or verbal:
        return ""
    return f"{match['lead']} the {match['noun'].strip()} of {topic}?"
