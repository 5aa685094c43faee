(** The checker: what is run. Why it may be believed is in Soundness.v.

    A row is given as whole numbers over one denominator. Functions that go over rows do so in constant stack. *)

From Coq Require Export Bool.
From Rosenblatt Require Export Rank.
Open Scope Z_scope.

(** z = entries / denominator. *)
Record row := Row { entries : list Z; denominator : Z }.

(** How it is shown that the rows of λ span all rows they are to span. *)
Inductive spanning :=
  | Everywhere (base : Z)  (** λ is base plus its entry, on every one of them *)
  | Null (vectors : list (list Z)).  (** by rank: these vanish on all of them *)

(** lower ≤ … ≤ upper, as fractions, and the mixture that proves the upper end. *)
Record interval := Interval { lower : Z * Z; upper : Z * Z; mixture : list (option Z) }.

(** λ has one entry for every row, or none where the row has no part in it. *)
Inductive certificate :=
  | Complete (w : list Z) (margin : option interval) (street : option (list Z * interval))
  | Quasi (w : list Z) (lambda : list (option Z)) (span : spanning)
  | Overlap (lambda : list (option Z)) (span : spanning).

Section Check.

Variable modulus : Z.
Variable invert : Z -> Z.

(** ** Sums *)

Fixpoint product_from (sum : Z) (a b : list Z) : Z :=
  match a, b with
  | x :: a, y :: b => product_from (sum + x * y) a b
  | _, _ => sum
  end.

Definition product (a b : list Z) : Z := product_from 0 a b.

(** k·a + sum. *)
Fixpoint add_times (k : Z) (a sum : list Z) : list Z :=
  match a, sum with
  | x :: a, y :: sum => k * x + y :: add_times k a sum
  | [], sum => sum
  | a, [] => map (Z.mul k) a
  end.

Fixpoint same_length (a b : list Z) : bool :=
  match a, b with
  | _ :: a, _ :: b => same_length a b
  | [], [] => true
  | _, _ => false
  end.

Definition count {A} (l : list A) : Z := fold_left (fun n _ => n + 1) l 0.

(** All rows as long as `columns`, over positive denominators. *)
Definition well_shaped (columns : list Z) (rows : list row) : bool :=
  forallb (fun r => same_length columns (entries r) && (0 <? denominator r)) rows.

(** ** Mixtures *)

(** Rows with their entries of λ; false where the lists differ in length. *)
Fixpoint pair_up (rows : list row) (lambda : list (option Z)) (done : list (row * option Z)) :
  bool * list (row * option Z) :=
  match rows, lambda with
  | r :: rows, l :: lambda => pair_up rows lambda ((r, l) :: done)
  | [], [] => (true, done)
  | _, _ => (false, done)
  end.

(** The rows that take part, with their weights. *)
Definition participants (part : option Z -> option Z) (pairs : list (row * option Z)) : list (Z * row) :=
  fold_left (fun done p => match part (snd p) with Some c => (c, fst p) :: done | None => done end) pairs [].

Definition of_span (span : spanning) (l : option Z) : option Z :=
  match span, l with
  | Everywhere base, Some c => Some (base + c)
  | Everywhere base, None => Some base
  | Null _, _ => l
  end.

Definition common_denominator (weighted : list (Z * row)) : Z :=
  fold_left (fun m p => Z.lcm m (denominator (snd p))) weighted 1.

(** Σ λz times m, in whole numbers; m is a multiple of every denominator. *)
Definition total (m : Z) (weighted : list (Z * row)) : list Z :=
  fold_left (fun sum p => add_times (fst p * (m / denominator (snd p))) (entries (snd p)) sum) weighted [].

Definition all_positive (weighted : list (Z * row)) : bool :=
  match weighted with [] => false | _ => forallb (fun p => 0 <? fst p) weighted end.

Definition all_zero (a : list Z) : bool := forallb (fun x => x =? 0) a.

Definition vanishing_mixture (weighted : list (Z * row)) : bool :=
  all_positive weighted && all_zero (total (common_denominator weighted) weighted).

(** ** Spanning *)

(** Independent vectors that vanish on all rows. *)
Definition null_space (columns : list Z) (vectors : list (list Z)) (rows : list row) : bool :=
  forallb (fun v => same_length columns v) vectors &&
  forallb (fun r => forallb (fun v => product (entries r) v =? 0) vectors) rows &&
  (rank modulus invert columns vectors =? count vectors).

Definition rows_of (weighted : list (Z * row)) : list (list Z) :=
  fold_left (fun done p => entries (snd p) :: done) weighted [].

(** With such vectors, the rows of a mixture make up all dimensions. *)
Definition fills (columns : list Z) (vectors : list (list Z)) (rows : list row) (weighted : list (Z * row)) : bool :=
  null_space columns vectors rows &&
  (count columns - count vectors <=? rank modulus invert columns (rows_of weighted)).

Definition firsts (pairs : list (row * option Z)) : list row := fold_left (fun done p => fst p :: done) pairs [].

Definition spans (columns : list Z) (span : spanning) (pairs : list (row * option Z)) (weighted : list (Z * row)) :
  bool :=
  match span with
  | Everywhere _ => true
  | Null vectors => fills columns vectors (firsts pairs) weighted
  end.

(** A vanishing mixture that reaches all the rows given. *)
Definition holds_down (columns : list Z) (span : spanning) (pairs : list (row * option Z)) : bool :=
  let weighted := participants (of_span span) pairs in
  vanishing_mixture weighted && spans columns span pairs weighted.

(** The rows on the plane of w with their entries of λ, after all rows were seen: none on the wrong side, no entry
    of λ off the plane, the lists of one length; and whether a row is off the plane. *)
Fixpoint plane (w : list Z) (rows : list row) (lambda : list (option Z)) (strict : bool)
  (done : list (row * option Z)) : option (bool * list (row * option Z)) :=
  match rows, lambda with
  | [], [] => Some (strict, done)
  | r :: rows, l :: lambda =>
      match product (entries r) w, l with
      | 0, _ => plane w rows lambda strict ((r, l) :: done)
      | Zpos _, None => plane w rows lambda true done
      | _, _ => None
      end
  | _, _ => None
  end.

Definition on_plane (w : list Z) (r : row) : bool := product (entries r) w =? 0.

(** ** Margins *)

Definition square (x : Z) : Z := x * x.

Definition proper (ends : interval) : bool :=
  (0 <=? fst (lower ends)) && (0 <? snd (lower ends)) && (0 <=? fst (upper ends)) && (0 <? snd (upper ends)) &&
  (fst (lower ends) * snd (upper ends) <=? fst (upper ends) * snd (lower ends)).

(** z·w ≥ p/q·‖w‖ on every row; size is ‖w‖², however it is measured. *)
Definition farther (p q size : Z) (w : list Z) (rows : list row) : bool :=
  forallb (fun r => let s := product (entries r) w in
    (0 <=? s) && (square (p * denominator r) * size <=? square (q * s))) rows.

Definition sum_of_weights (weighted : list (Z * row)) : Z := fold_left (fun s p => s + fst p) weighted 0.

(** ‖Σ λz‖ ≤ r/s·Σ λ, and with `level` the last entry of Σ λz is zero. *)
Definition nearer (level : bool) (r s : Z) (rows : list row) (lambda : list (option Z)) : bool :=
  let (fit, pairs) := pair_up rows lambda [] in
  let weighted := participants (fun l => l) pairs in
  let m := common_denominator weighted in
  let sum := total m weighted in
  fit && all_positive weighted && (negb level || (last sum 0 =? 0)) &&
  (square s * product sum sum <=? square (r * (m * sum_of_weights weighted))).

Definition within (level : bool) (size : Z) (w : list Z) (rows : list row) (ends : interval) : bool :=
  proper ends && (0 <? size) && farther (fst (lower ends)) (snd (lower ends)) size w rows &&
  nearer level (fst (upper ends)) (snd (upper ends)) rows (mixture ends).

(** ‖w‖² without the last weight. *)
Definition size_without_bias (w : list Z) : Z := product w w - square (last w 0).

Definition check_margin (w : list Z) (rows : list row) (margin : option interval) : bool :=
  match margin with
  | None => true
  | Some ends => within false (product w w) w rows ends
  end.

Definition check_street (columns : list Z) (rows : list row) (street : option (list Z * interval)) : bool :=
  match street with
  | None => true
  | Some (w, ends) => same_length columns w && within true (size_without_bias w) w rows ends
  end.

(** ** The whole check *)

Definition check_rows (columns : list Z) (rows : list row) (c : certificate) : bool :=
  well_shaped columns rows &&
  match c with
  | Complete w margin street =>
      same_length columns w && forallb (fun r => 0 <? product (entries r) w) rows &&
      check_margin w rows margin && check_street columns rows street
  | Quasi w lambda span =>
      same_length columns w &&
      match plane w rows lambda false [] with
      | Some (true, pairs) => holds_down columns span pairs
      | _ => false
      end
  | Overlap lambda span =>
      match pair_up rows lambda [] with
      | (true, pairs) => holds_down columns span pairs
      | _ => false
      end
  end.

Definition check (rows : list row) (c : certificate) : bool :=
  match rows with
  | [] => false
  | r :: _ => check_rows (entries r) rows c
  end.

End Check.
