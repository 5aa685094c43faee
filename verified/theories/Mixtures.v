(** What the parts of the checker compute, and that a mixture that passes holds its rows down: no admissible weights
    have any of them off the plane. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Checker Verdicts.

(** ** Plain facts about plain functions *)

Lemma product_from_spec a : forall s b, product_from s a b = (s + zdot a b)%Z.
Proof.
  induction a as [|x a IH]; intros s [|y b]; simpl; try (unfold zdot; simpl; ring).
  rewrite IH. change (zdot (x :: a) (y :: b)) with (x * y + zdot a b)%Z. ring.
Qed.

Lemma product_spec a b : product a b = zdot a b.
Proof. apply product_from_spec. Qed.

Lemma same_length_spec a : forall b, same_length a b = true -> length b = length a.
Proof. induction a as [|x a IH]; intros [|y b]; simpl; try congruence. intros h. rewrite (IH b h). reflexivity. Qed.

Lemma count_spec {A} (l : list A) : count l = Z.of_nat (length l).
Proof.
  unfold count. assert (h : forall n, fold_left (fun n _ => (n + 1)%Z) l n = (n + Z.of_nat (length l))%Z).
  { induction l as [|x l IH]; intros n; cbn [fold_left length]; [lia|]. rewrite IH. lia. }
  apply h.
Qed.

Lemma well_shaped_spec columns rows : well_shaped columns rows = true ->
  forall r, In r rows -> length (entries r) = length columns /\ (0 < denominator r)%Z.
Proof.
  unfold well_shaped. rewrite forallb_forall. intros h r hr. specialize (h r hr).
  apply andb_true_iff in h as [h k]. split; [apply same_length_spec, h | apply Z.ltb_lt, k].
Qed.

Lemma participants_spec part pairs c r :
  In (c, r) (participants part pairs) <-> exists l, In (r, l) pairs /\ part l = Some c.
Proof.
  unfold participants.
  assert (h : forall done, In (c, r) (fold_left (fun done p =>
    match part (snd p) with Some c => (c, fst p) :: done | None => done end) pairs done) <->
    In (c, r) done \/ exists l, In (r, l) pairs /\ part l = Some c).
  { induction pairs as [|[r' l'] pairs IH]; intros done; cbn [fold_left fst snd].
    - split; [tauto|]. intros [h | (l & [] & _)]. exact h.
    - rewrite IH. destruct (part l') as [c'|] eqn:e; cbn [In].
      + split.
        * intros [[h | h] | (l & h & k)]; [injection h as <- <-; right; exists l'; auto | auto | right; exists l; auto].
        * intros [h | (l & [h | h] & k)]; [auto | injection h as -> ->; left; left; congruence | right; exists l; auto].
      + split.
        * intros [h | (l & h & k)]; [auto | right; exists l; auto].
        * intros [h | (l & [h | h] & k)]; [auto | injection h as -> ->; congruence | right; exists l; auto]. }
  rewrite h. cbn [In]. tauto.
Qed.

Lemma rows_of_spec weighted a : In a (rows_of weighted) <-> exists c r, In (c, r) weighted /\ entries r = a.
Proof.
  unfold rows_of.
  assert (h : forall done, In a (fold_left (fun done p => entries (snd p) :: done) weighted done) <->
    In a done \/ exists c r, In (c, r) weighted /\ entries r = a).
  { induction weighted as [|[c r] weighted IH]; intros done; cbn [fold_left fst snd].
    - split; [tauto|]. intros [h | (c & r & [] & _)]. exact h.
    - rewrite IH. cbn [In]. split.
      + intros [[h | h] | (c' & r' & h & k)]; [right; exists c, r; auto | auto | right; exists c', r'; auto].
      + intros [h | (c' & r' & [h | h] & k)]; [auto | injection h as -> ->; auto | right; exists c', r'; auto]. }
  rewrite h. cbn [In]. tauto.
Qed.

Lemma firsts_spec pairs r : In r (firsts pairs) <-> exists l, In (r, l) pairs.
Proof.
  unfold firsts.
  assert (h : forall done, In r (fold_left (fun done p => fst p :: done) pairs done) <->
    In r done \/ exists l : option Z, In (r, l) pairs).
  { induction pairs as [|[r' l'] pairs IH]; intros done; cbn [fold_left fst].
    - split; [tauto|]. intros [h | (l & [])]. exact h.
    - rewrite IH. cbn [In]. split.
      + intros [[h | h] | (l & h)]; [right; exists l'; left; congruence | auto | right; exists l; auto].
      + intros [h | (l & [h | h])]; [auto | injection h as -> ->; auto | right; exists l; auto]. }
  rewrite h. cbn [In]. tauto.
Qed.

Lemma pair_up_spec rows : forall lambda done pairs, pair_up rows lambda done = (true, pairs) ->
  (forall r, In r rows -> exists l, In (r, l) pairs) /\
  (forall r l, In (r, l) done -> In (r, l) pairs) /\
  (forall r l, In (r, l) pairs -> In (r, l) done \/ In r rows).
Proof.
  induction rows as [|r rows IH]; intros [|l lambda] done pairs h; try discriminate; simpl in h.
  - injection h as <-. repeat split; [intros r [] | auto | auto].
  - apply IH in h as (h1 & h2 & h3). repeat split.
    + intros r' [<- | k]; [exists l; apply h2; left; reflexivity | apply h1, k].
    + intros r' l' k. apply h2. right. exact k.
    + intros r' l' k. apply h3 in k as [[k | k] | k]; [injection k as -> ->; right; left; reflexivity | auto |].
      right; right; exact k.
Qed.

Lemma plane_spec w rows : forall lambda strict done s pairs, plane w rows lambda strict done = Some (s, pairs) ->
  (forall r, In r rows -> (0 <= product (entries r) w)%Z) /\
  (forall r, In r rows -> product (entries r) w = 0%Z -> exists l, In (r, l) pairs) /\
  (forall r l, In (r, l) done -> In (r, l) pairs) /\
  (forall r l, In (r, l) pairs -> In (r, l) done \/ (In r rows /\ product (entries r) w = 0%Z)) /\
  (s = true -> strict = true \/ exists r, In r rows /\ (0 < product (entries r) w)%Z).
Proof.
  induction rows as [|r rows IH]; intros [|l lambda] strict done s pairs h; try discriminate; simpl in h.
  - injection h as <- <-. repeat split; try (intros r []); auto.
  - destruct (product (entries r) w) as [|n|n] eqn:e; [| |discriminate].
    + apply IH in h as (h1 & h2 & h3 & h4 & h5). repeat split.
      * intros r' [<- | k]; [rewrite e; lia | apply h1, k].
      * intros r' [<- | k] z; [exists l; apply h3; left; reflexivity | apply h2; assumption].
      * intros r' l' k. apply h3. right. exact k.
      * intros r' l' k. apply h4 in k as [[k | k] | [k z]]; [injection k as -> ->; right; auto using in_eq | auto |].
        right. split; [right; exact k | exact z].
      * intros hs. apply h5 in hs as [hs | (r' & k & p)]; [auto|]. right. exists r'. split; [right; exact k | exact p].
    + destruct l as [l|]; [discriminate|]. apply IH in h as (h1 & h2 & h3 & h4 & h5). repeat split.
      * intros r' [<- | k]; [rewrite e; lia | apply h1, k].
      * intros r' [<- | k] z; [congruence | apply h2; assumption].
      * exact h3.
      * intros r' l' k. apply h4 in k as [k | [k z]]; [auto|]. right. split; [right; exact k | exact z].
      * intros _. right. exists r. split; [left; reflexivity | rewrite e; lia].
Qed.

Lemma common_denominator_spec weighted : (forall c r, In (c, r) weighted -> (0 < denominator r)%Z) ->
  (0 < common_denominator weighted)%Z /\
  forall c r, In (c, r) weighted -> (denominator r | common_denominator weighted)%Z.
Proof.
  unfold common_denominator.
  assert (h : forall m, (0 < m)%Z -> (forall c r, In (c, r) weighted -> (0 < denominator r)%Z) ->
    let e := fold_left (fun m p => Z.lcm m (denominator (snd p))) weighted m in
    (0 < e)%Z /\ (m | e)%Z /\ forall c r, In (c, r) weighted -> (denominator r | e)%Z).
  { induction weighted as [|[c r] weighted IH]; intros m hm hp; cbn [fold_left snd].
    - repeat split; [exact hm | apply Z.divide_refl | intros c r []].
    - pose proof (hp c r (or_introl eq_refl)) as hr.
      assert (hl : (0 < Z.lcm m (denominator r))%Z).
      { pose proof (Z.lcm_nonneg m (denominator r)).
        destruct (Z.eq_dec (Z.lcm m (denominator r)) 0) as [z | z]; [|lia]. apply Z.lcm_eq_0 in z. lia. }
      destruct (IH _ hl) as (e1 & e2 & e3); [intros c' r' k; apply (hp c' r'); right; exact k|].
      repeat split; [exact e1 | eapply Z.divide_trans; [apply Z.divide_lcm_l | exact e2] |].
      intros c' r' [k | k]; [|apply (e3 c' r' k)]. injection k as <- <-.
      eapply Z.divide_trans; [apply Z.divide_lcm_r | exact e2]. }
  intros hp. destruct (h 1%Z ltac:(lia) hp) as (h1 & _ & h3). split; assumption.
Qed.

Lemma multiplier_positive m k : (0 < m)%Z -> (0 < k)%Z -> (k | m)%Z -> (0 < m / k)%Z.
Proof. intros hm hk [q ->]. rewrite Z.div_mul by lia. nia. Qed.

(** ** Weights in K *)

Section Weights.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).

(** z is the vector that the row stands for. *)
Definition represents (r : row) (z : list K) : Prop :=
  Forall2 (fun n x => whole (denominator r) * x == whole n) (entries r) z.

Lemma dot_represents r z : represents r z -> forall w, dot (wholes (entries r)) w == whole (denominator r) * dot z w.
Proof.
  unfold represents. set (d := whole (denominator r)). clearbody d.
  induction 1 as [|n x entries z e _ IH]; intros [|t w]; simpl; try ring. rewrite IH, <- e. ring.
Qed.

Lemma dot_add_times k a : forall sum (w : list K),
  dot (wholes (add_times k a sum)) w == whole k * dot (wholes a) w + dot (wholes sum) w.
Proof.
  induction a as [|x a IH]; intros [|y sum] [|t w]; simpl; try ring.
  - rewrite whole_times. pose proof (dot_wholes_scale K k a w) as e. unfold scale in e.
    change (dot (wholes (map (Z.mul k) a)) w == whole k * dot (wholes a) w) in e. rewrite e. ring.
  - rewrite IH, whole_plus, whole_times. ring.
Qed.

(** The terms of Σ λz·w, times m. *)
Definition terms (m : Z) (weighted : list (Z * row)) (w : list K) : list (K * K) :=
  map (fun p => (whole (fst p * (m / denominator (snd p))), dot (wholes (entries (snd p))) w)) weighted.

Lemma dot_total m weighted (w : list K) : dot (wholes (total m weighted)) w == weighted_sum (terms m weighted w).
Proof.
  unfold total.
  assert (h : forall sum, dot (wholes (fold_left (fun sum p =>
    add_times (fst p * (m / denominator (snd p))) (entries (snd p)) sum) weighted sum)) w ==
    weighted_sum (terms m weighted w) + dot (wholes sum) w).
  { induction weighted as [|p weighted IH]; intros sum; cbn [fold_left].
    - simpl. ring.
    - rewrite IH, dot_add_times. simpl. ring. }
  rewrite h. simpl. ring.
Qed.

Lemma all_zero_vanishes a : all_zero a = true -> @vanishes integers a.
Proof.
  unfold all_zero. rewrite forallb_forall. intros h. apply Forall_forall. intros x hx. apply Z.eqb_eq, h, hx.
Qed.

Lemma all_positive_spec weighted : all_positive weighted = true ->
  weighted <> [] /\ forall c r, In (c, r) weighted -> (0 < c)%Z.
Proof.
  destruct weighted as [|p weighted]; [discriminate|]. unfold all_positive. rewrite forallb_forall. intros h.
  split; [discriminate|]. intros c r hr. apply (h (c, r)) in hr. apply Z.ltb_lt, hr.
Qed.

Lemma vanishing_mixture_spec weighted (w : list K) : vanishing_mixture weighted = true ->
  (forall c r, In (c, r) weighted -> (0 < denominator r)%Z) ->
  (forall c r, In (c, r) weighted -> 0 <= dot (wholes (entries r)) w) ->
  forall c r, In (c, r) weighted -> dot (wholes (entries r)) w == 0.
Proof.
  intros h hd hw c r hr. apply andb_true_iff in h as [hp hz]. apply all_positive_spec in hp as [_ hp].
  destruct (common_denominator_spec weighted hd) as [hm hdiv].
  set (m := common_denominator weighted) in *.
  assert (e : weighted_sum (terms m weighted w) == 0).
  { rewrite <- dot_total. apply dot_wholes_vanishes, all_zero_vanishes, hz. }
  apply weighted_sum_zero in e.
  - unfold terms in e. rewrite Forall_map, Forall_forall in e. exact (e (c, r) hr).
  - unfold terms. rewrite Forall_map. apply Forall_forall. intros [c' r'] k. cbn [fst snd]. split.
    + apply whole_positive. apply Z.mul_pos_pos; [apply (hp c' r' k)|].
      apply multiplier_positive; [exact hm | apply (hd c' r' k) | apply (hdiv c' r' k)].
    + apply (hw c' r' k).
Qed.

Section Held.

Variable modulus : Z.
Variable invert : Z -> Z.
Hypothesis modulus_large : (1 < modulus)%Z.

Lemma null_space_spec columns vectors rows : null_space modulus invert columns vectors rows = true ->
  exists s, incl s vectors /\ length s = length vectors /\ independent s /\
    Forall (fun v => length v = length columns) s /\
    forall r, In r rows -> Forall (fun v => zdot (entries r) v = 0%Z) s.
Proof.
  unfold null_space. rewrite !andb_true_iff, !forallb_forall. intros [[hl hv] hr].
  apply Z.eqb_eq in hr. destruct (rank_finds modulus invert modulus_large columns vectors) as (s & hs & hn & hi).
  exists s. rewrite hr, count_spec in hn. repeat split; [exact hs | lia | exact hi | |].
  - apply Forall_forall. intros v k. apply same_length_spec, hl, hs, k.
  - intros r k. apply Forall_forall. intros v kv. specialize (hv _ k). rewrite forallb_forall in hv.
    specialize (hv v (hs v kv)). apply Z.eqb_eq in hv. rewrite product_spec in hv. exact hv.
Qed.

(** Where rows and vectors fill the space, what vanishes on the vectors is a combination of the rows. *)
Theorem filled columns vectors rows weighted (w : list K) t :
  fills modulus invert columns vectors rows weighted = true ->
  (forall c r, In (c, r) weighted -> In r rows /\ length (entries r) = length columns) ->
  (forall c r, In (c, r) weighted -> dot (wholes (entries r)) w == 0) ->
  (length t <= length columns)%nat -> (forall v, In v vectors -> zdot t v = 0%Z) -> dot (wholes t) w == 0.
Proof.
  unfold fills. rewrite andb_true_iff. intros [hn hk] hin zero ht hv.
  apply null_space_spec in hn as (V & sV & nV & iV & lV & oV).
  destruct (rank_finds modulus invert modulus_large columns (rows_of weighted)) as (U & iU & nU & indU).
  apply Z.leb_le in hk. rewrite !count_spec in hk.
  assert (hU : Forall (fun u => exists c r, In (c, r) weighted /\ entries r = u) U).
  { apply Forall_forall. intros u k. apply rows_of_spec, iU, k. }
  apply (vanishing_on_complement K (length columns) U V); try assumption.
  - eapply Forall_impl; [|exact hU]. intros u (c & r & k & <-). destruct (hin c r k) as [_ e]. lia.
  - eapply Forall_impl; [|exact lV]. intros v e. cbv beta in e. lia.
  - lia.
  - apply Forall_forall. intros v kv. eapply Forall_impl; [|exact hU]. intros u (c & r & k & <-).
    destruct (hin c r k) as [i _]. specialize (oV r i). rewrite Forall_forall in oV. apply oV, kv.
  - apply Forall_forall. intros v kv. apply hv, sV, kv.
  - eapply Forall_impl; [|exact hU]. intros u (c & r & k & <-). apply (zero c r k).
Qed.

(** What the plane holds, it holds for all weights. *)
Theorem held_down columns span pairs (w : list K) :
  holds_down modulus invert columns span pairs = true ->
  (forall r l, In (r, l) pairs -> length (entries r) = length columns /\ (0 < denominator r)%Z) ->
  (forall r l, In (r, l) pairs -> 0 <= dot (wholes (entries r)) w) ->
  forall r l, In (r, l) pairs -> dot (wholes (entries r)) w == 0.
Proof.
  unfold holds_down. set (weighted := participants (of_span span) pairs). rewrite andb_true_iff.
  intros [hm hs] hp hw r l hr.
  assert (parts : forall c r, In (c, r) weighted -> exists l, In (r, l) pairs).
  { intros c r' k. apply participants_spec in k as (l' & k & _). exists l'. exact k. }
  assert (zero : forall c r, In (c, r) weighted -> dot (wholes (entries r)) w == 0).
  { apply vanishing_mixture_spec; [exact hm | |].
    - intros c r' k. destruct (parts c r' k) as [l' k']. apply (hp r' l' k').
    - intros c r' k. destruct (parts c r' k) as [l' k']. apply (hw r' l' k'). }
  destruct span as [base | vectors]; cbn [spans] in hs.
  - destruct (of_span (Everywhere base) l) as [c|] eqn:e; [|destruct l; discriminate].
    apply (zero c). apply participants_spec. exists l. split; assumption.
  - apply (filled columns vectors (firsts pairs) weighted w); [exact hs | | exact zero | |].
    + intros c r' k. destruct (parts c r' k) as [l' k']. split; [apply firsts_spec; exists l'; exact k'|].
      apply (hp r' l' k').
    + destruct (hp r l hr) as [e _]. lia.
    + intros v kv. unfold fills, null_space in hs. rewrite !andb_true_iff, !forallb_forall in hs.
      destruct hs as [[[_ hv] _] _]. specialize (hv r). rewrite forallb_forall in hv.
      rewrite <- product_spec. apply Z.eqb_eq, hv; [apply firsts_spec; exists l; exact hr | exact kv].
Qed.

Lemma mixture_is_not_empty columns span pairs : holds_down modulus invert columns span pairs = true ->
  exists r l, In (r, l) pairs.
Proof.
  unfold holds_down, vanishing_mixture. rewrite !andb_true_iff. intros [[h _] _].
  apply all_positive_spec in h as [h _].
  destruct (participants (of_span span) pairs) as [|[c r] weighted] eqn:e; [contradiction|].
  assert (k : In (c, r) (participants (of_span span) pairs)) by (rewrite e; left; reflexivity).
  apply participants_spec in k as (l & k & _). exists r, l. exact k.
Qed.

End Held.

End Weights.

Arguments represents {K}. Arguments terms {K}.
