from chattyshared.runs.manifest import program_versions


def test_versions_name_what_results_hang_on():
    found = program_versions("pytest", "no-such-package")
    assert list(found) == ["python", "chattykg", "pyoxigraph", "rdflib", "pytest", "no-such-package"]
    assert found["no-such-package"] == "not installed"
    assert all(version[0].isdigit() for name, version in found.items() if name != "no-such-package")
