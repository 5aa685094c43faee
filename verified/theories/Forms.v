(** Rows of models: a row z is a sum of vectors ±a, each in its place among the weights. *)

From Coq Require Import Ring Lia.
From Rosenblatt Require Export Data Coefficients.
Open Scope Z_scope.

(** One summand: its sign, how many weights come before its own, and what it is. *)
Record part (A : Type) := Part { plus_sign : bool; before : nat; what : A }.
Arguments Part {A}. Arguments plus_sign {A}. Arguments before {A}. Arguments what {A}.

Definition form (A : Type) : Type := list (part A).

Definition opposite_form {A} (f : form A) : form A :=
  map (fun t => Part (negb (plus_sign t)) (before t) (what t)) f.

Definition moved {A} (n : nat) (f : form A) : form A :=
  map (fun t => Part (plus_sign t) (n + before t) (what t)) f.

Definition fill {A B} (g : A -> B) (f : form A) : form B :=
  map (fun t => Part (plus_sign t) (before t) (g (what t))) f.

(** ** In whole numbers, over one denominator *)

Definition common_form (f : form row) : Z := fold_left (fun m t => Z.lcm m (denominator (what t))) f 1.

Definition placed (d : nat) (f : form row) : row :=
  let m := common_form f in
  Row (fold_left (fun sum t => add_times (signed (plus_sign t) (m / denominator (what t)))
    (repeat 0 (before t) ++ entries (what t)) sum) f (repeat 0 d)) m.

(** ** In K *)

Section Meaning.

Variable K : ordered_ring.
Add Ring K_ring : (laws K) (setoid (equal_equivalence K) (operations_respect_equal K)).
Open Scope ordered_scope.

Definition sign_of (positive : bool) : K := if positive then 1 else - (1).

Definition vector (d : nat) (f : form (list K)) : list K :=
  fold_left (fun sum t => add (scale (sign_of (plus_sign t)) (repeat 0 (before t) ++ what t)) sum) f (repeat 0 d).

(** What a row says about weights: the sum of ±a·(the weights in its place). *)
Fixpoint value (f : form (list K)) (w : list K) : K :=
  match f with
  | [] => 0
  | t :: f => sign_of (plus_sign t) * dot (what t) (skipn (before t) w) + value f w
  end.

Lemma dot_repeat_zero n : forall w : list K, dot (repeat 0 n) w == 0.
Proof. induction n as [|n IH]; intros [|t w]; simpl; try reflexivity. rewrite IH. ring. Qed.

Lemma dot_placed n a : forall w : list K, dot (repeat 0 n ++ a) w == dot a (skipn n w).
Proof.
  induction n as [|n IH]; intros w; [reflexivity|]. destruct w as [|t w]; simpl.
  - rewrite dot_nil_r. reflexivity.
  - rewrite IH. ring.
Qed.

(** The product of the row with weights is the sum. *)
Theorem dot_vector d f w : dot (vector d f) w == value f w.
Proof.
  unfold vector. assert (h : forall f s, dot (fold_left (fun sum t => add (scale (sign_of (plus_sign t))
    (repeat 0 (before t) ++ what t)) sum) f s) w == value f w + dot s w).
  { clear f. induction f as [|t f IH]; intros s; simpl; [ring|].
    rewrite IH, dot_add_l, dot_scale_l, dot_placed. ring. }
  rewrite h, dot_repeat_zero. ring.
Qed.

Lemma value_app f g w : value (f ++ g) w == value f w + value g w.
Proof. induction f as [|t f IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma value_opposite f w : value (opposite_form f) w == - value f w.
Proof.
  induction f as [|t f IH]; simpl; [ring|]. fold (opposite_form f). rewrite IH.
  destruct (plus_sign t); simpl; ring.
Qed.

Lemma skipn_plus {A} n : forall m (l : list A), skipn (n + m) l = skipn m (skipn n l).
Proof. induction n as [|n IH]; intros m [|x l]; simpl; auto. destruct m; reflexivity. Qed.

Lemma value_moved n f w : value (moved n f) w == value f (skipn n w).
Proof.
  induction f as [|t f IH]; simpl; [reflexivity|]. fold (moved n f). rewrite IH, skipn_plus. reflexivity.
Qed.

(** ** The whole numbers stand for the vector *)

Definition over_denominator (m : Z) (a : list Z) (x : list K) : Prop := Forall2 (fun n v => whole m * v == whole n) a x.

Definition part_represents (t : part row) (u : part (list K)) : Prop :=
  plus_sign t = plus_sign u /\ before t = before u /\ (0 < denominator (what t))%Z /\ represents (what t) (what u).

Lemma same_size {A B} (P : A -> B -> Prop) a b : Forall2 P a b -> length a = length b.
Proof. induction 1; simpl; congruence. Qed.

Lemma whole_signed (b : bool) k : whole (signed b k) == sign_of b * whole k.
Proof. destruct b; simpl; [ring | rewrite whole_opposite; ring]. Qed.

Lemma add_times_over m k b e x : (forall n v, In (n, v) (combine e x) -> whole m * v == whole (k * n)) ->
  length e = length x -> forall sum s, over_denominator m sum s ->
  over_denominator m (add_times (signed b k) e sum) (add (scale (sign_of b) x) s).
Proof.
  revert x. induction e as [|n e IH]; intros [|v x] h hl sum s hs; try discriminate; simpl.
  - exact hs.
  - assert (first : whole m * (sign_of b * v) == whole (signed b k * n)).
    { setoid_replace (whole m * (sign_of b * v)) with (sign_of b * (whole m * v)) by ring.
      rewrite (h n v (or_introl eq_refl)), !whole_times, whole_signed. ring. }
    destruct hs as [|y t sum s e1 hs].
    + constructor; [exact first|]. specialize (IH x (fun n v i => h n v (or_intror i)) ltac:(simpl in hl; congruence)).
      specialize (IH [] [] (Forall2_nil _)). destruct e, x; simpl in *; try discriminate; [constructor | exact IH].
    + constructor.
      * rewrite whole_plus, <- first, <- e1. ring.
      * apply IH; [intros n' v' i; apply h; right; exact i | simpl in hl; congruence | exact hs].
Qed.

Lemma common_form_spec f : Forall (fun t => (0 < denominator (what t))%Z) f ->
  (0 < common_form f)%Z /\ Forall (fun t => (denominator (what t) | common_form f)%Z) f.
Proof.
  intros hp. unfold common_form.
  pose proof (common_multiple (map (fun t => (0, denominator (what t))%Z) f)) as c. cbv zeta in c.
  assert (e : forall (l : form row) m, fold_left (fun m x => Z.lcm m (snd x))
    (map (fun t => (0, denominator (what t))%Z) l) m = fold_left (fun m t => Z.lcm m (denominator (what t))) l m).
  { induction l as [|t l IH]; intros m; simpl; auto. }
  rewrite e in c. destruct c as [c1 c2]; [rewrite Forall_map; exact hp|]. split; [exact c1|].
  rewrite Forall_map in c2. exact c2.
Qed.

Theorem placed_represents d f g : Forall2 part_represents f g -> represents (placed d f) (vector d g).
Proof.
  intros h. assert (hp : Forall (fun t => (0 < denominator (what t))%Z) f).
  { clear - h. induction h as [|t u f g (_ & _ & p & _) _ IH]; constructor; assumption. }
  destruct (common_form_spec f hp) as [hm hd]. unfold represents, placed, vector. cbn [entries denominator].
  set (m := common_form f) in *. clearbody m.
  assert (start : over_denominator m (repeat 0%Z d) (repeat 0 d)).
  { clear. induction d as [|d IH]; simpl; constructor; [simpl; ring | exact IH]. }
  revert start. generalize (repeat 0%Z d) (repeat (zero : K) d).
  induction h as [|t u f g (e1 & e2 & e3 & e4) _ IH]; intros sum s hs; simpl; [exact hs|].
  inversion_clear hp as [|? ? p1 p2]. inversion_clear hd as [|? ? d1 d2]. apply IH; try assumption.
  rewrite <- e1, <- e2. apply add_times_over; [| |exact hs].
  - intros n v i. assert (r : Forall2 (fun n v => whole (denominator (what t)) * v == whole n)
      (repeat 0%Z (before t) ++ entries (what t)) (repeat 0 (before t) ++ what u)).
    { apply Forall2_app; [|exact e4]. clear. induction (before t); simpl; constructor; [simpl; ring | assumption]. }
    clear - r i e3 d1 hm. revert i. induction r as [|n' v' a x q _ IH]; intros i; [destruct i|].
    destruct i as [i | i]; [|apply IH, i]. injection i as -> ->.
    destruct d1 as [c ->]. rewrite Z.div_mul by lia. rewrite !whole_times, <- q. ring.
  - rewrite !app_length, !repeat_length, (same_size _ _ _ e4). reflexivity.
Qed.

Lemma fill_represents {A} (g : A -> row) (h : A -> list K) f :
  (forall a, (0 < denominator (g a))%Z /\ represents (g a) (h a)) -> Forall2 part_represents (fill g f) (fill h f).
Proof.
  intros k. induction f as [|t f IH]; simpl; constructor; [|exact IH].
  destruct (k (what t)) as [k1 k2]. unfold part_represents. cbn. auto.
Qed.

End Meaning.

Arguments vector {K}. Arguments value {K}. Arguments sign_of {K}.
