"""Switches: the parts of an engine that an ablation turns off, and the numbers that it varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass, field, fields, replace
from typing import Any, Literal

from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionKind, OptionSpec, check_value, did_you_mean

_TRUTHS = {"on": True, "true": True, "off": False, "false": False}


def switch(default: Any, help: str, *, minimum: int | None = None, maximum: int | None = None,
           choices: tuple[str, ...] = ()) -> Any:  # fmt: skip
    """Return the dataclass field of a switch: on or off, an integer from ``minimum`` to ``maximum``, or a choice."""
    kind: OptionKind = "choice" if choices else "switch" if isinstance(default, bool) else "integer"
    spec = OptionSpec("", help, kind, minimum=minimum, maximum=maximum, choices=choices)
    return field(default=default, metadata={"spec": spec})


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches of one kind of engine; the defaults are the whole engine."""

    def to_manifest(self) -> dict[str, Any]:
        """Return the switches that differ from the whole engine."""
        whole = asdict(type(self)())
        return {name: value for name, value in asdict(self).items() if value != whole[name]}


@dataclass(frozen=True, slots=True)
class ChattySwitches(Switches):
    """The parts of Chatty-KG."""

    classifier: bool = switch(True, "tell follow-ups from questions that stand alone; off: rephrase every turn")
    card: bool = switch(True, "show the graph's vocabulary to the agent that represents the question")
    selection: bool = switch(True, "let the model select predicates; off: take those that score best")
    validators: bool = switch(True, "check replies of the stages beyond their schema; off: use them as they are")
    mode: Literal["multi", "single"] = switch("multi", "answer in the conversation", choices=("multi", "single"))

    @property
    def needs_stages(self) -> bool:
        """Whether a part is off that only the strategy in stages has."""
        return not (self.card and self.selection and self.validators)


@dataclass(frozen=True, slots=True)
class MkgqagentSwitches(Switches):
    """The parts of mKGQAgent."""

    plan: bool = switch(True, "let the model plan the steps before the first one")
    pool: Literal["plan", "action", "both", "off"] = switch(
        "both", "where examples of --experience are shown", choices=("plan", "action", "both", "off")
    )
    feedback: bool = switch(True, "tell once what the graph responds to the first query; off: that query is final")


@dataclass(frozen=True, slots=True)
class TriadSwitches(Switches):
    """The parts of Triad: its roles generalist (shots), decider (choices) and advisor, and its numbers N, K and T."""

    uri_choice: bool = switch(True, "let the model choose entities and predicates; off: take what matches best")
    query_choice: bool = switch(True, "let the model choose among results; off: take the first")
    advice: Literal["off", "boolean", "all"] = switch(
        "off", "answer from the model's memory if the graph gave nothing", choices=("off", "boolean", "all")
    )
    shots: int = switch(3, "examples of templates", minimum=0, maximum=3)
    entities: int = switch(2, "entities chosen for a mention", minimum=1, maximum=5)
    relations: int = switch(2, "predicates chosen for a relation", minimum=1, maximum=5)
    tries: int = switch(3, "tries of the whole", minimum=1, maximum=5)


@dataclass(frozen=True, slots=True)
class MemorizedSwitches(Switches):
    """The lists of the simulator of MemQA."""

    candidates: int = switch(5, "queries for a question, one of them right", minimum=2, maximum=55)
    seed: int = switch(0, "of the choice and order of the queries", minimum=0)


SWITCHES: Mapping[str, type[Switches]] = {
    "chatty": ChattySwitches, "mkgqagent": MkgqagentSwitches, "triad": TriadSwitches, "memorized": MemorizedSwitches,
}  # fmt: skip
"""The switches by the kind of engine; other kinds have none."""


def parse_switches(engine: str, texts: Sequence[str]) -> Switches:
    """Parse texts ``NAME=VALUE`` into the switches of a kind of engine.

    Raises:
        ConfigError: the engine has no such switch, one is set twice, or a value is none that it takes.
    """
    switches = SWITCHES.get(engine, Switches)()
    specs = {each.name: replace(each.metadata["spec"], name=each.name) for each in fields(switches)}
    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in specs:
            hint = did_you_mean(name, tuple(specs), list_known=True) or "; it has no switches"
            raise ConfigError(f"the engine {engine} has no switch {name!r:.100}{hint}")
        if name in values:
            raise ConfigError(f"the switch {name} is set twice")
        values[name] = _parse_value(specs[name], value)
    return replace(switches, **values)


def list_switches() -> str:
    """Return the switches of all kinds of engine with their values, for help texts."""
    return "; ".join(f"{engine}: {', '.join(map(_describe, fields(kind)))}" for engine, kind in SWITCHES.items())


def _describe(declared: Field[Any]) -> str:
    spec: OptionSpec = declared.metadata["spec"]
    numbers = f"{spec.minimum}-{spec.maximum}" if spec.maximum else "N"
    values = "|".join(spec.choices) or ("on|off" if spec.kind == "switch" else numbers)
    return f"{declared.name}={values} ({spec.help})"


def _parse_value(spec: OptionSpec, text: str) -> Any:
    value: Any = text
    if spec.kind == "switch":
        value = _TRUTHS.get(text.casefold(), text)
    elif spec.kind == "integer" and text.isdecimal():
        value = int(text)
    if spec.kind == "switch" and not isinstance(value, bool):
        raise ConfigError(f"the switch {spec.name} is on or off, not {text!r:.100}")
    check_value(spec, value)
    return value
