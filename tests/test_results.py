"""Every figure in a table of README, PAPER and docs is that of a file under results/, to the digit."""

import json
import re
from pathlib import Path
from statistics import fmean, median

import pytest

from protorel.demo.result import IN_WORDS
from protorel.recipes import dotted
from protorel.training import load_recipe

ROOT = Path(__file__).parents[1]
PAGES = ("PAPER.md", "docs/concepts/equations.md", "results/README.md")
SETTINGS = ("5w1s", "5w5s", "10w1s", "10w5s")
ROW = re.compile(r"^\|[^|]*\]\(([\w./]+)\)[^|]*\|(.*)\|$", flags=re.MULTILINE)
SMALL_WORLD = json.loads((ROOT / "results/small_world/demo.json").read_text())
OBJECTIVES = json.loads((ROOT / "results/objectives/small_world.json").read_text())


def linked_rows(holding: str) -> list[tuple[str, Path, list[str]]]:
    """Find every row that links a folder of results with such a file: its page, the folder, its cells."""
    found = []
    for page in PAGES:
        for link, cells in ROW.findall((ROOT / page).read_text(encoding="utf-8")):
            folder = ((ROOT / page).parent / link).resolve()
            if (folder / holding).is_file():
                found.append((page, folder, [cell.strip().strip("*") for cell in cells.split("|")]))
    return found


ROWS = linked_rows("5w1s.json")
ZERO_SHOT = linked_rows("5w0s.json")


def results_of(folder: Path) -> list[dict]:
    return [json.loads((folder / f"{setting}.json").read_text()) for setting in SETTINGS]


def test_the_tables_have_their_rows():
    assert {folder.name for page, folder, _ in ROWS if page == "results/README.md"} >= {
        "untrained_start",
        "untrained_mean",
        "col_final",
        "col_softmax",
    }
    assert {folder.name for page, folder, _ in ROWS if page == "docs/concepts/equations.md"} == {
        "corrected",
        "literal",
        "released",
        "softmax",
        "cross_entropy",
    }


@pytest.mark.parametrize(("page", "folder", "cells"), ROWS, ids=[f"{page}-{folder.name}" for page, folder, _ in ROWS])
def test_a_row_is_what_its_files_say(page, folder, cells):
    results = results_of(folder)
    expected = [f"{100 * result['accuracy']:.1f} ± {100 * result['margin']:.1f}" for result in results]
    assert cells[:4] == expected
    for cell in cells[4:]:
        if cell.startswith("± "):
            assert cell == f"± {100 * results[0]['over_relations']['margin']:.1f}"
        else:
            angles = results[0]["run"]["prototypes"]
            assert cell == f"{angles['mean_angle']:.1f} ± {angles['spread']:.1f} ({angles['smallest_angle']:.1f})"


@pytest.mark.parametrize(
    ("page", "folder", "cells"), ZERO_SHOT, ids=[f"{page}-{folder.name}" for page, folder, _ in ZERO_SHOT]
)
def test_a_row_of_relations_given_by_words_is_what_its_files_say(page, folder, cells):
    results = [json.loads((folder / f"{way}w0s.json").read_text()) for way in (5, 10)]
    assert cells[:2] == [f"{100 * result['accuracy']:.1f} ± {100 * result['margin']:.1f}" for result in results]
    assert cells[2] == f"± {100 * results[0]['over_relations']['margin']:.1f}"


def test_every_folder_of_few_shot_results_stands_in_a_table():
    for holding, rows in (("5w1s.json", ROWS), ("5w0s.json", ZERO_SHOT)):
        judged = {path.parent for path in (ROOT / "results").rglob(holding)}
        assert judged == {folder for _, folder, _ in rows}


def test_every_folder_is_named_once_in_the_table_of_pages_and_every_picture_is_on_a_page():
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (.*) \|$", page, flags=re.MULTILINE)
    named = [name for folders, _ in rows for name in re.findall(r"`(\w+)`", folders)]
    assert sorted(named) == sorted(path.name for path in (ROOT / "results").iterdir() if path.is_dir())
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "results").rglob("*.md")]
    links = {
        (page.parent / link).resolve()
        for page in pages
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8"))
    }
    pictures = {path for kind in ("png", "svg") for path in (ROOT / "results").rglob(f"*.{kind}")}
    assert pictures <= links


@pytest.mark.parametrize(
    "path", sorted((ROOT / "results").rglob("*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_a_result_tells_how_it_was_made_and_names_no_path(path):
    result = json.loads(path.read_text())
    assert {"task", "machine"} <= result.keys()
    # The manifest of a harvest has files in the place of a data set.
    assert {"data", "versions"} <= result.keys() or {"sources", "protorel"} <= result.keys()
    assert not re.search(r'"(/|[A-Z]:\\\\)', path.read_text())


def test_the_relations_under_test_were_never_trained_on():
    for _, folder, _ in ROWS:
        result = results_of(folder)[0]
        trained_on = result["run"].get("relations") or []
        assert not set(trained_on) & set(result["per_relation"])


def test_the_figures_of_small_world_are_those_of_the_demo():
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    table = page.partition("<!-- small_world -->")[2].partition("<!-- /small_world -->")[0]
    before, after = SMALL_WORLD["fewshot"].values()
    expected = [
        f"| {words} | {100 * before[name]['accuracy']:.1f} ± {100 * before[name]['margin']:.1f} "
        f"| {100 * after[name]['accuracy']:.1f} ± {100 * after[name]['margin']:.1f} |"
        for name, words in IN_WORDS.items()
    ]
    assert table.strip().splitlines()[2:] == expected
    for name in ("trained", "untrained"):
        area = SMALL_WORLD["auroc"][name]
        assert f"{100 * area['value']:.1f} ± {100 * area['margin']:.1f}" in page


def test_the_demo_of_small_world_was_made_by_the_recipe_as_it_is():
    made_by = dict(dotted(SMALL_WORLD["recipe"]))
    for key, value in dotted(load_recipe("demo").model_dump(mode="json", exclude_unset=True)):
        assert made_by[key] == value, key
    assert sum(SMALL_WORLD["seconds_of_phases"].values()) <= SMALL_WORLD["seconds"] + 1


def test_the_measured_effects_of_objectives_are_those_of_the_benchmark():
    page = (ROOT / "docs/concepts/equations.md").read_text(encoding="utf-8")
    for name, figures in OBJECTIVES["figures"].items():
        cells = [f"{100 * figure['mean']:.1f} ± {100 * figure['deviation']:.1f}" for figure in figures.values()]
        assert f"| {name} | {' | '.join(cells)} |" in page


def test_the_figures_of_fuzzyred_are_those_of_their_files():
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    for path in (ROOT / "results/fuzzyred").glob("*.json"):
        found = json.loads(path.read_text())
        shots = " / ".join(f"{100 * found['shots'][shot]['accuracy']:.1f}" for shot in ("1", "3", "5"))
        scored = (found["by_prototype"], found["by_description"]["seen"], found["by_description"]["unseen"])
        areas = [scores[found["default_score"]]["ranking"]["auroc"] for scores in scored]
        cells = [f"{area['value']:.3f} ± {area['margin']:.3f}" for area in areas]
        assert f"(fuzzyred/{path.name}) | {shots} | {' | '.join(cells)} |" in page
        shares = [f"{100 * found['baselines'][name]:.1f}" for name in ("accept_all", "reject_all", "majority")]
        assert f"| {', '.join(shares)} |" in page


def test_the_figures_by_entity_pair_are_those_of_their_files():
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    for path in (ROOT / "results/entity_pairs").glob("*.json"):
        rules = json.loads(path.read_text())["rules"]
        for gold in ("labelled", "expressed"):
            if rules["one"][gold]:
                areas = [rules[rule][gold]["area"] for rule in ("one", "mean", "attention")]
                cells = [f"{100 * area['value']:.1f} ± {100 * area['margin']:.1f}" for area in areas]
                assert f"{gold}](entity_pairs/{path.name}) | {' | '.join(cells)} |" in page


def test_the_figures_of_none_of_these_are_those_of_their_files():
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    names = ("accuracy", "always_answering", "coverage", "precision", "recall", "area", "calibration_error")
    for path in (ROOT / "results/none_of_these").glob("*.json"):
        found = json.loads(path.read_text())["none_of_these"]
        figures = [found[name] for name in names]
        cells = [f"{100 * figure['value']:.1f} ± {100 * figure['margin']:.1f}" if figure else "–" for figure in figures]
        assert f"(none_of_these/{path.name}) | {' | '.join(cells)} |" in page
        assert found["held_out"]["trained_on"] == 0


def test_the_figures_of_semeval_are_those_of_their_file():
    found = json.loads((ROOT / "results/semeval/col_text.json").read_text())
    macro = found["official"]["macro"]
    cells = [f"{100 * macro['precision']:.1f}", f"{100 * macro['recall']:.1f}"]
    cells.append(f"{100 * found['f1']:.1f} ± {100 * found['margin']:.1f}")
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    assert f"semeval/col_text.json)) | {' | '.join(cells)} |" in page
    assert f"[{cells[-1]}](../../results/README.md#semeval-2010-task-8)" in (
        ROOT / "docs/paper/reproduction.md"
    ).read_text(encoding="utf-8")


def test_the_distance_between_trained_and_untrained_is_that_of_the_table():
    distant, trained, mean, start = (
        100 * json.loads((ROOT / f"results/{name}/5w1s.json").read_text())["accuracy"]
        for name in ("untuned/col_final", "fewrel/col_final", "fewrel/untrained_mean", "fewrel/untrained_start")
    )
    page = " ".join((ROOT / "docs/paper/reproduction.md").read_text(encoding="utf-8").split())
    assert (
        f"from {start:.1f} (start markers; {mean:.1f} with its best readout) to {distant:.1f} with one example" in page
    )
    assert f"COL Final is {distant - start:.1f} points above MiniLM's start markers" in page
    assert f"and {distant - mean:.1f} above its best readout" in page
    assert f"training relations instead, {trained - start:.1f} and {trained - mean:.1f}." in page


def test_how_far_col_final_is_from_cross_entropy_is_what_the_files_say():
    def distances(name: str) -> list[dict]:
        table = json.loads((ROOT / f"results/{name}/table1.json").read_text())
        (row,) = (row for row in table["rows"] if row["row"] == "bert_ce")
        return [figure["col_final_less_this"] for figure in row["figures"].values()]

    def span(values: list[float], digits: int) -> str:
        return f"{min(values):.{digits}f} to {max(values):.{digits}f}"

    page, paper = (
        " ".join((ROOT / name).read_text(encoding="utf-8").split())
        for name in ("docs/paper/reproduction.md", "PAPER.md")
    )
    for name, words in (
        ("table1", "is {} points above it, within chance (p from {})"),
        ("table1_fp32", "float32 the gap is {} points (p from {},"),
    ):
        behind = span([-100 * one["difference"] for one in distances(name)], 1)
        assert words.format(behind, span([one["p_over_relations"] for one in distances(name)], 2)) in page
    behind = span([-100 * one["difference"] for one in distances("table1")], 1)
    assert f"cross-entropy is {behind} points above it, within chance" in paper
    ahead = [
        100 * (ours["accuracy"] - theirs["accuracy"])
        for ours, theirs in zip(
            *(results_of(ROOT / "results/untuned" / name) for name in ("col_final", "bert_ce")), strict=True
        )
    ]
    for text in (page, paper):
        assert f"by {span(ahead, 1)} points" in text


def test_the_angles_on_the_page_of_prototypes_are_those_of_the_readings():
    page = (ROOT / "docs/concepts/prototypes.md").read_text(encoding="utf-8")
    runs = {name: results_of(ROOT / "results/readings" / name)[0] for name in ("corrected", "released", "literal")}
    angles = {name: run["run"]["prototypes"] for name, run in runs.items()}
    assert f"{angles['corrected']['ideal_angle']:.1f}°" in page
    assert f"a mean angle of {angles['corrected']['mean_angle']:.1f}°" in page
    assert f"{angles['released']['mean_angle']:.1f}° and {angles['literal']['mean_angle']:.1f}°" in page
    lost = [100 * (runs["corrected"]["accuracy"] - runs[name]["accuracy"]) for name in ("released", "literal")]
    assert f"{lost[0]:.0f} and {lost[1]:.0f} points less accurate (5-way 1-shot)" in page
    area = SMALL_WORLD["auroc"]["trained"]
    assert f"{100 * area['value']:.1f} ± {100 * area['margin']:.1f} of 100 pairs" in page


def test_the_counts_and_verdicts_of_the_real_harvest_are_those_of_their_files():
    page = (ROOT / "docs/tasks/build_distant_data.md").read_text(encoding="utf-8")
    counts = json.loads((ROOT / "results/harvest/wikipedia.json").read_text())["counts"]
    found, aligned = counts["mentions"], counts["alignment"]
    cells = [
        counts["text"]["rows"], counts["text"]["taken"], found["sentences"],
        found["sentences that name two entities or more"], aligned["ordered pairs of entities in a sentence"],
        aligned["statements"], aligned["relations"],
    ]  # fmt: skip
    assert f"| {' | '.join(f'{cell:,}' for cell in cells)} |" in page
    verdicts = [json.loads(line) for line in (ROOT / "results/harvest/judged.jsonl").read_text().splitlines()]
    judged = json.loads((ROOT / "results/harvest/judged.json").read_text())
    for verdict in ("aligned", "expresses"):
        share, margin = judged[verdict]["value"], judged[verdict]["margin"]
        assert share == sum(row[verdict] for row in verdicts) / len(verdicts)
        assert f"**{100 * share:.0f} % ± {100 * margin:.0f} %**" in page


def test_a_sentence_that_expresses_a_relation_was_aligned_with_it():
    verdicts = [json.loads(line) for line in (ROOT / "results/harvest/judged.jsonl").read_text().splitlines()]
    assert len({row["id"] for row in verdicts}) == len(verdicts) == 100
    assert all(row["aligned"] for row in verdicts if row["expresses"])


def test_the_costs_of_a_harvest_are_those_of_their_file():
    page = (ROOT / "docs/reference/harvest_scale.md").read_text(encoding="utf-8")
    seconds = json.loads((ROOT / "results/harvest/stages.json").read_text())["seconds"]
    for stage, name in (
        ("cutting the dump into pages", "pages"),
        ("wikitext to text and links", "wikitext"),
        ("sentences alone", "sentences"),
        ("sentences and mentions", "sentences and mentions"),
    ):
        assert f"| {stage} | {seconds[name]:.2f} | " in page


def reproduced() -> list[tuple[str, str, list[str]]]:
    """Find every block of a page that shows a reproduced table: the page, the table's name, its lines."""
    found = []
    for page in ("README.md", "docs/paper/reproduction.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for name, block in re.findall(r"<!-- (table\d) -->\n(.*?)\n<!-- /table\d -->", text, flags=re.DOTALL):
            found.append((page, name, block.splitlines()))
    return found


REPRODUCED = reproduced()
FURTHER = {"siamese", "snail", "bert_pair", "setfit"}
"""Rows of table 1 that the paper has not, made by commands of their own."""
REPRODUCED_TABLES = sorted(path.parent.name for path in (ROOT / "results").glob("table[123]/table[123].json"))


def test_pages_show_every_reproduced_table():
    assert {name for page, name, _ in REPRODUCED if page == "docs/paper/reproduction.md"} == set(REPRODUCED_TABLES)


def test_the_page_of_few_shot_methods_shows_their_figures_of_table_1():
    page = (ROOT / "docs/reference/few_shot_methods.md").read_text(encoding="utf-8")
    block = page.partition("<!-- methods -->")[2].partition("<!-- /methods -->")[0]
    shown = [[cell.strip() for cell in row.strip("|").split("|")] for row in block.strip().splitlines()[2:]]
    table = json.loads((ROOT / "results/table1/table1.json").read_text())
    figures = {
        row["title"]: [f"{100 * one['value']:.1f} ± {100 * one['margin']:.1f}" for one in row["figures"].values()]
        for row in table["rows"]
    }
    assert len(shown) == 10
    for title, _, *cells in shown:
        assert cells == figures[title]


@pytest.mark.parametrize(("page", "name", "rows"), REPRODUCED, ids=[f"{page}-{name}" for page, name, _ in REPRODUCED])
def test_the_rows_of_a_reproduced_table_are_those_that_were_written(page, name, rows):
    written = (ROOT / f"results/{name}/{name}.md").read_text(encoding="utf-8").splitlines()
    assert len(rows) > 2
    assert [row for row in rows if row not in written] == []


@pytest.mark.parametrize("name", REPRODUCED_TABLES)
def test_a_reproduced_figure_is_the_mean_of_its_cells_over_the_seeds(name):
    table = json.loads((ROOT / f"results/{name}/{name}.json").read_text())
    cells = [json.loads(path.read_text()) for path in (ROOT / f"results/{name}/cells/{name}").glob("*.json")]
    assert table["cells"] == len(cells) > 0
    figures: dict[tuple[str, str], list[float]] = {}
    for cell in cells:
        for column, figure in cell["figures"].items():
            figures.setdefault((cell["row"], column), []).append(figure["value"])
    for row in table["rows"]:
        for column, found in row["figures"].items():
            assert found["value"] == pytest.approx(fmean(figures.pop((row["row"], column))))
    assert figures == {}
    written = (ROOT / f"results/{name}/{name}.md").read_text(encoding="utf-8")
    for row in table["rows"]:
        line = next(line for line in written.splitlines() if line.startswith(f"| {row['title']} | "))
        assert all(f" {100 * found['value']:.1f} " in line for found in row["figures"].values())


def test_table_1_was_made_by_one_command_in_as_many_minutes_as_pages_say():
    commands = [json.loads(path.read_text()) for path in (ROOT / "results/table1/clock").glob("table1-*.json")]
    found = min(commands, key=lambda command: command["began"])
    table = json.loads((ROOT / "results/table1/table1.json").read_text())
    rows = [row for row in table["rows"] if row["row"] not in FURTHER]
    assert (found["ended"], found["cells_before"], found["cells"]) == ("whole", 0, 4 * len(rows))
    for page in ("results/README.md", "docs/paper/reproduction.md"):
        time = f"[{found['seconds'] / 60:.0f} minutes of wall-clock time]"
        assert time in (ROOT / page).read_text(encoding="utf-8").replace("\n", " ")


def test_the_speed_of_a_harvest_is_that_of_its_file():
    page = (ROOT / "docs/reference/harvest_scale.md").read_text(encoding="utf-8")
    found = json.loads((ROOT / "results/harvest/speed.json").read_text())
    ours, theirs = found["gazetteer"]["searched"], found["phrase_matcher"]
    here, beside = (f"{one['sentences_a_second']:,.0f}" for one in (ours, theirs))
    assert f" a million names | {here} | {beside} (spaCy's PhraseMatcher) | {found['ratio']:.1f} |" in page
    for ratio in ("memory_ratio", "memory_ratio_with_building", "two_processes_ratio", "flat_memory_ratio"):
        assert f" | {found[ratio]:.2f} |" in page
    for join in found["joins"]:
        assert f"| {join['triples'] / 1e6:.0f} million | {join['seconds']:.1f} | {join['megabytes']:,.0f} |" in page


def test_the_memory_of_a_harvest_on_hostile_text_is_that_of_its_file_and_below_the_limit():
    page = (ROOT / "docs/reference/harvest_scale.md").read_text(encoding="utf-8")
    found = json.loads((ROOT / "results/harvest/bombs.json").read_text())
    assert f"| one sentence | 28 bytes | | {found['small']['megabytes']} | 0 |" in page
    for name, one in found["bombs"].items():
        bomb = f"| {name} | {one['bytes']:,} bytes | {one['unpacked_megabytes']:,} |"
        assert f"{bomb} {one['megabytes']} | {one['exit_code']} |" in page
        assert one["megabytes"] < found["limit_megabytes"] == 2_000


def test_the_growth_of_the_sentence_splitter_is_that_of_its_file():
    page = (ROOT / "docs/reference/harvest_sources.md").read_text(encoding="utf-8").replace("\n", " ")
    found = json.loads((ROOT / "results/harvest/sentences_growth.json").read_text())
    assert f"1,000,000 full stops after it takes {found['seconds']['full stops']['1000000']:.2f} s" in page
    assert f"per mark at worst {found['ratio']:.1f} times what 10,000 marks take" in page
    assert found["ratio"] < 3


@pytest.mark.parametrize(("name", "page"), [("minilm", "docs/performance.md"), ("mlman", "docs/paper/mlman.md")])
def test_how_much_faster_bf16_is_stands_in_its_file(name, page):
    found = json.loads((ROOT / f"results/precision/{name}.json").read_text())
    told = re.search(r"\[([\d.]+) times as fast\]", (ROOT / page).read_text(encoding="utf-8"))
    assert told is not None
    assert told[1] == f"{found['ratio']:.2f}"


def test_what_products_and_threads_bring_stands_in_their_files():
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    learned, encoded = (
        json.loads((ROOT / f"results/precision/{name}.json").read_text()) for name in ("minilm", "encoding")
    )
    for found, name in (
        (learned["products_ratio"], "minilm"),
        (encoded["products_ratio"], "encoding"),
        (encoded["ratio"], "encoding"),
    ):
        assert f"[{found:.2f} times](../results/precision/{name}.json)" in page
    ratios = json.loads((ROOT / "results/busy/minilm.json").read_text())["ratios_to_torch"]
    for where in ("alone", "next to a busy process"):
        for who in ("protorel", "protorel, threads alone"):
            encoding, training = (ratios[f"{work}, {where}"][who] for work in ("encoding", "training"))
            assert f" | {encoding:.2f} | {training:.2f} |" in page
    alone, busy = (ratios[f"encoding, {where}"]["two processes"] for where in ("alone", "next to a busy process"))
    assert f"{alone:.2f} and {busy:.2f} times" in page


def test_how_soon_the_command_line_answers_stands_in_its_file_and_is_soon_enough():
    found = json.loads((ROOT / "results/startup/startup.json").read_text())
    help_page, version = (found["to_numpy"][f"protorel --{name}"] for name in ("help", "version"))
    assert max(help_page, version) < 4
    assert found["ratio"] == max(found["to_help"].values()) < 1.5
    page = " ".join((ROOT / "results/README.md").read_text(encoding="utf-8").split())
    assert f"takes [{help_page:.2f} times](startup/startup.json)" in page
    assert (
        f"`--version` {version:.2f} times; the slowest answer to a wrong command takes {found['ratio']:.2f} times"
        in page
    )


def test_what_relation_texts_cost_and_lose_is_what_their_files_say():
    page = (ROOT / "docs/tasks/zero_shot.md").read_text(encoding="utf-8")
    seconds = json.loads((ROOT / "results/relation_texts/words.json").read_text())["seconds"]
    for times in seconds.values():
        assert f"| {fmean(times):.2f} | {fmean(times) / fmean(seconds['padded']):.2f} |" in page

    def mean(name: str, setting: str) -> float:
        folders = (ROOT / "results/fewrel_dev/texts_cost").glob(f"{name}_seed?{'_zero_shot' * ('0s' in setting)}")
        found = [json.loads((folder / f"{setting}.json").read_text())["accuracy"] for folder in folders]
        assert len(found) == 3
        return 100 * fmean(found)

    both, alone = (mean("all", setting) - mean("one", setting) for setting in ("5w1s", "5w0s"))
    assert f"One wording is {both:.1f} points worse on `fewrel_dev` with one example and {alone:.1f} by words" in page
    lost = mean("all", "5w1s") - mean("padding_free", "5w1s")
    assert f"with one example {abs(lost):.2f} points {'less' if lost >= 0 else 'more'} on `fewrel_dev`" in page
    assert lost <= 0.3
    assert fmean(seconds["recipe"]) <= 0.6 * fmean(seconds["padded"])


def test_the_size_and_the_speed_of_a_report_are_those_of_their_file():
    found = json.loads((ROOT / "results/report/page.json").read_text())
    opened, filters = found["seconds_to_open"], found["filter_milliseconds"].values()
    slowest = max(median(taken) for taken in filters)
    assert found["statements"] == 50_000
    assert found["megabytes"] <= 25
    assert median(opened) < 3
    assert slowest < 100
    page = (ROOT / "results/README.md").read_text(encoding="utf-8")
    assert f"has [{found['megabytes']:.1f} MB](report/page.json)" in page
    assert f"in {median(opened):.1f} s (median; slowest {max(opened):.1f} s)" in page
    assert f"takes {slowest:.0f} ms (median; slowest of all {max(map(max, filters)):.0f} ms)" in page
    task = (ROOT / "docs/tasks/report_a_run.md").read_text(encoding="utf-8")
    assert f"opens in {median(opened):.1f} s and filters in {slowest:.0f} ms" in task
