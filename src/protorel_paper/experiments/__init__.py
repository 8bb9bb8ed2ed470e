"""Experiments of many short trainings: data budgets and wrong labels, point by point."""
