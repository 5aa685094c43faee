(** Cover's count of the dichotomies that a hyperplane can make of P points in general position in N dimensions:
    C(P + 1, N) = C(P, N) + C(P, N - 1). Proved here: what the recursion gives, and the step that it counts. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Convergence.
Open Scope Z_scope.

(** ** The count *)

(** P points, N dimensions. One point has both labels, as soon as there is a dimension. *)
Fixpoint cover (P N : nat) : Z :=
  match P, N with
  | _, O => 0
  | O, _ => 1
  | S O, _ => 2
  | S P, S N' => cover P N + cover P N'
  end.

Fixpoint choose (n k : nat) : Z :=
  match n, k with
  | _, O => 1
  | O, S _ => 0
  | S n, S k' => choose n k' + choose n k
  end.

(** choose n 0 + … + choose n (m − 1). *)
Fixpoint choices (n m : nat) : Z :=
  match m with
  | O => 0
  | S m => choices n m + choose n m
  end.

Theorem cover_recursion P N : cover (S (S P)) (S N) = cover (S P) (S N) + cover (S P) N.
Proof. reflexivity. Qed.

Lemma choices_step n m : choices (S n) (S m) = choices n (S m) + choices n m.
Proof.
  induction m as [|m IH].
  - destruct n; reflexivity.
  - change (choices (S n) (S (S m))) with (choices (S n) (S m) + (choose n m + choose n (S m))).
    rewrite IH. cbn [choices]. lia.
Qed.

(** The closed form: twice the sum of the first N binomial coefficients of P − 1. *)
Theorem cover_is_a_sum P : forall N, cover (S P) N = 2 * choices P N.
Proof.
  induction P as [|P IH]; intros [|N]; try reflexivity.
  - cbn [cover]. induction N as [|N IHN]; [reflexivity|]. cbn [choices choose] in *. lia.
  - rewrite cover_recursion, !IH, choices_step. lia.
Qed.

(** No more points than dimensions: all dichotomies. *)
Theorem cover_of_few_points P : forall N, (P < N)%nat -> cover (S P) N = 2 ^ Z.of_nat (S P).
Proof.
  induction P as [|P IH]; intros [|N] h; try lia; [reflexivity|].
  rewrite cover_recursion. destruct (Nat.eq_dec (S P) N) as [<- | n].
  - rewrite !IH by lia. rewrite (Nat2Z.inj_succ (S P)), Z.pow_succ_r by lia. lia.
  - rewrite !IH by lia. rewrite (Nat2Z.inj_succ (S P)), Z.pow_succ_r by lia. lia.
Qed.

(** ** The step: a new point doubles exactly the dichotomies that have a hyperplane through it *)

Definition zdots (w z : list Z) : Z := @dot integers z w.
Definition parts (zs : list (list Z)) (w : list Z) : Prop := forall z, In z zs -> 0 < zdots w z.

(** Weights that have them all on their side, in whole numbers, go on doing so beside a small change. *)
Lemma room zs w x : parts zs w -> exists c, 0 < c /\ forall z, In z zs -> 0 < c * zdots w z - Z.abs (zdots x z).
Proof.
  induction zs as [|y zs IH]; intros h.
  - exists 1. split; [lia | intros z []].
  - destruct IH as (c & hc & hz); [intros z i; apply h; right; exact i|].
    exists (c + Z.abs (zdots x y)). split; [lia|]. intros z [<- | i].
    + specialize (h y (or_introl eq_refl)). nia.
    + specialize (hz z i). specialize (h z (or_intror i)). nia.
Qed.

Lemma zdots_add a b z : zdots (@add integers a b) z = zdots a z + zdots b z.
Proof. unfold zdots. rewrite (dot_add_r integers). reflexivity. Qed.

Lemma zdots_scale c a z : zdots (@scale integers c a) z = c * zdots a z.
Proof. unfold zdots. rewrite (dot_scale_r integers). reflexivity. Qed.

(** zs are the old points with their labels, x is the new one: both labels of x go with this dichotomy exactly where a
    hyperplane through x makes it. *)
Theorem new_point_doubles zs x : 0 < zdots x x ->
  ((exists w, parts zs w /\ 0 < zdots w x) /\ (exists w, parts zs w /\ zdots w x < 0)) <->
  exists w, parts zs w /\ zdots w x = 0.
Proof.
  intros hx. split.
  - intros [(u & hu & pu) (v & hv & pv)].
    exists (@add integers (@scale integers (- zdots v x) u) (@scale integers (zdots u x) v)). split.
    + intros z i. rewrite zdots_add, !zdots_scale. specialize (hu z i). specialize (hv z i). nia.
    + rewrite zdots_add, !zdots_scale. lia.
  - intros (w & hw & e). destruct (room zs w x hw) as (c & hc & hr).
    split; [exists (@add integers (@scale integers c w) x) | exists (@add integers (@scale integers c w) (@scale integers (-1) x))];
      (split; [intros z i; specialize (hr z i) |]); rewrite zdots_add, !zdots_scale; nia.
Qed.
