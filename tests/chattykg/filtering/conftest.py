from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.rulebook import RULEBOOK
from chattykg.state import AgentContext, Settings, Verification


@pytest.fixture
def opened(ships: KnowledgeGraph) -> Callable[..., AgentContext]:
    def open_context(model: Any = None, verification: Verification | None = None) -> AgentContext:
        return AgentContext(ships, {"": model or RuleModel(RULEBOOK)}, Settings(theta=2), verification=verification)

    return open_context
