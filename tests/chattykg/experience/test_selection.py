import json

import pytest
from chattyshared.errors import ConfigError

import chattygen
import chattykg
from chattykg.experience.experience_file import Experience, ExperienceItem, make_header, write_experience
from chattykg.experience.leak_guard import HeldOutQuestion
from chattykg.experience.selection import examples_from, select_examples

SHIPS = "https://ships.example/"
ITEMS = (
    ExperienceItem(
        "Who commands the Comet?",
        f"SELECT ?x WHERE {{ <{SHIPS}comet> <{SHIPS}vocab/captain> ?x }}",
        "Who commands the [tanker]?",
    ),
    ExperienceItem(
        "Who commands the Aurora of Lund?",
        f"SELECT ?x WHERE {{ <{SHIPS}aurora> <{SHIPS}vocab/captain> ?x ; <{SHIPS}vocab/homeHarbor> <{SHIPS}lund> }}",
        "Who commands the [ship] of [harbor]?",
    ),
)
QUESTION = "Who commands the Aurora?"
GOLD = f"SELECT ?x WHERE {{ <{SHIPS}aurora> <{SHIPS}vocab/captain> ?x }}"


@pytest.fixture
def file(ships, tmp_path):
    path = tmp_path / "ships.experience.jsonl"
    write_experience(path, Experience(make_header(ships, {}), ITEMS))
    return path


class Function:
    """A model as a Python function; it keeps the prompts."""

    def __init__(self):
        self.prompts = []

    def __call__(self, messages):
        self.prompts.append(messages[-1]["content"])
        return json.dumps({"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { e:1 p:captain ?x }"})


def test_a_conversation_shows_examples_in_the_names_of_its_prompt(file, ships):
    model = Function()
    chat = chattykg.Chat(ships, model=model, strategy="direct", verbalize=False, experience=file)
    assert chat.ask(QUESTION).labels == ("Ann Lee",)
    assert '"Who commands the Aurora of Lund?" -> SELECT ?x WHERE { e:1 p:captain ?x ; p:homeHarbor' in model.prompts[0]
    assert model.prompts[0].endswith(f"\n\nQuestion: {QUESTION}")


def test_the_question_itself_is_an_example_in_a_conversation_but_not_under_test(file, ships):
    asked, guarded, chatted = ITEMS[0].question, Function(), Function()
    answers = chattykg.answer([asked], ships, model=guarded, strategy="direct", experience=file)
    assert answers.manifest["engine"]["experience"]["barred"] == {"question": 1}
    chattykg.Chat(ships, model=chatted, strategy="direct", verbalize=False, experience=[file]).ask(asked)
    assert [f'"{asked}" ->' in model.prompts[0] for model in (guarded, chatted)] == [False, True]


def test_what_gives_a_gold_query_away_is_left_out(file, ships):
    held_out = [HeldOutQuestion(("Name her.",), GOLD.replace("aurora", "comet"))]
    selected = select_examples([file], ships, held_out)
    assert selected.pool.items == ITEMS[1:]
    assert selected.to_manifest()["barred"] == {"query": 1}
    assert select_examples([file], ships).pool.items == ITEMS


def test_the_rules_are_told_to_use_none(file, ships, caplog):
    assert examples_from(file, ships, "rules") is None
    assert "the rules use no examples" in caplog.text
    assert examples_from(None, ships, "rules") is None


def test_an_experience_that_is_no_path_or_of_another_graph_is_refused(file, ships):
    for source in (7, [7]):
        with pytest.raises(ConfigError, match="7 is no path of a file"):
            examples_from(source, ships, "function")
    with pytest.raises(ConfigError, match="was made from another graph than demo"):
        chattykg.Chat("demo", model=Function(), experience=file)
    with pytest.raises(ConfigError, match="No such file"):
        chattykg.answer(chattygen.generate("demo", dialogues=1, turns=2), "demo", model=Function(), experience="none")
