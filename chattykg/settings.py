"""The settings of an engine, and the options of asking it: each declared once, for commands, files and Python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from chattyshared.option_specs import (
    MAX_STEPS,
    QUERY_LIMIT,
    SHOWN_ANSWERS,
    THETA,
    THETA_SETTING,
    VERTEX_LIMIT,
    OptionSpec,
    check_value,
    option,
    setting,
    specs_of,
)

from chattykg.engines.switches import ChattySwitches, Switches

if TYPE_CHECKING:
    from chattykg.strategies import Strategy, StrategyOption

ClarifyMode = Literal["ask", "best", "refuse"]
TranslateMode = Literal["auto", "always", "never"]
PromptOption = Literal["auto", "full", "lean"]
LabelPolicy = Literal["name", "drop"]
SwitchesT = TypeVar("SwitchesT", bound=Switches)


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine works.

    Each field says itself what it is; ``row_limit`` bounds the rows of an answer, ``question_limit`` the characters of
    a question, and ``switches`` turn parts of the engine off. The commands take another default of ``strategy``.
    """

    # fmt: off
    theta: int = setting(THETA, THETA_SETTING.help, minimum=1)
    shown_answers: int = setting(SHOWN_ANSWERS, "L: answers of each earlier turn that a model is shown.", minimum=1)
    vertex_limit: int = setting(
        VERTEX_LIMIT, "v_limit: vertices that are retrieved for a name; where there are more, a note says so.",
        minimum=1)
    query_limit: int = setting(QUERY_LIMIT, "query_num: candidate queries of a question that are kept.", minimum=1)
    row_limit: int = 10_000
    threshold: float = setting(0.05, "Say that it is not known where the engine is less sure than this.", minimum=0,
                               maximum=1)
    question_limit: int = 2_000
    strategy: StrategyOption | Strategy = option(
        "staged", "Build the query in stages, let the model write it in one call, or let it look into the graph by "
        "tools first; auto: what suits the model, then another if that leaves something open. The rules answer in "
        "stages.", choices=("auto", "staged", "direct", "agent"))
    max_steps: int = setting(MAX_STEPS, "Calls of the agent strategy for a question at most.", minimum=1)
    prompt: PromptOption = setting(
        "auto", "How much a model that writes queries is shown: full, or lean for small ones; auto: what suits it.",
        choices=get_args(PromptOption))
    clarify: ClarifyMode = option(
        "best", "What a question with several readings gets: a question back, the best answer with a note and less "
        "confidence, or none.", choices=get_args(ClarifyMode))
    translate: TranslateMode = setting(
        "auto", "Have a language model translate questions in another language than the graph's before they are read; "
        "auto: where the labels are not in their language and the prompt names less than 90 % of the vocabulary.",
        choices=get_args(TranslateMode))
    switches: Switches = ChattySwitches()
    # fmt: on

    def switches_of(self, kind: type[SwitchesT]) -> SwitchesT:
        """Return the switches of a kind of engine; those of another kind leave it whole."""
        return self.switches if isinstance(self.switches, kind) else kind()


ENGINE_SPECS = {**specs_of(Settings), "strategy": replace(specs_of(Settings)["strategy"], default="auto")}
"""The options and settings of an engine in the commands, by the fields of ``Settings``."""
HISTORY_OPTION = OptionSpec("history", "What the engine takes for the earlier answers: its own, or the right ones.",
                            "choice", "own", choices=("own", "gold"))  # fmt: skip
WORDING_OPTION = OptionSpec("wording", "How turns of a benchmark are asked: as in the dialogue, or each for itself.",
                            "choice", "follow-up", choices=("follow-up", "standalone"))  # fmt: skip


def make_settings(**values: Any) -> Settings:
    """Return the settings that a Python caller chose.

    Raises:
        ConfigError: one has another type, is out of range, or is none of the choices.
    """
    for name, value in values.items():
        check_value(ENGINE_SPECS[name], value)
    return Settings(**values)
