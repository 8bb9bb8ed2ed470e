"""The paper's tables, figures and experiments, made with protorel by the command `protorel-paper`."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel_paper.experiments import run_data_budget, run_label_noise
    from protorel_paper.figures import FIGURES, FigureSources, reproduce_figures
    from protorel_paper.tables import TABLES, reproduce_table

__all__ = [
    "FIGURES",
    "FigureSources",
    "TABLES",
    "reproduce_figures",
    "reproduce_table",
    "run_data_budget",
    "run_label_noise",
]

__getattr__ = lazy_names(__name__)
