"""`rosenblatt probe`: many linear probes at once, and whether each means anything."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import Json, option
from rosenblatt.cli.output import DONE, print_json
from rosenblatt.cli.waiting import probing

if TYPE_CHECKING:
    from rosenblatt.probes.files import LabelTable

__all__ = ["command"]


def command(
    activations: Annotated[
        Path,
        typer.Argument(
            metavar="ACTIVATIONS", help="Rows × columns, or layers of them: npy, npz, safetensors, parquet."
        ),
    ],
    table: Annotated[
        Path, typer.Argument(metavar="LABELS", help="One column a concept, one row for each row: CSV, TSV, parquet.")
    ],
    tensors: Annotated[
        str | None, option("--tensors", "Arrays of ACTIVATIONS to probe: names with * and ?, commas between.", "NAMES")
    ] = None,
    labels: Annotated[
        str | None, option("--labels", "Columns of LABELS to probe for, commas between; else all.", "COLS")
    ] = None,
    groups: Annotated[
        str | None, option("--groups", "A column of LABELS: rows of one group stay on one side.", "COL")
    ] = None,
    type_: Annotated[
        str | None, option("--type", "A column of LABELS: controls answer at random by its values.", "COL")
    ] = None,
    regress: Annotated[
        str | None, option("--regress", "Columns of LABELS whose numbers are to be predicted.", "COLS")
    ] = None,
    bins: Annotated[int | None, option("--bins", "Cut columns of many numbers into so many classes.", min=2)] = None,
    method: Annotated[
        str, option("--method", "perceptron, logistic, mean-difference, least-squares; several with commas.")
    ] = "perceptron",
    test: Annotated[float, option("--test", "The part of the rows to judge on; 0 for none.", min=0, max=1)] = 0.25,
    validation: Annotated[
        float, option("--validation", "The part of the other rows to choose layer and penalty on.", min=0, max=1)
    ] = 0.2,
    controls: Annotated[int, option("--controls", "Control tasks for each probe.", min=0)] = 5,
    passes: Annotated[int, option("--passes", "Perceptrons: the most passes over the rows.", min=1)] = 50,
    order: Annotated[str, option("--order", "Perceptrons: cyclic or shuffled.")] = "shuffled",
    average: Annotated[
        bool, option("--average/--no-average", "Perceptrons: answer with the mean of all weights.")
    ] = True,
    scale: Annotated[bool, option("--scale/--no-scale", "Scale columns to mean 0 and deviation 1.")] = True,
    device: Annotated[str, option("--device", "auto, cpu or cuda.")] = "auto",
    seed: Annotated[int, option("--seed", "For order, splits, controls and permutations.")] = 0,
    report: Annotated[
        Path | None, option("--report", "Write an HTML page: a heatmap, and every probe.", "FILE")
    ] = None,
    save: Annotated[Path | None, option("--save", "Write the probes, for rb.load.", "FILE")] = None,
    json: Json = False,
) -> int:
    """Train linear probes, and judge each one on new rows.

    A column of labels holds −1 and +1 (0: no label), true and false, or the names of classes; empty is no label.

    For example:
      rosenblatt probe layers.safetensors labels.csv --report probes.html
      rosenblatt probe layers.safetensors labels.csv --tensors '*.mlp'
      rosenblatt probe acts.npy labels.csv --groups sentence --method logistic
      rosenblatt probe activations.npy labels.parquet --regress length --json
    """
    from rosenblatt.data.files import make_ready
    from rosenblatt.models.saving import save as save_model
    from rosenblatt.probes import fit
    from rosenblatt.probes.files import read_activations, read_label_table
    from rosenblatt.report.probes_page import write_page

    make_ready(report, save, inputs=[activations, table])
    (X, names), read = read_activations(activations, tensors), read_label_table(table)
    roles = Roles(table, read, labels, groups, type_)
    with probing() as progress:
        probes = fit(
            X,
            read.only(roles.concepts),
            method=_names(method),
            test=test or None,
            validation=validation or None,
            groups=roles.groups,
            controls=controls,
            control="labels" if type_ is None else "type",
            types=roles.types,
            regress=_names(regress) or False,
            bins=bins,
            scale=scale,
            passes=passes,
            order=order,
            average=average,
            names=names or None,
            device=device,
            random_state=seed,
            progress=progress,
        )
    if report is not None:
        write_page(probes, report, f"Probes of {activations.name}")
    if save is not None:
        save_model(probes, save)
    if json:
        answer = {"settings": probes.settings, "probes": probes.records(), "confusions": probes.confusions}
        print_json("rosenblatt-probe/2", answer)
    else:
        shape = " × ".join(f"{size:,}" for size in X.shape)
        print(f"{activations.name} · {shape} · {table.name}\n\n{probes}")
    return DONE


class Roles:
    """Which columns are concepts, and what the named ones hold."""

    def __init__(
        self, path: Path, read: "LabelTable", labels: str | None, groups: str | None, type_: str | None
    ) -> None:
        wanted = _names(labels)
        for name in [*wanted, *filter(None, (groups, type_))]:
            if name not in read.columns:
                raise ValueError(f"{path}: there is no column {name!r}; it has {', '.join(read.columns[:8])}.")
        self.groups: Any = None if groups is None else read[groups]
        self.types: Any = None if type_ is None else read[type_]
        self.concepts = wanted or [name for name in read.columns if name not in (groups, type_)]


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
