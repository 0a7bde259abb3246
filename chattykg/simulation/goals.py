"""Goals of a simulated user: each dialogue of a benchmark is a plan, each of its turns a goal with gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from chattyshared.dialogue import ClarificationOption, Dialogue, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.languages import language_of_tag
from chattyshared.language.lexicon import load_lexicon
from chattyshared.language.scripts import contains_name, replace_name
from chattyshared.sparql.analysis import analyze_query, parse_query_terms
from chattyshared.terms import iri_to_words
from rdflib import URIRef

from chattykg.conversation.clarification import label_options
from chattykg.evaluation.gold import gold_of_dialogues
from chattykg.evaluation.metrics import Gold
from chattykg.verbalization.sentences import verbalize_query

MAX_NAME_CHARACTERS = 200
"""Characters of a name from an answer that a message holds."""
_ANSWER_LINKS = ("answer", "among", "position")


@dataclass(frozen=True, slots=True)
class Goal:
    """What the user wants to know, and what the user knows of it; the gold is for the scores alone.

    The wordings of ``turn`` ask for it, and a ``paraphrase`` ("": there is none). ``things`` are those of the gold
    query, ``terms`` its classes and predicates. ``hangs_on`` are the earlier goals, by number, whose answers it builds
    on, ``refers_to`` that whose answer its follow-up wording refers to (0: none); ``learned`` are the names in its
    wordings that only such an answer tells, with the number. ``hidden`` are the predicates that the plan asks for: the
    user does not know their values.
    """

    turn: Turn
    gold: Gold
    paraphrase: str = ""
    things: tuple[ClarificationOption, ...] = ()
    terms: tuple[ClarificationOption, ...] = ()
    hangs_on: tuple[int, ...] = ()
    learned: tuple[tuple[str, int], ...] = ()
    hidden: frozenset[str] = frozenset()
    refers_to: int = 0

    @property
    def number(self) -> int:
        """The number of its turn."""
        return self.turn.turn

    @property
    def names(self) -> tuple[ClarificationOption, ...]:
        """The things that its standalone wording names."""
        return tuple(one for one in self.things if occurs(one.label, self.turn.standalone))

    @property
    def referent(self) -> str:
        """The name that its follow-up wording leaves out, else of what it is about; empty if nothing is named."""
        unnamed = (one.label for one in self.names if not occurs(one.label, self.turn.question))
        return next(chain(unnamed, (one.label for one in self.names)), "")

    def with_belief(self, name: str, believed: Value) -> Goal:
        """Return the goal of a user who takes another thing for the one of this name."""
        text = " ".join(believed.text.split())[:MAX_NAME_CHARACTERS]
        things = tuple(
            ClarificationOption(text, believed.value if believed.kind == "iri" else "") if one.label == name else one
            for one in self.things
        )
        wordings = (self.turn.question, self.turn.standalone, self.paraphrase)
        question, standalone, paraphrase = (replace_name(wording, name, text) for wording in wordings)
        turn = replace(self.turn, question=question, standalone=standalone)
        return replace(self, turn=turn, paraphrase=paraphrase, things=things)


@dataclass(frozen=True, slots=True)
class GoalPlan:
    """The goals of one conversation in their order, and the tag of their language ("": it is not stated)."""

    id: str
    goals: tuple[Goal, ...]
    lang: str = ""


def plans_from_dialogues(dialogues: Iterable[Dialogue], kg: KnowledgeGraph | None = None) -> Iterator[GoalPlan]:
    """Yield the plan of each dialogue; with ``kg`` the user knows the graph's names, and has a third wording.

    Raises:
        EndpointError: the KG could not be asked.
    """
    for dialogue in dialogues:
        golds = gold_of_dialogues([dialogue])
        labels = _labels_of(dialogue, kg)
        goals = tuple(
            _make_goal(dialogue, turn, gold, labels, kg) for turn, gold in zip(dialogue.turns, golds, strict=True)
        )
        yield GoalPlan(dialogue.id, goals, dialogue.lang)


def tell_apart(
    thing: ClarificationOption, others: Sequence[str], kg: KnowledgeGraph | None, *, hidden: frozenset[str]
) -> str:
    """Return the name of a thing, with what tells it from others (by IRI) of the same name, but for ``hidden`` facts.

    Raises:
        EndpointError: the KG could not be asked.
    """
    if kg is None or not thing.iri:
        return thing.label
    terms = [(iri, thing.label) for iri in dict.fromkeys((thing.iri, *others))]
    return label_options(terms, kg, hidden=hidden)[0].label


def occurs(name: str, text: str) -> bool:
    """Tell whether a text has a name in it, in any letter case."""
    return contains_name(text, name)


def phrase(key: str, lang: str, **fields: str) -> str:
    """Return what the user says around a name or a question; "" in a language of which there is no phrase."""
    language = language_of_tag(lang)
    if language is None or not language.has_words("user_simulation"):
        return ""
    return str(load_lexicon("user_simulation", language.name)[key]).format(**fields)


def _labels_of(dialogue: Dialogue, kg: KnowledgeGraph | None) -> Mapping[str, str]:
    """Return the labels of the IRIs in the queries of a dialogue: those of the graph, else of the file, else words."""
    iris = [iri for turn in dialogue.turns for iri in _iris_of(turn)]
    stated = {dialogue.seed.iri: dialogue.seed.label}
    stated |= {value.value: value.label for turn in dialogue.turns for value in turn.answers if value.label}
    labels = {str(iri): label for iri, label in kg.labels(dict.fromkeys(map(URIRef, iris))).items()} if kg else {}
    return {iri: labels.get(iri) or stated.get(iri) or iri_to_words(iri) for iri in iris}


def _iris_of(turn: Turn) -> tuple[str, ...]:
    """Return the IRIs of a gold query: things and classes, then predicates."""
    query = analyze_query(turn.sparql)
    return tuple(dict.fromkeys((*query.iris, *query.predicates)))


def _make_goal(
    dialogue: Dialogue, turn: Turn, gold: Gold, labels: Mapping[str, str], kg: KnowledgeGraph | None
) -> Goal:
    earlier = [other for other in dialogue.turns if other.turn < turn.turn]
    iris, parsed = _iris_of(turn), parse_query_terms(turn.sparql)
    vertices = parsed.vertices if parsed else frozenset()
    learned = tuple(_learned_names(turn, earlier, dialogue.seed.label))
    hangs_on, refers_to = {number for _, number in learned}, 0
    if turn.link in _ANSWER_LINKS and turn.question != turn.standalone and earlier:
        refers_to = _referred_turn(turn, earlier, iris).turn
        hangs_on.add(refers_to)
    options = [ClarificationOption(labels[iri], iri) for iri in iris]
    return Goal(
        turn, gold, _paraphrase(dialogue, turn, labels, kg),
        tuple(one for one in options if one.iri in vertices), tuple(one for one in options if one.iri not in vertices),
        tuple(sorted(hangs_on)), learned, _asked_predicates(dialogue), refers_to,
    )  # fmt: skip


def _referred_turn(turn: Turn, earlier: Sequence[Turn], iris: Iterable[str]) -> Turn:
    """Return the turn whose answer a follow-up refers to: the last list, or the last answer that its query names."""
    told = (other for other in reversed(earlier) if {value.value for value in other.answers} & {*iris})
    lists = (other for other in reversed(earlier) if len(other.answers) > 1)
    return next(lists if turn.link == "among" else told, earlier[-1])


def _asked_predicates(dialogue: Dialogue) -> frozenset[str]:
    parsed = (parse_query_terms(turn.sparql) for turn in dialogue.turns)
    return frozenset(predicate for terms in parsed if terms for predicate in terms.predicates)


def _learned_names(turn: Turn, earlier: Sequence[Turn], seed: str) -> Iterator[tuple[str, int]]:
    """Yield the names in the wordings of a turn that an earlier answer tells, and that nobody has said before it."""
    for other in earlier:
        said = " ".join(
            (seed, *(text for each in earlier if each.turn <= other.turn for text in (each.question, each.standalone)))
        )
        for value in other.answers:
            if value.kind == "iri" and occurs(value.label, turn.standalone) and not occurs(value.label, said):
                yield value.label, other.turn


def _paraphrase(dialogue: Dialogue, turn: Turn, labels: Mapping[str, str], kg: KnowledgeGraph | None) -> str:
    """Return a third wording, from the gold query in words; "" where there is none, or no graph to take names from."""
    if kg is None or not turn.answerable or not phrase("request", dialogue.lang, phrase=""):
        return ""
    text = verbalize_query(turn.sparql, kg, known_labels=labels)
    return phrase("request", dialogue.lang, phrase=text) if text else ""
