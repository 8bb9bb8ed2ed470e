"""Tables 1 to 3 of the paper: rows, budgets, trainings, cells, summaries."""
