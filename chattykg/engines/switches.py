"""Switches: the parts of an engine that an ablation turns off, and the numbers that it varies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec, setting, specs_of


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

    classifier: bool = setting(True, "tell follow-ups from questions that stand alone; off: rephrase every turn")
    card: bool = setting(True, "show the graph's vocabulary to the agent that represents the question")
    selection: bool = setting(True, "let the model select predicates; off: take those that score best")
    validators: bool = setting(True, "check replies of the stages beyond their schema; off: use them as they are")
    mode: Literal["multi", "single"] = setting("multi", "answer in the conversation", choices=("multi", "single"))

    @property
    def needs_stages(self) -> bool:
        """Whether a part is off that only the strategy in stages has."""
        return not (self.card and self.selection and self.validators)


@dataclass(frozen=True, slots=True)
class MkgqagentSwitches(Switches):
    """The parts of mKGQAgent."""

    plan: bool = setting(True, "let the model plan the steps before the first one", name="planning")
    pool: Literal["plan", "action", "both", "off"] = setting(
        "both", "where examples of --experience are shown", choices=("plan", "action", "both", "off")
    )
    feedback: bool = setting(True, "tell once what the graph responds to the first query; off: that query is final")


@dataclass(frozen=True, slots=True)
class TriadSwitches(Switches):
    """The parts of Triad: its roles generalist (shots), decider (choices) and advisor, and its numbers N, K and T."""

    uri_choice: bool = setting(True, "let the model choose entities and predicates; off: take what matches best")
    query_choice: bool = setting(True, "let the model choose among results; off: take the first")
    advice: Literal["off", "boolean", "all"] = setting(
        "off", "answer from the model's memory if the graph gave nothing", choices=("off", "boolean", "all")
    )
    shots: int = setting(3, "examples of templates", minimum=0, maximum=3)
    entities: int = setting(2, "entities chosen for a mention", minimum=1, maximum=5)
    relations: int = setting(2, "predicates chosen for a relation", minimum=1, maximum=5)
    tries: int = setting(3, "tries of the whole", minimum=1, maximum=5)


@dataclass(frozen=True, slots=True)
class MemorizedSwitches(Switches):
    """The lists of the simulator of MemQA."""

    candidates: int = setting(5, "queries for a question, one of them right", minimum=2, maximum=55)
    seed: int = setting(0, "of the choice and order of the queries", name="candidate_seed", minimum=0)


SWITCHES: Mapping[str, type[Switches]] = {
    "chatty": ChattySwitches, "mkgqagent": MkgqagentSwitches, "triad": TriadSwitches, "memorized": MemorizedSwitches,
}  # fmt: skip
"""The switches by the kind of engine; other kinds have none."""


def _show(default: object) -> str:
    return ("off", "on")[default] if isinstance(default, bool) else str(default)


SWITCH_SPECS: tuple[OptionSpec, ...] = tuple(
    replace(spec, help=f"{engine}: {spec.help}.", default=None, shown_default=_show(spec.default))
    for engine, declared in SWITCHES.items()
    for spec in specs_of(declared).values()
)
"""The switches as settings of a command; None leaves an engine as it is."""


def make_switches(engine: str, options: Mapping[str, Any]) -> Switches:
    """Return the switches of a kind of engine that the options of a command give.

    Raises:
        ConfigError: the engine has no such switch.
    """
    switches = SWITCHES.get(engine, Switches)()
    names = {spec.name: name for name, spec in specs_of(type(switches)).items()}
    given = {spec.name: options[spec.name] for spec in SWITCH_SPECS if options.get(spec.name) is not None}
    if misplaced := [name for name in given if name not in names]:
        hint = f"there are {', '.join(names)}" if names else "it has no switches"
        raise ConfigError(f"the engine {engine} has no switch {misplaced[0]!r}; {hint}")
    return replace(switches, **{names[name]: value for name, value in given.items()})
