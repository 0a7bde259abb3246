"""What the embedded rule model answers for each agent of the QA engine: ``Rules(RULEBOOK)``."""

from __future__ import annotations

from collections.abc import Mapping

from chattyshared.model.rules import Rule

from chattykg.rulebook import classifier, matching, planning, qir, rephraser

RULEBOOK: Mapping[str, Rule] = {
    "answer/classifier": classifier.rule,
    "answer/rephraser": rephraser.rule,
    "answer/qir": qir.rule,
    "answer/matching": matching.rule,
    "answer/planning": planning.rule,
}

__all__ = ["RULEBOOK"]
