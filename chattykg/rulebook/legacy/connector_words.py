"""The words that people use of connectors: verbs of joining, winning and playing, by what a connector has."""

from __future__ import annotations

from collections.abc import Sequence

from chattyshared.language.morphology import analyze_phrase

from chattykg.linking.reified_relations import ReifiedRelation

BEGIN_VERBS = frozenset("join begin start enter become appoint".split())
END_VERBS = frozenset("leave quit end resign".split())
PRESENT_ADVERBS = frozenset("now currently current today presently still".split())
WIN_WORDS = frozenset("win winner victory victor champion".split())
_SETTING = frozenset("belong member part hold work serve be join leave quit club".split())
_CONTEST = frozenset("come take part finish compete participate get score enter race place win winner receive".split())
_STAGE = frozenset("play perform act appear star cast sing dance".split())
_EMBODIED = frozenset("perform role character cast play part appear".split())
GAIN_VERBS = frozenset("win receive get earn gain".split())
_PRIZES = frozenset("award prize medal winner recipient".split())


def find_nary_verbs(connector: ReifiedRelation, labels: Sequence[str]) -> frozenset[str]:
    """Return the verbs that people use of connectors with such attributes and roles (``labels`` are their names)."""
    found = _SETTING | BEGIN_VERBS | END_VERBS if connector.begin_attribute else frozenset[str]()
    found |= PRESENT_ADVERBS if connector.end_attribute else frozenset()
    found |= _CONTEST if connector.rank_attribute else frozenset()
    words = {word for text in labels for word in analyze_phrase(text).lemmas}
    found |= _STAGE if words & _EMBODIED or any(word.startswith("perform") for word in words) else frozenset()
    return found | (GAIN_VERBS if words & _PRIZES else frozenset())
