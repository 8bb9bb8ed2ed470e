"""The command line, and the parts that `protorel-paper` shares: console, output, checks, options and exit codes."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.cli.checks import check_data_files, check_files, check_models
    from protorel.cli.commands import main, run
    from protorel.cli.console import Console
    from protorel.cli.entry import new_app, run_app, run_main
    from protorel.cli.options import LARGEST_SEED, EquivalentsFile, FileFormat, Overrides
    from protorel.cli.output import complain, say, say_note
    from protorel.cli.progress import TrainingProgress, removed_lines

__all__ = [
    "Console",
    "EquivalentsFile",
    "FileFormat",
    "LARGEST_SEED",
    "Overrides",
    "TrainingProgress",
    "check_data_files",
    "check_files",
    "check_models",
    "complain",
    "removed_lines",
    "main",
    "new_app",
    "run",
    "run_app",
    "run_main",
    "say",
    "say_note",
]

__getattr__ = lazy_names(__name__)
