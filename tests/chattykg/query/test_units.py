"""Amounts in several units: what is compared, what is selected by the unit that is said, what is refused."""

import pytest

from chattykg import Chat

SHOP = """
@prefix s: <https://schema.org/> . @prefix x: <http://x.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
x:speed rdfs:label "top speed" ; rdfs:comment "in km/h" .
x:pan a s:Product ; s:name "Iron Pan" ; s:weight [ a s:QuantitativeValue ; s:value 2.4 ; s:unitText "kg" ] ;
  s:offers [ a s:Offer ; s:price 39.5 ; s:priceCurrency "EUR" ] , [ a s:Offer ; s:price 45.0 ; s:priceCurrency "USD" ] .
x:pot a s:Product ; s:name "Copper Pot" ; s:weight [ a s:QuantitativeValue ; s:value 1100 ; s:unitText "g" ] ;
  s:offers [ a s:Offer ; s:price 89.0 ; s:priceCurrency "EUR" ] .
x:spoon a s:Product ; s:name "Wooden Spoon" ; s:offers [ a s:Offer ; s:price 4.2 ; s:priceCurrency "EUR" ] .
x:cart a s:Vehicle ; s:name "Parcel Cart" ; x:speed 90 .
x:van a s:Vehicle ; s:name "Blue Van" ; x:speed 170 .
"""


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Chat:
    path = tmp_path_factory.mktemp("units") / "shop.ttl"
    path.write_text(SHOP, encoding="utf-8")
    return Chat(str(path))


@pytest.mark.parametrize(
    ("question", "values", "note"),
    [
        ("What is the price of the Iron Pan?", ["39.5", "45"], "Stated in EUR or USD."),
        ("What is the price of the Iron Pan in dollars?", ["45"], ""),
        ("Which products are cheaper than 40 euros?", ["Iron Pan", "Wooden Spoon"], ""),
        ("What is the average price of the products in EUR?", ["44.233333333333333333"], ""),
        ("Which vehicles are faster than 100 mph?", ["Blue Van"], "Compared in km/h."),
        ("How fast is the Parcel Cart in mph?", ["90"], "Stated in km/h, not in mph."),
    ],
)
def test_amount_is_taken_in_the_unit_that_is_said(chat: Chat, question: str, values: list[str], note: str) -> None:
    chat.reset()
    answer = chat.ask(question)
    assert sorted(value.label or value.value for value in answer.values) == values
    assert note in answer.text or note in " ".join(answer.notes)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the cheapest product?", '"EUR" or "USD"'),
        ("What is the average price of the products?", '"EUR" or "USD"'),
        ("Which product is heavier, the Iron Pan or the Copper Pot?", '"g" or "kg"'),
        ("Which vehicles are faster than 100 kg?", 'no "kg"'),
    ],
)
def test_amounts_of_other_units_are_not_compared(chat: Chat, question: str, words: str) -> None:
    chat.reset()
    answer = chat.ask(question)
    assert answer.status == "unknown"
    assert words in answer.text
