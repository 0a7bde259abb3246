import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.errors import ConfigError

import chattygen
from chattykg.experience.closed_loop import learn_from_file, split_dialogues
from chattykg.experience.experience_file import read_experience


@pytest.fixture
def files(tmp_path):
    return tuple(tmp_path / f"{name}.jsonl" for name in ("all", "training", "test"))


def test_the_dialogues_of_one_thing_stay_in_one_part(files, demo):
    path, training, test = files
    bench = chattygen.generate(demo, dialogues=3, turns=2)
    doubled = chattygen.load_benchmark(_saved(bench, path))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, *(line.replace('"id": "d', '"id": "e') for line in lines[1:])]) + "\n")
    split_dialogues(path, training, test)
    parts = [[dialogue.seed.iri for dialogue in read_benchmark(part)] for part in (test, training)]
    seeds = [dialogue.seed.iri for dialogue in doubled]
    assert parts == [[seeds[0], seeds[2], seeds[0], seeds[2]], [seeds[1], seeds[1]]]


def test_one_thing_is_too_few_and_another_test_file_is_kept(files, demo):
    path, training, test = files
    _saved(chattygen.generate(demo, dialogues=1, turns=2), path)
    with pytest.raises(ConfigError, match="holds dialogues about 1 thing"):
        split_dialogues(path, training, test)
    _saved(chattygen.generate(demo, dialogues=2, turns=2), path)
    _saved(chattygen.generate(demo, dialogues=1, turns=3, seed=5), test)
    with pytest.raises(ConfigError, match="belongs to another run"):
        split_dialogues(path, training, test)
    split_dialogues(path, training, test, overwrite=True)
    assert (len(read_benchmark(test)), len(read_benchmark(training))) == (1, 1)


def test_what_is_learned_is_of_the_graph(files, demo):
    path, training, _ = files
    _saved(chattygen.generate(demo, dialogues=1, turns=3), training)
    assert learn_from_file(training, path, demo) == len(read_experience(path).items) > 0
    assert read_experience(path).fingerprint == demo.fingerprint()


def _saved(bench, path):
    bench.save(path)
    return path
