"""Follow-ups that leave words out: "And in 2010?", "What about Oslo?", "Only those from France", "How many?"."""

from __future__ import annotations

import re
from dataclasses import replace

from chattykg.agents.history import Context
from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import degree
from chattykg.rulebook.ability import able, asked_stems, fit
from chattykg.rulebook.changing import another_degree, another_time, with_noun
from chattykg.rulebook.leaning import is_bare_name
from chattykg.rulebook.legacy.closed_words import AUXILIARY, COMMAND, FUNCTION, IRREGULAR, NAMING, PREPOSITION, WH
from chattykg.rulebook.placing import LIST, as_described, asked_so, put_name
from chattykg.rulebook.previous import is_plural
from chattykg.rulebook.scene import Scene, say_all

_OPENING = re.compile(
    r"(?i)^\s*((and|or|but|then|also|now|okay|ok|so|well|please|just|only)\b[,\s]*)*"
    r"((what|how)\s+(is|was|about|of)\s+(?=about)|(what|how)\s+about\b|same\s+for\b|the same for\b)?\s*"
)
_ABOUT = re.compile(r"(?i)\b(what|how)\s+about\b|^\s*(and\s+)?(the\s+)?same\s+(for|question for)\b")
_HAS = 0.4
_OF_LIST = re.compile(rf"(?i)^(which|who|how\s+many)\s+of\s+{LIST}\s*")
_JOINED = re.compile(r"(?i)^\s*(and|or|but|also)\b")
_KIND_ASKED = re.compile(
    r"(?i)^(?P<lead>\s*(?:how\s+many|(?:list|show|name|give\s+me|count)(?:\s+all)?(?:\s+the)?|"
    r"which|what)\s+)(?P<noun>[a-z]+)(?P<rest>\s+(?:are|were)\s+there.*|\s*[.?!]*\s*)$"
)
_HOW_MANY_IN = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many\s+(were\s+there\s+|are\s+there\s+)?(just\s+)?"
    r"(?P<rest>(in|for|from|at|by|with|on|of(?!\s+(the|them|these|those|his|her|its|their|all)\b|.*'s))\s+.+)$"
)


def complete(question: str, context: Context, scene: Scene) -> str:
    """Return the question with what it leaves out taken from the one before ("" where nothing is left out)."""
    previous = scene.previous
    many = _HOW_MANY_IN.match(question)
    if many and previous.lower().startswith("how many"):
        return _fragment(many["rest"], context, scene)
    if _ABOUT.search(question) or _JOINED.match(question) or _is_fragment(question):
        return _fragment(question, context, scene)
    return with_noun(question, previous) or _baseless(question, scene)


def _is_fragment(question: str) -> bool:
    """Tell whether a question has neither verb nor question word nor command: "In Germany?", "The director?"."""
    tokens = [t for t in tokenise(question) if t.kind != "mark"]
    if not tokens or len(tokens) > 6:
        return False
    words = [t.lower for t in tokens]
    if any(word in WH or word in AUXILIARY for word in words):
        return False
    proper = any(t.capital and t.lower not in FUNCTION for t in tokens[1:])
    short = len(tokens) <= 3 and not proper and words[0] not in COMMAND
    return words[0] in PREPOSITION or short or is_bare_name(tokens)


def _fragment(question: str, context: Context, scene: Scene) -> str:
    rest = _OPENING.sub("", question.strip().rstrip("?!. "), count=1).strip()
    tokens = tokenise(rest)
    if not tokens:
        return ""
    if tokens[0].lower in WH or tokens[0].lower in AUXILIARY:
        whole = rest[0].upper() + rest[1:] + "?" if len(tokens) > 2 else ""
        return with_noun(whole, scene.previous) or _baseless(whole, scene) or whole
    if tokens[0].lower in COMMAND and not tokens[0].capital:
        return _baseless(rest, scene)
    if any(t.lower in AUXILIARY for t in tokens) and not tokens[0].capital:
        return ""
    changed = another_time(rest, scene.previous) or another_degree(rest, scene)
    return changed or _another_place(rest, tokens, context, scene) or _another_thing(rest, tokens, context, scene)


def _another_place(rest: str, tokens: tuple[Token, ...], context: Context, scene: Scene) -> str:
    """ "in Germany", "by Nolan", "from Spain": the same preposition with another name, or one more condition."""
    previous = scene.previous
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


def _another_thing(rest: str, tokens: tuple[Token, ...], context: Context, scene: Scene) -> str:
    """ "Oslo", "the town Oslo": the same question about another thing; "the mayor": the same thing, asked for that."""
    if tokens[-1].kind == "possessive":
        rest, tokens = rest[: tokens[-1].start], tokens[:-1]
    proper = tokens[0].kind == "quoted" or any(t.capital for t in tokens if t.lower not in FUNCTION)
    if not proper and is_plural(tokens) and _OF_LIST.match(scene.previous):
        return _OF_LIST.sub(rf"\1 of the {re.sub(r'(?i)^the ', '', rest)} ", scene.previous)
    if not proper and _is_another_kind(rest, tokens, scene):
        return _KIND_ASKED.sub(rf"\g<lead>{rest}\g<rest>", scene.previous)
    if not proper and _names_another(rest, tokens, scene):
        rest = re.sub(r"(?i)^(the|a|an)\s+", "", rest)
        proper, tokens = True, tokenise(rest)
    possessive = any(t.kind == "possessive" for t in tokens)
    if not proper or possessive or len(tokens) > 9:
        return _another_relation(rest, tokens, scene)
    name = _spoken_name(scene.previous, context)
    previous, exchange = as_described(scene, name)
    earlier = asked_so(rest, scene)
    if earlier:
        previous, exchange = scene.told[earlier - 1], earlier
    if exchange:
        name = _spoken_name(previous, replace(context, history=context.history[:exchange]))
    return put_name(rest, tokens, previous, name) if name else _another_relation(rest, tokens, scene)


def _is_another_kind(rest: str, tokens: tuple[Token, ...], scene: Scene) -> bool:
    """Tell whether a plural names another kind of things to list or count: "How many ferries are there? And tugs?"."""
    asked = _KIND_ASKED.match(scene.previous)
    another = asked is not None and asked["noun"].lower() != rest.lower()
    return another and len(tokens) == 1 and is_plural(tokens)


def _names_another(rest: str, tokens: tuple[Token, ...], scene: Scene) -> bool:
    """Tell whether plain words name another thing: what was asked about is a literal, or has no property so called."""
    topics = [r for r in scene.referents if r.role == "topic"]
    plain = all(t.kind == "word" and (t.lower not in FUNCTION or t.lower in ("the", "a", "an")) for t in tokens)
    if not topics or not plain or degree(tokens[-1].lower)[1]:
        return False
    latest = max(topics, key=lambda referent: referent.turn)
    known = [r for r in (latest, *scene.answers[:1]) if r.properties]
    return not latest.iri or bool(known) and max(fit(r, asked_stems(rest)) for r in known) < _HAS


def _another_relation(rest: str, tokens: tuple[Token, ...], scene: Scene) -> str:
    """ "its director", "the writer", "birth date": the same thing, asked for something else."""
    if any(t.kind == "possessive" for t in tokens) or " of " in rest:
        return f"What is {rest}?" if tokens[0].lower not in PREPOSITION else ""
    if tokens[0].lower in PREPOSITION or any(t.lower in PREPOSITION for t in tokens) or len(tokens) > 5:
        return ""
    holder = _holder(rest, scene)
    return f"What is the {re.sub(r'(?i)^the ', '', rest)} of {holder}?" if holder else ""


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


def _holder(noun: str, scene: Scene) -> str:
    """Return what "the price" is asked of: what is talked about, or the last answer where only that can have one."""
    topics = [r for r in scene.referents if r.role == "topic"]
    last = max((r.turn for r in topics), default=0)
    topic = next((r for r in topics if r.turn == last), None)
    answers = tuple(r for r in scene.answers if r.iri)
    if topic is None:
        return answers[0].label if len(answers) == 1 else say_all(scene) if len(answers) > 1 else ""
    if answers and able((topic, answers[0]), asked_stems(noun)) == (answers[0],):
        return answers[0].label if len(answers) == 1 else say_all(scene)
    return topic.label


def _baseless(question: str, scene: Scene) -> str:
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
    topic = _holder(match["noun"], scene)
    verbal = words[-1] in IRREGULAR or words[-1].endswith("ed")
    if not topic or topic.lower() in question.lower() or degree(words[0])[1] or verbal:
        return ""
    return f"{match['lead']} the {match['noun'].strip()} of {topic}?"
