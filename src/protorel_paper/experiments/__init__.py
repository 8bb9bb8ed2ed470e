"""Experiments of many short trainings: data budgets and wrong labels, point by point."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel_paper.experiments.data_budget.curves import draw_by_relations, draw_by_statements, write_budget_curves
    from protorel_paper.experiments.data_budget.rows import UNTUNED
    from protorel_paper.experiments.data_budget.run import TASK, run_data_budget
    from protorel_paper.experiments.data_budget.summary import BudgetSummary, summarise_budget
    from protorel_paper.experiments.exam import PointExam
    from protorel_paper.experiments.label_noise.curves import write_noise_curves
    from protorel_paper.experiments.label_noise.run import run_label_noise
    from protorel_paper.experiments.label_noise.summary import summarise_noise
    from protorel_paper.experiments.lists import Amount, amount, amounts, check_noise, rate_list, seed_list
    from protorel_paper.experiments.points import POINTS

__all__ = [
    "Amount",
    "BudgetSummary",
    "POINTS",
    "PointExam",
    "TASK",
    "UNTUNED",
    "amount",
    "amounts",
    "check_noise",
    "draw_by_relations",
    "draw_by_statements",
    "rate_list",
    "run_data_budget",
    "run_label_noise",
    "seed_list",
    "summarise_budget",
    "summarise_noise",
    "write_budget_curves",
    "write_noise_curves",
]

__getattr__ = lazy_names(__name__)
