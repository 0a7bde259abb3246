import pytest
from chattyshared.resources import open_kg

from chattykg.experience.delexicalization import delexicalize
from chattykg.experience.items import ExperienceItem
from chattykg.experience.retrieval import MAX_EXAMPLES, ExamplePool
from chattykg.linking.embedding_similarity import EmbeddingSimilarity
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card


@pytest.fixture(scope="module")
def demo():
    return open_kg("demo")


def item(pattern, predicate="p", form="SELECT ?x WHERE { ?s <http://b.org/%s> ?x }"):
    return ExperienceItem(pattern, form % predicate, pattern)


def nearest(pool, question, kg, similarity=None):
    card = VocabularyCard()
    return [i.question for i in pool.find_examples(question, card, kg, similarity or LexicalSimilarity())]


def test_names_numbers_and_texts_become_their_kinds(demo):
    question = "Which films of 2010 did Christopher Nolan direct before Inception?"
    card = build_vocabulary_card(question, demo)
    assert delexicalize(question, card, demo) == "Which films of [number] did [person] direct before [film]?"


def test_the_nearest_questions_come_first(demo):
    pool = ExamplePool([item("Who is the author of [book]?", "a"), item("Who directed [film]?", "d")])
    assert nearest(pool, "Who directed [film]?", demo) == ["Who directed [film]?"]
    assert nearest(pool, "Who is the director that directed [film]?", demo)[0] == "Who directed [film]?"


def test_what_is_far_is_no_example(demo):
    assert nearest(ExamplePool([item("How tall is [mountain]?")]), "Who directed this?", demo) == []
    assert nearest(ExamplePool([]), "Who directed this?", demo) == []


def test_examples_are_of_different_kinds_and_few(demo):
    same = [item(f"Who directed [film] {n}?") for n in range(9)]
    others = [item(f"Who directed [film] of {n}?", f"p{n}") for n in range(9)]
    found = nearest(ExamplePool([*same, *others]), "Who directed [film]?", demo)
    assert len(found) == MAX_EXAMPLES
    assert len(set(found) & {i.question for i in same}) == 1


def test_the_question_itself_is_barred_where_it_is_under_test(demo):
    items = [item("Who directed it?"), item("Who directed that one?", "q")]
    assert nearest(ExamplePool(items, bars_same_question=True), "WHO directed it", demo) == ["Who directed that one?"]
    assert nearest(ExamplePool(items), "WHO directed it", demo)[0] == "Who directed it?"


class _LetterEncoder:
    """Encodes a text by its first letter."""

    name = "letters"

    def encode(self, texts):
        numpy = pytest.importorskip("numpy")
        return numpy.array([[1.0, 0.0] if text.startswith("W") else [0.0, 1.0] for text in texts], dtype="float32")

    def decode_vector(self, data):
        raise AssertionError


def test_a_sentence_encoder_finds_questions_without_common_words(demo):
    pool = ExamplePool([item("What made this?"), item("Did you who directed it?", "q")])
    encoder = EmbeddingSimilarity(_LetterEncoder(), LexicalSimilarity())
    assert nearest(pool, "Who directed it?", demo, encoder) == ["What made this?"]
