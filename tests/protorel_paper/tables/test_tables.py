"""Every row of every table can be planned in every budget, and trained by the paper's settings for a step."""

import pytest

from protorel.encoders.bf16 import Bf16
from protorel.io.files import read_json, write_json
from protorel.recipes import recipe_names
from protorel.statements import BadInput
from protorel.training import finetune, load_finetune_recipe, load_recipe, precision, pretrain
from protorel_paper.tables.budget import BUDGETS, budget_named
from protorel_paper.tables.order import TABLES
from protorel_paper.tables.rows import Row, Table
from protorel_paper.tables.sources import Described, SmallWorldData
from protorel_paper.tables.trainings import Trainings, tiny_encoder

ROWS = [row for table in TABLES.values() for row in (*table.rows, *table.further)]
PRETRAINED = sorted({row.pretrain for row in ROWS if row.pretrain})
TUNED = sorted({(row.tune, row.trained, row.for_each) for row in ROWS if row.tune})


@pytest.fixture(scope="module")
def data():
    return Described(SmallWorldData())


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return str(tiny_encoder(tmp_path_factory.mktemp("tiny") / "encoder"))


def test_the_tables_have_the_papers_rows_in_its_order():
    assert [row.name for row in TABLES["table1"].rows] == [
        "finetune_pcnn", "meta_network", "gnn", "proto_cnn", "mlman", "linear_probe", "bert_em", "mtb", "bert_ce",
        "ind", "col_z", "col_z_cls", "col_prime_z", "col_prime_z_cls", "col_final",
    ]  # fmt: skip
    assert [row.name for row in TABLES["table2"].rows] == ["ds", "mtb", "ind", "col_final"]
    assert [row.name for row in TABLES["table3"].rows] == [
        "bi_rnn", "self_attention", "bert", "mtb", "ind", "col_final",
    ]  # fmt: skip
    assert {name: [row.name for row in table.further] for name, table in TABLES.items()} == {
        "table1": ["siamese", "snail", "bert_pair", "setfit"], "table2": [], "table3": [],
    }  # fmt: skip


def test_a_row_has_a_printed_figure_for_each_column():
    for table in TABLES.values():
        rows = (*table.rows, *table.further)
        assert all(len(row.printed) == len(table.columns) for row in rows)
        assert len({row.name for row in rows}) == len(rows)
        assert all(set(row.printed) == {None} for row in table.further)
    wrong = Row("x", "X", "me", (1.0,))
    for rows in ({"rows": (wrong,)}, {"rows": (), "further": (wrong,)}):
        with pytest.raises(ValueError, match="1 printed figures for 2 columns"):
            Table("t", "T", ("a", "b"), **rows)


def test_rows_are_chosen_by_name_in_the_tables_order():
    table = TABLES["table2"]
    assert [row.name for row in table.chosen(["col_final", "ds"])] == ["ds", "col_final"]
    assert table.chosen(None) == table.rows
    with pytest.raises(BadInput, match="table2 has no row 'col'; its rows are ds, mtb"):
        table.chosen(["col"])


def test_further_rows_are_chosen_where_they_are_named_only():
    table = TABLES["table1"]
    assert "snail" not in {row.name for row in table.chosen(None)}
    assert [row.name for row in table.chosen(["snail", "gnn", "siamese"])] == ["gnn", "siamese", "snail"]
    assert table.row("snail").title == "SNAIL"
    with pytest.raises(BadInput, match=r"col_final, siamese, snail, bert_pair, setfit$"):
        table.chosen(["slug"])


@pytest.mark.parametrize("budget", BUDGETS)
def test_every_row_can_be_planned_in_every_budget(budget, data, tmp_path):
    trainings = Trainings(tmp_path, budget_named(budget), data)
    names = set()
    for row in ROWS:
        on = "semeval_train" if row.tune and row.tune.startswith("semeval") else "fewrel_train"
        only_for = (10, 5) if BUDGETS[budget].tuned_for_each and on == "fewrel_train" else None
        stages = trainings.tuning(row, 7, data=on, test="fewrel_val", only_for=only_for)
        first = row.first is not None and budget != "paper"
        assert len(stages) == bool(row.pretrain) + first + bool(row.tune)
        for stage in stages:
            assert stage.settings["recipe"]["seed"] == 7
            names.add(stage.name)
    assert {"mtb-seed7", "col_final-semeval-seed7"} <= names
    assert ("mtb-tuned-10w5s-seed7" if budget == "paper" else "mtb-tuned-seed7") in names
    assert "finetune_pcnn-tuned-seed7" in names
    assert not list(tmp_path.iterdir())


def test_every_pretraining_of_a_budget_encodes_as_many_statements_at_one_rate():
    for budget in BUDGETS.values():
        recipes = [load_recipe(f"{name}{budget.suffix}", budget.pretraining) for name in PRETRAINED]
        each = {recipe.steps * recipe.relations_per_batch * recipe.statements_per_relation for recipe in recipes}
        assert len(each) == 1, budget.name
        alike = {(recipe.learning_rate, recipe.objective.mlm, recipe.max_length) for recipe in recipes}
        assert budget.name == "smoke" or len(alike) == 1


def test_mlman_begins_with_a_prototypical_network_of_its_size_but_not_in_the_papers_settings(data, tmp_path):
    row = TABLES["table1"].row("mlman")
    for budget in ("smoke", "cpu"):
        trainings = Trainings(tmp_path, budget_named(budget), data)
        first, last = trainings.tuning(row, 3, data="fewrel_train", test="fewrel_val")
        assert (first.name, last.name) == ("mlman-first-seed3", "mlman-tuned-seed3")
        assert last.settings["start"] == first.settings
        assert first.settings["recipe"]["similarity"] == "euclidean"
        assert first.settings["recipe"]["cnn"]["channels"] == last.settings["recipe"]["cnn"]["channels"]
        assert first.settings["recipe"]["max_length"] == last.settings["recipe"]["max_length"]
        assert first.settings["data"].keys() == {"fewrel_train"}
        assert first.settings["apart_from"].keys() == {"fewrel_val"}
    (alone,) = Trainings(tmp_path, budget_named("paper"), data).tuning(row, 3, data="fewrel_train", test="fewrel_val")
    assert alone.settings["start"] == {"encoder": "cnn"}


@pytest.mark.parametrize("budget", ["smoke", "cpu", "paper"])
def test_where_bf16_pays_the_papers_rows_learn_in_it_if_they_can(data, tmp_path, monkeypatch, budget):
    monkeypatch.delenv("PROTOREL_PRECISION")

    def rounded(found):
        monkeypatch.setattr(precision, "bf16_here", lambda: found)
        trainings = Trainings(tmp_path / str(found.ratio), budget_named(budget), data)
        planned = [
            stage
            for table in TABLES.values()
            for row in table.rows
            for stage in trainings.tuning(row, 0, data="fewrel_train", test="fewrel_val")
        ]
        return {stage.name for stage in planned if stage.settings["recipe"].get("precision") == "bf16"}

    words = ["finetune_pcnn", "gnn", "meta_network", "proto_cnn", "bi_rnn", "self_attention"]
    of_words = {"mlman-first-seed0", *(f"{name}-tuned-seed0" for name in words)}
    rows = [row for table in TABLES.values() for row in table.rows]
    tuned = {f"{row.name}-tuned-seed0" for row in rows if row.tune}
    pretrained = {f"{row.pretrain}-seed0" for row in rows if row.pretrain}
    simple = set() if budget != "paper" else {"mlman-first-seed0"}  # the paper begins with no simpler method
    assert rounded(Bf16(1.7)) | simple == (tuned | pretrained) - of_words | simple
    assert rounded(Bf16(0.5)) == set()


def test_all_cells_of_a_folder_use_the_precision_of_the_first_and_say_so(data, tmp_path, monkeypatch):
    monkeypatch.delenv("PROTOREL_PRECISION")
    monkeypatch.setattr(precision, "bf16_here", lambda: Bf16(1.7))

    def planned():
        trainings = Trainings(tmp_path, budget_named("smoke"), data)
        recipe = trainings.pretraining("col_final", 0).settings["recipe"]
        trainings.precision.record()
        return recipe

    assert planned()["precision"] == "bf16"
    recorded = read_json(tmp_path / "precision.json")
    assert (recorded["asked"], recorded["used"]) == ("auto", "bf16")
    monkeypatch.setattr(precision, "bf16_here", lambda: Bf16(0.5))  # usable, and nothing that auto would choose
    assert planned()["precision"] == "bf16"
    monkeypatch.setattr(precision, "bf16_here", lambda: Bf16(problem="illegal instruction"))
    with pytest.raises(BadInput, match=r"this table was started in bf16; .*illegal instruction.* another --out"):
        planned()


@pytest.mark.parametrize("used", ["fp32", "bf16"])
def test_a_folder_from_before_precisions_were_recorded_goes_on_as_it_was(data, tmp_path, monkeypatch, used):
    told = {"precision": "bf16"} if used == "bf16" else {}
    write_json(tmp_path / "runs" / "mtb-seed0.json", {"settings": {"recipe": {"steps": 3, **told}}})
    monkeypatch.delenv("PROTOREL_PRECISION")
    monkeypatch.setattr(precision, "bf16_here", lambda: Bf16(0.5 if used == "bf16" else 1.7))
    stage = Trainings(tmp_path, budget_named("smoke"), data).pretraining("col_final", 0)
    assert stage.settings["recipe"]["precision"] == used


def test_a_row_that_names_no_encoder_begins_with_the_budgets_own(data, tmp_path):
    trainings = Trainings(tmp_path, budget_named("cpu"), data)
    rows = {row.name: row for row in TABLES["table1"].rows}

    def begins(name):
        return trainings.tuning(rows[name], 0, data="fewrel_train", test="fewrel_val")[-1].settings["start"]

    assert begins("bert_em") == {"encoder": "minilm"}
    assert begins("gnn") == {"encoder": "cnn"}
    assert begins("mtb") == trainings.pretraining("mtb", 0).settings


def test_an_unknown_budget_is_refused():
    with pytest.raises(BadInput, match="budget: expected one of smoke, cpu, paper, got 'gpu'"):
        budget_named("gpu")


def test_every_recipe_of_a_table_has_a_twin_with_the_papers_settings():
    wanted = {name for row in ROWS for name in (row.pretrain, row.tune) if name}
    assert {f"{name}@paper" for name in wanted} <= set(recipe_names())


@pytest.mark.parametrize("name", PRETRAINED)
def test_the_papers_pretraining_takes_a_step_on_a_tiny_model_of_the_same_shape(name, data, tiny, tmp_path):
    small = ["steps=1", "relations_per_batch=4", "checkpoint_every=1"]
    recipe = load_recipe(f"{name}@paper", [*small, f"encoder={tiny}"])
    assert load_recipe(f"{name}@paper").encoder == "bert-base-uncased"
    model = pretrain(data.open("distant"), tmp_path / "run", recipe)
    assert len(model.relations) == 22


@pytest.mark.parametrize(("name", "trained", "for_each"), TUNED, ids=[name for name, *_ in TUNED])
def test_the_papers_tuning_takes_a_step_on_a_tiny_model_of_the_same_shape(
    name, trained, for_each, data, tiny, tmp_path
):
    words = [
        f"{kind}.{one}" for kind in ("cnn", "pcnn", "rnn", "self_attention") for one in ("most_frequent_words=100",)
    ]
    supervised = trained.endswith("supervised")
    small = ["epochs=1", "batch_size=200"] if supervised else ["steps=1", "episodes_per_step=1"]
    small += ["hold_out=20"] if name.startswith("semeval") else []
    settings = [one.format(way=5, shot=1) for one in for_each] if not supervised else []
    recipe = load_finetune_recipe(f"{name}@paper", [*settings, *small, *words, "checkpoint_every=1"])
    on = data.open("semeval_train" if name.startswith("semeval") else "fewrel_train")
    model = finetune(None if recipe.encoder else tiny, on, tmp_path / "run", recipe)
    assert (model.classifier is not None) == supervised
