"""`rosenblatt probe`: many linear probes at once, and whether each means anything."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import Json
from rosenblatt.cli.output import DONE, print_json
from rosenblatt.cli.waiting import probing

__all__ = ["command"]


def command(
    activations: Annotated[
        Path,
        typer.Argument(
            metavar="ACTIVATIONS", help="Rows × columns, or layers of them: npy, npz, safetensors, parquet."
        ),
    ],
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS", help="One column a concept, one row for each row: CSV, TSV, parquet.")
    ],
    passes: Annotated[int, typer.Option(help="The most passes over the rows.", min=1)] = 50,
    order: Annotated[str, typer.Option(help="cyclic or shuffled.")] = "cyclic",
    average: Annotated[bool, typer.Option("--average", help="Answer with the mean of all weights.")] = False,
    controls: Annotated[int, typer.Option(help="Copies of each probe with shuffled labels.", min=0)] = 5,
    validation: Annotated[
        float, typer.Option(help="The part of the rows to be held out; 0 for none.", min=0, max=1)
    ] = 0.25,
    groups: Annotated[
        str | None, typer.Option(metavar="COL", help="A column of LABELS: rows of one group stay on one side.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    seed: Annotated[int, typer.Option(help="For order, split and controls.")] = 0,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an HTML page with the picture and every probe.")
    ] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the probes, for rb.load.")] = None,
    json: Json = False,
) -> int:
    """Train a perceptron for every concept and layer, with controls.

    A column of labels holds −1 and +1 (0: no label), true and false, or the names of classes; empty is no label.

    For example:
      rosenblatt probe layers.safetensors labels.csv --report probes.html
      rosenblatt probe activations.npy labels.csv --groups sentence --controls 10
      rosenblatt probe activations.npy labels.parquet --validation 0 --json
    """
    from rosenblatt.data.files import make_ready
    from rosenblatt.models.saving import save as save_model
    from rosenblatt.probes import fit
    from rosenblatt.probes.files import read_activations, read_label_table
    from rosenblatt.report.probes_page import write_page

    make_ready(report, save, inputs=[activations, labels])
    X, table = read_activations(activations), read_label_table(labels)
    names = None
    if groups is not None:
        if groups not in table.columns:
            raise ValueError(f"{labels}: there is no column {groups!r}; it has {', '.join(table.columns[:8])}.")
        names, table = table[groups], table.without(groups)
    with probing() as progress:
        probes = fit(
            X,
            table,
            passes=passes,
            order=order,
            average=average,
            controls=controls,
            validation=validation or None,
            groups=names,
            device=device,
            random_state=seed,
            progress=progress,
        )
    if report is not None:
        write_page(probes, report, f"Probes of {activations.name}")
    if save is not None:
        save_model(probes, save)
    if json:
        print_json("rosenblatt-probe/1", {"settings": probes.settings, "probes": probes.records()})
    else:
        shape = " × ".join(f"{size:,}" for size in X.shape)
        print(f"{activations.name} · {shape} · {labels.name}\n\n{probes}")
    return DONE
