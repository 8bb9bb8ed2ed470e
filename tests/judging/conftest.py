"""An audit of made-up statements in a folder."""

import pytest

from protorel.statements import Statement


@pytest.fixture(scope="session")
def people():
    """Give the function that makes statements about people, of three relations."""

    def make(number: int) -> list[Statement]:
        return [
            Statement(
                f"In the year {n}, Ada Kroll {n} came to Lunsk.",
                (text_start := len(f"In the year {n}, "), text_start + len(f"Ada Kroll {n}")),
                (len(f"In the year {n}, Ada Kroll {n} came to "), len(f"In the year {n}, Ada Kroll {n} came to Lunsk")),
                ("born_in", "died_in", "lives_in")[n % 3],
                id=f"s{n}",
            )
            for n in range(number)
        ]

    return make


@pytest.fixture
def folder(tmp_path, made_audit, people):
    """The folder of an audit of 60 statements."""
    made_audit(people(60)).write(tmp_path / "audit")
    return tmp_path / "audit"
