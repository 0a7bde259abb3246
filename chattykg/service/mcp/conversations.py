"""Conversations in memory, bounded in number, turns and values; the longest idle one is forgotten first."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.errors import ConfigError

MAX_CONVERSATIONS = 1_000
"""Conversations that are kept; beyond, the longest idle one is forgotten."""
MAX_TURNS = 200
"""Turns of one conversation."""
MAX_KEPT_VALUES = 1_000_000
"""Values in the answers of all conversations; beyond, the longest idle ones are forgotten."""
MAX_WAITING_QUESTIONS = 8
"""Questions that wait while their conversation answers one; further ones are refused."""


class KeptConversation:
    """The turns of one conversation, its owner (the name of a key), and the lock that its questions take in order."""

    def __init__(self, owner: str = "") -> None:
        self.id, self.owner = secrets.token_urlsafe(12), owner
        self.history: History = ()
        self.lock = anyio.Lock()

    @property
    def value_count(self) -> int:
        """The number of values in its answers."""
        return sum(_count_values(exchange.answer) for exchange in self.history)


class ConversationMemory:
    """All conversations of one event loop; a conversation is kept from its first answer on."""

    def __init__(self, max_conversations: int = MAX_CONVERSATIONS, max_turns: int = MAX_TURNS) -> None:
        self._max_conversations, self._max_turns = max_conversations, max_turns
        self._kept: OrderedDict[str, KeptConversation] = OrderedDict()
        self._value_count = 0

    @asynccontextmanager
    async def hold(self, id: str, owner: str = "") -> AsyncIterator[KeptConversation]:
        """Give a conversation of an owner ("": a new one) to one question at a time; the others wait in order.

        Raises:
            ConfigError: it is unknown, forgotten or another owner's, full, or too many questions wait for it.
        """
        conversation = self._find(id, owner) if id else KeptConversation(owner)
        if conversation.lock.statistics().tasks_waiting >= MAX_WAITING_QUESTIONS:
            raise ConfigError("too many questions wait for this conversation: ask again when it has answered")
        async with conversation.lock:
            if len(conversation.history) >= self._max_turns:
                raise ConfigError(
                    f"this conversation has {len(conversation.history)} turns, which fill it: begin another"
                )
            yield conversation

    def add(self, conversation: KeptConversation, exchange: Exchange) -> None:
        """Add a turn to a conversation, which is the newest from now on, and forget the oldest beyond the limits."""
        self._value_count -= self._forget(conversation.id)
        conversation.history = (*conversation.history, exchange)
        self._kept[conversation.id] = conversation
        self._value_count += conversation.value_count
        while len(self._kept) > self._max_conversations or (
            self._value_count > MAX_KEPT_VALUES and len(self._kept) > 1
        ):
            self._value_count -= self._forget(next(iter(self._kept)))

    def _forget(self, id: str) -> int:
        """Forget a conversation and return the number of its values; 0 if it is not kept."""
        conversation = self._kept.pop(id, None)
        return conversation.value_count if conversation else 0

    def _find(self, id: str, owner: str) -> KeptConversation:
        conversation = self._kept.get(id)
        if conversation is None or conversation.owner != owner:
            raise ConfigError("there is no such conversation, or it is forgotten: leave it out to begin one")
        return conversation


def _count_values(answer: Answer) -> int:
    return 1 + len(answer.values) + sum(map(len, answer.rows))
