"""What a Python caller names: graphs with the credentials, and models with the keys of the environment."""

import pytest
import rdflib
from chattyshared.errors import ConfigError
from chattyshared.model.rules import RuleModel
from chattyshared.resources import open_kg, open_model, secrets


def test_the_rules_get_their_rulebook():
    assert isinstance(open_model("rules", {}), RuleModel)


def test_a_spec_takes_its_key_and_its_address_from_the_environment(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="needs a key in OPENAI_API_KEY"):
        open_model("openai:some-model", {})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
    assert open_model("openai:some-model", {}).name == "openai:some-model"
    assert "sk-of-the-test" in secrets()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert open_model("openai:some-model", {}).name == "openai:some-model"


@pytest.mark.parametrize("model", [None, 5, RuleModel, object(), ["rules"]])
def test_other_things_are_no_models(model):
    with pytest.raises(ConfigError, match="no language model: .*give a spec"):
        open_model(model, {})


def test_an_address_goes_with_a_spec():
    with pytest.raises(ConfigError, match="base_url goes with a model spec"):
        open_model(lambda messages: "", {}, base_url="http://127.0.0.1:9/v1")


def test_a_graph_without_labels_is_said_once(caplog):
    graph = rdflib.Graph().add((rdflib.URIRef("http://e/a"), rdflib.URIRef("http://e/p"), rdflib.URIRef("http://e/b")))
    kg = open_kg(graph)
    assert [record.message for record in caplog.records] == [
        "graph has no labels: things are called by the local names of their IRIs"
    ]
    assert open_kg(kg) is kg and len(caplog.records) == 1


def test_half_of_the_credentials_is_refused(monkeypatch):
    monkeypatch.setenv("CHATTY_KG_USER", "ada")
    with pytest.raises(ConfigError, match="CHATTY_KG_PASSWORD is not"):
        open_kg("http://127.0.0.1:9/sparql")
