"""`rosenblatt probe`: many linear probes at once, each judged on new rows and against control tasks."""

from pathlib import Path
from typing import Annotated

import rosenblatt as rb
from rosenblatt.cli.options import Json, argument, listed, option
from rosenblatt.cli.output import DONE, outputs, print_json, probing, say

__all__ = ["command"]


def command(
    activations: Annotated[
        Path, argument("ACTIVATIONS", "Rows × columns, or layers of them: npy, npz, safetensors, parquet.")
    ],
    table: Annotated[Path, argument("LABELS", "One column a concept, one row for each row: CSV, TSV, parquet.")],
    tensors: Annotated[
        str | None, option("Arrays of ACTIVATIONS to probe: names with * and ?, commas between.", "NAMES")
    ] = None,
    labels: Annotated[str | None, option("Columns of LABELS to probe for, commas between; else all.", "COLS")] = None,
    groups: Annotated[
        str | None, option("A column of LABELS: its rows of one value are all learned from, or all judged on.", "COL")
    ] = None,
    type_: Annotated[
        str | None,
        option("A column of LABELS: control tasks give each of its values a random label.", "COL", name="--type"),
    ] = None,
    regress: Annotated[str | None, option("Columns of LABELS whose numbers are to be predicted.", "COLS")] = None,
    bins: Annotated[int | None, option("Cut columns of many numbers into so many classes.", min=2)] = None,
    method: Annotated[
        str, option("perceptron, logistic, mean-difference, least-squares; several with commas.")
    ] = "logistic",
    test: Annotated[float, option("The part of the rows to judge on; 0 for none.", min=0, max=1)] = 0.25,
    validation: Annotated[
        float,
        option("To choose layer and penalty: so many parts in turn, or a part of the rows; 0: none.", min=0),
    ] = 3,
    controls: Annotated[int, option("Control tasks for each probe.", min=0)] = 5,
    passes: Annotated[int, option("Perceptrons: the most passes over the rows.", min=1)] = 50,
    order: Annotated[str, option("Perceptrons: rows in cyclic or shuffled order.")] = "shuffled",
    average: Annotated[bool, option("Perceptrons: use the mean of all weights met.")] = True,
    scale: Annotated[bool, option("Scale columns to mean 0 and deviation 1.")] = True,
    device: Annotated[str, option("auto, cpu or cuda.")] = "auto",
    seed: Annotated[int, option("Seeds order, splits, controls and permutations.")] = 0,
    report: Annotated[Path | None, option("Write an HTML page: a heatmap, and every probe.", "FILE")] = None,
    save: Annotated[Path | None, option("Write the probes, for rb.load.", "FILE")] = None,
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
    from rosenblatt.probes.reading import read_activations, read_label_table
    from rosenblatt.report import write_page

    outputs.make_ready(report, save, inputs=[activations, table])
    (X, names), read = read_activations(activations, tensors), read_label_table(table)
    for name in [*listed(labels), *filter(None, (groups, type_))]:
        if name not in read:
            raise ValueError(f"{table}: there is no column {name!r}; it has {', '.join([*read][:8])}.")
    concepts = listed(labels) or [name for name in read if name not in (groups, type_)]
    concepts += [name for name in listed(regress) if name in read and name not in concepts]
    with probing() as progress:
        probes = rb.probes.fit(
            X,
            {name: read[name] for name in concepts},
            method=listed(method),
            test=test or None,
            validation=(int(validation) if validation.is_integer() else validation) or None,
            groups=None if groups is None else read[groups],
            controls=controls,
            control="labels" if type_ is None else "type",
            types=None if type_ is None else read[type_],
            regress=listed(regress) or False,
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
        rb.save(probes, save)
    if json:
        answer = {"settings": probes.settings, "probes": probes.records(), "confusions": probes.confusions}
        print_json("rosenblatt-probe/2", answer)
    else:
        shape = " × ".join(f"{size:,}" for size in X.shape)
        say(f"{activations.name} · {shape} · {table.name}", "", *str(probes).splitlines())
    return DONE
