(** A column of decimals: m/10^k stands for a float only where no other float64 is nearer to it. *)

From Coq Require Import Lia.
From Rosenblatt Require Export Data.
Open Scope Z_scope.

(** A float64, but for the ends of its range: 53 bits and an exponent. *)
Definition is_float64 (g : float) : Prop := Z.abs (mantissa g) <= 2 ^ 53.

(** |m/10^k − f| ≤ |m/10^k − g|, without fractions. *)
Definition no_farther (k m : Z) (f g : float) : Prop :=
  Z.abs (m * under f - over f * 10 ^ k) * under g <= Z.abs (m * under g - over g * 10 ^ k) * under f.

(** Both floats over one power of two, 2^s: f = F/2^s and so on. *)
Definition at_scale (s : Z) (f : float) : Z := mantissa f * 2 ^ (s + exponent f).

Lemma over_at_scale s f : 0 <= s -> 0 <= s + exponent f -> over f * 2 ^ s = at_scale s f * under f.
Proof.
  intros hs he. unfold over, under, at_scale.
  destruct (Z.max_spec 0 (exponent f)) as [[h ->] | [h ->]];
    destruct (Z.max_spec 0 (- exponent f)) as [[h' ->] | [h' ->]]; try lia.
  - rewrite Z.pow_0_r, Z.mul_1_r, Z.pow_add_r by lia. ring.
  - rewrite Z.pow_0_r, Z.mul_1_r, <- Z.mul_assoc, <- Z.pow_add_r by lia. f_equal. f_equal. lia.
  - replace (exponent f) with 0 by lia. rewrite !Z.pow_0_r, !Z.mul_1_r, Z.add_0_r. reflexivity.
Qed.

(** The heart of it, in whole numbers: V, F·P and G·P are the decimal and two floats, all times the same number; the
    floats near F are 4·u apart. *)
Lemma nearest_of_neighbours V P u M F G : 0 < P -> 0 < u -> F = M * (4 * u) -> 2 ^ 52 <= Z.abs M ->
  (exists q, G = q * (4 * u)) \/ (exists q, G = q * (2 * u) /\ Z.abs q <= 2 ^ 53) \/ Z.abs G <= 2 ^ 51 * (4 * u) ->
  2 * Z.abs (V - F * P) < P * (4 * u) ->
  (Z.abs M = 2 ^ 52 -> Z.abs V < Z.abs (F * P) -> 4 * Z.abs (V - F * P) < P * (4 * u)) ->
  Z.abs (V - F * P) <= Z.abs (V - G * P).
Proof.
  intros hP hu hF hM hG h2 h4. apply Z.nlt_ge. intros n.
  assert (close : forall w, 2 * Z.abs (V - F * P) < P * w -> Z.abs (F - G) < w).
  { intros w hw. apply (Z.mul_lt_mono_pos_r P); [exact hP|].
    replace (Z.abs (F - G) * P) with (Z.abs (F * P - G * P)); [lia|].
    rewrite <- Z.mul_sub_distr_r, Z.abs_mul. f_equal. lia. }
  assert (less : forall a b w, 0 < w -> Z.abs (a * w - b * w) < w -> a = b).
  { intros a b w hw h. replace (a * w - b * w) with ((a - b) * w) in h by ring.
    rewrite Z.abs_mul, (Z.abs_eq w) in h by lia. replace w with (1 * w) in h at 2 by ring.
    apply Z.mul_lt_mono_pos_r in h; lia. }
  assert (size : forall a w, 0 < w -> Z.abs (a * w) = Z.abs a * w).
  { intros a w hw. rewrite Z.abs_mul, (Z.abs_eq w) by lia. reflexivity. }
  assert (aF : Z.abs F = Z.abs M * (4 * u)) by (rewrite hF; apply size; clear - hu; lia).
  pose proof (close _ h2) as c. destruct hG as [(q & e) | [(q & e & hq) | hG]].
  - rewrite hF, e in c. apply less in c; [|clear - hu; lia].
    assert (same : F = G) by congruence. rewrite same in n. exact (Z.lt_irrefl _ n).
  - assert (aG : Z.abs G = Z.abs q * (2 * u)) by (rewrite e; apply size; clear - hu; lia).
    assert (hF2 : F = 2 * M * (2 * u)) by (rewrite hF; ring).
    destruct (Z.eq_dec (Z.abs M) (2 ^ 52)) as [eM | eM].
    + destruct (Z.lt_ge_cases (Z.abs V) (Z.abs (F * P))) as [hV | hV].
      * specialize (h4 eM hV).
        assert (c2 : Z.abs (F - G) < 2 * u) by (apply close; clear - h4; lia).
        rewrite hF2, e in c2. apply less in c2; [|clear - hu; lia].
        assert (same : F = G) by congruence. rewrite same in n. exact (Z.lt_irrefl _ n).
      * assert (smaller : Z.abs (G * P) <= Z.abs (F * P)).
        { rewrite !(size _ P) by exact hP. apply Z.mul_le_mono_nonneg_r; [clear - hP; lia|]. rewrite aF, aG, eM.
          replace (2 ^ 52 * (4 * u)) with (2 ^ 53 * (2 * u)) by (change (2 ^ 53) with (2 ^ 52 * 2); ring).
          apply Z.mul_le_mono_nonneg_r; [clear - hu; lia | exact hq]. }
        assert (large : P * (4 * u) <= Z.abs (F * P)).
        { rewrite size, aF, eM by exact hP. replace (P * (4 * u)) with (1 * (4 * u) * P) by ring.
          apply Z.mul_le_mono_nonneg_r; [clear - hP; lia|]. apply Z.mul_le_mono_nonneg_r; clear - hu; lia. }
        clear - smaller large n h2 hV. lia.
    + assert (far : Z.abs G + 4 * u <= Z.abs F).
      { rewrite aF, aG. replace (Z.abs M * (4 * u)) with (2 * Z.abs M * (2 * u)) by ring.
        replace (Z.abs q * (2 * u) + 4 * u) with ((Z.abs q + 2) * (2 * u)) by ring.
        apply Z.mul_le_mono_nonneg_r; [clear - hu; lia|]. change (2 ^ 53) with (2 * 2 ^ 52) in hq.
        clear - hq hM eM. lia. }
      clear - far c. lia.
  - assert (large : 2 ^ 52 * (4 * u) <= Z.abs F) by
      (rewrite aF; apply Z.mul_le_mono_nonneg_r; [clear - hu; lia | exact hM]).
    change (2 ^ 52) with (2 * 2 ^ 51) in large.
    assert (big : 4 * u <= 2 ^ 51 * (4 * u)).
    { replace (4 * u) with (1 * (4 * u)) at 1 by ring. apply Z.mul_le_mono_nonneg_r; clear - hu; lia. }
    clear - large big hG c. lia.
Qed.

(** A power of two times a power of two. *)
Lemma pow2_split a b : 0 <= a -> 0 <= b -> 2 ^ (a + b) = 2 ^ a * 2 ^ b.
Proof. intros. apply Z.pow_add_r; lia. Qed.

Theorem no_float_is_nearer k m f : 0 <= k -> Z.abs (mantissa f) < 2 ^ 53 -> rounds k m f = true ->
  forall g, is_float64 g -> no_farther k m f g.
Proof.
  intros hk hf h g hg. unfold rounds in h. destruct (Z.eqb_spec (mantissa f) 0) as [z | z].
  - apply Z.eqb_eq in h. subst m. unfold no_farther.
    assert (o : over f = 0) by (unfold over; rewrite z; ring). rewrite o.
    replace (0 * under f - 0 * 10 ^ k) with 0 by ring. rewrite Z.mul_0_l.
    apply Z.mul_nonneg_nonneg; [apply Z.abs_nonneg | pose proof (under_positive f); lia].
  - set (L := Z.log2 (Z.abs (mantissa f))) in *. set (unit := exponent f + L - 52) in *.
    assert (pos : 0 < Z.abs (mantissa f)) by (clear - z; lia).
    destruct (Z.log2_spec _ pos) as [l1 l2]. fold L in l1, l2.
    assert (hL : 0 <= L <= 52).
    { split; [apply Z.log2_nonneg|]. apply Z.lt_succ_r. apply Z.log2_lt_pow2; assumption. }
    set (s := Z.abs (exponent f) + Z.abs (exponent g) + Z.abs unit + 2).
    assert (hs : 0 <= s /\ 0 <= s + exponent f /\ 0 <= s + exponent g /\ 2 <= s + unit) by (clear; unfold s; lia).
    clearbody s. destruct hs as (hs & hsf & hsg & hsu).
    set (T := 2 ^ s). set (u := 2 ^ (s + unit - 2)). set (P := 10 ^ k) in *.
    assert (eu : 2 ^ (s + unit) = 4 * u).
    { transitivity (2 ^ (2 + (s + unit - 2))); [f_equal; clear; lia|]. rewrite pow2_split by (clear - hsu; lia).
      reflexivity. }
    set (R1 := 2 ^ Z.max 0 (- unit)) in *. set (R2 := 2 ^ Z.max 0 unit) in *.
    assert (both : T * R2 = 4 * u * R1).
    { rewrite <- eu. unfold T, R1, R2. rewrite <- !pow2_split by (clear - hs hsu; lia). f_equal. clear; lia. }
    assert (hR : 0 < R1) by (apply Z.pow_pos_nonneg; [reflexivity | clear; lia]).
    clearbody R1 R2.
    assert (hP : 0 < P) by (apply Z.pow_pos_nonneg; [reflexivity | exact hk]).
    assert (hT : 0 < T) by (apply Z.pow_pos_nonneg; [reflexivity | exact hs]).
    assert (hu : 0 < u) by (apply Z.pow_pos_nonneg; [reflexivity | clear - hsu; lia]).
    pose proof (over_at_scale s f hs hsf) as ef.
    pose proof (over_at_scale s g hs hsg) as eg. fold T in ef, eg.
    set (F := at_scale s f) in *. set (G := at_scale s g) in *.
    pose proof (under_positive f) as uf. pose proof (under_positive g) as ug.
    assert (distance : forall o v X, 0 < v -> o * T = X * v ->
      Z.abs (m * v - o * P) * T = v * Z.abs (m * T - X * P)).
    { clear - hT. intros o v X hv e. rewrite <- (Z.abs_eq T) at 1 by lia. rewrite <- (Z.abs_eq v) at 2 by lia.
      rewrite <- !Z.abs_mul. f_equal. replace ((m * v - o * P) * T) with (m * v * T - o * T * P) by ring.
      rewrite e. ring. }
    pose proof (distance _ _ _ uf ef) as df. pose proof (distance _ _ _ ug eg) as dg. clear distance.
    set (M := mantissa f * 2 ^ (52 - L)).
    assert (hp : 0 < 2 ^ (52 - L)) by (apply Z.pow_pos_nonneg; [reflexivity | clear - hL; lia]).
    assert (eM : Z.abs M = Z.abs (mantissa f) * 2 ^ (52 - L))
      by (unfold M; rewrite Z.abs_mul, (Z.abs_eq (2 ^ (52 - L))) by (clear - hp; lia); reflexivity).
    assert (p52 : 2 ^ 52 = 2 ^ L * 2 ^ (52 - L))
      by (rewrite <- pow2_split by (clear - hL; lia); f_equal; clear; lia).
    assert (eF : F = M * (4 * u)).
    { unfold F, at_scale, M. rewrite <- eu, <- Z.mul_assoc, <- pow2_split by (clear - hL hsu; lia).
      f_equal. f_equal. unfold unit. clear; lia. }
    (* the distance, in units of u *)
    assert (dist : forall c, c * Z.abs (m * under f - over f * P) * R1 < under f * P * R2 ->
      c * Z.abs (m * T - F * P) < P * (4 * u)).
    { intros c hd. apply (Z.mul_lt_mono_pos_r (under f * R1)); [apply Z.mul_pos_pos; assumption|].
      apply (Z.mul_lt_mono_pos_r T) in hd; [|exact hT].
      replace (c * Z.abs (m * T - F * P) * (under f * R1)) with (c * (under f * Z.abs (m * T - F * P)) * R1) by ring.
      rewrite <- df.
      replace (P * (4 * u) * (under f * R1)) with (under f * P * (4 * u * R1)) by ring. rewrite <- both.
      replace (c * (Z.abs (m * under f - over f * P) * T) * R1) with
        (c * Z.abs (m * under f - over f * P) * R1 * T) by ring.
      replace (under f * P * (T * R2)) with (under f * P * R2 * T) by ring. exact hd. }
    assert (key : Z.abs (m * T - F * P) <= Z.abs (m * T - G * P)).
    { apply (nearest_of_neighbours (m * T) P u M); [exact hP | exact hu | exact eF | | | |].
      - rewrite eM, p52. apply Z.mul_le_mono_nonneg_r; [clear - hp; lia | exact l1].
      - unfold is_float64 in hg. destruct (Z.le_gt_cases unit (exponent g)) as [a | a].
        + left. exists (mantissa g * 2 ^ (exponent g - unit)). unfold G, at_scale.
          rewrite <- eu, <- Z.mul_assoc, <- pow2_split by (clear - a hsu; lia). f_equal. f_equal. clear; lia.
        + right. destruct (Z.eq_dec (exponent g) (unit - 1)) as [b | b].
          * left. exists (mantissa g). split; [|exact hg]. unfold G, at_scale. f_equal. rewrite b. unfold u.
            transitivity (2 ^ (1 + (s + unit - 2))); [f_equal; clear; lia|]. rewrite pow2_split by (clear - hsu; lia).
            reflexivity.
          * right. unfold G, at_scale. rewrite Z.abs_mul, (Z.abs_eq (2 ^ (s + exponent g))) by
              (apply Z.pow_nonneg; clear; lia).
            replace (2 ^ 51 * (4 * u)) with (2 ^ 53 * u) by (change (2 ^ 53) with (2 ^ 51 * 4); ring).
            apply Z.mul_le_mono_nonneg; [apply Z.abs_nonneg | exact hg | apply Z.pow_nonneg; clear; lia |].
            apply Z.pow_le_mono_r; clear - a b; lia.
      - destruct ((Z.abs (mantissa f) =? 2 ^ L) && (Z.abs m * under f <? Z.abs (over f) * P)); apply Z.ltb_lt in h;
          apply dist in h; [|exact h]. pose proof (Z.abs_nonneg (m * T - F * P)) as nn. clear - h nn. lia.
      - intros eM' hV.
        assert (t : (Z.abs (mantissa f) =? 2 ^ L) = true).
        { apply Z.eqb_eq. rewrite eM, p52 in eM'. apply Z.mul_reg_r in eM'; [exact eM' | clear - hp; lia]. }
        assert (t' : (Z.abs m * under f <? Z.abs (over f) * P) = true).
        { apply Z.ltb_lt. apply (Z.mul_lt_mono_pos_r T); [exact hT|].
          apply (Z.mul_lt_mono_pos_r (under f)) in hV; [|exact uf].
          replace (Z.abs m * under f * T) with (Z.abs (m * T) * under f) by
            (rewrite Z.abs_mul, (Z.abs_eq T) by (clear - hT; lia); ring).
          replace (Z.abs (over f) * P * T) with (Z.abs (F * P) * under f); [exact hV|].
          rewrite Z.abs_mul, (Z.abs_eq P) by (clear - hP; lia).
          assert (e : Z.abs (over f) * T = Z.abs F * under f).
          { rewrite <- (Z.abs_eq T) by (clear - hT; lia). rewrite <- (Z.abs_eq (under f)) by (clear - uf; lia).
            rewrite <- !Z.abs_mul. f_equal. exact ef. }
          replace (Z.abs (over f) * P * T) with (Z.abs (over f) * T * P) by ring. rewrite e. ring. }
        rewrite t, t' in h. cbn [andb] in h. apply Z.ltb_lt in h. apply dist. exact h. }
    unfold no_farther. fold P. apply (Z.mul_le_mono_pos_r _ _ T); [exact hT|].
    replace (Z.abs (m * under f - over f * P) * under g * T) with
      (Z.abs (m * under f - over f * P) * T * under g) by ring.
    replace (Z.abs (m * under g - over g * P) * under f * T) with
      (Z.abs (m * under g - over g * P) * T * under f) by ring.
    rewrite df, dg.
    replace (under f * Z.abs (m * T - F * P) * under g) with (under f * under g * Z.abs (m * T - F * P)) by ring.
    replace (under g * Z.abs (m * T - G * P) * under f) with (under f * under g * Z.abs (m * T - G * P)) by ring.
    apply Z.mul_le_mono_nonneg_l; [apply Z.mul_nonneg_nonneg; apply Z.lt_le_incl; assumption | exact key].
Qed.

(** So of a column with k digits, the number read is a decimal with k digits to which the float is nearest. *)
Theorem readable_decimals k f : Z.abs (mantissa f) < 2 ^ 53 -> readable k f = true ->
  0 <= k <= 15 /\ forall g, is_float64 g -> no_farther k (decimal k f) f g.
Proof.
  intros hf h. unfold readable in h. rewrite !andb_true_iff in h. destruct h as [[[h1 h2] h3] _].
  apply Z.leb_le in h1. apply Z.leb_le in h2. split; [lia|]. apply no_float_is_nearer; assumption.
Qed.
