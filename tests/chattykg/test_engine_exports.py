"""Questions in everyday words over the export of a database: flags, rows, the words of comments for tables."""

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

EXPORT = """
@prefix s: <http://depot.example/schema#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
s:VEH a rdfs:Class ; rdfs:label "VEH" ; rdfs:comment "vehicles" .
s:SVCREQ a rdfs:Class ; rdfs:label "SVCREQ" ; rdfs:comment "service requests" .
s:CONTR a rdfs:Class ; rdfs:label "CONTR" ; rdfs:comment "contractors" .
s:EMPL a rdfs:Class ; rdfs:label "EMPL" .
s:EMPL.sup_emp_no rdfs:label "sup_emp_no" ; rdfs:comment "line manager" .
s:VEH.stat_cd rdfs:label "stat_cd" ; rdfs:comment "I=in use, V=vacant" .
s:CONTR.trade_cd rdfs:label "trade_cd" ; rdfs:comment "PLB plumbing, TYR tyres" .
<http://depot.example/VEH/1> a s:VEH ; s:VEH.plate_no "KX-101" ; s:VEH.seat_cnt 5 ; s:VEH.row_no 2 ; s:VEH.stat_cd "V" ;
  s:VEH.depot_id <http://depot.example/DEPOT/1> .
<http://depot.example/VEH/2> a s:VEH ; s:VEH.plate_no "KX-102" ; s:VEH.seat_cnt 9 ; s:VEH.row_no 4 ; s:VEH.stat_cd "I" .
<http://depot.example/EMPL/1> a s:EMPL ; s:EMPL.full_nm "Ada Moss" ; s:EMPL.pt_flg "Y" ;
  s:EMPL.sup_emp_no <http://depot.example/EMPL/2> .
<http://depot.example/EMPL/2> a s:EMPL ; s:EMPL.full_nm "Ole Dahl" ; s:EMPL.pt_flg "N" ; s:EMPL.exit_dt "2024-05-01" .
<http://depot.example/DEPOT/1> a s:DEPOT ; s:DEPOT.depot_nm "North Yard" ; s:DEPOT.city_nm "Brekke" .
<http://depot.example/HIRE/1> a s:HIRE ; s:HIRE.veh_id <http://depot.example/VEH/2> ;
  s:HIRE.empl_id <http://depot.example/EMPL/1> .
<http://depot.example/CONTR/1> a s:CONTR ; s:CONTR.firm_nm "Rimwell" ; s:CONTR.trade_cd "TYR" .
<http://depot.example/CONTR/2> a s:CONTR ; s:CONTR.firm_nm "Pipewise" ; s:CONTR.trade_cd "PLB" .
<http://depot.example/SVCREQ/1> a s:SVCREQ ; s:SVCREQ.title_txt "left mirror cracked" ;
  s:SVCREQ.contr_id <http://depot.example/CONTR/1> ; s:SVCREQ.hndl_emp_no <http://depot.example/EMPL/1> .
<http://depot.example/SVCREQ/2> a s:SVCREQ ; s:SVCREQ.title_txt "sink leaks in cabin" ;
  s:SVCREQ.contr_id <http://depot.example/CONTR/2> ; s:SVCREQ.hndl_emp_no <http://depot.example/EMPL/2> .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path = tmp_path_factory.mktemp("depot") / "depot.ttl"
    path.write_text(EXPORT, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("List all firms", {"Rimwell", "Pipewise"}),
        ("How many service requests are there?", {"2"}),
        ("What kind of trade does Rimwell have?", {"TYR"}),
    ],
)
def test_everyday_words_name_what_the_export_holds(engine: ChattyEngine, question: str, answers: set[str]) -> None:
    answer = engine.answer(question)
    assert {value.label or value.value for value in answer.values} == answers, answer.reason


@pytest.mark.parametrize(
    "question",
    [
        "Which vehicles are standing empty?",
        "Plumbers we work with?",
        "Who handles the cracked mirror?",
        "Who drives KX-102?",
    ],
)
def test_words_that_the_export_does_not_hold_are_refused(engine: ChattyEngine, question: str) -> None:
    assert engine.answer(question).status != "answered"


LOWER_CASE = """
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @base <http://hire.example/db/> .
<shop/1> a <shop> ; <shop#shop_nm> "Quayside" ; <shop#sun_open> "Y" . <shop/2> a <shop> ; <shop#shop_nm> "Ridge" ; <shop#sun_open> "N" .
<stk_item/11> a <stk_item> ; <stk_item#item_no> 11 ; <stk_item#price> 40 ; <stk_item#shop_no> <shop/1> ; <stk_item#auth_nm> "Bo Lind" .
<stk_item/12> a <stk_item> ; <stk_item#item_no> 12 ; <stk_item#price> 15 ; <stk_item#shop_no> <shop/1> .
<stk_item/13> a <stk_item> ; <stk_item#item_no> 13 ; <stk_item#price> 25 ; <stk_item#shop_no> <shop/2> .
<hire/71> a <hire> ; <hire#hire_no> 71 ; <hire#item_no> <stk_item/11> ; <hire#stat> "late" ; <hire#due_dt> "2024-05-01"^^xsd:date .
<hire/72> a <hire> ; <hire#hire_no> 72 ; <hire#item_no> <stk_item/11> ; <hire#stat> "open" ; <hire#due_dt> "2024-05-04"^^xsd:date ;
  <hire#ret_dt> "2024-05-02"^^xsd:date .
<hire/73> a <hire> ; <hire#hire_no> 73 ; <hire#item_no> <stk_item/12> ; <hire#stat> "paid" ; <hire#due_dt> "2024-06-01"^^xsd:date .
<hire/74> a <hire> ; <hire#hire_no> 74 ; <hire#item_no> <stk_item/12> ; <hire#stat> "open" ; <hire#due_dt> "2024-06-09"^^xsd:date .
"""  # noqa: E501


@pytest.fixture(scope="module")
def shop_engine(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path = tmp_path_factory.mktemp("hire") / "hire.ttl"
    path.write_text(LOWER_CASE, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which items cost more than 20?", {"stock item 11", "stock item 13"}),
        ("How many items are at Quayside?", {"2"}),
        ("Which shop is open on Sundays?", {"Quayside"}),
        ("Which hires haven't been returned yet?", {"hire 71", "hire 73", "hire 74"}),
        ("Which hires are late?", {"hire 71"}),
        ("When is hire 72 due?", {"2024-05-04"}),
    ],
)
def test_tables_in_small_letters_are_read_by_their_columns(
    shop_engine: ChattyEngine, question: str, answers: set[str]
) -> None:
    answer = shop_engine.answer(question)
    assert {value.label or value.value for value in answer.values} == answers, answer.reason
