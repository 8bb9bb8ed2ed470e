"""Draw new examples for the property tests, round after round, until the time is up: `make fuzz`.

Each round is a run of pytest with a seed of its own, which is printed; the same seed draws the same examples again.
A test that failed is left out of later rounds. This file is also the pytest plugin of those runs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


# ---- the plugin: what happens inside a round ----


def pytest_addoption(parser):
    group = parser.getgroup("fuzz")
    group.addoption("--fuzz-until", type=float, metavar="TIME", help="Skip tests that would start after this time.")
    group.addoption("--fuzz-report", type=Path, metavar="FILE", help="Write the failed tests and the examples drawn.")


def pytest_configure(config):
    if config.option.fuzz_report:
        config.pluginmanager.register(Round(config.option), "fuzz-round")


class Round:
    """What one run of pytest drew and found."""

    def __init__(self, option):
        self.until, self.report = option.fuzz_until, option.fuzz_report
        self.failed, self.examples = [], 0

    def pytest_runtest_setup(self):
        if self.until and time.time() > self.until:
            pytest.skip("the time is up")

    def pytest_runtest_teardown(self, item):
        self.examples += count_examples(getattr(item, "hypothesis_statistics", ""))

    def pytest_runtest_logreport(self, report):
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)

    def pytest_sessionfinish(self):
        self.report.write_text(json.dumps({"failed": self.failed, "examples": self.examples}))


def count_examples(statistics: str) -> int:
    """Return how many examples a test saw, by hypothesis's own words about it."""
    counts = re.findall(r"(\d+) passing\D*(\d+) failing", statistics)
    return sum(int(passing) + int(failing) for passing, failing in counts)


# ---- the loop over rounds ----


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", default=["tests"], help="Files or folders of tests.")
    parser.add_argument("--minutes", type=float, default=20, help="Time limit; 0: until Ctrl-C.")
    parser.add_argument("--seed", type=int, help="Replay the round with this seed; no other round follows.")
    options = parser.parse_args(arguments)
    replay, begun = options.seed is not None, time.time()
    until = begun + 60 * options.minutes if options.minutes and not replay else None
    rounds, examples, found = 0, 0, {}
    try:
        while not rounds or (not replay and (until is None or time.time() < until)):
            seed = options.seed if replay else secrets.randbelow(2**32)
            rounds += 1
            print(f"round {rounds}: seed {seed} (replay: make fuzz SEED={seed})", flush=True)
            result = run_round(seed, options.tests, until=until, leave_out=found)
            examples += result["examples"]
            found |= dict.fromkeys(result["failed"], seed)
    except KeyboardInterrupt:
        print("\ninterrupted", flush=True)
    minutes = (time.time() - begun) / 60
    print(f"{rounds} rounds, {examples:,} examples, {minutes:.1f} minutes, {len(found)} tests failed")
    for test, seed in found.items():
        print(f"  {test}: make fuzz SEED={seed} TESTS={test.split('::')[0]}")
    return 1 if found else 0


def run_round(seed, tests, *, until, leave_out):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "fuzz",
            "-p",
            "no:cacheprovider",
            "--tb=short",
            "-m",
            "hypothesis",
        ]
        command += ["--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}", f"--fuzz-report={report}"]
        command += [f"--fuzz-until={until}"] if until else []
        command += [f"--deselect={test}" for test in leave_out]
        # The order of sets is drawn too, by the same seed.
        paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": str(seed % 2**32)}
        done = subprocess.run([*command, *tests], cwd=ROOT, env=environment, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"pytest: expected exit code 0 or 1, got {done.returncode}. Its output is above.")
        return json.loads(report.read_text())


if __name__ == "__main__":
    raise SystemExit(main())
