(** Ordered rings without zero divisors: whole numbers, rationals, reals, any ordered field.

    What is proved about weights is proved for weights in any of them. So it holds for real weights,
    although nothing here uses Coq's axioms of the reals. *)

From Coq Require Export Setoid Morphisms List ZArith.
From Coq Require Import Ring Ring_theory InitialRing Lia.
Export ListNotations.

Record ordered_ring : Type := OrderedRing {
  carrier :> Type;
  equal : carrier -> carrier -> Prop;
  zero : carrier;
  one : carrier;
  plus : carrier -> carrier -> carrier;
  times : carrier -> carrier -> carrier;
  minus : carrier -> carrier -> carrier;
  opposite : carrier -> carrier;
  at_most : carrier -> carrier -> Prop;
  equal_equivalence : Equivalence equal;
  laws : ring_theory zero one plus times minus opposite equal;
  operations_respect_equal : ring_eq_ext plus times opposite equal;
  at_most_respects_equal : Proper (equal ==> equal ==> iff) at_most;
  at_most_trans : forall x y z, at_most x y -> at_most y z -> at_most x z;
  at_most_antisymmetric : forall x y, at_most x y -> at_most y x -> equal x y;
  at_most_total : forall x y, at_most x y \/ at_most y x;
  plus_at_most : forall x y z, at_most x y -> at_most (plus x z) (plus y z);
  times_nonnegative : forall x y, at_most zero x -> at_most zero y -> at_most zero (times x y);
  no_zero_divisors : forall x y, equal (times x y) zero -> equal x zero \/ equal y zero;
  one_is_not_zero : ~ equal one zero
}.

Arguments equal {o}. Arguments zero {o}. Arguments one {o}. Arguments plus {o}. Arguments times {o}.
Arguments minus {o}. Arguments opposite {o}. Arguments at_most {o}.
Arguments at_most_trans {o}. Arguments at_most_antisymmetric {o}. Arguments at_most_total {o}.
Arguments plus_at_most {o}. Arguments times_nonnegative {o}. Arguments no_zero_divisors {o}.

Definition less {K : ordered_ring} (x y : K) : Prop := ~ at_most y x.

Declare Scope ordered_scope.
Delimit Scope ordered_scope with K.
Open Scope ordered_scope.
Infix "==" := equal (at level 70, no associativity) : ordered_scope.
Infix "+" := plus : ordered_scope.
Infix "*" := times : ordered_scope.
Infix "-" := minus : ordered_scope.
Notation "- x" := (opposite x) : ordered_scope.
Infix "<=" := at_most : ordered_scope.
Infix "<" := less : ordered_scope.
Notation "0" := zero : ordered_scope.
Notation "1" := one : ordered_scope.

#[export] Instance equal_is_equivalence (K : ordered_ring) : Equivalence (@equal K) := equal_equivalence K.
#[export] Instance plus_respects (K : ordered_ring) : Proper (equal ==> equal ==> equal) (@plus K) :=
  Radd_ext (operations_respect_equal K).
#[export] Instance times_respects (K : ordered_ring) : Proper (equal ==> equal ==> equal) (@times K) :=
  Rmul_ext (operations_respect_equal K).
#[export] Instance opposite_respects (K : ordered_ring) : Proper (equal ==> equal) (@opposite K) :=
  Ropp_ext (operations_respect_equal K).
#[export] Instance at_most_respects (K : ordered_ring) : Proper (equal ==> equal ==> iff) (@at_most K) :=
  at_most_respects_equal K.
#[export] Instance less_respects (K : ordered_ring) : Proper (equal ==> equal ==> iff) (@less K).
Proof. intros x x' hx y y' hy. unfold less. rewrite hx, hy. reflexivity. Qed.
#[export] Instance minus_respects (K : ordered_ring) : Proper (equal ==> equal ==> equal) (@minus K).
Proof. intros x x' hx y y' hy. rewrite !(Rsub_def (laws K)), hx, hy. reflexivity. Qed.

Section Order.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).
Implicit Types x y z : K.

Lemma at_most_refl x : x <= x.
Proof. destruct (at_most_total x x); assumption. Qed.

Lemma equal_at_most x y : x == y -> x <= y.
Proof. intros h. rewrite h. apply at_most_refl. Qed.

Lemma less_at_most x y : x < y -> x <= y.
Proof. intros h. destruct (at_most_total x y); [assumption | contradiction]. Qed.

Lemma less_irrefl x : ~ x < x.
Proof. intros h. apply h, at_most_refl. Qed.

Lemma less_at_most_trans x y z : x < y -> y <= z -> x < z.
Proof. intros h k l. apply h. eapply at_most_trans; eassumption. Qed.

Lemma at_most_less_trans x y z : x <= y -> y < z -> x < z.
Proof. intros h k l. apply k. eapply at_most_trans; eassumption. Qed.

Lemma plus_at_most_plus a b x y : a <= b -> x <= y -> a + x <= b + y.
Proof.
  intros h k. apply at_most_trans with (b + x); [apply plus_at_most, h|].
  setoid_replace (b + x) with (x + b) by ring. setoid_replace (b + y) with (y + b) by ring.
  apply plus_at_most, k.
Qed.

Lemma plus_nonnegative x y : 0 <= x -> 0 <= y -> 0 <= x + y.
Proof. intros h k. setoid_replace (@zero K) with (0 + 0 : K) by ring. apply plus_at_most_plus; assumption. Qed.

Lemma difference_nonnegative x y : x <= y -> 0 <= y - x.
Proof.
  intros h. apply (plus_at_most _ _ (- x)) in h.
  setoid_replace (x + - x) with (0 : K) in h by ring. setoid_replace (y - x) with (y + - x) by ring. exact h.
Qed.

Lemma at_most_difference x y : 0 <= y - x -> x <= y.
Proof.
  intros h. apply (plus_at_most _ _ x) in h.
  setoid_replace (0 + x) with x in h by ring. setoid_replace (y - x + x) with y in h by ring. exact h.
Qed.

Lemma times_at_most_l a x y : 0 <= a -> x <= y -> a * x <= a * y.
Proof.
  intros h k. apply at_most_difference. setoid_replace (a * y - a * x) with (a * (y - x)) by ring.
  apply times_nonnegative; [exact h | apply difference_nonnegative, k].
Qed.

Lemma opposite_at_most x y : x <= y -> - y <= - x.
Proof.
  intros h. apply at_most_difference. setoid_replace (- x - - y) with (y - x) by ring. apply difference_nonnegative, h.
Qed.

Lemma square_nonnegative x : 0 <= x * x.
Proof.
  destruct (at_most_total 0 x) as [h | h].
  - apply times_nonnegative; exact h.
  - setoid_replace (x * x) with (- x * - x) by ring.
    apply opposite_at_most in h. setoid_replace (- 0 : K) with (0 : K) in h by ring.
    apply times_nonnegative; exact h.
Qed.

Lemma square_zero x : x * x == 0 -> x == 0.
Proof. intros h. apply no_zero_divisors in h as [h | h]; exact h. Qed.

Lemma one_positive : (0 : K) < 1.
Proof.
  intros h. apply (one_is_not_zero K), at_most_antisymmetric; [exact h|].
  setoid_replace (@one K) with (1 * 1 : K) by ring. apply square_nonnegative.
Qed.

Lemma times_positive x y : 0 < x -> 0 < y -> 0 < x * y.
Proof.
  intros h k l.
  assert (e : x * y == 0).
  { apply at_most_antisymmetric; [exact l|]. apply times_nonnegative; apply less_at_most; assumption. }
  apply no_zero_divisors in e as [e | e]; [apply h | apply k]; apply equal_at_most, e.
Qed.

Lemma plus_positive x y : 0 < x -> 0 <= y -> 0 < x + y.
Proof.
  intros h k l. apply h. apply at_most_trans with (x + y); [|exact l].
  apply at_most_difference. setoid_replace (x + y - x) with y by ring. exact k.
Qed.

(** A positive factor changes no sign. *)
Lemma factor_at_most a x y : 0 < a -> a * x <= a * y -> x <= y.
Proof.
  intros h k. destruct (at_most_total x y) as [l | l]; [exact l|].
  apply equal_at_most.
  assert (e : a * (x - y) == 0).
  { setoid_replace (a * (x - y)) with (a * x - a * y) by ring.
    apply (at_most_antisymmetric (a * x) (a * y)) in k; [rewrite k; ring|].
    apply times_at_most_l; [apply less_at_most, h | exact l]. }
  apply no_zero_divisors in e as [e | e].
  - exfalso. apply h, equal_at_most, e.
  - setoid_replace x with (x - y + y) by ring. rewrite e. ring.
Qed.

Lemma factor_nonnegative a x : 0 < a -> (0 <= a * x <-> 0 <= x).
Proof.
  intros h. split; intros k.
  - apply (factor_at_most a); [exact h|]. setoid_replace (a * 0) with (0 : K) by ring. exact k.
  - apply times_nonnegative; [apply less_at_most, h | exact k].
Qed.

Lemma factor_positive a x : 0 < a -> (0 < a * x <-> 0 < x).
Proof.
  intros h. split; intros k l.
  - apply k. apply at_most_trans with (a * 0); [|apply equal_at_most; ring].
    apply times_at_most_l; [apply less_at_most, h | exact l].
  - apply k. apply (factor_at_most a); [exact h|]. setoid_replace (a * 0) with (0 : K) by ring. exact l.
Qed.

Lemma factor_zero a x : 0 < a -> (a * x == 0 <-> x == 0).
Proof.
  intros h. split; intros k.
  - apply no_zero_divisors in k as [k | k]; [|exact k]. exfalso. apply h, equal_at_most, k.
  - rewrite k. ring.
Qed.

(** x ≤ y for numbers that are not negative, from their squares, and back. *)
Lemma square_at_most x y : 0 <= x -> x <= y -> x * x <= y * y.
Proof.
  intros h k. apply at_most_trans with (x * y).
  - apply times_at_most_l; assumption.
  - setoid_replace (x * y) with (y * x) by ring.
    apply times_at_most_l; [eapply at_most_trans; eassumption | exact k].
Qed.

(** The whole number n in K. *)
Definition whole (n : Z) : K := gen_phiZ zero one plus times opposite n.

Lemma whole_plus m n : whole (m + n) == whole m + whole n.
Proof. apply (gen_phiZ_add (equal_equivalence K) (operations_respect_equal K) (laws K)). Qed.

Lemma whole_times m n : whole (m * n) == whole m * whole n.
Proof. apply (gen_phiZ_mul (equal_equivalence K) (operations_respect_equal K) (laws K)). Qed.

Lemma whole_opposite n : whole (Z.opp n) == - whole n.
Proof.
  setoid_replace (whole (Z.opp n)) with (whole (Z.opp n) + whole n - whole n) by ring.
  rewrite <- whole_plus, Z.add_opp_diag_l. unfold whole at 1. simpl. ring.
Qed.

Lemma whole_positive n : (0 < n)%Z -> 0 < whole n.
Proof.
  intros h. rewrite <- (Z2Nat.id n) in * by lia. set (k := Z.to_nat n) in *. clearbody k.
  destruct k as [|k]; [lia|]. clear h. induction k as [|k IH].
  - apply one_positive.
  - rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite whole_plus.
    apply plus_positive; [exact IH | apply less_at_most, one_positive].
Qed.

Lemma whole_nonnegative n : (0 <= n)%Z -> 0 <= whole n.
Proof.
  intros h. destruct (Z.eq_dec n 0) as [-> | k]; [apply at_most_refl|].
  apply less_at_most, whole_positive. lia.
Qed.

Lemma whole_at_most m n : (m <= n)%Z -> whole m <= whole n.
Proof.
  intros h. apply at_most_difference. replace n with (n - m + m)%Z by lia. rewrite whole_plus.
  setoid_replace (whole (n - m) + whole m - whole m) with (whole (n - m)) by ring.
  apply whole_nonnegative. lia.
Qed.

Lemma whole_zero n : whole n == 0 -> n = 0%Z.
Proof.
  intros h. destruct (Z.lt_trichotomy n 0) as [k | [k | k]]; [|exact k|]; exfalso.
  - apply (whole_positive (- n)); [lia|]. rewrite whole_opposite, h. apply equal_at_most. ring.
  - apply (whole_positive n); [lia|]. apply equal_at_most, h.
Qed.

End Order.

Arguments whole {K}.

(** The whole numbers themselves. *)
Definition integers : ordered_ring.
Proof.
  refine (OrderedRing Z eq 0%Z 1%Z Z.add Z.mul Z.sub Z.opp Z.le _ _ _ _ _ _ _ _ _ _ _).
  - exact Zth.
  - split; repeat intro; subst; reflexivity.
  - intros; lia.
  - intros; lia.
  - intros; lia.
  - intros; lia.
  - intros; apply Z.mul_nonneg_nonneg; assumption.
  - intros x y h. apply Z.mul_eq_0, h.
  - discriminate.
Defined.

Lemma integers_less (m n : Z) : @less integers m n <-> (m < n)%Z.
Proof. unfold less. simpl. lia. Qed.
