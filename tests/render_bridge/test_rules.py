"""Every rule of the specification is named by a test, and no test names a rule that is not there."""

import re
from pathlib import Path

HERE = Path(__file__).parent
SPEC = HERE.parents[1] / "docs" / "PROTOCOL.md"


def rules_of_the_specification():
    return re.findall(r"^- \*\*(R-\d\d)\*\*", SPEC.read_text(encoding="utf-8"), re.M)


def rules_named_in(docstrings):
    found = set()
    for text in docstrings:
        for first, last in re.findall(r"R-(\d\d)(?: … R-(\d\d))?", text):
            found |= {f"R-{k:02}" for k in range(int(first), int(last or first) + 1)}
    return found


def docstrings_of_tests():
    for path in HERE.glob("test_*.py"):
        yield from re.findall(r'def test_\w+\([^)]*\):\n    """(.*?)"""', path.read_text(encoding="utf-8"), re.S)


def test_each_rule_has_one_number_and_one_place():
    rules = rules_of_the_specification()
    assert len(rules) == len(set(rules))
    assert sorted(rules) == [f"R-{k:02}" for k in range(1, len(rules) + 1)]


def test_every_rule_is_named_by_a_test():
    assert set(rules_of_the_specification()) - rules_named_in(docstrings_of_tests()) == set()


def test_no_test_names_a_rule_that_does_not_exist():
    assert rules_named_in(docstrings_of_tests()) - set(rules_of_the_specification()) == set()
