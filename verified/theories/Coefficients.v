(** What becomes of each coefficient of a logistic regression: the check, and why it may be believed.

    The plane's rows are those on which every admissible w vanishes, the strict rows all others. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Soundness.
Open Scope Z_scope.

(** ** The check *)

(** Mixtures of few rows: row numbers, ascending, with their weights. *)
Definition sparse : Type := list (Z * Z).

Inductive fate :=
  | NotIdentified
  | Finite
  | Infinite (up : bool) (strict : sparse) (scale : Z)
  | Undetermined (separating : list Z)
  | Unclaimed.  (** nothing is said of it *)

(** `rows` have weights 1. `opened`: what the plane's rows leave open; not used where no row or every row is on it. *)
Record coefficients := Coefficients { rows_listed : sparse; opened : list (list Z); unseen : list (list Z); each : list fate }.

(** The rows with these numbers, where `at` is the number of the first. *)
Fixpoint pick_rows (at_row : Z) (rows : list row) (wanted : sparse) (done : list (Z * row)) : option (list (Z * row)) :=
  match wanted, rows with
  | [], _ => Some done
  | _, [] => None
  | (i, c) :: rest, r :: rows =>
      if i =? at_row then pick_rows (at_row + 1) rows rest ((c, r) :: done)
      else pick_rows (at_row + 1) rows wanted done
  end.

Definition plane_of (c : certificate) (r : row) : bool :=
  match c with
  | Complete _ _ _ => false
  | Quasi w _ _ => on_plane w r
  | Overlap _ _ => true
  end.

Definition all_of (rows : list row) (wanted : sparse) : list (Z * row) :=
  match pick_rows 0 rows wanted [] with Some weighted => weighted | None => [] end.

Definition keep {A} (p : A -> bool) (l : list A) : list A :=
  fold_left (fun done x => if p x then x :: done else done) l [].

Section Check.

Variable modulus : Z.
Variable invert : Z -> Z.

(** t is a combination of the plane's rows, as far as what they leave open shows. *)
Definition blind (c : certificate) (k : coefficients) (t : list Z) : bool :=
  match c with
  | Complete _ _ _ => all_zero t
  | Quasi _ _ _ => forallb (fun v => product t v =? 0) (opened k)
  | Overlap _ _ => forallb (fun v => product t v =? 0) (unseen k)
  end.

(** Rows and vectors fill the space: all rows with `unseen`; of quasi, the plane's rows with `opened`. *)
Definition filled_twice (columns : list Z) (rows : list row) (c : certificate) (k : coefficients) : bool :=
  let weighted := all_of rows (rows_listed k) in
  fills modulus invert columns (unseen k) rows weighted &&
  match c with
  | Quasi w _ _ =>
      fills modulus invert columns (opened k) (keep (on_plane w) rows) (keep (fun p => on_plane w (snd p)) weighted)
  | _ => true
  end.

(** e is the vector that is 1 at the coefficient and 0 before it. *)
Definition check_fate (columns : list Z) (rows : list row) (c : certificate) (k : coefficients) (e : list Z) (f : fate) :
  bool :=
  match f with
  | NotIdentified => negb (forallb (fun v => product e v =? 0) (unseen k))
  | Finite => forallb (fun v => product e v =? 0) (unseen k) && blind c k e
  | Infinite up strict scale =>
      let weighted := all_of rows strict in
      let m := common_denominator weighted in
      forallb (fun v => product e v =? 0) (unseen k) && negb (blind c k e) && all_positive weighted &&
      forallb (fun p => negb (plane_of c (snd p))) weighted && (0 <? scale) &&
      blind c k (add_times (if up then - (m * scale) else m * scale) e (total m weighted))
  | Undetermined w =>
      forallb (fun v => product e v =? 0) (unseen k) && negb (blind c k e) && same_length columns w &&
      (product e w =? 0) && negb (forallb (plane_of c) rows) &&
      forallb (fun r => if plane_of c r then product (entries r) w =? 0 else 0 <? product (entries r) w) rows
  | Unclaimed => true
  end.

Fixpoint check_fates (columns : list Z) (rows : list row) (c : certificate) (k : coefficients) (e : list Z)
  (room : list Z) (fates : list fate) : bool :=
  match room, fates with
  | [], [] => true
  | _ :: room, f :: fates =>
      check_fate columns rows c k e f && check_fates columns rows c k (0 :: e) room fates
  | _, _ => false
  end.

Definition check_coefficients (rows : list row) (c : certificate) (k : coefficients) : bool :=
  match rows with
  | [] => false
  | r :: _ =>
      let columns := entries r in
      filled_twice columns rows c k && check_fates columns rows c k [1] columns (each k)
  end.

End Check.

(** ** What is claimed, and why it is true *)

Section Meaning.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

(** w has the plane's rows on the plane and all others strictly on their side. *)
Definition like (on : list bool) (zs : list (list K)) (w : list K) : Prop :=
  Forall2 (fun (b : bool) z => if b then (dot z w == 0)%K else (0 < dot z w)%K) on zs.

Definition coordinate (j : nat) (w : list K) : K := nth j w zero.

Definition fate_claim (on : list bool) (zs : list (list K)) (j : nat) (f : fate) : Prop :=
  match f with
  | NotIdentified => exists v, (forall z, In z zs -> dot z v == 0)%K /\ ~ (coordinate j v == 0)%K
  | Finite => forall v, Forall2 (fun (b : bool) z => b = true -> (dot z v == 0)%K) on zs -> (coordinate j v == 0)%K
  | Infinite true _ _ => forall w, like on zs w -> (0 < coordinate j w)%K
  | Infinite false _ _ => forall w, like on zs w -> (coordinate j w < 0)%K
  | Undetermined _ => (exists w, like on zs w /\ (coordinate j w == 0)%K) /\
      (exists w, like on zs w /\ ~ (coordinate j w == 0)%K)
  | Unclaimed => True
  end.

(** Every kind that claims something, but "not identified", says that the coefficient is identified. *)
Definition identified (zs : list (list K)) (j : nat) (f : fate) : Prop :=
  f = NotIdentified \/ f = Unclaimed \/ forall v, (forall z, In z zs -> dot z v == 0)%K -> (coordinate j v == 0)%K.

Open Scope ordered_scope.

Fixpoint unit (j : nat) : list Z :=
  match j with
  | O => [1%Z]
  | S j => 0%Z :: unit j
  end.

Lemma dot_unit j : forall w : list K, dot (wholes (unit j)) w == coordinate j w.
Proof.
  unfold coordinate. induction j as [|j IH]; intros [|t w]; simpl; try reflexivity.
  - ring.
  - rewrite IH. ring.
Qed.

Lemma unit_length j : length (unit j) = S j.
Proof. induction j; simpl; congruence. Qed.

Lemma pick_rows_spec rows : forall at_row wanted done weighted, pick_rows at_row rows wanted done = Some weighted ->
  forall c r, In (c, r) weighted -> In (c, r) done \/ In r rows.
Proof.
  induction rows as [|r rows IH]; intros at_row [|[i c] wanted] done weighted h c' r' k; simpl in h; try discriminate;
    try (injection h as <-; left; exact k).
  destruct (i =? at_row)%Z; apply (IH _ _ _ _ h c' r') in k as [k | k].
  - destruct k as [k | k]; [injection k as <- <-; right; left; reflexivity | left; exact k].
  - right. right. exact k.
  - left. exact k.
  - right. right. exact k.
Qed.

Lemma all_of_spec rows wanted c r : In (c, r) (all_of rows wanted) -> In r rows.
Proof.
  unfold all_of. destruct (pick_rows 0 rows wanted []) as [weighted|] eqn:e; [|intros []].
  intros k. destruct (pick_rows_spec _ _ _ _ _ e c r k) as [[] | k']. exact k'.
Qed.

Lemma keep_spec {A} (p : A -> bool) l x : In x (keep p l) <-> In x l /\ p x = true.
Proof.
  unfold keep.
  assert (h : forall done, In x (fold_left (fun done x => if p x then x :: done else done) l done) <->
    In x done \/ (In x l /\ p x = true)).
  { induction l as [|y l IH]; intros done; cbn [fold_left].
    - split; [tauto|]. intros [h | [[] _]]. exact h.
    - rewrite IH. destruct (p y) eqn:e; cbn [In]; split.
      + intros [[<- | h] | [h k]]; auto.
      + intros [h | [[<- | h] k]]; auto.
      + intros [h | [h k]]; auto.
      + intros [h | [[<- | h] k]]; auto. congruence. }
  rewrite h. cbn [In]. tauto.
Qed.

Variable modulus : Z.
Variable invert : Z -> Z.
Hypothesis modulus_large : (1 < modulus)%Z.

Section Rows.

Variable columns : list Z.
Variable rows : list row.
Variable c : certificate.
Variable k : coefficients.
Hypothesis shaped : forall r, In r rows -> length (entries r) = length columns /\ (0 < denominator r)%Z.
Hypothesis filled_all : filled_twice modulus invert columns rows c k = true.

Lemma orthogonal_to t vectors : forallb (fun v => product t v =? 0)%Z vectors = true <->
  forall v, In v vectors -> zdot t v = 0%Z.
Proof.
  rewrite forallb_forall. split; intros h v hv; specialize (h v hv).
  - rewrite <- product_spec. apply Z.eqb_eq, h.
  - apply Z.eqb_eq. rewrite product_spec. exact h.
Qed.

Lemma not_orthogonal_to t vectors : forallb (fun v => product t v =? 0)%Z vectors = false ->
  exists v, In v vectors /\ zdot t v <> 0%Z.
Proof.
  induction vectors as [|v vectors IH]; simpl; [discriminate|]. intros h.
  destruct (Z.eqb_spec (product t v) 0) as [e | e].
  - destruct (IH h) as (u & hin & hn). exists u. auto.
  - exists v. rewrite product_spec in e. auto.
Qed.

(** What no row responds to has no part in a combination of rows. *)
Lemma seen t (w : list K) : (length t <= length columns)%nat ->
  forallb (fun v => product t v =? 0)%Z (unseen k) = true ->
  (forall r, In r rows -> dot (wholes (entries r)) w == 0) -> dot (wholes t) w == 0.
Proof.
  intros ht hv hw. rewrite orthogonal_to in hv. pose proof filled_all as h. unfold filled_twice in h.
  rewrite andb_true_iff in h. destruct h as [h _].
  apply (filled K modulus invert modulus_large columns (unseen k) rows (all_of rows (rows_listed k)) w t h);
    [| |exact ht | exact hv].
  - intros c' r i. apply all_of_spec in i. split; [exact i | apply shaped, i].
  - intros c' r i. apply hw. apply all_of_spec in i. exact i.
Qed.

(** The same for what the plane's rows leave open. *)
Lemma blind_spec t (w : list K) : (length t <= length columns)%nat -> blind c k t = true ->
  (forall r, In r rows -> plane_of c r = true -> dot (wholes (entries r)) w == 0) -> dot (wholes t) w == 0.
Proof.
  intros ht hb hw. assert (same : exists c0, c0 = c) by eauto. destruct same as [c0 e]. rewrite <- e in hb, hw.
  destruct c0 as [w' margin street | w' lambda span | lambda span]; cbn [blind plane_of] in hb, hw.
  - apply dot_wholes_vanishes, all_zero_vanishes, hb.
  - rewrite orthogonal_to in hb. pose proof filled_all as h. rewrite <- e in h. unfold filled_twice in h.
    rewrite andb_true_iff in h. destruct h as [_ h].
    apply (filled K modulus invert modulus_large columns (opened k) _ _ w t h); [| |exact ht | exact hb].
    + intros c' r i. apply keep_spec in i as [i p]. apply all_of_spec in i. cbn [snd] in p.
      split; [apply keep_spec; split; assumption | apply shaped, i].
    + intros c' r i. apply keep_spec in i as [i p]. apply all_of_spec in i. apply hw; assumption.
  - apply seen; [exact ht | exact hb|]. intros r i. apply hw; [exact i | reflexivity].
Qed.

(** A direction that is open at a coordinate. *)
Lemma open_direction j : (j < length columns)%nat -> forallb (fun v => product (unit j) v =? 0)%Z (unseen k) = true ->
  blind c k (unit j) = false ->
  exists v : list Z, zdot (unit j) v <> 0%Z /\
    forall r, In r rows -> plane_of c r = true -> zdot (entries r) v = 0%Z.
Proof.
  intros hj hu hb.
  assert (same : exists c0, c0 = c) by eauto. destruct same as [c0 e]. rewrite <- e in hb |- *.
  destruct c0 as [w' margin street | w' lambda span | lambda span]; cbn [blind plane_of] in hb |- *.
  - exists (unit j). split; [|intros; discriminate]. clear. induction j as [|j IH]; [discriminate|].
    change (0 * 0 + zdot (unit j) (unit j) <> 0)%Z. lia.
  - destruct (not_orthogonal_to _ _ hb) as (v & hv & hn). exists v. split; [exact hn|]. intros r hr p.
    pose proof filled_all as h. rewrite <- e in h. unfold filled_twice, fills in h. rewrite !andb_true_iff in h.
    destruct h as [_ [h _]]. unfold null_space in h. rewrite !andb_true_iff, !forallb_forall in h.
    destruct h as [[_ h] _]. specialize (h r). rewrite forallb_forall in h. rewrite <- product_spec.
    apply Z.eqb_eq, h; [apply keep_spec; split; assumption | exact hv].
  - congruence.
Qed.

Variable zs : list (list K).
Hypothesis represented : Forall2 represents rows zs.

Let on : list bool := map (plane_of c) rows.

Lemma like_rows w : like on zs w -> forall r, In r rows ->
  if plane_of c r then dot (wholes (entries r)) w == 0 else 0 < dot (wholes (entries r)) w.
Proof.
  unfold on, like. intros h. assert (k' := shaped). clear - h represented k'.
  induction represented as [|r z rows' zs' e tail IH]; intros q i; [destruct i|].
  cbn [map] in h. inversion_clear h as [|? ? ? ? h1 h2]. destruct i as [-> | i].
  - destruct (k' q (or_introl eq_refl)) as [_ hd]. destruct (plane_of c q).
    + apply (zero_row K q z w e hd), h1.
    + apply (positive_row K q z w e hd), h1.
  - apply IH; try assumption. intros r' i'. apply k'. right. exact i'.
Qed.

Lemma like_of_rows w : (forall r, In r rows ->
  if plane_of c r then dot (wholes (entries r)) w == 0 else 0 < dot (wholes (entries r)) w) -> like on zs w.
Proof.
  unfold on, like. intros h. assert (k' := shaped). clear - h represented k'.
  induction represented as [|r z rows' zs' e tail IH]; simpl; constructor.
  - destruct (k' r (or_introl eq_refl)) as [_ hd]. specialize (h r (or_introl eq_refl)). destruct (plane_of c r).
    + apply (zero_row K r z w e hd), h.
    + apply (positive_row K r z w e hd), h.
  - apply IH; try assumption; intros r' i; [apply h | apply k']; right; exact i.
Qed.

Lemma all_rows_zero v : (forall z, In z zs -> dot z v == 0) -> forall r, In r rows -> dot (wholes (entries r)) v == 0.
Proof.
  intros h r hr. destruct (vector_of_row K rows zs represented r hr) as (z & hz & e).
  apply (zero_row K r z v e); [apply shaped, hr | apply h, hz].
Qed.

(** Enough of w' beside v keeps every strict row on its side. *)
Lemma enough (w' v : list Z) : exists n, (0 < n)%Z /\ forall r, In r rows -> (0 < zdot (entries r) w')%Z ->
  (0 < n * zdot (entries r) w' + zdot (entries r) v)%Z.
Proof.
  clear. induction rows as [|r rows' (n & hn & h)].
  - exists 1%Z. split; [lia | intros r []].
  - exists (n + Z.abs (zdot (entries r) v))%Z. split; [lia|]. intros q [<- | i] p; [nia|].
    specialize (h q i p). nia.
Qed.

Theorem fate_sound j f : (j < length columns)%nat -> check_fate columns rows c k (unit j) f = true ->
  fate_claim on zs j f /\ identified zs j f.
Proof.
  intros hj h.
  assert (hl : (length (unit j) <= length columns)%nat) by (rewrite unit_length; lia).
  assert (known : forallb (fun v => product (unit j) v =? 0)%Z (unseen k) = true ->
    forall v, (forall z, In z zs -> dot z v == 0) -> coordinate j v == 0).
  { intros hu v hv. rewrite <- dot_unit. apply seen; [exact hl | exact hu | apply all_rows_zero, hv]. }
  destruct f as [| | up strict sc | sep |]; cbn [check_fate] in h.
  - split; [|left; reflexivity]. apply negb_true_iff in h.
    destruct (not_orthogonal_to _ _ h) as (v & hv & hn). exists (wholes v). split.
    + intros z hz. destruct (row_of_vector K rows zs represented z hz) as (r & hr & e).
      apply (zero_row K r z _ e); [apply shaped, hr|]. rewrite dot_wholes.
      pose proof filled_all as g. unfold filled_twice, fills, null_space in g.
      rewrite !andb_true_iff, !forallb_forall in g. destruct g as [[[[_ g] _] _] _]. specialize (g r hr).
      rewrite forallb_forall in g. specialize (g v hv). apply Z.eqb_eq in g. rewrite product_spec in g.
      unfold zdot in g. rewrite g. reflexivity.
    + rewrite <- dot_unit, dot_wholes. intros e. apply hn, (whole_zero K), e.
  - apply andb_true_iff in h as [hu hb]. split; [|right; right; apply known, hu]. intros v hv. rewrite <- dot_unit.
    apply blind_spec; [exact hl | exact hb|]. intros r hr p.
    assert (e : exists z, represents r z /\ dot z v == 0).
    { unfold on in hv. clear - hv represented hr p. induction represented as [|q z rows' zs' e tail IH]; [destruct hr|].
      cbn [map] in hv. inversion_clear hv as [|? ? ? ? h1 h2]. destruct hr as [-> | hr]; [|apply IH; assumption].
      exists z. split; [exact e | apply h1, p]. }
    destruct e as (z & e & hz). apply (zero_row K r z v e); [apply shaped, hr | exact hz].
  - rewrite !andb_true_iff in h. destruct h as [[[[[hu hb] hp] hs] hc] ht]. split; [|right; right; apply known, hu].
    set (weighted := all_of rows strict) in *. apply all_positive_spec in hp as [hne hp]. rewrite forallb_forall in hs.
    assert (inside : forall x r, In (x, r) weighted -> In r rows) by (intros x r; apply all_of_spec).
    destruct (common_denominator_spec weighted) as [hm hdiv]; [intros x r i; apply shaped, (inside x r i)|].
    set (m := common_denominator weighted) in *. apply Z.ltb_lt in hc.
    assert (sum : forall w, like on zs w -> 0 < dot (wholes (total m weighted)) w).
    { intros w hw. rewrite dot_total.
      assert (term : forall x r, In (x, r) weighted ->
        0 < whole (x * (m / denominator r)) * dot (wholes (entries r)) w).
      { intros x r i. apply times_positive.
        - apply whole_positive, Z.mul_pos_pos; [apply (hp x r i)|].
          apply multiplier_positive; [exact hm | apply shaped, (inside x r i) | apply (hdiv x r i)].
        - pose proof (like_rows w hw r (inside x r i)) as g. specialize (hs (x, r) i). apply negb_true_iff in hs.
          cbn [snd] in hs. rewrite hs in g. exact g. }
      clear - hne term. clearbody m. destruct weighted as [|[x r] weighted]; [contradiction|]. simpl.
      apply plus_positive; [apply (term x r); left; reflexivity|].
      assert (rest : forall x r, In (x, r) weighted -> 0 < whole (x * (m / denominator r)) * dot (wholes (entries r)) w)
        by (intros x' r' i; apply term; right; exact i).
      clear - rest. induction weighted as [|[y q] weighted IH]; simpl; [apply at_most_refl|].
      apply plus_nonnegative; [apply less_at_most, (rest y q); left; reflexivity|].
      apply IH. intros x' r' i. apply rest. right. exact i. }
    assert (lt : (length (add_times (if up then - (m * sc) else m * sc)%Z (unit j) (total m weighted)) <=
      length columns)%nat).
    { assert (e : length (total m weighted) = length columns)
        by (apply total_length; [exact hne | intros x r i; apply shaped, (inside x r i)]).
      assert (g : forall q a b, (length a <= length b)%nat -> length (add_times q a b) = length b).
      { clear. intros q. induction a as [|x a IH]; intros [|y b] h; simpl in *; try lia. rewrite IH; lia. }
      rewrite g; lia. }
    assert (key : forall w, like on zs w ->
      whole (if up then - (m * sc) else m * sc) * coordinate j w + dot (wholes (total m weighted)) w == 0).
    { intros w hw. rewrite <- dot_unit, <- dot_add_times. apply blind_spec; [exact lt | exact ht|].
      intros r hr p. pose proof (like_rows w hw r hr) as g. rewrite p in g. exact g. }
    assert (hms : (0 : K) < whole (m * sc)) by (apply whole_positive, Z.mul_pos_pos; assumption).
    destruct up; intros w hw; specialize (key w hw); specialize (sum w hw).
    + apply (factor_positive K (whole (m * sc))); [exact hms|].
      setoid_replace (whole (m * sc) * coordinate j w) with (dot (wholes (total m weighted)) w); [exact sum|].
      rewrite whole_opposite in key.
      setoid_replace (whole (m * sc) * coordinate j w) with (whole (m * sc) * coordinate j w + 0) by ring.
      rewrite <- key. ring.
    + intros n. apply sum.
      setoid_replace (dot (wholes (total m weighted)) w) with (- (whole (m * sc) * coordinate j w)).
      * setoid_replace (0 : K) with (- (0 : K)) by ring. apply opposite_at_most.
        apply times_nonnegative; [apply less_at_most, hms | exact n].
      * setoid_replace (dot (wholes (total m weighted)) w) with (dot (wholes (total m weighted)) w - 0) by ring.
        rewrite <- key. ring.
  - rewrite !andb_true_iff in h. destruct h as [[[[[hu hb] _] he] _] hr]. split; [|right; right; apply known, hu].
    apply negb_true_iff in hb. apply Z.eqb_eq in he. rewrite product_spec in he. rewrite forallb_forall in hr.
    split.
    + exists (wholes sep). split.
      * apply like_of_rows. intros r i. specialize (hr r i). destruct (plane_of c r).
        -- rewrite dot_product. apply Z.eqb_eq in hr. rewrite hr. reflexivity.
        -- rewrite dot_product. apply whole_positive, Z.ltb_lt, hr.
      * rewrite <- dot_unit, dot_wholes. unfold zdot in he. rewrite he. reflexivity.
    + destruct (open_direction j hj hu hb) as (v & hv & ho). destruct (enough sep v) as (n & hn & he').
      assert (tilted : forall a, dot (wholes a) (wholes (@add integers (@scale integers n sep) v)) ==
        (whole (n * zdot a sep + zdot a v) : K)).
      { intros a. rewrite dot_comm, dot_wholes_add, dot_wholes_scale, !(dot_comm K (wholes _) (wholes a)), !dot_wholes.
        rewrite whole_plus, whole_times. reflexivity. }
      exists (wholes (@add integers (@scale integers n sep) v)). split.
      * apply like_of_rows. intros r i. specialize (hr r i). destruct (plane_of c r) eqn:p; rewrite tilted.
        -- apply Z.eqb_eq in hr. rewrite product_spec in hr. rewrite hr, (ho r i p), Z.mul_0_r. reflexivity.
        -- apply Z.ltb_lt in hr. rewrite product_spec in hr. apply whole_positive, (he' r i hr).
      * rewrite <- dot_unit, tilted, he. intros e. apply hv, (whole_zero K). rewrite <- e, Z.mul_0_r. reflexivity.
  - split; [exact I | right; left; reflexivity].
Qed.

Lemma fates_sound room : forall j fates, (j + length room = length columns)%nat ->
  check_fates columns rows c k (unit j) room fates = true ->
  length fates = length room /\
  forall i f, nth_error fates i = Some f -> fate_claim on zs (j + i) f /\ identified zs (j + i) f.
Proof.
  induction room as [|x room IH]; intros j [|f fates] hj h; simpl in h; try discriminate.
  - split; [reflexivity|]. intros [|i] f e; discriminate.
  - apply andb_true_iff in h as [h1 h2]. simpl in hj.
    destruct (IH (S j) fates ltac:(lia) h2) as [hn hf]. split; [simpl; congruence|].
    intros [|i] g e; simpl in e.
    + injection e as ->. rewrite Nat.add_0_r. apply fate_sound; [lia | exact h1].
    + rewrite Nat.add_succ_r. apply (hf i g e).
Qed.

End Rows.

(** Every coefficient has the fate that the certificate says. *)
Theorem coefficients_sound rows c k (zs : list (list K)) : check modulus invert rows c = true ->
  check_coefficients modulus invert rows c k = true -> Forall2 represents rows zs ->
  forall j f, nth_error (each k) j = Some f ->
  fate_claim (map (plane_of c) rows) zs j f /\ identified zs j f.
Proof.
  unfold check, check_coefficients. destruct rows as [|r rest]; [discriminate|].
  rewrite andb_true_iff. intros hc [hf hk] hz j f hj.
  assert (shaped : forall q, In q (r :: rest) -> length (entries q) = length (entries r) /\ (0 < denominator q)%Z).
  { unfold check_rows in hc. rewrite andb_true_iff in hc. destruct hc as [hc _].
    exact (well_shaped_spec (entries r) (r :: rest) hc). }
  destruct (fates_sound (entries r) (r :: rest) c k shaped hf zs hz (entries r) 0 (each k)) as [_ h];
    [reflexivity | exact hk | exact (h j f hj)].
Qed.

End Meaning.
