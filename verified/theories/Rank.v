(** A rank by elimination modulo a number: never more than the rank.

    It need not be known that the modulus is prime, nor how inverses are found: a pivot counts only if the inverse
    offered for it is one. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Independence.
Open Scope Z_scope.

Section Rank.

Variable modulus : Z.
Variable invert : Z -> Z.

(** r − f·p modulo the modulus. *)
Fixpoint subtract (f : Z) (r p : list Z) : list Z :=
  match r, p with
  | y :: r, x :: p => (y - f * x) mod modulus :: subtract f r p
  | [], p => map (fun x => (- f * x) mod modulus) p
  | r, [] => r
  end.

(** r without its first entry, which a multiple of x has made zero; i is the inverse of x's. *)
Definition clear (x : list Z) (i : Z) (r : list Z) : list Z :=
  let f := (hd 0 r * i) mod modulus in
  if f =? 0 then tl r else subtract f (tl r) (tl x).

(** A row whose first entry has an inverse, the inverse, and the other rows. *)
Fixpoint pick (rows : list (list Z)) : option (list Z * Z * list (list Z)) :=
  match rows with
  | [] => None
  | r :: rows =>
      let i := invert (hd 0 r) in
      if (hd 0 r * i) mod modulus =? 1 then Some (r, i, rows)
      else match pick rows with
           | None => None
           | Some (x, i, others) => Some (x, i, r :: others)
           end
  end.

(** One column after the other; `columns` is any list as long as the rows. *)
Fixpoint eliminate (columns : list Z) (rows : list (list Z)) : Z :=
  match columns with
  | [] => 0
  | _ :: columns =>
      match pick rows with
      | None => eliminate columns (map (@tl Z) rows)
      | Some (x, i, others) => 1 + eliminate columns (map (clear x i) others)
      end
  end.

Definition rank (columns : list Z) (rows : list (list Z)) : Z :=
  eliminate columns (map (map (fun v => v mod modulus)) rows).

(** ** Why it is never more than the rank *)

Hypothesis modulus_large : 1 < modulus.

Definition divides (n : Z) : Prop := (modulus | n).

Definition independent_modulo (u : list (list Z)) : Prop :=
  forall c, length c = length u -> (forall w, divides (mixed c u w)) -> Forall divides c.

Lemma divides_mod n : divides (n mod modulus - n).
Proof.
  exists (- (n / modulus)). pose proof (Z.div_mod n modulus ltac:(lia)). lia.
Qed.

Lemma zdot_reduced a : forall w, divides (zdot (map (fun v => v mod modulus) a) w - zdot a w).
Proof.
  induction a as [|x a IH]; intros [|t w]; try (exists 0; reflexivity).
  destruct (IH w) as [k e]. destruct (divides_mod x) as [l f]. exists (l * t + k).
  change (x mod modulus * t + zdot (map (fun v => v mod modulus) a) w - (x * t + zdot a w) = (l * t + k) * modulus).
  replace (x mod modulus) with (l * modulus + x) by lia. lia.
Qed.

Lemma zdot_subtract f r : forall p w, divides (zdot (subtract f r p) w - (zdot r w - f * zdot p w)).
Proof.
  induction r as [|y r IH]; intros p w.
  - revert w. induction p as [|x p IHp]; intros [|t w]; try (exists 0; simpl; unfold zdot; simpl; ring).
    destruct (IHp w) as [k e]. destruct (divides_mod (- f * x)) as [l g]. exists (l * t + k).
    change ((- f * x) mod modulus * t + zdot (subtract f [] p) w - (0 - f * (x * t + zdot p w)) =
      (l * t + k) * modulus).
    change (zdot [] w) with 0 in e.
    replace ((- f * x) mod modulus) with (l * modulus + - f * x) by lia. lia.
  - destruct p as [|x p], w as [|t w]; try (exists 0; unfold zdot; simpl; ring).
    destruct (IH p w) as [k e]. destruct (divides_mod (y - f * x)) as [l g]. exists (l * t + k).
    change ((y - f * x) mod modulus * t + zdot (subtract f r p) w -
      (y * t + zdot r w - f * (x * t + zdot p w)) = (l * t + k) * modulus).
    replace ((y - f * x) mod modulus) with (l * modulus + (y - f * x)) by lia. lia.
Qed.

Lemma zdot_clear x i r w : divides (zdot (clear x i r) w - (zdot (tl r) w - hd 0 r * i * zdot (tl x) w)).
Proof.
  unfold clear. set (f := (hd 0 r * i) mod modulus).
  destruct (divides_mod (hd 0 r * i)) as [l g]. fold f in g.
  replace (hd 0 r * i) with (f - l * modulus) by lia.
  destruct (Z.eqb_spec f 0) as [-> | _].
  - exists (- l * zdot (tl x) w). lia.
  - destruct (zdot_subtract f (tl r) (tl x) w) as [k e]. exists (k - l * zdot (tl x) w). lia.
Qed.

Lemma mixed_congruent (g : list Z -> list Z) (h : list Z -> list Z -> Z) w :
  (forall a, divides (zdot (g a) w - h a w)) ->
  forall c u, divides (mixed c (map g u) w - zdot c (map (fun a => h a w) u)).
Proof.
  intros hg c. unfold mixed. induction c as [|k c IH]; intros [|a u]; try (exists 0; reflexivity).
  destruct (hg a) as [m e]. destruct (IH u) as [n f]. exists (k * m + n).
  change (k * zdot (g a) w + zdot c (map (fun b => zdot b w) (map g u)) -
    (k * h a w + zdot c (map (fun b => h b w) u)) = (k * m + n) * modulus). lia.
Qed.

Lemma divides_by_difference m n : divides (m - n) -> divides n -> divides m.
Proof. intros [k e] [l f]. exists (k + l). lia. Qed.

Lemma independent_reduced u : independent_modulo (map (map (fun v => v mod modulus)) u) -> independent_modulo u.
Proof.
  intros h c hc hw. apply h; [rewrite map_length; exact hc|]. intros w.
  eapply divides_by_difference; [|apply (hw w)].
  exact (mixed_congruent _ (fun a w => zdot a w) w (fun a => zdot_reduced a w) c u).
Qed.

Lemma independent_tails u : independent_modulo (map (@tl Z) u) -> independent_modulo u.
Proof.
  intros h c hc hw. apply h; [rewrite map_length; exact hc|]. intros w.
  specialize (hw (0 :: w)). rewrite mixed_cons in hw. replace (mixed c (map (@tl Z) u) w) with
    (zdot c (map (hd 0) u) * 0 + mixed c (map (@tl Z) u) w) by ring. exact hw.
Qed.

Lemma zdot_clear_terms c u i x w :
  zdot c (map (fun r => zdot (tl r) w - hd 0 r * i * zdot (tl x) w) u) =
  mixed c (map (@tl Z) u) w - zdot c (map (hd 0) u) * i * zdot (tl x) w.
Proof.
  unfold mixed. rewrite map_map. revert u. induction c as [|k c IH]; intros [|r u];
    try (unfold zdot; simpl; ring).
  change (k * (zdot (tl r) w - hd 0 r * i * zdot (tl x) w) +
    zdot c (map (fun r => zdot (tl r) w - hd 0 r * i * zdot (tl x) w) u) =
    k * zdot (tl r) w + zdot c (map (fun a => zdot (tl a) w) u) -
    (k * hd 0 r + zdot c (map (hd 0) u)) * i * zdot (tl x) w).
  rewrite IH. ring.
Qed.

Lemma divides_zdot c : forall s, Forall divides c -> divides (zdot c s).
Proof.
  intros s h. revert s. induction h as [|k c [m e] _ IH]; intros [|t s]; try (exists 0; reflexivity).
  destruct (IH s) as [n f]. exists (m * t + n). change (k * t + zdot c s = (m * t + n) * modulus). lia.
Qed.

Lemma independent_with_pivot x i u : (hd 0 x * i) mod modulus = 1 ->
  independent_modulo (map (clear x i) u) -> independent_modulo (x :: u).
Proof.
  intros hx h [|a c] hc hw; [discriminate|]. simpl in hc. injection hc as hc.
  assert (unit : exists q, hd 0 x * i = q * modulus + 1).
  { exists (hd 0 x * i / modulus). pose proof (Z.div_mod (hd 0 x * i) modulus ltac:(lia)). lia. }
  destruct unit as [q unit].
  set (H := zdot c (map (hd 0) u)).
  assert (top : divides (a * hd 0 x + H)).
  { specialize (hw [1]). change (divides (a * zdot x [1] + mixed c u [1])) in hw.
    rewrite zdot_cons, mixed_cons, mixed_nil, zdot_nil_r in hw. fold H in hw.
    replace (a * hd 0 x + H) with (a * (hd 0 x * 1 + 0) + (H * 1 + 0)) by ring. exact hw. }
  destruct top as [t top].
  assert (rest : Forall divides c).
  { apply h; [rewrite map_length; exact hc|]. intros w.
    eapply divides_by_difference;
      [exact (mixed_congruent _ (fun r w => zdot (tl r) w - hd 0 r * i * zdot (tl x) w) w
        (fun r => zdot_clear x i r w) c u)|].
    cbv beta. rewrite zdot_clear_terms. fold H.
    specialize (hw (0 :: w)). change (divides (a * zdot x (0 :: w) + mixed c u (0 :: w))) in hw.
    rewrite zdot_cons, mixed_cons in hw. fold H in hw. destruct hw as [s hs].
    exists (s - t * i * zdot (tl x) w + a * q * zdot (tl x) w).
    replace H with (t * modulus - a * hd 0 x) in * by lia.
    replace (mixed c (map (@tl Z) u) w) with (s * modulus - a * zdot (tl x) w) by lia.
    replace ((t * modulus - a * hd 0 x) * i) with (t * modulus * i - a * (hd 0 x * i)) by ring.
    rewrite unit. ring. }
  constructor; [|exact rest].
  assert (hH : divides H) by (apply divides_zdot, rest). destruct hH as [m hm].
  exists ((t - m) * i - a * q).
  replace (((t - m) * i - a * q) * modulus) with ((t * modulus - m * modulus) * i - a * (q * modulus)) by ring.
  replace (t * modulus) with (a * hd 0 x + m * modulus) by lia.
  replace (q * modulus) with (hd 0 x * i - 1) by lia. ring.
Qed.

Definition size (c : list Z) : Z := fold_right (fun x s => Z.abs x + s) 0 c.

Lemma size_nonnegative c : 0 <= size c.
Proof. induction c; simpl; lia. Qed.

Lemma size_zero c : size c <= 0 -> zero_vector c.
Proof.
  induction c as [|x c IH]; simpl; intros h; constructor; pose proof (size_nonnegative c); [lia | apply IH; lia].
Qed.

Lemma size_scale k c : 0 <= k -> size (map (Z.mul k) c) = k * size c.
Proof. intros h. induction c as [|x c IH]; simpl; [ring|]. rewrite IH, Z.abs_mul. lia. Qed.

(** Dividing by the modulus again and again ends only at zero. *)
Lemma independent_by_descent u : independent_modulo u -> independent u.
Proof.
  intros h c.
  assert (descent : forall n c, (Z.to_nat (size c) <= n)%nat ->
    length c = length u -> (forall w, mixed c u w = 0) -> zero_vector c).
  { clear c. induction n as [|n IH]; intros c hn hc hw.
    - apply size_zero. pose proof (size_nonnegative c). lia.
    - assert (k : Forall divides c) by (apply h; [exact hc|]; intros w; rewrite hw; exists 0; reflexivity).
      set (c' := map (fun x => x / modulus) c).
      assert (e : c = map (Z.mul modulus) c').
      { unfold c'. rewrite map_map. clear - k modulus_large. induction k as [|x c [q e] _ IH]; [reflexivity|].
        simpl. rewrite <- IH. f_equal. rewrite e, Z.div_mul by lia. ring. }
      clearbody c'. subst c. rewrite map_length in hc.
      assert (z : zero_vector c').
      { apply IH; [|exact hc|].
        - rewrite size_scale in hn by lia. pose proof (size_nonnegative c'). nia.
        - intros w. specialize (hw w). rewrite mixed_scale in hw. nia. }
      clear - z. unfold zero_vector in *. rewrite Forall_map. eapply Forall_impl; [|exact z].
      intros x e. simpl in *. subst. ring. }
  exact (descent _ c (le_n _)).
Qed.

Lemma chosen_from_map {A B} (g : A -> B) rows : forall s, incl s (map g rows) -> exists t, s = map g t /\ incl t rows.
Proof.
  induction s as [|x s IH]; intros h.
  - exists []. split; [reflexivity | intros y []].
  - destruct IH as (t & -> & ht); [intros y hy; apply h; right; exact hy|].
    destruct (proj1 (in_map_iff g rows x) (h x (or_introl eq_refl))) as (y & <- & hy).
    exists (y :: t). split; [reflexivity|]. intros z [<- | hz]; [exact hy | apply ht, hz].
Qed.

Lemma pick_spec rows x i others : pick rows = Some (x, i, others) ->
  (hd 0 x * i) mod modulus = 1 /\ In x rows /\ incl others rows.
Proof.
  revert x i others. induction rows as [|r rows IH]; simpl; [discriminate|]. intros x i others.
  destruct (Z.eqb_spec ((hd 0 r * invert (hd 0 r)) mod modulus) 1) as [e | _].
  - intros h. injection h as <- <- <-. auto using incl_tl, incl_refl.
  - destruct (pick rows) as [[[x' i'] others']|] eqn:p; [|discriminate].
    intros h. injection h as <- <- <-. destruct (IH _ _ _ eq_refl) as (e & hx & ho).
    split; [exact e|]. split; [right; exact hx|]. intros z [<- | hz]; [left; reflexivity | right; apply ho, hz].
Qed.

Lemma eliminate_finds columns : forall rows,
  exists s, incl s rows /\ Z.of_nat (length s) = eliminate columns rows /\ independent_modulo s.
Proof.
  assert (empty : independent_modulo []) by (intros [|k c] hc _; [constructor | discriminate]).
  induction columns as [|k columns IH]; intros rows; cbn [eliminate].
  - exists []. split; [intros y []|]. split; [reflexivity | exact empty].
  - destruct (pick rows) as [[[x i] others]|] eqn:p.
    + apply pick_spec in p as (hx & hin & ho).
      destruct (IH (map (clear x i) others)) as (s & hs & hn & hi).
      apply chosen_from_map in hs as (t & -> & ht). rewrite map_length in hn.
      exists (x :: t). split; [|split].
      * intros z [<- | hz]; [exact hin | apply ho, ht, hz].
      * cbn [length]. lia.
      * apply (independent_with_pivot x i); assumption.
    + destruct (IH (map (@tl Z) rows)) as (s & hs & hn & hi).
      apply chosen_from_map in hs as (t & -> & ht). rewrite map_length in hn.
      exists t. split; [exact ht|]. split; [exact hn | apply independent_tails, hi].
Qed.

Theorem rank_finds columns rows :
  exists s, incl s rows /\ Z.of_nat (length s) = rank columns rows /\ independent s.
Proof.
  destruct (eliminate_finds columns (map (map (fun v => v mod modulus)) rows)) as (s & hs & hn & hi).
  apply chosen_from_map in hs as (t & -> & ht). rewrite map_length in hn.
  exists t. split; [exact ht|]. split; [exact hn|]. apply independent_by_descent, independent_reduced, hi.
Qed.

End Rank.
