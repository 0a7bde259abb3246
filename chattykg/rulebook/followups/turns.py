"""Dialogue turns: what a turn does to the running request (add, replace or drop a constraint, ask, count, select)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import lemma_stem_of

from chattykg.conversation.context import DialogueWords
from chattykg.conversation.referents import Referent
from chattykg.rulebook.followups.constraints import (
    AMOUNT,
    ARTICLES,
    TIME,
    Constraint,
    Phrases,
    denies_class,
    find_nodes,
    limit_of,
    quality,
)
from chattykg.rulebook.followups.refinement import superlative_of
from chattykg.rulebook.followups.request import EntityRequest, other_kind, read_request
from chattykg.rulebook.followups.resolution import (
    MIN_PROPERTY_FIT,
    asked_stems,
    last_answers,
    property_fit,
    resolve_pronoun,
)
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.parser import Sentence, read_sentence

MIN_MARGIN = 0.15
"""Least difference (log score) by which a turn that changes the request is read as such, and not as a question."""
_SUBJECTS = word_set("followups", "pronouns") | {"this", "that", "these", "those"}
_QUESTION_WORDS = word_set("function_words", "question_words")
_AUXILIARIES = word_set("function_words", "auxiliaries")
_CORRECTIONS = word_set("followups", "corrections")
_ALTERNATIVES = word_set("followups", "alternatives")
_CONJUNCTION = re.compile(r"(?i)^(?:and|but|,)\s+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"\b[12]\d{3}s?\b")
_COUNTED = re.compile(r"(?i)^(?:how many|(?:\w+ ){0,3}the (?:total )?number of)\b")
_DETERMINER = re.compile(r"(?i)^(?:an?|the)\s+")
_EVERYWHERE = frozenset(("anywhere", "everywhere"))
_ONLY = frozenset(("only", "just"))


@dataclass(frozen=True, slots=True)
class DialogueState:
    """What a conversation has come to: the running request, and the referents of all turns.

    ``is_latest``: the last question made the request; ``is_counted``: it asked how many there are.
    """

    request: EntityRequest | None
    referents: tuple[Referent, ...] = ()
    is_latest: bool = False
    is_counted: bool = False

    @property
    def answers(self) -> tuple[Referent, ...]:
        """The answers of the latest turn that had any."""
        return last_answers(self.referents)


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """A turn that changes or uses the running request: its act, the root of its tree, and its score."""

    act: str
    node: Node
    score: float
    phrases: Phrases

    @property
    def words(self) -> frozenset[str]:
        """The words of the turn in lower case."""
        return frozenset(token.lower for token in self.phrases.sentence.tokens)

    @property
    def asks_again(self) -> bool:
        """Tell whether the turn asks the last question anew of other things ("how about those above 40?")."""
        return bool({"about", "results", "result"} & self.words)


def read_state(history_questions: Sequence[str], known: DialogueWords, referents: Sequence[Referent]) -> DialogueState:
    """Return the state of a dialogue: the latest standalone question that makes a request tells what is looked for."""
    latest = list(reversed(history_questions))
    requests = (read_request(question, card) for question, card in zip(latest, known.earlier, strict=False))
    at, request = next(((at, r) for at, r in enumerate(requests) if r is not None), (0, None))
    is_counted = bool(_COUNTED.match(latest[0]))
    return DialogueState(request, tuple(referents), at == 0, is_counted)


def read_turn(question: str, known: DialogueWords) -> DialogueTurn | None:
    """Return a turn that depends on the running request; None if it reads better as a question of its own."""
    sentence = read_sentence(question, known.card)
    whole = [pair for pair in sentence.roots("Turn") if not sentence.unused(pair[1])]
    score, node = max(whole, key=lambda pair: pair[0], default=(float("-inf"), None))
    rival = max((score for score, _ in sentence.roots("S")), default=float("-inf"))
    if node is None or score < rival + MIN_MARGIN or _is_question(sentence, node):
        return None
    return DialogueTurn(str(node.meaning), node, score, Phrases(sentence, known.card))


def _is_question(sentence: Sentence, node: Node) -> bool:
    """Tell whether words outside a turn, or before its constraints, ask a question of their own."""
    words = [token.lower for token in sentence.tokens]
    verbs = {verb.meaning.lower for clause in find_nodes(node, "Clause") for verb in find_nodes(clause, "Vfin")}
    if verbs & sentence.language.commands | verbs & {"know"}:
        return True
    clause = max((at + 1 for at in range(node.start) if sentence.tokens[at].kind == "mark"), default=0)
    if _QUESTION_WORDS & {*words[clause : node.start], *words[node.end :]} or node.start and words[0] in _AUXILIARIES:
        return True
    if words[0] in _AUXILIARIES and words[1:2] and words[1] in _SUBJECTS:
        return True
    if node.meaning == "ask" and words[0] == "and" and words[1:2] and words[1] in _AUXILIARIES:
        return True
    is_limited = "about" in words[:3] or bool(_ONLY & {words[0]})
    return node.meaning == "change" and not is_limited and bool(_QUESTION_WORDS & {*words[:2]})


def apply_turn(turn: DialogueTurn, state: DialogueState) -> str:
    """Return the standalone question that a turn makes of the running request ("" if it makes none)."""
    if state.request is None or not state.is_latest and _names_only(turn):
        return ""
    return _ACTS[turn.act](turn, state, state.request)


def _names_only(turn: DialogueTurn) -> bool:
    """Tell whether a turn only names things: it asks the last question about them, whatever it was."""
    limits = list(find_nodes(turn.node, "Limit", "Drop"))
    return bool(limits) and all(any(find_nodes(limit, "Thing", "Quality")) and _is_name(limit) for limit in limits)


def _is_name(limit: Node) -> bool:
    return any(find_nodes(limit, "Name")) and not any(find_nodes(limit, "RelN", "Num", "NotLimit"))


# ------------------------------------------------------------------------------------------------------------ the acts
def _change(turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    asked = _attributes_in(turn)
    if asked:
        return _question_for(asked, turn, state, request)
    changed = request.without_selection()
    for act in find_nodes(turn.node, "Limit", "Drop"):
        changed = _without(changed, act, turn) if act.category == "Drop" else _limited(changed, act, turn)
    is_question = any(token.text == "?" for token in turn.phrases.sentence.tokens)
    if state.is_counted and is_question:
        return f"How many {changed.as_text()} are there?"
    is_repeated = state.is_latest and request.asked and turn.asks_again
    return f"What is the {request.asked} of {changed.as_text()}?" if is_repeated else changed.as_text()


def _limited(request: EntityRequest, limit: Node, turn: DialogueTurn) -> EntityRequest:
    """Return a request that a part of a turn limits, or widens: "no pool" drops the pool that was asked for."""
    form = limit.children[0]
    kind = other_kind(limit, turn.phrases, request, is_more=turn.act == "alternative")
    if kind:
        return replace(request, kind=kind)
    is_denied = form.category == "NotLimit" and not denies_class(form, turn.phrases)
    wider = _without(request, form, turn) if is_denied else request
    return wider if wider != request else _with(request, limit_of(limit, turn.phrases), turn)


def _ask(turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    heads = [attribute.children[0] for attribute in find_nodes(turn.node, "Attribute")]
    if heads and all(n.category == "RelN" and n.meaning.is_class_only and n.meaning.is_plural for n in heads):
        other = replace(request, kind=heads[0].meaning.text)  # "and ferries?" asks about things of another class
        return f"How many {other.as_text()} are there?" if state.is_counted else other.as_text()
    names = [turn.phrases.text(n.start, n.end) for n in find_nodes(turn.node, "RelN")]
    return _question_for(names, turn, state, request)


def _measure(turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    adjective = next(find_nodes(turn.node, "Adj")).meaning.adjective
    return f"How {adjective} is {_owner([adjective], turn, state, request)}?"


def _count(turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    return f"How many {request.as_text()} are there?"


def _exceed(turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    """Ask for things beyond the last answer ("any cheaper ones?"); "" if there was none, or several."""
    degree = next(find_nodes(turn.node, "Exceeding"))
    if len(state.answers) > 1 and superlative_of(turn.phrases.text(degree.start, degree.end)):
        return _most(turn.phrases.text(degree.start, degree.end), request)  # of several: the cheapest of them
    if len(state.answers) != 1 or not state.answers[0].iri:
        return ""
    text = f"{turn.phrases.text(degree.start, degree.end)} than {render_name(state.answers[0].label)}"
    base = request.without_selection()
    return base.with_constraints([*base.constraints, Constraint(text)]).as_text()


def _select(turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    best = next(find_nodes(turn.node, "Best"))
    text = turn.phrases.text(best.start, best.end).removeprefix("the ")
    noun = next(find_nodes(turn.node, "RelN"), None)
    if noun is None:
        return _most(text, request)
    base = request.without_selection()
    property_text = f"with the {_superlatives(text)} {turn.phrases.text(noun.start, noun.end)}"
    return f"the {base.with_constraints([*base.constraints, Constraint(property_text)]).as_text()}"


def _most(degree: str, request: EntityRequest) -> str:
    """Return the request for what is most so of what is looked for ("the cheapest hotels in Oberdorf")."""
    base = request.without_selection()
    chosen = Constraint(_superlatives(degree), is_before=True, is_selection=True)
    return base.with_constraints([chosen, *base.constraints]).as_text()


def _superlatives(text: str) -> str:
    return " ".join(superlative_of(word) or word for word in text.split(" "))


_POSSESSIVES = frozenset("its his her their".split())
_ACTS = {
    "change": _change, "alternative": _change, "ask": _ask, "measure": _measure, "count": _count, "exceed": _exceed,
    "select": _select,
}  # fmt: skip


# --------------------------------------------------------------------------------------------------------- constraints
def _with(request: EntityRequest, new: Constraint, turn: DialogueTurn) -> EntityRequest:
    """Return a request with one constraint more; it takes the place of one of the same topic."""
    rivals = [c for c in request.constraints if _rivals(c, new)]
    if turn.act == "alternative" or rivals and turn.words & _ALTERNATIVES:
        old = rivals[-1:] or request.constraints[-1:]
        return _replaced(request, old, [_either(old[0], new)] if old else [new])
    is_single = new.is_single or any(old.is_single and old.topics == new.topics for old in rivals)
    if rivals and (is_single or turn.words & _CORRECTIONS):
        return _replaced(request, rivals, [_framed(rivals[-1], new)])
    return request.with_constraints([*request.constraints, new])


def _rivals(old: Constraint, new: Constraint) -> bool:
    """Tell whether two constraints are of one topic; a bare number is of the topic of any other number."""
    if AMOUNT in new.topics:
        return bool(_NUMBER.search(old.value)) and old.text.startswith(old.value)
    if TIME in new.topics:
        return bool(_YEAR.search(old.value))
    return bool(old.topics & new.topics)


def _replaced(request: EntityRequest, old: Sequence[Constraint], new: Sequence[Constraint]) -> EntityRequest:
    kept = [c for c in request.constraints if c not in old]
    return request.with_constraints([*kept, *new])


def _framed(old: Constraint, new: Constraint) -> Constraint:
    """Return a new constraint with the words of the old one around its value: "in Oberdorf" for "Oberdorf"."""
    if _NUMBER.fullmatch(new.value) and _NUMBER.search(old.value):
        return replace(new, text=_NUMBER.sub(new.value, old.text, count=1), value=_NUMBER.sub(new.value, old.value))
    if TIME in new.topics and not new.value:
        text = _YEAR.sub(_YEAR.findall(new.text)[-1], old.text)
        return replace(old, text=text, value=_YEAR.sub(_YEAR.findall(new.text)[-1], old.value))
    if old.value and new.value == new.text and old.value != old.text and new.text not in old.text:
        text = old.text.replace(old.value, new.value)
        return Constraint(text, old.is_before, old.topics | new.topics, new.is_single, value=new.value)
    return new


def _either(old: Constraint, new: Constraint) -> Constraint:
    opener, _, rest = new.text.partition(" ")
    end = (
        old.text.find(old.value) + len(old.value) if new.value == new.text and old.value in old.text else len(old.text)
    )
    text = rest if rest and old.text.startswith(f"{opener} ") else new.text
    joined = f"{old.text[:end]} or {text}{old.text[end:]}"
    return Constraint(joined, old.is_before, old.topics | new.topics, old.is_single)


def _without(request: EntityRequest, node: Node, turn: DialogueTurn) -> EntityRequest:
    """Return a request without the constraints of a topic: those of its predicate or class, or that hold its words."""
    words = {token.lower for token in turn.phrases.sentence.tokens[node.start : node.end]}
    topics = turn.phrases.topics(node) or (turn.phrases.places() if words & _EVERYWHERE else frozenset())
    stems = _stems(turn.phrases.text(node.start, node.end)) - ARTICLES
    others = (c for c in request.constraints if stems & _stems(c.text) or not topics & c.topics)
    kept = (_without_parts(c, stems) for c in others)
    return request.with_constraints([c for c in kept if c is not None])


def _stems(text: str) -> frozenset[str]:
    return frozenset(lemma_stem_of(word) for word in text.lower().split())


def _without_parts(constraint: Constraint, stems: Set[str]) -> Constraint | None:
    """Return a constraint without those of its joined parts that hold one of some stems; None if none is left."""
    opener, *_ = constraint.text.split(" ")
    kept = [part for part in constraint.text.split(" and ") if not stems & _stems(part)]
    text = " and ".join(kept)
    text = text if not kept or text.startswith(f"{opener} ") or constraint.is_before else f"{opener} {text}"
    return replace(constraint, text=text) if kept else None


# ---------------------------------------------------------------------------------------------------------- attributes
def _attributes_in(turn: DialogueTurn) -> list[str]:
    """Return the attributes that a turn names without a value ("phone and address"); none if it states a constraint."""
    limits = list(find_nodes(turn.node, "Limit"))
    names = [_bare_attribute(limit, turn.phrases) for limit in limits]
    return [name for name in names if name] if all(names) else []


def _bare_attribute(limit: Node, phrases: Phrases) -> str:
    node, nouns = limit.children[0], list(find_nodes(limit, "RelN"))
    if node.category != "Item" or len(nouns) != 1 or any(find_nodes(limit, "Num", "CountQ", "Name", "Names")):
        return ""
    entry = phrases.attribute(nouns[0])
    thing = next(find_nodes(node, "Thing"))
    noun = phrases.text(nouns[0].start, nouns[0].end)
    is_whole = phrases.text(thing.start, thing.end) in (noun, f"the {noun}")
    return noun if entry and is_whole else ""


def _question_for(names: Sequence[str], turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    """Return the question for attributes of what a turn refers to ("" if that is unknown)."""
    if any(not _POSSESSIVES.isdisjoint(name.lower().split()) for name in names):
        return ""  # "the email address of its operator" is no attribute of what is looked for
    owner = _owner(names, turn, state, request)
    return " ".join(f"What is the {name} of {owner}?" for name in names) if owner else ""


def _owner(names: Sequence[str], turn: DialogueTurn, state: DialogueState, request: EntityRequest) -> str:
    """Return whose attributes a turn asks for: a single thing by its name, the last list by the running request."""
    owners = find_nodes(turn.node, "Owner", "Picked")
    chosen = next((n for owner in owners for n in find_nodes(owner, "Limit", "Mods")), None)
    if chosen is not None:
        limit = limit_of(chosen, turn.phrases) if chosen.category == "Limit" else quality(chosen, turn.phrases)
        return _with(request.without_selection(), limit, turn).as_text()
    possessive = next((n.meaning.lower for n in find_nodes(turn.node, "Possessive")), "")
    stems = asked_stems(" ".join(names))
    singles = [r for r in state.referents if r.iri and (r.role == "topic" or r.answer_count == 1)]
    is_list = len(state.answers) > 1 and state.is_latest and not _belongs_to_topic(state, singles, stems)
    is_fit = any(property_fit(r, stems) >= MIN_PROPERTY_FIT for r in singles)
    is_set = state.is_latest and (state.is_counted or not state.answers)
    if is_list and possessive in ("", "their") or is_set and not possessive or not is_fit and (is_list or is_set):
        return request.as_text()
    owner = resolve_pronoun({"": "it", "their": "they"}.get(possessive, possessive), singles, stems, "out")
    return render_name(owner.label) if owner else "" if possessive else request.as_text()


def _belongs_to_topic(state: DialogueState, singles: Sequence[Referent], stems: Mapping[str, float]) -> bool:
    """Tell whether a topic of the last question has an attribute which none of its answers has."""
    topics = [r for r in singles if r.role == "topic" and r.turn == state.answers[0].turn]
    fits = [property_fit(r, stems) for r in state.answers]
    return any(property_fit(r, stems) >= MIN_PROPERTY_FIT > max(fits, default=0.0) for r in topics)


def render_name(label: str) -> str:
    """Return a label as it stands in a question: in quotes, if it holds a mark or no capital."""
    is_plain = all(c.isalnum() or c in " -'" for c in label) and label[:1].isupper()
    return label if is_plain else '"' + label.replace('"', "'") + '"'
