"""The registry of question forms: for each, how turns are offered, compiled to SPARQL, put into words, and checked.

``chattygen.forms`` has one module a family; each of its modules is loaded on first use, so a new form is a new module.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, Protocol

from chattyshared.check import Problem
from chattyshared.dialogue import LinkName
from chattyshared.errors import ConfigError
from chattyshared.question_forms import FORM_BY_NAME, QuestionForm, add_form

Offer = Callable[[Any, Any, Any, LinkName, Random], Iterable[Any]]
"""From the run, the context, a topic, the link and a random stream to the turns of a form about the topic, without
number. A topic is a ``Summary``, an ``AnswerSet``, or a tuple of siblings of the seed: nothing for those that the form
is not about."""


class HasForm(Protocol):
    """What has the name of a form: a turn, specified or written."""

    @property
    def form(self) -> str:
        """The name of the form."""


def no_check(turn: Any, text: str) -> Iterator[Problem]:
    """Find nothing wrong in the words of a turn."""
    return iter(())


@dataclass(frozen=True, slots=True)
class Form:
    """A form of question: what it is, and its functions, which take a ``TurnSpec``.

    ``offer`` yields the turns that a context offers, ``compile`` writes the query of a turn, ``expect`` says what the
    query must give by what the graph states, ``word`` yields English questions with a ``ReferringExpression`` for the
    entity (None: about the answers of an earlier turn), ``check`` yields what is wrong with an English question that a
    model wrote.
    """

    question: QuestionForm
    offer: Offer
    compile: Callable[[Any], str]
    expect: Callable[[Any], Any]
    word: Callable[[Any, Any], Iterator[str]]
    check: Callable[[Any, str], Iterator[Problem]] = no_check


_FORMS: dict[str, Form] = {}


def register(form: Form) -> Form:
    """Add a form to the registry, and return it.

    Raises:
        ConfigError: a form of this name is registered.
    """
    name = form.question.name
    if name in _FORMS:
        raise ConfigError(f'the question form "{name}" is registered already')
    add_form(form.question)
    _FORMS[name] = form
    return form


@cache
def all_forms() -> Mapping[str, Form]:
    """Return all forms by name, in the order of ``chattyshared.question_forms``."""
    package = import_module("chattygen.forms")
    for module in pkgutil.iter_modules(package.__path__, "chattygen.forms."):
        import_module(module.name)
    return {name: _FORMS[name] for name in FORM_BY_NAME if name in _FORMS}


def form_of(turn: HasForm) -> Form:
    """Return the form of a turn."""
    return all_forms()[turn.form]
