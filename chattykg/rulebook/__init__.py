"""What the embedded rule model replies to each agent of the engine: ``RuleModel(RULEBOOK)``."""

from __future__ import annotations

from collections.abc import Mapping

from chattyshared.model.rules import Rule

from chattykg.rulebook import agent_rules

RULEBOOK: Mapping[str, Rule] = {
    "answer/classifier": agent_rules.classify_question,
    "answer/rephraser": agent_rules.rephrase_question,
    "answer/qir": agent_rules.represent_question,
    "answer/matching": agent_rules.choose_entities,
    "answer/planning": agent_rules.choose_predicates,
    "answer/verification": agent_rules.verify_candidate,
}

__all__ = ["RULEBOOK"]
