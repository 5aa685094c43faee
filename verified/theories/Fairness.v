(** The perceptron stops correcting: in every order that goes on showing every example, for any start and any η > 0.

    Convergence.v counts the corrections of any run. Here the examples are shown one after another, for ever, in an
    order; an order is fair where after any time every example comes again. So are the cyclic order and every order that
    shuffles anew in each pass; one drawn at random is fair with probability 1, which is not proved here. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Convergence.
Open Scope ordered_scope.

(** After every time, every example comes again. *)
Definition fair (n : nat) (order : nat -> nat) : Prop :=
  (forall t, order t < n)%nat /\ forall t i, (i < n)%nat -> exists s, (t <= s)%nat /\ order s = i.

Theorem cyclic_is_fair n : (0 < n)%nat -> fair n (fun t => Nat.modulo t n).
Proof.
  intros hn. split; [intros t; apply Nat.mod_upper_bound; lia|]. intros t i hi. exists (t * n + i)%nat. split; [nia|].
  rewrite Nat.add_comm, Nat.mod_add by lia. apply Nat.mod_small, hi.
Qed.

(** Passes: in each, every example is shown once or more, in an order that may be another one each time. *)
Theorem shuffled_is_fair n (order : nat -> nat) : (forall t, order t < n)%nat ->
  (forall pass i, (i < n)%nat -> exists j, (j < n)%nat /\ order (pass * n + j)%nat = i) -> fair n order.
Proof.
  intros h passes. split; [exact h|]. intros t i hi. destruct (passes t i hi) as (j & _ & e).
  exists (t * n + j)%nat. split; [nia | exact e].
Qed.

Section Fairness.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

Variable d : dialect.
Variable eta : K.
Variable examples : list (shown K).
Variable w0 : list K.
Variable order : nat -> nat.

(** Weights over time, with the number of corrections: the example that is shown is corrected where it is mistaken. *)
Variable weights : nat -> list K.
Variable corrections : nat -> nat.
Hypothesis begins : weights 0 = w0 /\ corrections 0 = 0%nat.
Hypothesis goes_on : forall t, exists e, nth_error examples (order t) = Some e /\
  ((mistaken K d (fst e) (dot (snd e) (weights t)) /\
    weights (S t) = add (weights t) (scale (step K d eta) (z_of K e)) /\ corrections (S t) = S (corrections t)) \/
   (~ mistaken K d (fst e) (dot (snd e) (weights t)) /\
    weights (S t) = weights t /\ corrections (S t) = corrections t)).

Lemma is_a_run t : run K d eta examples w0 (corrections t) (weights t).
Proof.
  induction t as [|t IH]; [destruct begins as [-> ->]; constructor|].
  destruct (goes_on t) as (e & he & [(hm & -> & ->) | (hm & -> & ->)]).
  - apply corrected; [exact IH | eapply nth_error_In; exact he | exact hm].
  - apply answered with (e := e); [exact IH | eapply nth_error_In; exact he | exact hm].
Qed.

Lemma corrections_grow t s : (t <= s)%nat -> (corrections t <= corrections s)%nat.
Proof.
  induction 1 as [|s _ IH]; [lia|]. destruct (goes_on s) as (e & _ & [(_ & _ & ->) | (_ & _ & ->)]); lia.
Qed.

(** A number that never falls and has a bound stays the same from some time on; weak: it is not so that it never does. *)
Lemma bounded_stays (f : nat -> nat) (bound : nat) : (forall t s, (t <= s)%nat -> (f t <= f s)%nat) ->
  (forall t, (f t <= bound)%nat) -> ~ ~ exists t, forall s, (t <= s)%nat -> f s = f t.
Proof.
  intros up b no. assert (h : forall k, ~ ~ exists t, (k <= f t)%nat).
  { induction k as [|k IH]; [intros n; apply n; exists 0%nat; lia|]. intros n. apply IH. intros (t & ht).
    apply no. exists t. intros s hs. specialize (up t s hs).
    destruct (Nat.eq_dec (f s) (f t)) as [e | e]; [exact e|]. exfalso. apply n. exists s. lia. }
  apply (h (S bound)). intros (t & ht). specialize (b t). lia.
Qed.

Section Separable.

Variable hat : list K.
Hypothesis eta_positive : 0 < eta.

(** Where the number of corrections is bounded and the order is fair, from some time on nothing is mistaken any more: the
    weights stay, and every example is answered as the dialect wants. (`~ ~`: that time exists, though no program need
    find it; in the logic of mathematics the two are the same.) *)
Theorem fair_runs_come_to_rest (bound : nat) : fair (length examples) order ->
  (forall t, (corrections t <= bound)%nat) ->
  ~ ~ exists t, (forall s, (t <= s)%nat -> weights s = weights t) /\
    forall e, In e examples -> ~ mistaken K d (fst e) (dot (snd e) (weights t)).
Proof.
  intros [_ again] hb no. apply (bounded_stays corrections bound corrections_grow hb). intros (t & ht). apply no.
  assert (rest : forall s, (t <= s)%nat -> weights s = weights t /\
    forall e, nth_error examples (order s) = Some e -> ~ mistaken K d (fst e) (dot (snd e) (weights s))).
  { induction 1 as [|s hs [IHw IHm]].
    - split; [reflexivity|]. intros e he hm. destruct (goes_on t) as (e' & he' & [(_ & _ & k) | (n & _ & _)]).
      + specialize (ht (S t) ltac:(lia)). lia.
      + rewrite he in he'. injection he' as <-. contradiction.
    - assert (same : weights (S s) = weights s).
      { destruct (goes_on s) as (e' & he' & [(m' & _ & _) | (_ & k & _)]); [|exact k].
        exfalso. exact (IHm e' he' m'). }
      split; [rewrite same; exact IHw|]. intros e he hm.
      destruct (goes_on (S s)) as (e' & he' & [(_ & _ & k) | (n & _ & _)]).
      + assert (a := ht (S (S s)) ltac:(lia)). assert (b := ht (S s) ltac:(lia)). lia.
      + rewrite he in he'. injection he' as <-. contradiction. }
  exists t. split; [intros s hs; apply (rest s hs)|]. intros e he hm.
  apply In_nth_error in he as [i hi].
  assert (hlen : (i < length examples)%nat) by (apply nth_error_Some; congruence).
  destruct (again t i hlen) as (s & hs & e').
  destruct (rest s hs) as [hw hn]. apply (hn e); [rewrite e'; exact hi | rewrite hw; exact hm].
Qed.

(** The theorem of the lectures, whole: on separable examples every fair order comes to rest, whatever the start and the
    step, and has made no more corrections than mistake_bound says. *)
Theorem perceptron_converges (delta epsilon s : K) (A B C : Z) : 0 < delta ->
  (forall e, In e examples -> delta <= dot (z_of K e) hat) ->
  (forall e, In e examples -> dot (z_of K e) (z_of K e) <= epsilon) -> 0 < s -> (0 < A)%Z ->
  whole A == s * ((step K d eta * delta) * (step K d eta * delta)) ->
  whole B == s * ((1 + 1) * (step K d eta * delta) * dot hat w0 - dot hat hat * (step K d eta * step K d eta * epsilon)) ->
  whole C == s * (dot hat w0 * dot hat w0 - dot hat hat * dot w0 w0) ->
  fair (length examples) order ->
  (forall t, (Z.of_nat (corrections t) <= mistake_bound A B C)%Z) /\
  ~ ~ exists t, (forall s, (t <= s)%nat -> weights s = weights t) /\
    forall e, In e examples -> ~ mistaken K d (fst e) (dot (snd e) (weights t)).
Proof.
  intros hd hs he hp hA eA eB eC hf.
  assert (bound : forall t, (Z.of_nat (corrections t) <= mistake_bound A B C)%Z).
  { intros t. eapply (at_most_mistake_bound K d eta examples w0 hat delta epsilon); eauto using is_a_run. }
  split; [exact bound|]. apply (fair_runs_come_to_rest (Z.to_nat (mistake_bound A B C))); [exact hf|].
  intros t. specialize (bound t). lia.
Qed.

End Separable.

End Fairness.
