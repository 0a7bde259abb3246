"""Answers kept by what was said: exact for the same conversation, read from its text for another, and bounded."""

from chattyshared.dialogue import Answer, LinkedTerm, Value

from chattykg.service.protocols.answer_store import AnswerStore, SaidTurn

IDA = Value("https://orchard.example/g1", "iri", label="Ida Moor")
KEPT = Answer((IDA,), (1.0,), sparql="SELECT 1", entities=(LinkedTerm("it", "urn:x:t1", "Old Bramley"),))
FIRST = SaidTurn("Who planted it?", "The planter: *Ida Moor*.")


def test_what_was_not_said_so_is_read_from_its_text() -> None:
    store = AnswerStore()
    store.keep("orchard", [FIRST], KEPT)
    other_graph = store.recall("piers", [FIRST])
    assert other_graph.read == (1,) and other_graph.exchanges[0].answer.sparql == ""
    edited = store.recall("orchard", [SaidTurn(FIRST.question, "- Tom\n- Ida"), SaidTurn("And?", "")])
    assert edited.read == (1,)
    assert [[value.value for value in one.answer.values] for one in edited.exchanges] == [["Tom", "Ida"], []]
    listed = store.recall("orchard", [SaidTurn("Who?", '{"answers": ["urn:x:1", 7, "5"]}')]).exchanges[0].answer
    assert [(value.value, value.kind) for value in listed.values] == [("urn:x:1", "iri"), ("5", "number")]
    assert store.recall("orchard", [SaidTurn("Who?", "{not JSON")]).exchanges[0].answer.values


def test_a_long_text_is_read_in_part() -> None:
    text = "\n".join(f"- {number} {'x' * 5_000}" for number in range(500))
    values = AnswerStore().recall("orchard", [SaidTurn("Who?", text)]).exchanges[0].answer.values
    assert len(values) == 100 and max(len(value.value) for value in values) == 1_000


def test_the_memory_is_bounded_and_the_latest_used_answers_stay() -> None:
    store = AnswerStore(max_bytes=20_000)
    turns = [SaidTurn(f"Who is {number}?", "Ida") for number in range(500)]
    for number, turn in enumerate(turns):
        store.keep("orchard", [turn], KEPT)
        if number % 5 == 0:
            store.recall("orchard", [turns[0]])
    assert store._size <= 20_000 and store._size == sum(len(packed) for _, packed in store._answers.values())
    assert store.recall("orchard", [turns[0]]).read == store.recall("orchard", [turns[-1]]).read == ()
    assert store.recall("orchard", [turns[1]]).read == (1,)


def test_answers_expire() -> None:
    store = AnswerStore(hours=-1)
    store.keep("orchard", [FIRST], KEPT)
    assert store.recall("orchard", [FIRST]).read == (1,) and store._size == 0
