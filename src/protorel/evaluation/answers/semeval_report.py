"""The official scorer's report as text: what people compare, so every space of it is kept."""

from __future__ import annotations

from protorel.evaluation.answers.semeval_labels import OTHER
from protorel.evaluation.answers.semeval_part import SemEvalPart


def semeval_report(directed: SemEvalPart, undirected: SemEvalPart, official: SemEvalPart) -> str:
    """Return warnings, three parts, and the closing line with the official figure."""
    warnings = [
        f"!!!WARNING!!! The proposed file contains {directed.column_sum(label)} label(s) of type '{_shown(label)}', "
        "which is NOT present in the key file.\n\n"
        for label in directed.strange
    ]
    titled = (
        ("(2*9+1)-WAY EVALUATION (USING DIRECTIONALITY)", directed),
        ("(9+1)-WAY EVALUATION IGNORING DIRECTIONALITY ", undirected),
        ("(9+1)-WAY EVALUATION TAKING DIRECTIONALITY INTO ACCOUNT -- OFFICIAL ", official),
    )
    parts = [f"<<< {title}>>>:\n\n{_part(part)}" for title, part in titled]
    closing = (
        "<<< The official score is (9+1)-way evaluation with directionality taken into account: "
        f"macro-averaged F1 = {official.macro.f1:.2f}% >>>\n"
    )
    return "".join([*warnings, *parts, closing])


def _part(part: SemEvalPart) -> str:
    right, answered, actual = part.micro_counts
    micro, macro = part.micro, part.macro
    return "\n".join(
        [
            *_matrix(part),
            "",
            f"Coverage = {_share(part.answered, part.total)}",
            f"Accuracy (calculated for the above confusion matrix) = {_share(part.right, part.answered)}",
            f"Accuracy (considering all skipped examples as Wrong) = {_share(part.right, part.total)}",
            f"Accuracy (considering all skipped examples as Other) = "
            f"{_share(part.right + part.others_skipped, part.total)}",
            "",
            "Results for the individual relations:",
            *(_relation(part, label) for label in part.labels),
            "",
            "Micro-averaged result (excluding Other):",
            f"P = {right:4d}/{answered:4d} = {micro.precision:6.2f}%     R = {right:4d}/{actual:4d} = "
            f"{micro.recall:6.2f}%     F1 = {micro.f1:6.2f}%",
            "",
            "MACRO-averaged result (excluding Other):",
            f"P = {macro.precision:6.2f}%\tR = {macro.recall:6.2f}%\tF1 = {macro.f1:6.2f}%",
            "\n\n\n",
        ]
    )


def _matrix(part: SemEvalPart) -> list[str]:
    columns = [*part.labels, *part.strange]
    rule = "      +" + "-----" * len(columns) + "+"
    sums = " -SUM- xDIRx skip  ACTUAL" if part.turned is not None else " -SUM- skip ACTUAL"
    lines = [
        "Confusion matrix:",
        "       " + "".join(f" {_short(label, part):>4}" for label in columns) + " <-- classified as",
        rule + sums,
    ]
    for label in part.labels:
        cells = "".join(f"{part.confused.get((label, answer), 0):4d} " for answer in columns)
        inside, turned, actual = part.row_sum(label), part.turned_of(label), part.actual[label]
        lines.append(f" {_short(label, part):>4} |{cells}|{_sums(part, inside, turned, actual)}")
    below = "".join(f"{part.column_sum(label):4d} " for label in columns)
    inside = part.answered - part.turned_total
    return [*lines, rule, f" -SUM- {below} {_sums(part, inside, part.turned_total, part.total)}"]


def _sums(part: SemEvalPart, inside: int, turned: int, actual: int) -> str:
    skipped = actual - inside - turned
    if part.turned is None:
        return f" {inside:4d} {skipped:4d} {actual:4d}"
    return f" {inside:4d}  {turned:4d}  {skipped:4d} {actual:6d}"


def _relation(part: SemEvalPart, label: str) -> str:
    right, answered, turned, actual = part.right_of(label), part.column_sum(label), part.turned_of(label), part.actual
    found = part.of(label)
    below = f"{answered:4d}" if part.turned is None else f"({answered:4d} +{turned:4d})"
    return (
        f"{_shown(label):>25} :    P = {right:4d}/{below} = {found.precision:6.2f}%     "
        f"R = {right:4d}/{actual[label]:4d} = {found.recall:6.2f}%     F1 = {found.f1:6.2f}%"
    )


def _share(above: int, below: int) -> str:
    return f"{above}/{below} = {100.0 * above / below:5.2f}%"


def _short(label: str, part: SemEvalPart) -> str:
    """Return the initials of a relation and its first entity's number, with a star where the key lacks the label."""
    if label == OTHER:
        return "_O_"
    first, second = (word[0] for word in label.split("-"))
    number = label[label.index("(e") + 2] if "(" in label else ""
    return (f"{first}-{second}" if label in part.actual else f"*{first}{second}") + number


def _shown(label: str) -> str:
    return f"_{OTHER}" if label == OTHER else label
