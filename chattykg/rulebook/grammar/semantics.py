"""The operations that rules may call: the public functions of some modules, by name (``not`` for ``not_``)."""

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from chattykg.rulebook.grammar import comparisons, noun_phrases, properties, questions, verb_phrases

_MODULES = (comparisons, noun_phrases, properties, questions, verb_phrases)
OPERATIONS: Mapping[str, Callable[..., Any]] = {
    name.removesuffix("_"): function
    for module in _MODULES
    for name, function in vars(module).items()
    if isinstance(function, FunctionType) and function.__module__ == module.__name__ and not name.startswith("_")
}
