"""What people call the tables and columns of an exported database, written by a language model for the profile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.agent import THETA, load_agent
from chattyshared.check import Problem
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import batches
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.model import LanguageModel
from chattyshared.terms import local_name

BATCH_SIZE = 40
"""Terms that a model names in one call."""
MAX_WORDS = 6
"""Words of a name."""
_MAX_VALUES = 4
"""Values of a column that a model is shown."""
_PLAIN = re.compile(r"[^\W_]+(?:[ '’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class TableTerm:
    """A class or predicate with a number from 1; ``owners`` are the classes that it must differ in, ``taken`` the names
    of their other terms in small letters, ``ends`` the labels of the classes of subjects and objects."""

    number: int
    entry: ClassEntry | PredicateEntry
    owners: frozenset[str]
    taken: frozenset[str]
    name: str
    ends: tuple[str, str]

    def as_prompt_text(self) -> str:
        """Return the term in one line."""
        entry, (subjects, objects) = self.entry, self.ends
        now = f'"{self.name}"' if self.name else "nothing"
        line = f"{self.number}. {local_name(entry.iri)}: "
        if isinstance(entry, ClassEntry):
            line += f"class of {entry.instance_count} rows"
        else:
            values = entry.values[:_MAX_VALUES] or tuple(filter(None, entry.example[1:]))
            line += f"column of {subjects or 'rows'}{f', leads to {objects}' * bool(objects)}"
            line += f", e.g. {', '.join(repr(value[:60]) for value in values)}" * bool(values)
        comment = f'; comment "{entry.comment[:200]}"' if entry.comment else ""
        return " ".join(f"{line}; now {now}{comment}".split())


def check_term_names(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Each term is one of the list and named once, in plain words, as no other term of its class."""
    terms: dict[int, TableTerm] = {term.number: term for term in variables["terms"]}
    given: dict[tuple[str, str], int] = {}
    for number, name in ((each["term"], each["name"]) for each in reply["names"]):
        if number not in terms:
            yield Problem("term", f"choose terms from 1 to {len(terms)}, not {number}")
            continue
        if not _PLAIN.fullmatch(name) or len(name.split()) > MAX_WORDS:
            yield Problem("plain-words", f"name term {number} by at most {MAX_WORDS} plain words, not {name!r}")
        if name.casefold() in terms[number].taken:
            yield Problem("taken", f"another term of the same class is called {name!r}: call term {number} otherwise")
        for owner in sorted(terms[number].owners):
            other = given.setdefault((owner, name.casefold()), number)
            if other != number:
                yield Problem("duplicate", f"terms {other} and {number} of one class are both {name!r}")
                break
    numbers = [each["term"] for each in reply["names"]]
    if repeated := sorted({number for number in numbers if numbers.count(number) > 1}):
        yield Problem("repeated", f"name each term once: {', '.join(map(str, repeated))}")


NAME_TERMS = load_agent("profile/term_names", check_term_names)


def terms_to_name(kg: KnowledgeGraph) -> frozenset[str]:
    """Return the terms that have only the name of a table or column, and no name in the profile yet."""
    return kg.vocabulary.table_terms - dict(kg.profile.names).keys()


def name_table_terms(kg: KnowledgeGraph, model: LanguageModel, *, theta: int = THETA) -> tuple[dict[str, str], int]:
    """Have a model name the terms that need a name; without any, it is not asked.

    Returns:
        The names by IRI, and the number of terms whose batches have no usable reply.

    Raises:
        ModelUnavailable: the model is gone.
        BudgetSpent: a limit of the run is reached.
        EndpointError: the endpoint does not answer.
    """
    vocabulary, asked = kg.vocabulary, terms_to_name(kg)
    columns = sorted(vocabulary.predicates.values(), key=lambda entry: entry.domains)  # those of one class together
    terms_in_order: list[ClassEntry | PredicateEntry] = [*vocabulary.classes.values(), *columns]
    named, failed = dict[str, str](), 0
    for batch in batches((entry for entry in terms_in_order if entry.iri in asked), BATCH_SIZE):
        terms = _describe(kg, batch, {**kg.spoken_names, **named})
        try:
            reply = NAME_TERMS(model, {"terms": terms}, theta=theta).value["names"]
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            failed += len(batch)
            continue
        named |= {terms[each["term"] - 1].entry.iri: each["name"] for each in reply}
    return named, failed


def _describe(
    kg: KnowledgeGraph, batch: Sequence[ClassEntry | PredicateEntry], names: Mapping[str, str]
) -> list[TableTerm]:
    vocabulary, own = kg.vocabulary, {entry.iri for entry in batch}
    taken: dict[str, set[str]] = {"": {names[iri].casefold() for iri in vocabulary.classes if iri not in own}}
    for predicate in vocabulary.predicates.values():
        for domain in predicate.domains if predicate.iri not in own else ():
            taken.setdefault(domain, set()).add(names[predicate.iri].casefold())

    def label(classes: Iterable[str]) -> str:
        return next((names.get(iri) or local_name(iri) for iri in classes), "")

    terms = []
    for number, entry in enumerate(batch, 1):
        domains, ranges = (entry.domains, entry.ranges) if isinstance(entry, PredicateEntry) else (("",), ())
        known = frozenset(name for owner in domains for name in taken.get(owner, ()) if name)
        ends = label(filter(None, domains)), label(ranges)
        terms.append(TableTerm(number, entry, frozenset(domains), known, names[entry.iri], ends))
    return terms
