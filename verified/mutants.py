"""Ten and more deliberate mistakes in the checker: each must make a proof fail.

    python3 mutants.py            after `make proofs`; needs coqc

Each mistake is made in a copy of the theories. What does not depend on it is not compiled again.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from graphlib import TopologicalSorter
from pathlib import Path

HERE = Path(__file__).parent

# What is wrong, the file, the text, what it becomes.
MISTAKES = [
    (
        "a row on the plane counts as separated",
        "Checker",
        "forallb (fun r => 0 <? product (entries r) w) rows",
        "forallb (fun r => 0 <=? product (entries r) w) rows",
    ),
    (
        "weights of a mixture may be zero",
        "Checker",
        "forallb (fun p => 0 <? fst p) weighted",
        "forallb (fun p => 0 <=? fst p) weighted",
    ),
    ("a mixture may be empty", "Checker", "match weighted with [] => false", "match weighted with [] => true"),
    (
        "a mixture need not vanish",
        "Checker",
        "all_positive weighted && all_zero (total",
        "all_positive weighted || all_zero (total",
    ),
    ("denominators are forgotten", "Checker", "add_times (fst p * (m / denominator (snd p)))", "add_times (fst p)"),
    (
        "a rank may be one too low",
        "Checker",
        "(count columns - count vectors <=?",
        "(count columns - count vectors - 1 <=?",
    ),
    ("vectors of null may be dependent", "Checker", "(rank modulus invert columns vectors =? count vectors)", "true"),
    (
        "rows need not vanish on null",
        "Checker",
        "forallb (fun r => forallb (fun v => product (entries r) v =? 0) vectors) rows",
        "true",
    ),
    ("a pivot needs no inverse", "Rank", "if (hd 0 r * i) mod modulus =? 1", "if negb (hd 0 r =? 0)"),
    (
        "a row may be on the wrong side",
        "Checker",
        "| Zpos _, None => plane w rows lambda true done",
        "| _, None => plane w rows lambda true done",
    ),
    (
        "no row need be off the plane",
        "Checker",
        "match plane w rows lambda false [] with",
        "match plane w rows lambda true [] with",
    ),
    (
        "a mixture may leave rows out",
        "Checker",
        "| [], [] => (true, done)\n  | _, _ => (false, done)",
        "| _, _ => (true, done)",
    ),
    (
        "a row behind the margin counts",
        "Checker",
        "(0 <=? s) && (square (p * denominator r)",
        "(square (p * denominator r)",
    ),
    ("a street's mixture need not be level", "Checker", "(negb level || (last sum 0 =? 0))", "true"),
    (
        "a street's upper end is too low",
        "Checker",
        "square (r * (m * sum_of_weights weighted))",
        "4 * square (r * (m * sum_of_weights weighted))",
    ),
    ("labels are forgotten", "Data", "if positive then n else - n", "n"),
    ("the bias stands for two", "Data", "if bias then [(1, 1)] else []", "if bias then [(2, 1)] else []"),
    (
        "a coefficient may be infinite by rows on the plane",
        "Coefficients",
        "forallb (fun p => negb (plane_of c (snd p))) weighted && (0 <? scale)",
        "(0 <? scale)",
    ),
    ("a coefficient may be infinite the other way", "Coefficients", "weighted && (0 <? scale)", "weighted"),
    (
        "a coefficient is finite as soon as it is identified",
        "Coefficients",
        "| Finite => forallb (fun v => product e v =? 0) (unseen k) && blind c k e",
        "| Finite => forallb (fun v => product e v =? 0) (unseen k)",
    ),
    ("a decimal may round to a float's neighbour", "Data", "(if thin then 4 else 2) * error", "error"),
    ("a written decimal loses its power of ten", "Data", "(m * 10 ^ Z.max 0 e, 10 ^ Z.max 0 (- e))", "(m, 1)"),
    ("a reason may use other columns", "Soundness", "(b || (v =? 0)%Z) && zero_elsewhere", "zero_elsewhere"),
    (
        "a reason need not separate anything",
        "Soundness",
        "existsb (fun r => 0 <? product (entries r) w)%Z rows",
        "existsb (fun r => 0 <=? product (entries r) w)%Z rows",
    ),
    (
        "a summand's sign is lost",
        "Forms",
        "add_times (signed (plus_sign t) (m / denominator (what t)))",
        "add_times (m / denominator (what t))",
    ),
    (
        "a summand stands in another place",
        "Forms",
        "(repeat 0 (before t) ++ entries (what t)) sum) f (repeat 0 d)",
        "(entries (what t)) sum) f (repeat 0 d)",
    ),
    (
        "a count above 0 is no equality",
        "Models",
        "then [eta; opposite_form eta] else [opposite_form eta]",
        "then [eta] else [opposite_form eta]",
    ),
    (
        "failures of a binomial row are forgotten",
        "Models",
        "(if less_fraction k m then [opposite_form eta] else [])",
        "[]",
    ),
    (
        "a class is compared with the reference only",
        "Models",
        "opposite_form (block width eta other)]) (seq 0 many)",
        "opposite_form (block width eta 0)]) (seq 0 many)",
    ),
    (
        "a level's upper threshold is another one",
        "Models",
        "then [[Part false 0 Itself; Part true (p + k) Constant]] else []",
        "then [[Part false 0 Itself; Part true (p + k + 1) Constant]] else []",
    ),
    (
        "the lowest level has a threshold below",
        "Models",
        "match k with O => [] | S k => [[Part true 0 Itself",
        "match S k with O => [] | S k => [[Part true 0 Itself",
    ),
    (
        "a level where a row stays counts as passed",
        "Models",
        "if Nat.ltb k level then [Part true",
        "if Nat.leb k level then [Part true",
    ),
    ("a draw is a win", "Models", "then [eta] else [eta; opposite_form eta]", "then [eta] else [eta]"),
    (
        "comparisons through an unknown need not be the likelihood's",
        "Comparisons",
        "some_of above && some_of below && forallb (fun i => forallb (are_compared i) below) above",
        "some_of above && some_of below",
    ),
    (
        "an unknown may have nobody below",
        "Comparisons",
        "some_of above && some_of below && forallb",
        "some_of above && forallb",
    ),
    (
        "tied rows need not be tied",
        "Comparisons",
        "forallb (fun i => are_compared lead i && are_compared i lead) others",
        "forallb (fun i => are_compared lead i) others",
    ),
    (
        "comparisons may be left out",
        "Comparisons",
        "forallb (fun p => implb (compared m i a (fst p) (snd p))",
        "forallb (fun p => implb (compared m i a (fst p) (snd p) && case (snd p))",
    ),
    (
        "a link goes both ways",
        "Comparisons",
        "| Directly above below | Through above below => fold_left (fun found i => link i below found) above found",
        "| Directly above below | Through above below => fold_left (fun found i => link i above found) below found",
    ),
    (
        "all unknowns are one",
        "Comparisons",
        "plan_forms (if takes_place g then S place else place) plan",
        "plan_forms place plan",
    ),
    (
        "a model's rows may be forgotten",
        "Certificates",
        "| _ :: _, _ => check_rows modulus invert columns rows c",
        "| r :: _, _ => check_rows modulus invert columns [r] c",
    ),
]


def users_of(name: str) -> list[str]:
    """A theory and all that use it, in the order in which they can be compiled."""
    pattern = re.compile(r"^From Rosenblatt Require (?:Export|Import) ([^.]*)\.", flags=re.MULTILINE)
    uses = {
        path.stem: set(" ".join(pattern.findall(path.read_text())).split()) for path in (HERE / "theories").glob("*.v")
    }
    order: list[str] = []
    for one in TopologicalSorter(uses).static_order():
        if one == name or uses[one] & set(order):
            order.append(one)
    return order


def survives(name: str, old: str, new: str) -> bool:
    """Whether all proofs still pass with this mistake."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for path in (HERE / "_build").glob("*.v*"):
            shutil.copy(path, work / path.name)
        text = (work / f"{name}.v").read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{name}.v does not have {old!r} exactly once.")
        (work / f"{name}.v").write_text(text.replace(old, new))
        for one in users_of(name):
            command = ["coqc", "-q", "-Q", ".", "Rosenblatt", f"{one}.v"]
            if subprocess.run(command, cwd=work, capture_output=True, check=False).returncode:
                if one == "Checker":  # it has no proofs
                    raise SystemExit(f"With {new!r} it is no program any more.")
                return False
    return True


def main() -> int:
    """Make every mistake in turn."""
    missed = [what for what, *mistake in MISTAKES if survives(*mistake)]
    for what in missed:
        print(f"No proof notices: {what}.")
    print(f"{len(MISTAKES) - len(missed)} of {len(MISTAKES)} deliberate mistakes make a proof fail.")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
