"""The registry of question forms is whole: schemas, type, functions and generated dialogues agree with it."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from chattyshared.errors import ConfigError
from chattyshared.question_forms import FACT_FORMS, FORM_BY_NAME, MIX_SHARES, QUESTION_FORMS

from chattygen.form_registry import all_forms, register


def test_the_registry_holds_each_form_once() -> None:
    assert set(all_forms()) == set(FORM_BY_NAME)
    assert {form.name for form in QUESTION_FORMS} | {"sum", "average"} <= set(FORM_BY_NAME)
    assert sum(share for _, share in MIX_SHARES) == 100


def test_a_form_is_registered_once() -> None:
    with pytest.raises(ConfigError, match='"count" is registered already'):
        register(all_forms()["count"])


@pytest.mark.parametrize("name", ["questions", "binding"])
def test_the_reply_schemas_list_the_forms_of_facts(name: str) -> None:
    schema = json.loads(files("chattyprompts").joinpath("generate", f"{name}.schema.json").read_text(encoding="utf-8"))
    item = schema["properties"]["questions"]["items"] if "questions" in schema["properties"] else schema
    assert tuple(item["properties"]["form"]["enum"]) == FACT_FORMS
