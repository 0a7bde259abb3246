"""The words that people use of connectors: verbs of joining, winning and playing, by what a connector has."""

from __future__ import annotations

from collections.abc import Sequence

from chattykg.linking.reified_relations import Connector
from chattykg.linking.words import read

BEGINS = frozenset("join begin start enter become appoint".split())
ENDS = frozenset("leave quit end resign".split())
NOW = frozenset("now currently current today presently still".split())
WINS = frozenset("win winner victory victor champion".split())
_SETTING = frozenset("belong member part hold work serve be join leave quit club".split())
_CONTEST = frozenset("come take part finish compete participate get score enter race place win winner receive".split())
_STAGE = frozenset("play perform act appear star cast sing dance".split())
_EMBODIED = frozenset("perform role character cast play part appear".split())
GAINS = frozenset("win receive get earn gain".split())
_PRIZES = frozenset("award prize medal winner recipient".split())


def manners_of(connector: Connector, labels: Sequence[str]) -> frozenset[str]:
    """Return the verbs that people use of connectors with such attributes and roles (``labels`` are their names)."""
    found = _SETTING | BEGINS | ENDS if connector.begin else frozenset[str]()
    found |= NOW if connector.end else frozenset()
    found |= _CONTEST if connector.rank else frozenset()
    words = {word for text in labels for word in read(text).lemmas}
    found |= _STAGE if words & _EMBODIED or any(word.startswith("perform") for word in words) else frozenset()
    return found | (GAINS if words & _PRIZES else frozenset())
