"""One run of the loop, from its start to its outcome: what drives the compiled calls.

A run ends because it separates, ties, cycles or reaches a limit, and its outcome says which. The compiled loop reports
events; this file decides what they mean, in exact arithmetic where a claim is made.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.wording import count
from rosenblatt.exact import integers
from rosenblatt.learners.runs.clock import Clock, Settings, make_order
from rosenblatt.learners.runs.crew import Crew
from rosenblatt.learners.runs.ending import AsRead, describe_end
from rosenblatt.learners.runs.examples import Examples, norm_sq
from rosenblatt.learners.runs.goals import Goal
from rosenblatt.learners.runs.progress import Progress
from rosenblatt.learners.runs.prospects import Prospect, prospect
from rosenblatt.models import Hyperplane, JointWitness, Outcome, RunState, Trace, Witness, read_witness
from rosenblatt.models.run_state import Units, scaled

if TYPE_CHECKING:
    from rosenblatt.learners.runs.clock import Rule

__all__ = ["Run", "Words", "finish_all", "new_memory"]

_TRACE_BUFFER = 1 << 16
_PASS_BUFFER = 1 << 12
_CALL_SECONDS = 0.05  # a compiled call is sized to last about this long
_PROVED = ("SEPARATED", "TIED", "CYCLING")  # outcomes that hold again on the same data
_FIRST_CALL = 1 << 20  # values that the first call looks at
_WHOLE = 1 << 40  # all rows
_FIRST_LOOK = 8  # passes after which a run looks at its average for the first time
# Steps of work up to which no run is ended because of its average: 0.1 ms; 0.2 where one answer for all rows would be
# as good; 0.4 where it gets better, or mistakes become fewer only slowly.
_BRIEF, _SHORT, _CHEAP = 1 << 17, 1 << 18, 1 << 19
_A_ROW = 16  # what it takes to show a row, besides its values
_PLENTY = 64  # passes from which a run that cannot separate ends, though its average still gets better
_BETTER = 0.05  # part of its wrong answers by which the average must get better from one look to the next
_OUT_OF_REACH = 1e9  # times the corrections that are allowed: no run whose bound is higher was seen to separate
_NEARLY_NONE, _MANY = 10, 0.03  # mistakes a pass, and part of the rows, from which separable data often get to none


class Words(NamedTuple):
    """What sentences say of the examples of a run."""

    right: str  # that they are right
    one_tied: str  # that one of them is a tie
    some_tied: str
    impossible: str  # that no weights have them all right
    possible: str = ""  # that some weights have


@dataclass
class Run:
    """A neuron at work on `examples` with a rule of the kernels, starting from `start`."""

    resumable: ClassVar[bool] = True  # whether `state` has all that is needed to go on

    words: ClassVar[Words] = Words(
        right="on their side",
        one_tied="lies on the hyperplane",
        some_tied="lie on the hyperplane",
        impossible="no hyperplane separates the classes",
        possible="a hyperplane separates the classes",
    )

    examples: Examples
    rule: "Rule"
    settings: Settings
    start: Floats
    crew: Crew = field(default_factory=Crew)
    earlier: RunState | None = None  # the state to go on from
    units: Units = field(default_factory=Units)  # of `start`, the rule's step and all vectors
    goal: Goal | None = None  # the loss, for a learner that minimises one

    outcome: Outcome | None = None
    witness: Witness | JointWitness | None = None
    cancelled: bool = False  # set from another thread

    def __post_init__(self) -> None:
        self._ratchet: Floats | None = None  # the pocket at the last pass end: a later fit goes on with this one
        self._pocketed: tuple[int, int] | None = None  # wrong answers of the weights in the pocket, rows on their plane
        self.mistakes_per_pass: list[int] = []
        self._traced: list[tuple[Any, ...]] = []  # rows, steps, times
        self._rounding_cycle = False
        self._limited = False  # whether a limit ended the run
        self._averaged = self.settings.average is True  # whether the average is the answer
        self._known: Prospect | None = None  # whether some weights are right on every row, once that was found
        self._looks: list[list[int]] = []  # at the average: after how many passes, and the part of its wrong answers
        self._size = max(1, int(_FIRST_CALL / self.examples.width))
        if self.earlier is not None:
            self.start, self.units = self.earlier.start, self.earlier.units
            self.settings = replace(self.settings, seed=self.earlier.seed)
        self.memory, self.clock = new_memory(self.start, self.settings, self.examples.classes)
        self.pocket = self.start.copy()
        if self.earlier is not None:
            self._restore(self.earlier)
        self._last = self.clock.pass_start + self.settings.max_passes * self.examples.n
        if self.earlier is not None and self.earlier.goal is not None:
            self._last = min(self._last, self.earlier.goal)  # never more passes than max_passes allows now

    @cached_property
    def order(self) -> Any:
        """The kernels' order of presentation."""
        return make_order(self.settings, self.examples.n)

    def _restore(self, state: RunState) -> None:
        self.clock.restore(state.clock)
        if state.goal is None:  # an interrupted run keeps its limits; a new fit brings new ones
            self.clock.set_limits(self.settings)
        for name, vector in state.vectors.items():
            target = self.pocket if name == "pocket" else getattr(self.memory, name)
            if target.size:
                target[:] = vector
        self.mistakes_per_pass = list(state.mistakes_per_pass)
        if self.clock.in_pass:
            self.mistakes_per_pass.pop()  # the pass that was cut short goes on
        if "looks" in state.books:
            self._looks = state.books["looks"].tolist()
        if state.traced_rows.size and self.settings.trace:
            unknown = np.zeros(state.traced_rows.size - state.traced_times.size, dtype=np.int64)  # of an older version
            times = np.concatenate([unknown, state.traced_times])
            self._traced.append((state.traced_rows, state.traced_steps, times))

    @property
    def position(self) -> tuple[int, int]:
        """Presentations made, and at which of them a limit ends the run."""
        return self.clock.t, self._last

    def state(self) -> RunState:
        """All that is needed to go on."""
        vectors = {name: getattr(self.memory, name).copy() for name in ("w", "average", "longest", "mark", "previous")}
        vectors["pocket"] = (self.pocket if self._ratchet is None else self._ratchet).copy()
        rows, steps, times = self.corrections()
        cut_short = [self.clock.mistakes] if self.outcome is None and self.clock.in_pass else []
        return RunState(
            n=self.examples.n,
            seed=self.settings.seed,
            start=self.start.copy(),
            vectors={name: v for name, v in vectors.items() if v.size},
            clock=self.clock.to_json(),
            mistakes_per_pass=[*self.mistakes_per_pass, *cut_short],
            goal=self._last if self.outcome is None else None,
            outcome=("", "") if self._limited or self.outcome is None else (str(self.outcome), self.outcome.sentence),
            witness=self.witness.to_json() if self.witness else ([], []),
            traced_rows=rows,
            traced_steps=steps,
            traced_times=times,
            books={"looks": np.array(self._looks, dtype=np.int64)} if self._looks else {},
            units=self.units,
        )

    # ----------------------------------------------------------------------------------------------------- the result

    def said_as_read(self, read: AsRead) -> Outcome | None:
        """The outcome, as far as it is proved of the numbers as they are read."""
        if self.outcome is None:
            return None
        return read.said(self.outcome, self.examples, self.weights, self.witness, self.settings.ties)

    @property
    def n_updates(self) -> int:
        """Corrections made."""
        return int(self.clock.corrections)

    @property
    def weights(self) -> Floats:
        """The weights the run returns: the running ones, their average, or those in the pocket."""
        return scaled(self._own, self.units.unit)

    @property
    def _own(self) -> Floats:
        """The same in units of the run."""
        if self._averaged:
            return self._mean
        return self.pocket if self.settings.pocket and self._pocketed is not None else self._reached

    @property
    def _mean(self) -> Floats:
        """The mean of the weights over all presentations, in units of the run."""
        return np.asarray(self._reached - self.memory.average / max(1, self.clock.t))

    @property
    def eta(self) -> float:
        """The step η of the rule; 0 where it has none."""
        return float(getattr(self.rule, "eta", 0.0)) * float(self.units.unit)

    @property
    def trace(self) -> Trace | None:
        """The corrections, if they were recorded."""
        if not self.settings.trace:
            return None
        ends = np.cumsum(np.asarray(self.mistakes_per_pass, dtype=np.int64))
        rows, steps, times = self.corrections()
        return self._trace(rows, steps, ends, times if times.all() else None)

    def _trace(self, rows: Integers, steps: Floats, ends: Integers, times: Integers | None) -> Trace:
        return Trace(self.start.copy(), rows, steps, ends, self.examples.rows, times, self.units)

    @property
    def running(self) -> Floats:
        """The weights to go on from."""
        return scaled(self._reached, self.units.unit)

    @property
    def _reached(self) -> Floats:
        """The same in units of the run."""
        return np.asarray(self.memory.w)

    def corrections(self) -> tuple[Integers, Floats, Integers]:
        """Rows corrected, steps taken, and presentations up to each (0: unknown), as far as they were recorded."""
        none = np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64)
        rows, steps, times = (np.concatenate(parts) for parts in zip(none, *self._traced, strict=True))
        return rows, steps, times

    # ------------------------------------------------------------------------------------------------------- the run

    def finish(self, progress: Progress | None = None) -> "Run":
        """Run to the outcome."""
        watched = progress is not None and progress.watched
        if self.earlier is not None:
            self.outcome = self._still_true(self.earlier)
            if self.outcome is None and self.earlier.outcome[0] in _PROVED:
                self.clock.forget_best()  # what was proved holds no more: these are other data
        while self.outcome is None and not self.cancelled:
            pass_start = self.clock.pass_start
            if progress is not None:
                progress.begin_pass()
            # callbacks are told of every pass; without them one call may make many passes
            stop = min(self._last, self._next_look)
            events = self._call(min(stop, pass_start + self.examples.n) if watched else stop)
            self._drain()
            self._check_overflow()
            self.outcome = self._consider(events)
            ended = self.clock.pass_start > pass_start or self.outcome is not None
            if progress is not None and ended and progress.end_pass(self._attributes) and self.outcome is None:
                self.outcome = self._end("a callback asked to stop")
            if progress is not None and self.outcome is None:
                progress.look(self)
        if self.clock.in_pass:  # the pass that was cut short
            self.mistakes_per_pass.append(self.clock.mistakes)
        return self

    def advance(self, stop: int) -> None:
        """Make the presentations before `stop`, or as many corrections as are allowed, and look for no outcome."""
        from rosenblatt.kernels.kinds import LIMIT

        events = 0
        while self.clock.t < stop and not events & LIMIT:
            events = self._call(stop)
            self._drain()
            self._check_overflow()
            self.clock.restart_quiet()

    def _still_true(self, earlier: RunState) -> Outcome | None:
        """The outcome that an earlier fit proved, if it holds on these examples too; None: go on learning.

        These may be other examples than those of the earlier fit: nothing is kept that is not proved again, and no
        sentence at all.
        """
        name = earlier.outcome[0]
        if name == "CYCLING" and self._proves(witness := read_witness(earlier.witness)):
            self.witness = witness
            self._averaged = bool(self.settings.average)
            if self.settings.pocket:
                self._fill_pocket()
            return Outcome(
                name,
                f"{self.words.impossible}: corrections of an earlier fit, on {len(np.unique(witness.rows))} examples, "
                f"add up to zero exactly on these data too. {self._wrong()}.",
            )
        held = self._certify() if name in ("SEPARATED", "TIED") and self.settings.separate else None
        return held or (self._certify_mean() if name == "SEPARATED" else None)

    def _proves(self, witness: Witness | JointWitness) -> bool:
        """Whether λ > 0 on some of these examples, all of them present, and Σ λ z = 0."""
        possible = witness.may_prove(self.examples.n) and self.examples.are_present(witness.rows)
        return possible and self._vanishes(witness)

    def _vanishes(self, witness: Witness | JointWitness) -> bool:
        """Whether Σ λ z = 0 on these examples."""
        return self.examples.vanishing(witness)

    def _consider(self, events: int) -> Outcome | None:
        """The outcome that the events of a call lead to, if any."""
        from rosenblatt.kernels import kinds

        if events & kinds.POCKET and (outcome := self._judge_pocket()):
            return outcome
        if events & kinds.CLEAN and self.settings.separate and (outcome := self._confirm()):
            return outcome
        if events & kinds.REPEAT and (outcome := self._examine_cycle()):
            return outcome
        if events & kinds.SETTLED:
            return self._end("", settled=True)
        if events & kinds.PATIENCE:
            return self._end(f"no pass beat the best for {self.settings.patience} passes")
        if events & kinds.LIMIT:
            return self._end(f"{self.settings.max_updates} corrections were allowed")
        if self.clock.t >= self._last:
            return self._end("")
        return self._look_at_mean() if self.clock.t >= self._next_look else None

    @property
    def _next_look(self) -> int:
        """The presentation at which the average is looked at: after 8 passes, 16, 32 and so on."""
        if not self.settings.asks:
            return int(self._last)
        done: int = self._looks[-1][0] if self._looks else 0
        return int(max(_FIRST_LOOK, 2 * done) * self.examples.n)

    def _look_at_mean(self) -> Outcome | None:
        """Stop where the average no longer improves, and no weights are right on every row, or too far to reach."""
        before, passes = self._looks[-1][1] if self._looks else None, self.clock.passes
        wrong = self._part(self.examples.wrong(scaled(self._mean, self.units.unit), self.settings.errors))
        self._looks.append([passes, wrong])
        if not _asks(before, passes, wrong):
            return None
        improves, work = _improves(before, wrong), self._work(passes)
        self._known = self._known or self._prospect(passes)
        kind = self._known.kind if self._known else "unknown"
        if self._known is not None and kind == "separable":
            allowed = self.n_updates / self.clock.t * self._last
            return self._end("") if inf > self._known.corrections > _OUT_OF_REACH * allowed else None
        constant = wrong >= self._part(sum(self._sizes) - max(self._sizes))
        if work < (_CHEAP if improves else _SHORT if constant else _BRIEF):
            return None
        better = "" if improves else "more passes hardly made the average better"
        if kind == "overlapping":
            return self._end(better)
        if improves:
            return None
        left = self._mistakes_left(passes)
        if left <= max(_NEARLY_NONE, _MANY * self.examples.present):
            return None
        return self._end(f"{better}; at the rate of the last passes, about {left:,.0f} mistakes a pass would be left")

    def _work(self, passes: int) -> float:
        """Steps of work of so many passes."""
        return passes * self.examples.n * (self.examples.width + _A_ROW)

    def _part(self, wrong: float) -> int:
        """Which part of all rows, by weight, these are: in units that are whole numbers."""
        return round(wrong / sum(self._sizes) * _WHOLE)

    @cached_property
    def _sizes(self) -> list[float]:
        """How much the rows of each class weigh."""
        return [size for size in self.examples.class_sizes().values() if size > 0] or [1.0]

    def _prospect(self, passes: int) -> Prospect | None:
        """What can be known in the time of so many passes."""
        return prospect(self.examples, passes, strictly=all(self.settings.ties))

    def _recalled(self) -> Prospect | None:
        """What the run knew when an earlier fit left it."""
        befores = [None, *(wrong for _, wrong in self._looks)]
        asked = [look[0] for before, look in zip(befores, self._looks, strict=False) if _asks(before, *look)]
        return self._prospect(asked[-1]) if asked else None

    def _mistakes_left(self, passes: int) -> float:
        """Mistakes in the last pass that is allowed, if every doubling of the passes helps as much as the last one.

        None as long as passes have taken next to no time.
        """
        if self._work(passes) < _CHEAP:
            return 0.0
        made = self.mistakes_per_pass
        earlier, later = sum(made[passes // 4 : passes // 2]) * 2, sum(made[passes // 2 : passes])
        doublings = max(0, (self._last // self.examples.n // passes).bit_length() - 1)
        return float(later / (passes / 2) * min(1.0, later / max(1, earlier)) ** doublings)

    def _attributes(self) -> dict[str, Any]:
        """The model as it is now, for callbacks that look at it."""
        counts = {"mistakes_per_pass_": np.array(self.mistakes_per_pass), "n_updates_": self.n_updates}
        return self.examples.planes(self.weights.copy()) | counts

    def _check_overflow(self) -> None:
        if np.isfinite(float(np.max(np.abs(self.memory.w), initial=0.0)) * float(self.units.unit)):
            return
        step = f"the step eta={self.eta:.6g} is too large for these data, or " if self.eta else ""
        raise ValueError(
            f"the weights overflowed float64: {step}the values of X are too large; take a smaller eta, or scale X, for "
            f"example with sklearn.preprocessing.StandardScaler."
        )

    def _call(self, last: int) -> int:
        """One compiled call, sized to last about _CALL_SECONDS."""
        began, t, before = time.perf_counter(), self.clock.t, self.n_updates
        stop = min(last, t + self._size)
        events = self.crew.learn(self.examples, self.rule, self.order, self.memory, self.clock, stop)
        seconds, made = time.perf_counter() - began, self.clock.t - t
        self.crew.note(made, self.n_updates - before)
        if made >= self._size and seconds < _CALL_SECONDS / 2:
            self._size *= 2
        elif seconds > 2 * _CALL_SECONDS:
            self._size = max(1, self._size // 2)
        return events

    def _drain(self) -> None:
        """Take over what the compiled loop has written down."""
        counted, traced = self.clock.take_counts()
        self.mistakes_per_pass += self.memory.mistakes[:counted].tolist()
        if traced:
            buffers = (self.memory.traced_rows, self.memory.traced_steps, self.memory.traced_times)
            self._traced.append(tuple(buffer[:traced].copy() for buffer in buffers))

    def _judge_pocket(self) -> Outcome | None:
        """Fill the pocket, once a pass; the outcome, if the weights in the pocket are right on every row."""
        before, after = self._pocketed, self._fill_pocket()
        self.clock.pocket_judged()
        return self._certify() if after != before and after[0] == 0 else None

    def _fill_pocket(self) -> tuple[int, int]:
        """Keep the best of: the pocket (at first w(0)), the weights of the longest run of this pass, the running ones.

        The best has the fewest wrong answers on all rows, and among equals the fewest rows on its plane.
        """
        if self._pocketed is None:
            self._pocketed = self.examples.count(self.pocket, self.settings.errors)
        for w in (self.memory.longest, self.memory.w):
            found = self.examples.count(w, self.settings.errors, self._pocketed[0])
            if found < self._pocketed:
                self.pocket, self._pocketed = w.copy(), found
        return self._pocketed

    def _confirm(self) -> Outcome | None:
        """No mistake in n presentations: look at every row with the weights that would be returned, and certify."""
        self.clock.restart_quiet()
        if self.settings.pocket and (found := self.examples.count(self.memory.w, self.settings.ties))[0] == 0:
            self.pocket, self._pocketed = self.memory.w.copy(), found
        return self._certify()

    def _certify(self, final: bool = False) -> Outcome | None:
        """The outcome, if the weights to be returned make no mistake on any row, each sign certified; else None."""
        settings = self.settings
        found = self.examples.judge(self.weights, settings.ties, enough=0)
        if self.units.unit != 1 and not found.clean and self.examples.judge(self._own, settings.ties, enough=0).clean:
            return self._rounded_away()
        if found.mistakes:  # a row that was not drawn, or an average that lags behind
            return None
        made = count(self.n_updates, "correction")
        if found.exact_mistakes:
            if self._averaged and not final:
                return None  # the average moves on
            return Outcome(
                "BUDGET",
                f"float64 sees no mistake, but in exact arithmetic {found.exact_mistakes} of {self.examples.present} "
                f"examples are not {self.words.right}: rounding hides it. Scale X, or start from other weights.",
            )
        if found.on_plane:
            return self._tied(made, found.on_plane)
        return Outcome("SEPARATED", f"all {self.examples.present} examples are {self.words.right} after {made}.")

    def _certify_mean(self) -> Outcome | None:
        """The same of the average, which is the answer from now on, where the last weights are wrong on some row."""
        if self.settings.average != "auto":
            return None
        self._averaged = True
        return self._certify(final=True)

    def _rounded_away(self) -> Outcome:
        """BUDGET: w has every example on its side, but the float64 nearest to w have not."""
        row = self.examples.first_wrong(self.weights)
        return Outcome(
            "BUDGET",
            f"no mistake is left, but rounded to float64 the weights do not have row {row} {self.words.right}: "
            f"rounding alone breaks its sign. Scale X, or take eta=1.",
        )

    def _tied(self, made: str, on_plane: int) -> Outcome:
        """TIED: no row is on the wrong side, some are on the plane. If they are of one class, a shift separates."""
        w, judge = self.weights, self.examples.judge
        begin = (
            f"no mistake by the tie rule after {made}, but {on_plane} of {self.examples.present} examples lie on the "
            f"hyperplane"
        )
        touching = [sign for sign, only in ((1, (True, False)), (-1, (False, True))) if not judge(w, only).clean]
        if not self.examples.bias or len(touching) > 1:
            return Outcome("TIED", f"{begin}: none is on the wrong side, and nothing more is proved.")
        delta = self.examples.nearest(w, -touching[0])  # of the other class
        delta = delta if np.isfinite(delta) else 2.0  # which has no rows: any shift will do
        shifted = w.copy()
        shifted[-1] += touching[0] * delta / 2
        begin = f"{begin}, all of one class"
        if not (proof := judge(shifted, (True, True))).clean or proof.on_plane:
            return Outcome(
                "TIED",
                f"{begin}: a small enough shift of it separates strictly (completely separable, proved), but rounding "
                f"hides the float64 weights that do.",
            )
        return Outcome(
            "TIED",
            f"{begin}: with δ = {delta:.6g}, shifted by δ/2 every row is strictly on its side: completely separable, "
            f"proved.",
            Hyperplane(shifted[:-1], shifted[-1]),
        )

    def _wrong(self, still: str = "") -> str:
        """How many rows the weights to be returned answer wrongly, and how many they touch."""
        words = self.words
        return self.examples.describe_wrong(self.weights, self.settings.errors, still, words.one_tied, words.some_tied)

    def _examine_cycle(self) -> Outcome | None:
        """The weights came back. If the corrections between add up to zero exactly, nothing separates the classes."""
        cycle = self._replay_cycle()
        witness = self._witness(cycle)
        if self._proves(witness):
            self.witness = witness
            self._averaged = bool(self.settings.average)
            passes = self.clock.passes - self.clock.mark[0]
            return Outcome(
                "CYCLING",
                f"{self.words.impossible}: the weights came back after {count(passes, 'pass', 'passes')} "
                f"and the corrections between, on {len(np.unique(witness.rows))} examples, add up to zero exactly. "
                f"{self._wrong()}.",
            )
        if not witness.rows.size or not np.array_equal(cycle.memory.w, self.memory.w):
            self.clock.mark_now()  # the remembered weights are of a fit to other data: on these it did not go round
            return None
        self._rounding_cycle = True
        if self.settings.order == "cyclic" and self.settings.average is not True:
            return self._end("the weights came back only because float64 rounds; they would for ever")
        return None

    def _replay_cycle(self) -> Self:
        """The corrections since the remembered pass, made again and recorded."""
        settings = replace(
            self.settings, trace=True, detect_cycles=False, average=False, pocket=False, patience=None, max_updates=None
        )
        run = replace(self, settings=settings, start=self.memory.mark.copy(), crew=Crew(), earlier=None)
        passes, w_sq = self.clock.mark
        run.clock.set_to(passes, self.examples.n, w_sq)
        run.advance(self.clock.t)
        return run

    def _witness(self, cycle: Self) -> Witness | JointWitness:
        """Rows and positive integers λ, proportional to how much each was corrected in a cycle."""
        traced, steps, _ = cycle.corrections()
        rows, first, counts = np.unique(traced, return_index=True, return_counts=True)
        sizes, _ = integers(np.abs(steps[first]))  # a row is always corrected by the same step
        return Witness.of(rows, [int(size) * int(times) for size, times in zip(sizes, counts, strict=True)])

    def _end(self, reason: str, settled: bool = False) -> Outcome:
        """The outcome of a run that a limit ended, or that has settled at a minimum."""
        self._limited = not settled
        if self._rounding_cycle and not reason:
            reason = "the weights came back only because float64 rounds"
        passes = count(-(-self.clock.t // self.examples.n), "pass", "passes")
        if not self.settings.separate:
            return describe_end(
                self.goal, self.examples, self.weights, passes, settled=settled, fixed_step=True, reason=reason
            )
        if self.settings.pocket:
            self._ratchet = self.pocket
            self._fill_pocket()  # a pass cut short has an end too
        if self._known is None and self.earlier is not None:
            self._known = self._recalled()
        if self._known is not None and self._known.kind == "overlapping":
            self._averaged, certified = True, None
            proof = f"{self.words.impossible}: positive multiples of the corrections add up to zero, proved in float64"
            reason = f"{reason}, and {proof}" if reason else proof
        else:  # the last correction may have been the one that was missing
            certified = self._certify(final=True) or self._certify_mean()
            if self._known is not None and self._known.kind == "separable":
                bound = (
                    f"; (R/γ)² is {most:.1e} with the margin found" if (most := self._known.corrections) < inf else ""
                )
                proved = f"{self.words.possible}, proved{bound}"
                reason = f"{reason}; {proved}" if reason else proved
        if certified is not None:
            return certified
        return Outcome(
            "BUDGET", f"{self._wrong('still ')} after {passes}{self._fewest()}" + (f": {reason}." if reason else ".")
        )

    def _fewest(self) -> str:
        """The mistakes of the best pass."""
        best = self.clock.fewest
        return "" if best is None else f" (fewest mistakes during a pass: {best})"


def finish_all(runs: list[Any], threads: int, progress: Progress) -> None:
    """Finish several runs side by side; an interruption stops them all after their next compiled call."""
    if threads == 1 or len(runs) == 1:
        for run in runs:
            progress.begin_run()
            run.finish(progress)
            progress.end_run()
        return
    with ThreadPoolExecutor(min(threads, len(runs))) as pool:
        try:
            for future in [pool.submit(run.finish, progress) for run in runs]:
                future.result()
        except BaseException:
            for run in runs:
                run.cancelled = True
            raise


# ------------------------------------------------------------------------------------------------------ parts of a run


def _improves(before: int | None, wrong: int) -> bool:
    """Whether the average got better from one look to the next."""
    return before is None or wrong < (1.0 - _BETTER) * before


def _asks(before: int | None, passes: int, wrong: int) -> bool:
    """Whether a look at the average asks if any weights are right on every row."""
    return passes >= _PLENTY or not _improves(before, wrong)


def new_memory(start: Floats, settings: Settings, classes: int = 1) -> tuple[Any, Clock]:
    """Fresh vectors and a fresh clock for the compiled loop; `classes` are those that learn together."""
    from rosenblatt.kernels.kinds import Memory

    none, traced = np.zeros(0), _TRACE_BUFFER if settings.trace else 0
    memory = Memory(
        start.copy(),
        np.zeros(start.size) if settings.average else none,
        start.copy() if settings.pocket else none,
        start.copy() if settings.detect_cycles else none,
        start.copy() if settings.tol is not None else none,
        np.empty(traced, dtype=np.int64),
        np.empty(traced),
        np.empty(traced, dtype=np.int64),
        np.empty(_PASS_BUFFER, dtype=np.int64),
        np.empty((traced if classes > 1 else 0, 2), dtype=np.int64),
    )
    return memory, Clock(settings, norm_sq(start))
