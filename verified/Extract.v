(** OCaml from the definitions that are proved, with Zarith's whole numbers for Coq's.

    This table is part of what is believed: each function on the right computes what Coq's function on the left does. *)

From Coq Require Import Extraction ExtrOcamlBasic BinNums.
From Rosenblatt Require Import Certificates.

Extract Inductive BinNums.positive => "Whole.t" [ "Whole.twice_and_one" "Whole.twice" "Whole.one" ] "Whole.by_last_digit".
Extract Inductive Z => "Whole.t" [ "Whole.zero" "" "Whole.neg" ] "Whole.by_sign".

Extract Inlined Constant Z.add => "Whole.add".
Extract Inlined Constant Z.sub => "Whole.sub".
Extract Inlined Constant Z.mul => "Whole.mul".
Extract Inlined Constant Z.opp => "Whole.neg".
Extract Inlined Constant Z.abs => "Whole.abs".
Extract Inlined Constant Z.max => "Whole.max".
Extract Inlined Constant Z.eqb => "Whole.equal".
Extract Inlined Constant Z.leb => "Whole.leq".
Extract Inlined Constant Z.ltb => "Whole.lt".
Extract Inlined Constant Z.div => "Whole.div".
Extract Inlined Constant Z.modulo => "Whole.modulo".
Extract Inlined Constant Z.lcm => "Whole.lcm".
Extract Inlined Constant Z.pow => "Whole.pow".
Extract Inlined Constant Z.log2 => "Whole.log2".

Extract Inlined Constant Pos.eqb => "Whole.equal".

Extraction "proved.ml" number encode check check_coefficients plane_of check_because check_model check_model_coefficients
  linear difference kept_levels level_response rows_of_observation plan_forms faithful covers row_of_form.
