"""The page on the tables tells the truth: its rows and its budget."""

import re

from protorel.training import load_finetune_recipe, load_recipe
from protorel_paper.tables.budget import BUDGETS
from protorel_paper.tables.order import TABLES
from protorel_paper.tables.sources import LAYOUT


def test_rows_and_data_sets_are_those_that_there_are(page):
    found = page("docs/paper/reproduction.md")
    rows = dict(re.findall(r"^\| `(table\d)` \| [^|]* \| (.*) \|$", found.text, flags=re.MULTILINE))
    assert rows == {table.name: " ".join(f"`{row.name}`" for row in table.rows) for table in TABLES.values()}
    further = [
        f"`--rows {','.join(row.name for row in t.further)}` of `{t.name}`" for t in TABLES.values() if t.further
    ]
    assert further
    assert all(one in found.text for one in further)
    assert all(f"`{name}`" in found.text for name in LAYOUT)


def test_the_statements_of_budget_cpu_are_as_many_as_it_says(page):
    text, budget = page("docs/paper/reproduction.md").text, BUDGETS["cpu"]
    recipe = load_recipe("col_final", budget.pretraining)
    each = recipe.relations_per_batch * recipe.statements_per_relation
    assert f"{recipe.steps} steps of {recipe.relations_per_batch} × {recipe.statements_per_relation} statements" in text
    assert f"encodes {recipe.steps * each:,} statements" in text
    tuning = load_finetune_recipe("fewrel", budget.training["tuned"])
    sizes = {way * (shot + 1) for way, shot in tuning.episodes}
    assert len(sizes) == 1
    assert f"episodes {tuning.steps * sizes.pop():,}" in text
