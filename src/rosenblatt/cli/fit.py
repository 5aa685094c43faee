"""`rosenblatt fit`: learn a model from a table, and lose nothing when interrupted."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.exits import DONE, INTERRUPTED
from rosenblatt.cli.learners import LearnerName, Order, Recipe
from rosenblatt.cli.options import Cluster, Json, ShardRows, TableOptions, takes_table

__all__ = ["command"]

_SECONDS = 60.0  # between checkpoints


@takes_table
def command(
    table: TableOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.", metavar="MODEL")],
    learner: Annotated[LearnerName, typer.Option(help="What learns.")] = LearnerName.perceptron,
    recipe: Annotated[Recipe | None, typer.Option(help="The perceptron as one lecture has it.")] = None,
    passes: Annotated[int | None, typer.Option(help="Stop after so many passes (by default 1000).", min=1)] = None,
    order: Annotated[
        Order | None, typer.Option(help="Rows in turn, shuffled each pass (the default without a recipe), or drawn.")
    ] = None,
    eta: Annotated[float | None, typer.Option(help="The step.", metavar="NUMBER")] = None,
    margin: Annotated[
        float | None, typer.Option(help="Correct also what is right by less than this.", metavar="NUMBER")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seeds everything that is drawn.", min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(help="Threads; they change no bit of the model.")] = None,
    intercept: Annotated[
        bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane may miss the origin.")
    ] = True,
    scale: Annotated[
        bool, typer.Option("--scale", help="Learn from columns of one size; the model takes them as they are.")
    ] = False,
    balanced: Annotated[bool, typer.Option("--balanced", help="Give both classes the same total weight.")] = False,
    validation: Annotated[
        str | None,
        typer.Option(help="Also judge the model on this table, or on this part of the rows.", metavar="FILE|FRACTION"),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Record every correction in this file (perceptrons).", metavar="FILE")
    ] = None,
    checkpoint_every: Annotated[
        float | None,
        typer.Option(help="Save a checkpoint every so many seconds (by default 60).", min=0.0, metavar="SECONDS"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint of the same command, if there is one.")
    ] = False,
    cluster: Cluster = None,
    shard_rows: ShardRows = None,
    json: Json = False,
) -> int:
    """Learn to tell the two classes apart; write the model to a file.

    Ctrl-C and SIGTERM save a checkpoint beside the model; the same command with --resume goes on, and ends with the
    very model that an undisturbed run would have made, bit for bit. So it does after a power cut, from the last
    checkpoint. Text columns, missing values and the like are read the same way again by `rosenblatt predict`.

    For example:
      rosenblatt fit train.csv --target ill -o ill.model
      rosenblatt fit train.csv --target ill -o m --learner pa --validation 0.2
      rosenblatt fit train.csv --target ill -o m --learner averaged --passes 50
      rosenblatt fit train.csv --target ill -o m --scale
      rosenblatt fit huge.parquet --target clicked -o m --passes 20 --resume
      rosenblatt fit toy.csv --target y -o m --recipe stein --trace toy.trace
      rosenblatt fit rows/ --target y -o m --cluster tcp://10.0.0.7:8786
    """
    from rosenblatt.cli.clusters import joined, refuse_with_cluster, refuse_without_cluster, spread
    from rosenblatt.cli.fitting import Fitting
    from rosenblatt.cli.learners import make_learner
    from rosenblatt.cli.output import Page, note, print_json
    from rosenblatt.cli.tables import load
    from rosenblatt.cli.watching import Interrupted
    from rosenblatt.data.files import make_ready

    make_ready(output, trace, inputs=[*table.files, validation])
    parameters: dict[str, Any] = {
        "max_passes": passes,
        "order": order and order.value,
        "eta": eta,
        "margin": margin,
        "n_jobs": jobs,
        "fit_intercept": intercept,
        "class_weight": "balanced" if balanced else None,
        "trace": True if trace else None,
    }
    model = make_learner(learner, recipe, parameters, cluster is not None).set_params(random_state=seed)
    try:
        if cluster is None:
            refuse_without_cluster(shard_rows=shard_rows)
            every = _SECONDS if checkpoint_every is None else checkpoint_every
            fitting = Fitting(load(table, intercept), model, learner.value, output, validation, trace, scale)
            done = fitting.run(every, resume)
        else:
            refuse_with_cluster(trace=trace, checkpoint_every=checkpoint_every, scale=scale)
            with joined(cluster) as client:
                from rosenblatt.cli.cluster_fitting import ClusterFitting  # needs Dask, which is known to be there now

                rows = spread(table, shard_rows, client, intercept)
                done = ClusterFitting(rows, model, learner.value, output, validation, client).run_on_shards(resume)
    except Interrupted as saved:
        note(f"interrupted. {saved}")
        return INTERRUPTED
    if json:
        print_json("rosenblatt-fit/1", done.to_json())
    else:
        done.show(Page())
    return DONE
