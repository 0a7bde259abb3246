"""Goals: what the user knows, what a goal hangs on, and what a wrong belief does to its wordings."""

from chattyshared.dialogue import Value
from chattyshared.kg import KnowledgeGraph
from ship_talk import ANN, BIRTH, BOB, CAPTAIN, COUNTRY, GERMANY, LUND, SCRAPPED, TALK, S, V, plan_of, turn

from chattykg.simulation.goals import occurs, plans_from_dialogues, tell_apart


def test_a_goal_hangs_on_the_answers_that_it_refers_to_or_names() -> None:
    captain, birth, country, scrapped = plan_of(*TALK.turns).goals
    assert [goal.hangs_on for goal in (captain, birth, country, scrapped)] == [(), (1,), (2,), ()]
    assert [goal.learned for goal in (captain, birth, country)] == [(), (("Ann Lee", 1),), (("Kiel Port", 2),)]


def test_a_name_that_the_user_has_said_before_is_not_learned() -> None:
    winner = turn(1, "Who is older, Ann Lee or Bob Ray?", "Who is older, Ann Lee or Bob Ray?", "opens", "person",
                  (S + "ann", V + "spouse", "?x"), BOB, form="comparison")  # fmt: skip
    later = turn(2, "Where was he born?", "Where was Bob Ray born?", "answer", "Harbor",
                 (S + "bob", V + "birthPlace", "?x"), LUND)  # fmt: skip
    goal = plan_of(winner, later).goals[1]
    assert (goal.learned, goal.hangs_on) == ((), (1,))


def test_a_set_question_hangs_on_the_last_list() -> None:
    crew = turn(1, "Who sails on Aurora?", "Who sails on Aurora?", "opens", "person", (S + "aurora", V + "crew", "?x"),
                ANN, BOB)  # fmt: skip
    port = turn(2, "Where is it?", "Where is Aurora?", "topic", "Harbor", (S + "aurora", V + "homeHarbor", "?x"), LUND)
    among = turn(3, "Which of them were born there?", "Which of the crew of Aurora were born in Lund Port?", "among",
                 "person", ("?x", V + "birthPlace", S + "lund"), BOB)  # fmt: skip
    assert plan_of(crew, port, among).goals[2].hangs_on == (1, 2)


def test_who_believes_another_answer_asks_about_it() -> None:
    goal = plan_of(CAPTAIN, BIRTH, COUNTRY).goals[2].with_belief("Kiel Port", LUND)
    assert (goal.turn.question, goal.turn.standalone) == ("What country is Lund Port in?",) * 2
    assert [one.iri for one in goal.things] == [S + "lund"] and goal.gold.elements[0].iri == GERMANY.value
    long = plan_of(CAPTAIN, BIRTH).goals[1].with_belief("Ann Lee", Value("x" * 5_000, "literal"))
    assert len(long.turn.standalone) < 300


def test_the_graph_gives_names_and_a_third_wording(ships: KnowledgeGraph) -> None:
    captain, scrapped = plan_of(CAPTAIN, SCRAPPED, kg=ships).goals
    assert captain.paraphrase == "Tell me the captain of Aurora."
    assert [one.label for one in (*captain.things, *captain.terms)] == ["Aurora", "captain"]
    assert scrapped.paraphrase == plan_of(CAPTAIN, lang="de", kg=ships).goals[0].paraphrase == ""
    assert next(plans_from_dialogues([TALK])).goals[0].paraphrase == ""


def test_things_of_one_name_are_told_apart_without_what_the_plan_asks_for(ships: KnowledgeGraph) -> None:
    comet = turn(1, "How long is Comet?", "How long is Comet?", "opens", "decimal", (S + "comet", V + "length", "?x"),
                 Value("300.0", "number"), form="number")  # fmt: skip
    color = turn(2, "What is its color?", "What is the color of Comet?", "topic", "string",
                 (S + "comet", V + "color", "?x"), Value("red", "literal"))  # fmt: skip
    goal = plan_of(comet, color, kg=ships).goals[0]
    told_apart = [tell_apart(goal.names[0], [S + other], ships, hidden=goal.hidden) for other in ("comet2", "comet")]
    assert told_apart == ["Comet (tanker)", "Comet"]
    assert tell_apart(goal.names[0], [S + "comet2"], None, hidden=goal.hidden) == "Comet"
    assert goal.hidden == {V + "length", V + "color"}


def test_names_are_whole_words() -> None:
    assert occurs("Ann", "Was Ann born?") and not occurs("Ann", "Anna") and not occurs("", "Ann")
