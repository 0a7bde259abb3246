"""Conversations in memory: one question at a time, and limits on everything that grows."""

import anyio
import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.errors import ConfigError

from chattykg.service.mcp import conversations
from chattykg.service.mcp.conversations import ConversationMemory


async def add_turn(memory: ConversationMemory, id: str = "", values: int = 1) -> str:
    async with memory.hold(id) as kept:
        memory.add(kept, Exchange("Who?", Answer(values=(Value("x", "literal"),) * values)))
        return kept.id


def test_a_conversation_keeps_its_turns():
    async def talk():
        memory = ConversationMemory()
        id = await add_turn(memory)
        assert await add_turn(memory, id) == id
        async with memory.hold(id) as kept:
            assert [exchange.question for exchange in kept.history] == ["Who?", "Who?"]

    anyio.run(talk)


def test_a_conversation_without_an_answer_is_not_kept():
    async def talk():
        memory = ConversationMemory()
        async with memory.hold("") as kept:
            id = kept.id
        with pytest.raises(ConfigError, match="no such conversation"):
            await add_turn(memory, id)

    anyio.run(talk)


@pytest.mark.parametrize("id", ["x", "\ud800", "a" * 100_000])
def test_an_unknown_conversation_is_an_error(id):
    with pytest.raises(ConfigError, match="^there is no such conversation, or it is forgotten"):
        anyio.run(add_turn, ConversationMemory(), id)


def test_a_conversation_belongs_to_its_owner():
    async def talk():
        memory = ConversationMemory()
        async with memory.hold("", "ada") as kept:
            memory.add(kept, Exchange("Who?", Answer()))
        for owner in ("bob", ""):
            with pytest.raises(ConfigError, match="no such conversation"):
                async with memory.hold(kept.id, owner):
                    pass
        async with memory.hold(kept.id, "ada") as again:
            assert again is kept

    anyio.run(talk)


def test_a_full_conversation_takes_no_more():
    async def talk():
        memory = ConversationMemory(max_turns=2)
        id = await add_turn(memory, await add_turn(memory))
        with pytest.raises(ConfigError, match="has 2 turns, which fill it"):
            await add_turn(memory, id)

    anyio.run(talk)


def test_the_longest_idle_conversation_is_forgotten():
    async def talk():
        memory = ConversationMemory(max_conversations=2)
        first, second = await add_turn(memory), await add_turn(memory)
        await add_turn(memory, first)
        await add_turn(memory)
        await add_turn(memory, first)
        with pytest.raises(ConfigError, match="forgotten"):
            await add_turn(memory, second)

    anyio.run(talk)


def test_conversations_with_many_values_are_forgotten_sooner(monkeypatch):
    monkeypatch.setattr(conversations, "MAX_KEPT_VALUES", 100)

    async def talk():
        memory = ConversationMemory()
        first = await add_turn(memory, values=60)
        second = await add_turn(memory, values=60)
        third = await add_turn(memory, values=500)
        for forgotten in (first, second):
            with pytest.raises(ConfigError, match="forgotten"):
                await add_turn(memory, forgotten)
        assert await add_turn(memory, third) == third

    anyio.run(talk)


def test_questions_wait_in_order_and_not_in_any_number(monkeypatch):
    monkeypatch.setattr(conversations, "MAX_WAITING_QUESTIONS", 2)

    async def talk():
        memory, order, refused = ConversationMemory(), [], []
        id = await add_turn(memory)

        async def ask(number: int) -> None:
            try:
                async with memory.hold(id):
                    order.append(number)
                    await anyio.sleep(0.01)
                    order.append(number)
            except ConfigError as error:
                refused.append(str(error))

        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(ask, number)
        assert order == [0, 0, 1, 1, 2, 2]
        assert refused == ["too many questions wait for this conversation: ask again when it has answered"]

    anyio.run(talk)
