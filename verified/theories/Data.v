(** The data: decimals as they are written, floats as dyadic rationals or as the decimals they stand for; labels;
    z = y·(x, 1). *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Soundness.
Open Scope Z_scope.

(** mantissa · 2^exponent. *)
Record float := Float { mantissa : Z; exponent : Z }.

(** What a cell holds: a float, or the decimal m·10^e that is written there. *)
Inductive cell := Binary (f : float) | Written (m e : Z).

(** One row of the file: its label is +1 or −1. *)
Record example := Example { is_positive : bool; values : list cell }.

(** The float as a fraction over / under. *)
Definition over (f : float) : Z := mantissa f * 2 ^ Z.max 0 (exponent f).
Definition under (f : float) : Z := 2 ^ Z.max 0 (- exponent f).

(** ** Decimals: a column with k digits behind the point holds m/10^k *)

(** The whole number nearest to f·10^k. *)
Definition decimal (k : Z) (f : float) : Z := (2 * (over f * 10 ^ k) + under f) / (2 * under f).

(** m/10^k rounds to f: its distance is less than half the distance between floats there, on a power of two's lower
    side less than a quarter. *)
Definition rounds (k m : Z) (f : float) : bool :=
  if mantissa f =? 0 then m =? 0
  else
    let length := Z.log2 (Z.abs (mantissa f)) in
    let unit := exponent f + length - 52 in
    let error := Z.abs (m * under f - over f * 10 ^ k) in
    let thin := (Z.abs (mantissa f) =? 2 ^ length) && (Z.abs m * under f <? Z.abs (over f) * 10 ^ k) in
    (if thin then 4 else 2) * error * 2 ^ Z.max 0 (- unit) <? under f * 10 ^ k * 2 ^ Z.max 0 unit.

Definition readable (k : Z) (f : float) : bool :=
  (0 <=? k) && (k <=? 15) && rounds k (decimal k f) f &&
  (if k =? 0 then decimal k f * under f =? over f else Z.abs (decimal k f) <=? 10 ^ 15).

(** The number in a cell: what is written there, a float, or the decimal that the float stands for. *)
Definition number (digits : option Z) (c : cell) : Z * Z :=
  match c, digits with
  | Written m e, _ => (m * 10 ^ Z.max 0 e, 10 ^ Z.max 0 (- e))
  | Binary f, None => (over f, under f)
  | Binary f, Some k => (decimal k f, 10 ^ k)
  end.

(** A column with `digits`, of versions 1 and 2, holds floats that stand for decimals. *)
Definition fits (digits : option Z) (c : cell) : bool :=
  match c, digits with
  | _, None => true
  | Binary f, Some k => readable k f
  | Written _ _, Some _ => false
  end.

Fixpoint numbers (decimals : list (option Z)) (cells : list cell) : option (list (Z * Z)) :=
  match decimals, cells with
  | [], [] => Some []
  | digits :: decimals, c :: cells =>
      if fits digits c then
        match numbers decimals cells with
        | Some rest => Some (number digits c :: rest)
        | None => None
        end
      else None
  | _, _ => None
  end.

(** ** Rows *)

Definition signed (positive : bool) (n : Z) : Z := if positive then n else - n.

(** Fractions over one denominator; with a bias one more entry, which stands for 1. *)
Definition row_of (bias positive : bool) (xs : list (Z * Z)) : row :=
  let m := fold_left (fun m x => Z.lcm m (snd x)) xs 1 in
  Row (map (fun x => signed positive (fst x * (m / snd x))) (xs ++ if bias then [(1, 1)] else [])) m.

Definition encode (decimals : list (option Z)) (bias : bool) (e : example) : option row :=
  match numbers decimals (values e) with
  | Some xs => Some (row_of bias (is_positive e) xs)
  | None => None
  end.

(** ** What they mean in K *)

Definition fraction {K : ordered_ring} (n : Z * Z) (x : K) : Prop := (whole (snd n) * x == whole (fst n))%K.

(** y·(x, 1), or y·x. *)
Definition augmented {K : ordered_ring} (bias positive : bool) (x : list K) : list K :=
  map (fun v => if positive then v else (- v)%K) (x ++ if bias then [one] else []).

(** z is y·(x, 1) for the numbers x that the file has in this row. *)
Definition means {K : ordered_ring} (decimals : list (option Z)) (bias : bool) (e : example) (z : list K) : Prop :=
  exists x, length decimals = length (values e) /\
    Forall2 (fun c v => fraction (number (fst c) (snd c)) v) (combine decimals (values e)) x /\
    z = augmented bias (is_positive e) x.

Lemma numbers_spec decimals : forall cells xs, numbers decimals cells = Some xs ->
  xs = map (fun c => number (fst c) (snd c)) (combine decimals cells) /\
  Forall (fun c => fits (fst c) (snd c) = true) (combine decimals cells).
Proof.
  induction decimals as [|digits decimals IH]; intros [|c cells] xs h; try discriminate; simpl in h.
  - injection h as <-. split; [reflexivity | constructor].
  - destruct (fits digits c) eqn:r; [|discriminate].
    destruct (numbers decimals cells) as [rest|] eqn:e; [|discriminate]. injection h as <-.
    destruct (IH cells rest e) as [-> hr]. split; [reflexivity|]. constructor; [exact r | exact hr].
Qed.

Lemma under_positive f : 0 < under f.
Proof. apply Z.pow_pos_nonneg; lia. Qed.

Lemma number_positive digits c : fits digits c = true -> 0 < snd (number digits c).
Proof.
  destruct c as [f | m e], digits as [k|]; simpl; intros h; try discriminate.
  - unfold readable in h. rewrite !andb_true_iff in h. destruct h as [[[h _] _] _]. apply Z.leb_le in h.
    apply Z.pow_pos_nonneg; lia.
  - apply under_positive.
  - apply Z.pow_pos_nonneg; lia.
Qed.

Lemma common_multiple xs : Forall (fun x => 0 < snd x) xs ->
  let m := fold_left (fun m x => Z.lcm m (snd x)) xs 1 in
  0 < m /\ Forall (fun x : Z * Z => (snd x | m)) xs.
Proof.
  assert (h : forall xs m, 0 < m -> Forall (fun x => 0 < snd x) xs ->
    let e := fold_left (fun m x => Z.lcm m (snd x)) xs m in
    0 < e /\ (m | e) /\ Forall (fun x : Z * Z => (snd x | e)) xs).
  { clear xs. induction xs as [|x xs IH]; intros m hm hp; cbn [fold_left].
    - repeat split; [exact hm | apply Z.divide_refl | constructor].
    - inversion_clear hp as [|? ? hx hxs].
      assert (hl : 0 < Z.lcm m (snd x)).
      { pose proof (Z.lcm_nonneg m (snd x)).
        destruct (Z.eq_dec (Z.lcm m (snd x)) 0) as [z | z]; [|lia]. apply Z.lcm_eq_0 in z. lia. }
      destruct (IH _ hl hxs) as (e1 & e2 & e3). repeat split; [exact e1 | |].
      + eapply Z.divide_trans; [apply Z.divide_lcm_l | exact e2].
      + constructor; [|exact e3]. eapply Z.divide_trans; [apply Z.divide_lcm_r | exact e2]. }
  intros hp. destruct (h xs 1 ltac:(lia) hp) as (h1 & _ & h3). split; assumption.
Qed.

Section Meaning.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).
Open Scope ordered_scope.

Lemma scaled_fraction m n (x : K) : (0 < snd n)%Z -> (snd n | m)%Z -> fraction n x ->
  whole m * x == whole (fst n * (m / snd n)).
Proof.
  intros hn [q ->] e. rewrite Z.div_mul by lia. unfold fraction in e. rewrite !whole_times, <- e. ring.
Qed.

Lemma signed_fraction (positive : bool) m n (x : K) : whole m * x == whole n ->
  whole m * (if positive then x else - x) == whole (signed positive n).
Proof. intros e. destruct positive; simpl; [exact e|]. rewrite whole_opposite, <- e. ring. Qed.

Lemma row_represents bias positive xs (x : list K) : Forall (fun n => (0 < snd n)%Z) xs -> Forall2 fraction xs x ->
  represents (row_of bias positive xs) (augmented bias positive x).
Proof.
  intros hp hx. destruct (common_multiple xs hp) as [hm hd]. unfold represents, row_of, augmented.
  cbn [entries denominator]. set (m := fold_left (fun m x => Z.lcm m (snd x)) xs 1%Z) in *.
  assert (all : Forall2 (fun n v => (0 < snd n)%Z /\ (snd n | m)%Z /\ fraction n v)
    (xs ++ if bias then [(1, 1)%Z] else []) (x ++ if bias then [one] else [])).
  { apply Forall2_app.
    - clear - hp hd hx. clearbody m. induction hx as [|n v xs x h _ IH]; constructor;
        inversion_clear hp; inversion_clear hd; auto.
    - destruct bias; constructor; [|constructor]. split; [reflexivity|]. split; [apply Z.divide_1_l|].
      unfold fraction. simpl. ring. }
  clear - all. clearbody m. induction all as [|n v ns vs (h1 & h2 & h3) _ IH]; simpl; constructor; [|exact IH].
  apply signed_fraction, scaled_fraction; assumption.
Qed.

(** A written cell is the decimal that it says: m·10^e. *)
Theorem written_decimals digits m e (x : K) :
  fraction (number digits (Written m e)) x <->
  if (0 <=? e)%Z then x == whole (m * 10 ^ e) else whole (10 ^ (- e)) * x == whole m.
Proof.
  unfold fraction. destruct digits; cbn [number fst snd]; destruct (Z.leb_spec 0 e) as [h | h];
    rewrite ?(Z.max_r 0 e), ?(Z.max_l 0 e), ?(Z.max_r 0 (- e)), ?(Z.max_l 0 (- e)) by lia;
    rewrite ?Z.pow_0_r, ?Z.mul_1_r; try reflexivity; cbn [whole gen_phiZ InitialRing.gen_phiPOS]; split; intros k.
  all: try (setoid_replace x with (1 * x) by ring; exact k).
  all: rewrite k; ring.
Qed.

Theorem encode_represents decimals bias e r (z : list K) : encode decimals bias e = Some r ->
  means decimals bias e z -> represents r z.
Proof.
  unfold encode. destruct (numbers decimals (values e)) as [xs|] eqn:n; [|discriminate]. intros h.
  injection h as <-. apply numbers_spec in n as [-> hr]. intros (x & _ & hx & ->). apply row_represents.
  - rewrite Forall_map. eapply Forall_impl; [|exact hr]. intros c h. apply number_positive, h.
  - clear hr. induction hx as [|c v cs x h _ IH]; simpl; constructor; assumption.
Qed.

Theorem encoded_rows decimals bias examples rows (zs : list (list K)) :
  map (encode decimals bias) examples = map Some rows -> Forall2 (means decimals bias) examples zs ->
  Forall2 represents rows zs.
Proof.
  intros h hz. revert rows h. induction hz as [|e z examples zs m _ IH]; intros [|r rows] h; try discriminate;
    constructor; simpl in h; injection h as h1 h2.
  - eapply encode_represents; eassumption.
  - apply IH, h2.
Qed.

End Meaning.
