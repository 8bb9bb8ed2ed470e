"""Every command of `protorel-paper`; each checks its arguments before it imports torch."""

from __future__ import annotations

from protorel.cli import new_app, run_app, run_main
from protorel_paper.cli.experiments import data_budget, label_noise
from protorel_paper.cli.figures import FIGURES_1_TO_5, figure6, figure_command
from protorel_paper.cli.tables import TABLES_1_TO_3, table4, table_command

_PROGRAM = "protorel-paper"

app = new_app(_PROGRAM, help="Make the tables, figures and experiments of the paper behind protorel.")
for name in TABLES_1_TO_3:
    app.command(name)(table_command(name))
app.command()(table4)
for name in FIGURES_1_TO_5:
    app.command(name)(figure_command(name))
app.command()(figure6)
app.command("figures")(figure_command("figures"))
for experiment in (data_budget, label_noise):
    app.command()(experiment)


def main() -> None:
    """Run the command line of this process and exit."""
    run_main(app, _PROGRAM)


def run(arguments: list[str], *, debug: bool = False) -> int:
    """Run one command and return its exit code."""
    return run_app(app, _PROGRAM, arguments, debug=debug)
