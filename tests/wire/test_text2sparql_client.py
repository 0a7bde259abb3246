"""The challenge's own client against our service on the demo graph; its score beside ours on the same files."""

import json
import subprocess
from pathlib import Path

import pytest
from chattyshared.formats import text2sparql
from chattyshared.formats.predictions import read_predictions
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from wire.running_service import Running
from wire.text2sparql_client import program

import chattygen
from chattygen.pipeline import generate
from chattykg.engine import ChattyEngine
from chattykg.evaluation import external_metrics
from chattykg.evaluation.evaluate import evaluate_systems
from chattykg.rulebook import RULEBOOK
from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.sessions import SessionStore

CLIENT = program()
DEMO = Path(chattygen.__file__).parents[1] / "data" / "chattydata" / "demo.ttl"
DATASET = "https://chatty.example/demo/"
pytestmark = pytest.mark.skipif(
    CLIENT is None, reason="no text2sparql-client: python tests/wire/text2sparql_client.py installs it"
)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Have the client ask the service, run both sides' queries, and score them; return the folder with its files."""
    from wire.server import SparqlServer

    room = tmp_path_factory.mktemp("text2sparql")
    kg = open_kg(["demo"])
    made = generate(kg, RuleModel(chattygen.RULEBOOK), chattygen.Options(dialogues=6, turns=5))
    dialogues = [each.dialogue for each in made if each.dialogue]
    written = text2sparql.render_questions(
        dialogues, dataset=DATASET, prefix="demo", language="en", wording="standalone"
    )
    (room / "questions.yml").write_text(written, encoding="utf-8")
    desk = DatasetRegistry({DATASET: ServedDataset(DATASET, kg, ChattyEngine(kg, RuleModel(RULEBOOK)))}, "rules")
    with Running(make_app(desk, SessionStore())) as service:
        called(room, "ask", "questions.yml", service.url, "-o", "answers.json", "--retries", "0")
        refused = called(
            room, "ask", "questions.yml", f"{service.url}?dataset=x", "-o", "refused.json", "--retries", "0"
        )
        (room / "refused.txt").write_text(refused)
    endpoint = SparqlServer([DEMO]).start()
    try:
        called(room, "query", "questions.yml", "-e", endpoint.url, "-o", "questions_result_set.json")
        called(room, "query", "questions.yml", "-a", "answers.json", "-e", endpoint.url, "-o", "told.json")
    finally:
        endpoint.stop()
    called(room, "evaluate", "chattykg", "questions_result_set.json", "told.json", "-o", "scores.json")
    return room


def called(room: Path, *arguments: str) -> str:
    done = subprocess.run([str(CLIENT), *arguments], cwd=room, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stderr


def read(path: Path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_question_is_asked_and_answered(room):
    answers = read(room / "answers.json")
    assert len(answers) == 30 and {answer["dataset"] for answer in answers} == {DATASET}
    assert [answer["qname"] for answer in answers] == [f"demo:{number}-en" for number in range(1, 31)]
    assert sum(bool(answer["query"]) for answer in answers) >= 25


def test_the_score_is_that_of_the_client(room):
    """On the result sets that the client made itself: gold's and ours, question by question and on the whole."""
    scores = read(room / "scores.json")
    mean = scores.pop("average")
    sheet = evaluate_systems(room / "questions.yml", [room / "told.json"]).scorecards[0]
    found = external_metrics.score_text2sparql(sheet.turns, with_empty_gold=False)
    assert mean["set_F"] > 0.5 and found.n == len(scores) < len(sheet.turns) == 30
    assert (found.precision, found.recall, found.f) == pytest.approx((mean["set_P"], mean["set_recall"], mean["set_F"]))
    for turn in sheet.turns:
        theirs = scores.get(turn.gold.id, {"set_F": 0.0})  # without gold: the published tables have 0
        assert external_metrics.score_text2sparql([turn]).f == pytest.approx(theirs["set_F"]), turn.gold.id


def test_answers_json_run_here_gives_what_the_client_found(room):
    """The queries of answers.json on the graph: the same values as in the result set that the client made of them."""
    by_id = {str(line.id): set(line.answers) for line in read_predictions(room / "told.json")}
    for line in read_predictions(room / "answers.json", open_kg(["demo"])):
        assert set(line.answers) == by_id[str(line.id)], line.id
