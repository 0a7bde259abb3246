"""Measure questions over a synthetic graph with many predicates; or write the graph: equal arguments give equal bytes.

    python benchmarks/wide_graph.py [--predicates 600 3000] [--triples 100000] [--folder DIR]

For each number of predicates it prints the seconds of the processor that a question takes by rules, beside targets, and
the share of 40 questions that are answered right; the graph stays in the folder.

Classes and predicates are called by nouns of the packaged WordNet, alone or joined ("budget", "river budget", "master
of rank"), most of them with aliases. Real graphs with hundreds of predicates have such labels: many share a word.
The questions have their answers: the objects or subjects of a predicate, a count, the highest value, two steps; one in
five calls a predicate by an alias.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random
from statistics import median, quantiles

from chattyshared.kg.factory import open_kg
from chattyshared.language.inflection import pluralize
from chattyshared.model.rules import RuleModel
from scholarly_graph import LABEL, RDF_TYPE, XSD, Names, date

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

BASE = "http://wide.example/"
ALIAS = "<http://www.w3.org/2004/02/skos/core#altLabel>"
CLASSES, TRIPLES, QUESTIONS = 300, 100_000, 40
TARGETS = {600: (60, 250), 3_000: (90, 400)}
"""Milliseconds of a question (p50, p95) that are wanted, by the number of predicates."""
NOUNS = {
    "class": ("person", "artifact", "location", "group", "animal", "plant", "object"),
    "predicate": ("person", "attribute", "act", "communication", "location", "state", "possession", "event", "group"),
}
"""Kinds of nouns by which classes and predicates are called."""
RANGES = ("thing", "thing", "thing", "thing", "integer", "integer", "date", "text", "text")
"""What the values of predicates are, by share."""
ALIAS_SHARES = (0, 0, 1, 1, 2, 3)
QUESTION_FORMS = ("object", "object", "alias", "subject", "count", "superlative", "two-hop", "comparison")
_NOUN = re.compile(r"^([a-z]{4,10})\tn\tsense=([a-z]+):([a-z, ]*)[^|\n]*\|", re.MULTILINE)
"""A noun with several senses: it is common."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate: its names, the label first, the classes of its subjects, and its range: a class or a datatype."""

    number: int
    names: tuple[str, ...]
    domains: tuple[int, ...]
    range: int | str

    @property
    def iri(self) -> str:
        """Return its IRI, which does not tell its label, as those of Wikidata do not."""
        return f"<{BASE}p{self.number}>"


class WideGraph:
    """A graph with so many predicates and about so many triples."""

    def __init__(self, predicates: int, triples: int, seed: int = 0) -> None:
        self._rng = Random(f"wide/{predicates}/{seed}")
        text = files("chattydata").joinpath("english", "wordnet.txt").read_text(encoding="utf-8")
        self._nouns = {
            use: [(noun, found.split(",")) for noun, kind, found in _NOUN.findall(text) if kind in kinds]
            for use, kinds in NOUNS.items()
        }
        self._nouns["predicate"] = self._rng.sample(self._nouns["predicate"], max(400, predicates // 2))
        self.classes = [noun for noun, _ in self._rng.sample(self._nouns["class"], CLASSES)]
        self.predicates = [self._make_predicate(number, predicates) for number in range(predicates)]
        self.names: list[str] = []
        self.class_of: list[int] = []
        self.facts: dict[tuple[int, int], list[int | str]] = {}
        self._make_things(triples)

    def _make_predicate(self, number: int, predicates: int) -> Predicate:
        """Make a predicate; there are fewer nouns than thousands of predicates, so that most are called by two."""
        rng, nouns = self._rng, self._nouns["predicate"]
        (noun, synonyms), (other, _) = rng.sample(nouns, 2)
        form = rng.choice(("{}", "{} {}", "{} {}", "{1} of {0}"))
        aliases = [*filter(None, synonyms), f"{noun} name", f"{other} {noun}"][: rng.choice(ALIAS_SHARES)]
        names = dict.fromkeys(form.format(each, other) if " " in form else each for each in (noun, *aliases))
        range_ = rng.choice(RANGES)
        domains = tuple(rng.sample(range(CLASSES), rng.choice((2, 4, 8))))
        return Predicate(number, tuple(names), domains, rng.randrange(CLASSES) if range_ == "thing" else range_)

    def _make_things(self, triples: int) -> None:
        rng, made, word = self._rng, 0, Names(self._rng).word
        of_class, stated = defaultdict(list), defaultdict(list)
        for each in self.predicates:
            for domain in each.domains:
                stated[domain].append(each)
        for thing in range(triples // 8):
            self.names.append(f"{word()} {word()}")
            self.class_of.append(thing % CLASSES)
            of_class[thing % CLASSES].append(thing)
        things = list(range(len(self.names)))
        while made < triples - 2 * len(things):
            rng.shuffle(things)
            for thing in things:
                missing = [e for e in stated[self.class_of[thing]] if (thing, e.number) not in self.facts]
                each = rng.choice(missing or self.predicates)
                members = of_class[each.range] if isinstance(each.range, int) else []
                drawn = rng.choices(members, k=rng.choice((1, 1, 2))) if members else [self._value(str(each.range))]
                self.facts[thing, each.number] = list(dict.fromkeys(drawn))
                made += len(self.facts[thing, each.number])

    def _value(self, datatype: str) -> str:
        if datatype == "integer":
            return str(self._rng.randrange(10, 90_000))
        return date(self._rng, 1900, 2020) if datatype == "date" else Names(self._rng).word().lower()

    def lines(self) -> Iterator[str]:
        """Yield the lines of the graph."""
        for number, noun in enumerate(self.classes):
            yield f'<{BASE}C{number}> {LABEL} "{noun}"@en .\n'
        for each in self.predicates:
            yield f'{each.iri} {LABEL} "{each.names[0]}"@en .\n'
            yield from (f'{each.iri} {ALIAS} "{alias}"@en .\n' for alias in each.names[1:])
        for thing, name in enumerate(self.names):
            yield f"<{BASE}t{thing}> {RDF_TYPE} <{BASE}C{self.class_of[thing]}> .\n"
            yield f'<{BASE}t{thing}> {LABEL} "{name}"@en .\n'
        for (thing, number), values in self.facts.items():
            predicate = self.predicates[number]
            kind = "" if predicate.range == "text" else f"^^<{XSD}{predicate.range}>"
            for value in values:
                term = f"<{BASE}t{value}>" if isinstance(value, int) else f'"{value}"{kind}'
                yield f"<{BASE}t{thing}> {predicate.iri} {term} .\n"

    def questions(self, number: int) -> Iterator[tuple[str, list[str]]]:
        """Yield questions with their answers: names, or values as the graph writes them."""
        rng, facts = self._rng, list(self.facts.items())
        while number:
            form = QUESTION_FORMS[number % len(QUESTION_FORMS)]
            (thing, at), values = rng.choice(facts)
            made = self._ask(form, thing, self.predicates[at], values)
            if made is not None:
                number -= 1
                yield made

    def _ask(
        self, form: str, thing: int, predicate: Predicate, values: Sequence[int | str]
    ) -> tuple[str, list[str]] | None:
        """Make a question of a form about a fact; None if the fact does not bear it."""
        label, kind = predicate.names[0], pluralize(self.classes[self.class_of[thing]])
        held = {t: found for (t, p), found in self.facts.items() if p == predicate.number
                and self.class_of[t] == self.class_of[thing]}  # fmt: skip
        if form in ("object", "alias"):
            is_named = form == "object" or len(predicate.names) > 1
            label = predicate.names[-1] if form == "alias" else label
            return (f"What is the {label} of {self.names[thing]}?", self._said(values)) if is_named else None
        if form in ("subject", "count") and isinstance(values[0], int):
            found = [t for t, others in held.items() if values[0] in others]
            ask = f"Which {kind} have {{}}" if form == "subject" else f"How many {kind} have {{}}"
            text = ask.format(f"the {label} {self.names[values[0]]}?")
            return text, self._said(found) if form == "subject" else [str(len(found))]
        if form in ("superlative", "comparison") and predicate.range == "integer":
            numbers = {t: int(str(found[0])) for t, found in held.items()}
            if form == "superlative":
                highest = max(numbers.values())
                return f"Which of the {kind} has the highest {label}?", self._said(
                    [t for t, value in numbers.items() if value == highest]
                )
            least = sorted(numbers.values())[len(numbers) // 2]
            return f"Which {kind} have a {label} of more than {least}?", self._said(
                [t for t, value in numbers.items() if value > least]
            )
        if form == "two-hop" and isinstance(values[0], int) and len(values) == 1:
            further = [(p, found) for (t, p), found in self.facts.items() if t == values[0]]
            for at, found in further[:1]:
                second = self.predicates[at].names[0]
                return f"What is the {second} of the {label} of {self.names[thing]}?", self._said(found)
        return None

    @staticmethod
    def _said(values: Sequence[int | str]) -> list[str]:
        return sorted(f"{BASE}t{value}" if isinstance(value, int) else value for value in values)


def measure(predicates: int, triples: int, folder: Path) -> tuple[float, float, float]:
    """Return p50 and p95 of the milliseconds of the processor a question, and the share that is answered right."""
    graph, file = WideGraph(predicates, triples), folder / f"wide-{predicates}.nt"
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(graph.lines())
    engine, spent, right = ChattyEngine(open_kg([str(file)]), RuleModel(RULEBOOK)), [], 0
    for question, gold in graph.questions(1 + QUESTIONS):
        started = time.process_time()
        answer = engine.answer(question)
        spent.append(1000 * (time.process_time() - started))
        right += sorted(str(each.value) for each in answer.values) == gold
    return median(spent[1:]), quantiles(spent[1:], n=20)[-1], right / len(spent)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of each number of predicates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--predicates", type=int, nargs="*", default=list(TARGETS))
    parser.add_argument("--triples", type=int, default=TRIPLES)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        for number in options.predicates:
            p50, p95, right = measure(number, options.triples, options.folder or Path(folder))
            targets = " and ".join(map(str, TARGETS[number])) if number in TARGETS else "-"
            print(f"{number} predicates: p50 {p50:.0f} ms, p95 {p95:.0f} ms (targets {targets} ms), right {right:.3f}")


if __name__ == "__main__":
    main()
