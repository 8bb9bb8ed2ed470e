"""Versions, citation and workflows agree; release_check.py notices what is missing in an archive, or too much."""

from __future__ import annotations

import re
import runpy
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CHECK = runpy.run_path(str(ROOT / "tests" / "release_check.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_every_file_names_the_same_version():
    assert list(CHECK["check_versions"](PROJECT["version"])) == []
    assert len(list(CHECK["check_versions"]("9.9.9"))) == 2


def test_the_citation_names_the_paper_and_the_package():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert found["license"] == PROJECT["license"]
    assert len(found["preferred-citation"]["authors"]) == 10
    for author in found["preferred-citation"]["authors"]:
        assert author["family-names"] in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_make_targets_that_exist_and_pins_its_actions(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    targets = {target for step in steps for target in re.findall(r"^make ([\w-]+)", step.get("run", ""))}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:.*## ", makefile, flags=re.MULTILINE)
    for step in steps:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", step.get("uses", f"a/b@{'0' * 40}"))


def test_hooks_run_what_make_check_runs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    check = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    for hook in hooks:
        tool = hook["entry"].split()[0].rpartition("/")[2]
        assert f"$(BIN)/{tool}" in check


def test_what_is_missing_or_too_much_in_an_archive_is_named(tmp_path):
    wheel, sdist = tmp_path / "a.whl", tmp_path / "a.tar.gz"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("protorel/py.typed", "")
        archive.writestr("protorel/model.pkl", "")
        archive.writestr("protorel-1.dist-info/METADATA", "Name: protorel\nLicense-Expression: Apache-2.0\n")
    found = list(CHECK["check_wheel"](wheel))
    assert "wheel: protorel/model.pkl should not be in it" in found
    assert "wheel: protorel/recipes/col_final.yaml is missing" in found
    assert "metadata: Summary is missing" in found
    assert "wheel: protorel/py.typed is missing" not in found
    with tarfile.open(sdist, "w:gz") as archive:
        archive.add(ROOT / "LICENSE", arcname="protorel-1/LICENSE")
    assert "sdist: README.md is missing" in list(CHECK["check_sdist"](sdist))
