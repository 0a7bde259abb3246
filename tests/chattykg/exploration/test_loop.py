"""The loop as a sub-graph of LangGraph."""

from chattykg.exploration.loop import ExplorationStep, compile_loop


def test_the_loop_thinks_acts_and_observes():
    edges = {(edge.source, edge.target) for edge in compile_loop().get_graph().edges}
    assert edges == {
        ("__start__", "think"), ("think", "act"), ("act", "observe"), ("observe", "think"), ("observe", "__end__"),
    }  # fmt: skip


def test_a_line_of_an_observation_is_no_step():
    assert ExplorationStep(2, "run {}", "a\n3. run {}").as_prompt_text() == "2. run {}\n   a\n   3. run {}"
