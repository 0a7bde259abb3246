"""The QIR agent: represents a standalone question as a QIR, which validators check."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.language.tokenizer import tokenize
from chattyshared.literals import parse_number

from chattykg.agents.outcomes import settle_missing_referent
from chattykg.agents.readings import fit_of, open_reading, refuse
from chattykg.engines.switches import ChattySwitches
from chattykg.linking.coverage import foreign_words, unknown_words
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, TEXT_OPERATORS, WAYS_OUT, from_json, is_unknown, reading_from_json
from chattykg.query.judgement import Refusal, judge_readings
from chattykg.query.keyword_readings import read_by_keywords
from chattykg.state import AgentContext, AgentState, make_refusal, without_labels

logger = logging.getLogger(__name__)
_MIN_KNOWN_SIMILARITY = 0.7
_REFUSED_SCORE = -10.0
"""Score of a refusal, less than that of any answer. Set by hand."""
_SHOWN_PHRASE = 60
"""Characters of a phrase that a question shows."""
_FORMAL_RULES = frozenset(("json", "schema", "length"))
"""Rules of replies that are no QIR at all, whatever the question."""


def check_qir(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that a reply reads as a QIR, names what the graph has and what the question says, and hangs together."""
    try:
        qir = from_json(reply)
    except (KeyError, TypeError, ValueError) as error:
        yield Problem("qir", f"This is no QIR: {error}.")
    else:
        yield from _check_names(qir, variables)
        yield from _check_unknowns(qir)
        yield from _check_computation(qir)
    yield from check_unused(reply, variables)


def _check_names(qir: QIR, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that triples are whole, that an entity, a value, a class, or a relation of the graph is named, and that no
    pronoun of the question is a name, nor an unknown where nothing is named that it may stand for."""
    relations, card = (*qir.triples, *qir.negated), variables["card"]
    for each in relations:
        if not each.subject.strip(" ?") or not each.object.strip(" ?"):
            parts = [each.subject, each.relation, each.object]
            yield Problem("triple", f"A triple needs a subject, a relation and an object: {parts}.")
    if not (qir.entities() or qir.classes or qir.filters or _is_known_relation(qir, card)):
        yield Problem("entity", "Name at least one entity, value or class of the question in triples or classes.")
    words = {token.text for token in tokenize(variables["question"]) if token.kind == "word"}
    pronouns = words & card.language.words("followups", "pronouns")
    ends = {end for each in relations for end in each.ends()}
    unknown = set() if any(not is_unknown(end) for end in ends) else {f"?{word}" for word in pronouns}
    for end in sorted(ends & (pronouns | unknown) - {qir.target}):
        yield Problem("missing", f'Nobody named what "{end.strip("?")}" is: reply with the shape "missing".')


def _check_unknowns(qir: QIR) -> Iterator[Problem]:
    """Check that a question that is not yes-or-no asks for an unknown, and that triples or classes use the unknowns of
    target, filters, order, having and columns."""
    bound = {end for each in (*qir.triples, *qir.negated) for end in each.ends()}
    bound |= {unknown for unknown, _ in (*qir.classes, *qir.values)}
    if qir.shape != "boolean" and not is_unknown(qir.target):
        yield Problem("unknown", 'The target must be an unknown such as "?x", unless the shape is "boolean".')
    elif qir.shape != "boolean" and qir.target not in bound:
        yield Problem("unknown", f"The target {qir.target} stands in no triple and in no class.")
    used = [condition.unknown for condition in qir.filters]
    used += [qir.order.by, *filter(None, (qir.order.per,))] if qir.order else []
    used += [*qir.targets, *qir.optional, *(each for having in qir.having for each in (having.group, having.counted))]
    for unknown in (each for each in dict.fromkeys(used) if each not in bound):
        yield Problem("unknown", f"{unknown} is used in a condition but stands in no triple and in no class.")


def _check_computation(qir: QIR) -> Iterator[Problem]:
    """Check that a number is computed of two alternatives, that only then one is empty, which shape it has, and that
    each count is compared with a number."""
    if qir.compute and [len(group) for group in qir.either] != [2]:
        yield Problem("compute", 'To compute a number, "either" has one group of two alternatives: first and second.')
    if qir.compute and qir.shape not in ("count", "number"):
        yield Problem("compute", 'The shape is "count" or "number" where a number is computed.')
    if not qir.compute and not all(each for group in qir.either for each in group):
        yield Problem("either", "Each alternative holds a condition.")
    if qir.aggregates and qir.shape != "table":
        yield Problem("aggregates", 'The shape is "table" where there are "aggregates".')
    for having in qir.having:
        if parse_number(having.value.replace(",", "")) is None or having.operator in TEXT_OPERATORS:
            yield Problem("count", f'A count is compared with a number: {having.operator} "{having.value}" cannot be.')


def check_unused(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the words that are said to be unused stand in the question."""
    for word in foreign_words(variables["question"], reply.get("unused", ())):
        yield Problem("unused", f'"{word[:60]}" does not stand in the question: list its own words in "unused".')


def check_way_out(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that a reply which is no reading quotes the question, and names what a missing thing is called there."""
    yield from check_unused(reply, variables)
    if reply["shape"] == "missing" and not reply.get("unused"):
        yield Problem("missing", 'List in "unused" the word of the question that refers to nothing.')


def check_readings(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check a way out, or the first reading of a reply, unless one of its alternatives passes all checks."""
    if reply["shape"] in WAYS_OUT:
        yield from check_way_out(reply, variables)
    elif not any(_is_sound(alternative, variables) for alternative in reply.get("alternatives", ())):
        yield from check_qir(reply, variables)


AGENT = load_agent(
    "answer/qir",
    check_readings,
    truncatable=(TruncatableVariable("card"), TruncatableVariable("examples")),
)


def qir(state: AgentState, context: AgentContext) -> AgentState:
    """Read the question into a QIR; without a usable reply there is no answer.

    Readings as one event come first; they also read what no reply reads. A way out ends the strategy.
    """
    reply = _request_reply(state, context)
    if isinstance(reply, Answer):
        read: AgentState = {"answer": reply}
    elif reply["shape"] in WAYS_OUT or from_json(reply).compares_things():
        return _take_way_out(reply, state, context)
    else:
        read = _read(reply, state, context)
    with context.measure_time("understanding"):
        events = read_by_keywords(state["standalone"], state["card"], context.kg)
    if not events or _asks_back(read.get("answer")):
        return read
    if (refusal := read.get("answer")) is not None:
        return {**open_reading(state, events), "best_reading": (refusal, _REFUSED_SCORE)}
    readings = read["readings"]
    scored = tuple(replace(event, score=max(reading.score for reading in readings)) for event in events)
    return {**open_reading(state, (*scored, *readings)), "best_reading": read.get("best_reading")}


def _request_reply(state: AgentState, context: AgentContext) -> Any | Answer:
    """Return the reply of the model, or the refusal of a question that it could not read."""
    card = state["card"]
    if not context.settings.switches_of(ChattySwitches).card:
        card = VocabularyCard(language=card.language, question=card.question)
    with context.measure_time("understanding"):
        try:
            variables = {"question": state["standalone"], "card": card}
            reply = context.request_reply(AGENT, variables).value
            return reply if reply["shape"] in WAYS_OUT or _parse_qir(reply) else refuse(Refusal("no-reading"))
        except ReplyInvalid as error:
            logger.info("no QIR for %r: %s", state["standalone"][:200], error)
            return refuse(_judge_failure(error, state))
        except (ModelRefused, ContextTooLong) as error:
            return make_refusal("too-unsure", f"the question could not be read: {error}")


def _take_way_out(reply: Any, state: AgentState, context: AgentContext) -> AgentState:
    """Leave a question that no QIR says to the direct strategy, and refuse what no query answers."""
    if reply["shape"] == "missing":
        phrase = " ".join(reply["unused"])
        question = f'What do you mean by "{phrase[:_SHOWN_PHRASE]}"? Please name it.'
        return {"answer": settle_missing_referent(phrase, question, context), "remaining_strategies": ()}
    if reply["shape"] != "none":
        return {"answer": refuse(Refusal("beyond"))}
    refusal = Refusal("no-statement", tuple(reply.get("unused", ())))
    return {"answer": refuse(refusal), "remaining_strategies": ()}


def _read(reply: Any, state: AgentState, context: AgentContext) -> AgentState:
    """Return the state with the readings of a reply, or with a refusal."""
    variables = {"question": state["standalone"], "card": state["card"]}
    replies = (reply, *reply.get("alternatives", ()))
    is_checked = context.settings.switches_of(ChattySwitches).validators
    sound = (each for each in replies if (_is_sound(each, variables) if is_checked else _parse_qir(each)))
    readings = tuple(map(reading_from_json, sound))
    kept, refusal = judge_readings(state["standalone"], readings, state["card"])
    answer = refuse(refusal, state["card"]) if refusal else None
    if answer is None or not kept:
        return open_reading(state, kept) if kept else {"answer": answer}
    return {**open_reading(state, kept), "best_reading": (answer, kept[0].score + fit_of(answer))}


def _asks_back(answer: Answer | None) -> bool:
    """Tell whether an answer says that the question refers to something nobody named."""
    return answer is not None and (
        answer.status == "clarification" or answer.reason is not None and answer.reason.code == "missing-referent"
    )


def _is_sound(reply: Any, variables: Mapping[str, Any]) -> bool:
    return reply["shape"] not in WAYS_OUT and not any(check_qir(reply, variables))


def _judge_failure(error: ReplyInvalid, state: AgentState) -> Refusal:
    """Return why no reply was a QIR: the graph does not know the question's words, or how they belong together."""
    rules = [problem.rule for problem in error.problems]
    if "missing" in rules:
        return Refusal("no-referent")
    if rules and rules[0] in _FORMAL_RULES:
        return Refusal("unusable", (), error.problems[0].sentence[:200])
    words = without_labels(unknown_words(state["standalone"], state["card"]), state["card"])
    return Refusal("unknown-name" if "entity" in rules else "unread-words", words) if words else Refusal("unread")


def _parse_qir(reply: Any) -> QIR | None:
    try:
        return from_json(reply)
    except (KeyError, TypeError, ValueError):
        return None


def _is_known_relation(qir: QIR, card: VocabularyCard) -> bool:
    phrases = [phrase for phrase in qir.relations() if not is_function_phrase(phrase)]
    entries = (*card.predicates, *card.unlisted[1])
    return any(
        lexical_similarity(phrase, entry.label) >= _MIN_KNOWN_SIMILARITY for phrase in phrases for entry in entries
    )
