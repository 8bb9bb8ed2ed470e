"""What tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real benchmark files; tests that need it have a twin on data the project makes itself."""
    folder = os.environ.get("PROTOREL_DATA")
    if not folder:
        pytest.skip("PROTOREL_DATA is not set: it names the folder with the real FewRel, SemEval and FuzzyRED files")
    return Path(folder)
