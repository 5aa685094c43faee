(** Models whose likelihood has one factor a row: the rows z of each, and what they say in the model's own terms.

    v is a recession direction where, on every row, the factor's argument does not turn the wrong way along v. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Forms.
Open Scope Z_scope.

(** What a summand of the predictor is: the row's own values x, or 1. *)
Inductive summand := Itself | Constant.

(** What was observed of a row. Numbers are fractions. *)
Inductive response :=
  | Class (second : bool)  (** logistic *)
  | Successes (k m : Z * Z)  (** binomial: k of m *)
  | Count (k : Z * Z)  (** Poisson *)
  | Category (own many : nat)  (** multinomial: one of `many` classes; the first is the reference *)
  | Level (k last : nat)  (** ordinal: thresholds are numbered from 1 to `last`; above k, below k + 1 *)
  | Stage (level last : nat)  (** sequential: levels are passed one by one; the first `last` of them have thresholds *)
  | Game (won : Z * Z).  (** paired: 1 where a won, 0 where b won, 1/2 for a draw *)

(** ** The linear predictor *)

(** A set of effects has a weight for each of its levels but the first, after those of x and of the sets before. *)
Fixpoint effects (start : nat) (sizes codes : list nat) : form summand :=
  match sizes, codes with
  | size :: sizes, code :: codes =>
      (match code with O => [] | S c => [Part true (start + c) Constant] end) ++ effects (start + size) sizes codes
  | _, _ => []
  end.

(** x, effects, and the intercept as the last weight. `sizes`: of each set, how many levels have a weight. *)
Definition linear (p : nat) (sizes codes : list nat) (bias : bool) : form summand :=
  Part true 0 Itself :: effects p sizes codes ++
  if bias then [Part true (fold_left Nat.add sizes p) Constant] else [].

(** Of two items, the weight of a less the weight of b; the first item has none. *)
Definition difference (a b : nat) : form summand :=
  (match a with O => [] | S a => [Part true a Constant] end) ++
  (match b with O => [] | S b => [Part false b Constant] end).

(** ** Rows *)

Definition less_fraction (a b : Z * Z) : bool := fst a * snd b <? fst b * snd a.

(** The predictor of a class, in the weights of that class. *)
Definition block (width : nat) (eta : form summand) (k : nat) : form summand :=
  match k with O => [] | S k => moved (k * width) eta end.

(** Of a row that passed a level, x·β is above its threshold; of one that stays there, below. *)
Definition stage (p level k : nat) : form summand :=
  if Nat.ltb k level then [Part true 0 Itself; Part false (p + k) Constant]
  else [Part false 0 Itself; Part true (p + k) Constant].

(** The rows of an observation, with `p` values, whose predictor has `width` weights. An equality is two rows. *)
Definition forms (p width : nat) (eta : form summand) (y : response) : list (form summand) :=
  match y with
  | Class true => [eta]
  | Class false => [opposite_form eta]
  | Successes k m =>
      (if less_fraction (0, 1) k then [eta] else []) ++ (if less_fraction k m then [opposite_form eta] else [])
  | Count k => if 0 <? fst k then [eta; opposite_form eta] else [opposite_form eta]
  | Category own many =>
      flat_map (fun other => if Nat.eqb other own then []
        else [block width eta own ++ opposite_form (block width eta other)]) (seq 0 many)
  | Level k last =>
      (if Nat.ltb k last then [[Part false 0 Itself; Part true (p + k) Constant]] else []) ++
      match k with O => [] | S k => [[Part true 0 Itself; Part false (p + k) Constant]] end
  | Stage level last => map (stage p level) (seq 0 (Nat.min (S level) last))
  | Game won =>
      if fst won =? 0 then [opposite_form eta]
      else if fst won =? snd won then [eta] else [eta; opposite_form eta]
  end.

(** The levels that have thresholds beside them: the lowest, the highest and those with rows. *)
Definition kept_levels (many : nat) (observed : list nat) : list nat :=
  filter (fun l => Nat.eqb l 0 || Nat.eqb (S l) many || existsb (Nat.eqb l) observed) (seq 0 many).

Definition level_response (kept : list nat) (level : nat) : response :=
  Level (length (filter (fun l => Nat.ltb l level) kept)) (pred (length kept)).

(** A row of the table: its cells, its predictor and what was observed. *)
Record observation := Observation { given : list cell; predictor : form summand; observed : response }.

Definition fill_row (x : row) (s : summand) : row := match s with Itself => x | Constant => Row [1] 1 end.

Definition rows_of_observation (decimals : list (option Z)) (d p width : nat) (o : observation) : option (list row) :=
  match numbers decimals (given o) with
  | Some xs =>
      let x := row_of false true xs in
      Some (map (fun f => placed d (fill (fill_row x) f)) (forms p width (predictor o) (observed o)))
  | None => None
  end.

(** ** What they mean *)

Section Meaning.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

(** x are the numbers that the cells hold. *)
Definition reads (decimals : list (option Z)) (cells : list cell) (x : list K) : Prop :=
  Forall2 (fun c v => fraction (number (fst c) (snd c)) v) (combine decimals cells) x.

Open Scope ordered_scope.

Definition fill_vector (x : list K) (s : summand) : list K := match s with Itself => x | Constant => [1] end.

Definition vectors (d p width : nat) (o : observation) (x : list K) : list (list K) :=
  map (fun f => vector d (fill (fill_vector x) f)) (forms p width (predictor o) (observed o)).

Lemma row_of_positive xs : Forall (fun n => (0 < snd n)%Z) xs -> (0 < denominator (row_of false true xs))%Z.
Proof. intros h. destruct (common_multiple xs h) as [k _]. exact k. Qed.

Theorem observation_represents decimals d p width o rows x :
  rows_of_observation decimals d p width o = Some rows -> reads decimals (given o) x ->
  Forall2 represents rows (vectors d p width o x).
Proof.
  unfold rows_of_observation. destruct (numbers decimals (given o)) as [xs|] eqn:n; [|discriminate]. intros h hx.
  injection h as <-. apply numbers_spec in n as [-> hr]. unfold vectors.
  assert (hp : Forall (fun n => (0 < snd n)%Z) (map (fun c => number (fst c) (snd c)) (combine decimals (given o)))).
  { rewrite Forall_map. eapply Forall_impl; [|exact hr]. intros c h. apply number_positive, h. }
  assert (hf : Forall2 fraction (map (fun c => number (fst c) (snd c)) (combine decimals (given o))) x).
  { clear - hx. unfold reads in hx. induction hx as [|c v cs x h _ IH]; simpl; constructor; assumption. }
  pose proof (row_represents K false true _ x hp hf) as r. pose proof (row_of_positive _ hp) as q.
  unfold augmented in r. rewrite app_nil_r in r.
  assert (e : map (fun v : K => v) x = x) by apply map_id. cbv beta in r. rewrite e in r.
  induction (forms p width (predictor o) (observed o)) as [|f fs IH]; simpl; constructor; [|exact IH].
  apply placed_represents, fill_represents. intros [|]; simpl; split; try assumption; [reflexivity|].
  constructor; [simpl; ring | constructor].
Qed.

(** ** In the model's own terms *)

(** The predictor's value at v, for a row x. *)
Definition eta_of (o : observation) (x v : list K) : K := value (fill (fill_vector x) (predictor o)) v.

(** The predictor of class k: 0 for the reference. *)
Definition eta_class (width : nat) (o : observation) (x v : list K) (k : nat) : K :=
  match k with O => 0 | S k => eta_of o x (skipn (k * width) v) end.

(** A threshold is the weight of its number, after the weights of x. *)
Definition threshold (p k : nat) (v : list K) : K := dot [1] (skipn (p + k) v).

(** Along v, the row's factor of the likelihood does not fall: its argument does not turn the wrong way. *)
Definition recedes (p width : nat) (o : observation) (x v : list K) : Prop :=
  let eta := eta_of o x v in
  match observed o with
  | Class second => if second then 0 <= eta else eta <= 0
  | Successes k m => (less_fraction (0, 1)%Z k = true -> 0 <= eta) /\ (less_fraction k m = true -> eta <= 0)
  | Count k => eta <= 0 /\ ((0 < fst k)%Z -> eta == 0)
  | Category own many => forall other, (other < many)%nat ->
      eta_class width o x v other <= eta_class width o x v own
  | Level k last =>
      ((k < last)%nat -> dot x v <= threshold p k v) /\ ((0 < k)%nat -> threshold p (pred k) v <= dot x v)
  | Stage level last => forall k, (k < Nat.min (S level) last)%nat ->
      if Nat.ltb k level then threshold p k v <= dot x v else dot x v <= threshold p k v
  | Game won => (fst won <> 0%Z -> 0 <= eta) /\ (fst won = 0%Z \/ fst won <> snd won -> eta <= 0)
  end.

(** The same, with nothing gained: the argument stays where it is. *)
Definition rests (p width : nat) (o : observation) (x v : list K) : Prop :=
  let eta := eta_of o x v in
  match observed o with
  | Class _ | Count _ | Game _ => eta == 0
  | Successes k m => less_fraction (0, 1)%Z k = true \/ less_fraction k m = true -> eta == 0
  | Category own many => forall other, (other < many)%nat ->
      eta_class width o x v other == eta_class width o x v own
  | Level k last =>
      ((k < last)%nat -> dot x v == threshold p k v) /\ ((0 < k)%nat -> threshold p (pred k) v == dot x v)
  | Stage level last => forall k, (k < Nat.min (S level) last)%nat -> threshold p k v == dot x v
  end.

Lemma fill_opposite {A B} (g : A -> B) f : fill g (opposite_form f) = opposite_form (fill g f).
Proof. unfold fill, opposite_form. rewrite !map_map. reflexivity. Qed.

Lemma fill_moved {A B} (g : A -> B) n f : fill g (moved n f) = moved n (fill g f).
Proof. unfold fill, moved. rewrite !map_map. reflexivity. Qed.

Lemma fill_app {A B} (g : A -> B) f h : fill g (f ++ h) = fill g f ++ fill g h.
Proof. apply map_app. Qed.

Lemma value_block width o x v k :
  value (fill (fill_vector x) (block width (predictor o) k)) v == eta_class width o x v k.
Proof. destruct k as [|k]; simpl; [reflexivity|]. rewrite fill_moved, value_moved. reflexivity. Qed.

Lemma value_comparison width o x v own other :
  value (fill (fill_vector x) (block width (predictor o) own ++ opposite_form (block width (predictor o) other))) v ==
  eta_class width o x v own - eta_class width o x v other.
Proof. rewrite fill_app, value_app, fill_opposite, value_opposite, !value_block. ring. Qed.

Lemma opposite_nonnegative (a : K) : 0 <= - a <-> a <= 0.
Proof.
  split; intros h.
  - apply at_most_difference. setoid_replace (0 - a) with (- a) by ring. exact h.
  - apply difference_nonnegative in h. setoid_replace (- a) with (0 - a) by ring. exact h.
Qed.

Lemma opposite_zero (a : K) : - a == 0 <-> a == 0.
Proof.
  split; intros h.
  - setoid_replace a with (- - a) by ring. rewrite h. ring.
  - rewrite h. ring.
Qed.

Lemma difference_at_most (a b : K) : 0 <= a - b <-> b <= a.
Proof. split; [apply at_most_difference | apply difference_nonnegative]. Qed.

Lemma difference_zero (a b : K) : a - b == 0 <-> b == a.
Proof.
  split; intros h.
  - setoid_replace b with (a - (a - b)) by ring. rewrite h. ring.
  - rewrite h. ring.
Qed.

(** What is said of every row of an observation is said of its predictor. *)
Lemma every_row (P : K -> Prop) (respects : Proper (equal ==> iff) P) d p width o x v :
  (forall z, In z (vectors d p width o x) -> P (dot z v)) <->
  (forall f, In f (forms p width (predictor o) (observed o)) -> P (value (fill (fill_vector x) f) v)).
Proof.
  unfold vectors. split.
  - intros h f hf. rewrite <- (dot_vector K d). apply h, in_map_iff. exists f. auto.
  - intros h z hz. apply in_map_iff in hz as (f & <- & hf). rewrite dot_vector. apply h, hf.
Qed.

Lemma forms_all (P : form summand -> Prop) l : (forall f, In f l -> P f) <-> Forall P l.
Proof. rewrite Forall_forall. reflexivity. Qed.

Lemma value_threshold_up p x v k :
  value (fill (fill_vector x) [Part false 0 Itself; Part true (p + k) Constant]) v == threshold p k v - dot x v.
Proof. unfold threshold. simpl. ring. Qed.

Lemma value_threshold_down p x v k :
  value (fill (fill_vector x) [Part true 0 Itself; Part false (p + k) Constant]) v == dot x v - threshold p k v.
Proof. unfold threshold. simpl. ring. Qed.

(** A direction is admissible for the rows of an observation exactly where its factor does not fall. *)
Theorem recedes_exactly d p width o x v :
  (forall z, In z (vectors d p width o x) -> 0 <= dot z v) <-> recedes p width o x v.
Proof.
  rewrite (every_row (fun a => 0 <= a)) by (intros a b e; rewrite e; reflexivity).
  rewrite forms_all. unfold recedes, forms. set (eta := eta_of o x v).
  assert (up : 0 <= value (fill (fill_vector x) (predictor o)) v <-> 0 <= eta) by reflexivity.
  assert (down : 0 <= value (fill (fill_vector x) (opposite_form (predictor o))) v <-> eta <= 0)
    by (rewrite fill_opposite, value_opposite; apply opposite_nonnegative).
  destruct (observed o) as [[|] | k m | k | own many | k last | level last | won].
  - rewrite Forall_cons_iff, up. intuition.
  - rewrite Forall_cons_iff, down. intuition.
  - rewrite Forall_app. destruct (less_fraction (0, 1)%Z k), (less_fraction k m);
      rewrite ?Forall_cons_iff, ?up, ?down; intuition; try discriminate.
  - destruct (Z.ltb_spec 0 (fst k)) as [e | e]; rewrite ?Forall_cons_iff, ?up, ?down; split.
    + intros (a & b & _). split; [exact b | intros _; apply at_most_antisymmetric; assumption].
    + intros [a b]. specialize (b e). repeat split; [apply equal_at_most; symmetry; exact b | exact a | constructor].
    + intros (a & _). split; [exact a | lia].
    + intros [a _]. split; [exact a | constructor].
  - rewrite <- forms_all. split.
    + intros h other ho. destruct (Nat.eq_dec other own) as [-> | n]; [apply at_most_refl|].
      apply difference_at_most. rewrite <- value_comparison. apply h, in_flat_map. exists other.
      split; [apply in_seq; lia|]. destruct (Nat.eqb_spec other own); [contradiction | left; reflexivity].
    + intros h f hf. apply in_flat_map in hf as (other & ho & hf). apply in_seq in ho.
      destruct (Nat.eqb_spec other own); [destruct hf|]. destruct hf as [<- | []].
      rewrite value_comparison. apply difference_at_most, h. lia.
  - rewrite Forall_app. destruct (Nat.ltb_spec k last) as [e | e], k as [|k]; cbn [pred];
      rewrite ?Forall_cons_iff, ?value_threshold_up, ?value_threshold_down, ?difference_at_most; intuition; try lia.
  - rewrite <- forms_all. split.
    + intros h k hk. assert (i : In (stage p level k) (map (stage p level) (seq 0 (Nat.min (S level) last))))
        by (apply in_map, in_seq; lia).
      specialize (h _ i). unfold stage in h. destruct (Nat.ltb k level);
        rewrite ?value_threshold_down, ?value_threshold_up, difference_at_most in h; exact h.
    + intros h f hf. apply in_map_iff in hf as (k & <- & hk). apply in_seq in hk. specialize (h k ltac:(lia)).
      unfold stage. destruct (Nat.ltb k level);
        rewrite ?value_threshold_down, ?value_threshold_up, difference_at_most; exact h.
  - destruct (Z.eqb_spec (fst won) 0) as [e | e]; [|destruct (Z.eqb_spec (fst won) (snd won)) as [q | q]];
      rewrite ?Forall_cons_iff, ?up, ?down; intuition; try contradiction.
Qed.

(** And its rows lie on the plane of v exactly where the factor's argument stays. *)
Theorem rests_exactly d p width o x v :
  (forall z, In z (vectors d p width o x) -> dot z v == 0) <-> rests p width o x v.
Proof.
  rewrite (every_row (fun a => a == 0)) by (intros a b e; rewrite e; reflexivity).
  rewrite forms_all. unfold rests, forms. set (eta := eta_of o x v).
  assert (up : value (fill (fill_vector x) (predictor o)) v == 0 <-> eta == 0) by reflexivity.
  assert (down : value (fill (fill_vector x) (opposite_form (predictor o))) v == 0 <-> eta == 0)
    by (rewrite fill_opposite, value_opposite; apply opposite_zero).
  destruct (observed o) as [[|] | k m | k | own many | k last | level last | won].
  - rewrite Forall_cons_iff, up. intuition.
  - rewrite Forall_cons_iff, down. intuition.
  - rewrite Forall_app. destruct (less_fraction (0, 1)%Z k), (less_fraction k m);
      rewrite ?Forall_cons_iff, ?up, ?down; intuition; try discriminate.
  - destruct (Z.ltb_spec 0 (fst k)); rewrite ?Forall_cons_iff, ?up, ?down; intuition.
  - rewrite <- forms_all. split.
    + intros h other ho. destruct (Nat.eq_dec other own) as [-> | n]; [reflexivity|].
      apply difference_zero. rewrite <- value_comparison. apply h, in_flat_map. exists other.
      split; [apply in_seq; lia|]. destruct (Nat.eqb_spec other own); [contradiction | left; reflexivity].
    + intros h f hf. apply in_flat_map in hf as (other & ho & hf). apply in_seq in ho.
      destruct (Nat.eqb_spec other own); [destruct hf|]. destruct hf as [<- | []].
      rewrite value_comparison. apply difference_zero, h. lia.
  - rewrite Forall_app. destruct (Nat.ltb_spec k last) as [e | e], k as [|k]; cbn [pred];
      rewrite ?Forall_cons_iff, ?value_threshold_up, ?value_threshold_down, ?difference_zero; intuition; try lia.
  - rewrite <- forms_all. split.
    + intros h k hk. assert (i : In (stage p level k) (map (stage p level) (seq 0 (Nat.min (S level) last))))
        by (apply in_map, in_seq; lia).
      specialize (h _ i). unfold stage in h. destruct (Nat.ltb k level);
        rewrite ?value_threshold_down, ?value_threshold_up, difference_zero in h; [exact h | symmetry; exact h].
    + intros h f hf. apply in_map_iff in hf as (k & <- & hk). apply in_seq in hk. specialize (h k ltac:(lia)).
      unfold stage. destruct (Nat.ltb k level);
        rewrite ?value_threshold_down, ?value_threshold_up, difference_zero; [exact h | symmetry; exact h].
  - destruct (Z.eqb_spec (fst won) 0) as [e | e]; [|destruct (Z.eqb_spec (fst won) (snd won)) as [q | q]];
      rewrite ?Forall_cons_iff, ?up, ?down; intuition.
Qed.

End Meaning.
