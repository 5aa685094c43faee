"""`rosenblatt fit`: learn a model from a table, and lose nothing when interrupted."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rosenblatt.cli.fit_plan import FitWanted, Plan, refuse_common_means
from rosenblatt.cli.fit_words import Fitted
from rosenblatt.cli.learners import LearnerName, Order, Recipe
from rosenblatt.cli.options import Cluster, Intercept, Json, ShardRows, TableOptions, flag, option, refuse, takes_table
from rosenblatt.cli.output import DONE, INTERRUPTED, Page, count, note, print_json
from rosenblatt.cli.tables import load, load_alike
from rosenblatt.cli.waiting import learning, waiting
from rosenblatt.data.files import make_ready, refuse_existing

if TYPE_CHECKING:
    from rosenblatt.data.loaded import Loaded

__all__ = ["command"]

_SECONDS = 60.0  # between checkpoints


@takes_table
def command(
    table: TableOptions,
    output: Annotated[Path, option("Where to write the model.", "MODEL", name="--output -o")],
    learner: Annotated[
        LearnerName | None,
        option(
            "What learns; by default logistic, beyond 500 columns averaged. auto: the simplest of those that do "
            "about best by cross-validation."
        ),
    ] = None,
    recipe: Annotated[Recipe | None, option("The perceptron as one lecture has it.")] = None,
    passes: Annotated[int | None, option("Stop after so many passes (by default 1000).", min=1)] = None,
    order: Annotated[
        Order | None, option("Rows in turn, shuffled each pass (the default without a recipe), or drawn.")
    ] = None,
    eta: Annotated[float | None, option("The step.", "NUMBER")] = None,
    margin: Annotated[float | None, option("Correct also what is right by less than this.", "NUMBER")] = None,
    multiclass: Annotated[
        str | None,
        option(
            "Three or more classes: ovr (each against the rest), kesler (perceptrons), multinomial (logistic).", "NAME"
        ),
    ] = None,
    regularizer: Annotated[
        float | None, option("A ridge (logistic, least-squares): 1 is usual, with --scale.", "NUMBER", min=0.0)
    ] = None,
    rff: Annotated[int | None, option("Learn from so many random Fourier features of the columns.", "N", min=1)] = None,
    seed: Annotated[int, option("Seeds everything that is drawn.", min=0)] = 0,
    jobs: Annotated[int | None, option("Threads; they change no bit of the model.")] = None,
    intercept: Intercept = True,
    scale: Annotated[
        bool, flag("--scale", "Learn from columns of one size; the model takes them as they are.")
    ] = False,
    balanced: Annotated[bool, flag("--balanced", "Give both classes the same total weight.")] = False,
    validation: Annotated[
        str | None, option("Also judge the model on this table, or on this part of the rows.", "FILE|FRACTION")
    ] = None,
    cv: Annotated[int | None, option("Also judge it by cross-validation with K folds.", "K", min=2)] = None,
    trace: Annotated[Path | None, option("Record every correction in this file (perceptrons).", "FILE")] = None,
    checkpoint_every: Annotated[
        float | None, option("Save a checkpoint every so many seconds (by default 60).", "SECONDS", min=0.0)
    ] = None,
    resume: Annotated[
        bool, flag("--resume", "Go on from the checkpoint of the same command, if there is one.")
    ] = False,
    force: Annotated[bool, flag("--force", "Replace a model that is there already.")] = False,
    cluster: Cluster = None,
    shard_rows: ShardRows = None,
    json: Json = False,
) -> int:
    """Learn to tell the classes apart; write the model to a file.

    Ctrl-C and SIGTERM save a checkpoint beside the model; the same command with --resume goes on, and ends with the
    very model that an undisturbed run would have made, bit for bit. So it does after a power cut, from the last
    checkpoint. Text columns, missing values and the like are read the same way again by `rosenblatt predict`.

    For example:
      rosenblatt fit train.csv --target ill -o ill.model
      rosenblatt fit train.csv --target ill -o m --learner auto
      rosenblatt fit train.csv --target ill -o m --cv 10 --validation test.csv
      rosenblatt fit train.csv --target ill -o m --learner averaged --scale
      rosenblatt fit train.csv --target ill -o m --rff 300 --cv 5
      rosenblatt fit huge.parquet --target clicked -o m --passes 20 --resume
      rosenblatt fit toy.csv --target y -o m --recipe stein --trace toy.trace
      rosenblatt fit iris.csv --target species -o m
      rosenblatt fit rows/ --target y -o m --cluster tcp://10.0.0.7:8786
    """
    from rosenblatt.data.places import plain_files
    from rosenblatt.learners.watching import Interrupted

    make_ready(output, trace, inputs=[*table.files, *(plain_files(validation) if validation else [])])
    if not (force or resume):
        refuse_existing(output)
    parameters: dict[str, Any] = {
        "max_passes": passes,
        "order": order and order.value,
        "eta": eta,
        "margin": margin,
        "n_jobs": jobs,
        "fit_intercept": intercept,
        "class_weight": "balanced" if balanced else None,
        "trace": True if trace else None,
        "multiclass": multiclass,
        "regularizer": regularizer,
    }
    wanted = FitWanted(learner, recipe, parameters, scale, rff, cv, seed, trace)
    wanted.refuse_contradictions()
    asked = _Asked(table, wanted, output, validation, resume)
    try:
        if cluster is None:
            refuse("goes with --cluster.", shard_rows=shard_rows)
            done = asked.fit_here(_SECONDS if checkpoint_every is None else checkpoint_every)
        else:
            for_one = {"trace": trace, "checkpoint_every": checkpoint_every, "scale": scale, "rff": rff, "cv": cv}
            refuse("is for one machine: leave out that, or --cluster.", **for_one)
            done = asked.fit_on(cluster, shard_rows)
    except Interrupted as saved:
        note(f"interrupted. {saved}; the same command with --resume goes on from there.")
        return INTERRUPTED
    if json:
        print_json("rosenblatt-fit/1", done.to_json())
    else:
        done.show(Page())
    return DONE


@dataclass(frozen=True)
class _Asked:
    """What the command was asked for, wherever it is done."""

    table: TableOptions
    wanted: FitWanted
    output: Path
    validation: str | None
    resume: bool

    def fit_here(self, every: float) -> Fitted:
        """On this machine."""
        from rosenblatt.learners.table_fit import TableFit, draw_held_out

        trace = self.wanted.trace
        loaded = load(self.table, self.wanted.parameters["fit_intercept"], multiclass=True)
        other = self._validation(loaded)
        several = len(loaded.classes) > 2
        for name, given in (("--trace", trace is not None), ("--resume", self.resume)):
            if given and several:
                raise ValueError(f"{name} is for two classes: leave it out, or say --positive CLASS.")
        held_out = draw_held_out(loaded, other, self.wanted.seed) if isinstance(other, float) else None
        plan = self.wanted.plan(loaded, slice(None) if held_out is None else ~held_out)
        if plan.scale:
            plan.refuse_scaling(loaded)
        if several:
            return self._fit_classes(plan, loaded, other)
        backwards = plan.gives_back
        before = [] if backwards else plan.steps(loaded)
        fit = TableFit(loaded, plan.model, self.output, other, trace, backwards, self._about(plan), before)
        resumed = self._may_begin(fit.checkpoint.path)
        with learning(len(loaded.signs)) as progress:
            seconds = fit.run(every, progress)
        return Fitted.judged(fit, plan, seconds, resumed)

    def _about(self, plan: Plan) -> dict[str, Any]:
        """What must be the same where a fit goes on."""
        wanted = self.wanted
        about = {"the learner": plan.name, "--validation": self.validation, "--scale": plan.scale or None}
        return about | ({"--rff": wanted.rff, "--seed": wanted.seed} if wanted.rff else {})

    def _fit_classes(self, plan: Plan, loaded: "Loaded", other: "float | Loaded | None") -> Fitted:
        """Three or more classes: one against the rest, or together where the learner can."""
        from rosenblatt.learners.table_fit import TableFit

        fit = TableFit(loaded, plan.model, self.output, other, before=plan.steps(loaded))
        with waiting(f"learning {len(loaded.classes)} classes"):
            seconds = fit.run_classes()
        return Fitted.judged(fit, plan, seconds)

    def fit_on(self, cluster: str, shard_rows: int | None) -> Fitted:
        """On the workers of a cluster."""
        from rosenblatt.cli.clusters import joined, spread

        name = self.wanted.learner or LearnerName.perceptron
        if name is LearnerName.auto:
            raise ValueError("--learner auto is for one machine: name a learner, or leave out --cluster.")
        plan = Plan(self.wanted, name, self.wanted.make(name), False)
        with joined(cluster) as client:
            from rosenblatt.distributed.table_fit import ShardedTableFit  # needs Dask, which is known to be there now

            found = spread(self.table, shard_rows, client, self.wanted.parameters["fit_intercept"])
            other = self._validation(found.loaded)
            if isinstance(other, float):
                raise ValueError(f"--validation {self.validation}: with --cluster, name a table to judge the model on.")
            fit = ShardedTableFit(found.loaded, found.shards, client, plan.model, self.output, other)
            resumed = self._may_begin(fit.checkpoint.path)
            with waiting(f"learning on {count(len(found.shards), 'shard')}"):
                seconds = fit.run_on_shards()
            with waiting("judging the model"):
                return Fitted.judged(fit, plan, seconds, resumed)

    def _validation(self, loaded: "Loaded") -> "float | Loaded | None":
        """The part of the rows to be held out, or another table."""
        if self.validation is None:
            return None
        try:
            part = float(self.validation)
        except ValueError:
            return load_alike(self.validation, loaded.encoding)
        if not 0 < part < 1:
            why = "a part of the rows lies between 0 and 1; or name a file"
            raise ValueError(f"--validation {self.validation}: {why}.")
        refuse_common_means("--validation by a part of the rows", loaded)
        return part

    def _may_begin(self, checkpoint: Path) -> bool:
        """Whether there is a checkpoint to go on from; refuses to begin over one that nobody asked to resume."""
        make_ready(checkpoint)
        there = checkpoint.exists()
        if there and not self.resume:
            raise ValueError(
                f"{checkpoint} is there, from a fit that was interrupted: say --resume to go on with it, or delete it "
                f"to begin anew."
            )
        if self.resume and not there:
            note(f"there is no {checkpoint} to resume from: beginning at the beginning.")
        return there
