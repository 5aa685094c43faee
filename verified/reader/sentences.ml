(* What was proved, in words. *)

(* p/q in 12 digits, rounded outward: the sentence is true too. *)
let decimal up (p, q) =
  if Z.sign p = 0 then "0"
  else
    let ten k = Z.pow (Z.of_int 10) k in
    let scaled k = if k >= 0 then (Z.mul p (ten k), q) else (p, Z.mul q (ten (-k))) in
    let rounded k = let a, b = scaled k in if up then Z.cdiv a b else Z.fdiv a b in
    let low k = let a, b = scaled k in Z.fdiv a b in
    (* the k for which the quotient has 12 digits *)
    let rec settle k =
      let size = String.length (Z.to_string (low k)) in
      if size > 12 then settle (k - 1)
      else if size < 12 || Z.sign (low k) = 0 then settle (k + 1)
      else k
    in
    let k = settle (12 - (Z.numbits p - Z.numbits q) * 3 / 10) in
    let digits, exponent =
      let m = rounded k in
      if Z.equal m (ten 12) then (Z.to_string (ten 11), 1 - k) else (Z.to_string m, -k)
    in
    let a, b = scaled k in
    let exact = Z.divisible a b in
    let rec strip digits exponent =
      let n = String.length digits in
      if exact && exponent < 0 && n > 1 && digits.[n - 1] = '0' then strip (String.sub digits 0 (n - 1)) (exponent + 1)
      else (digits, exponent)
    in
    let digits, exponent = strip digits exponent in
    let n = String.length digits in
    let leading = n + exponent in
    if exponent <= 0 && leading > -6 then
      if exponent = 0 then digits
      else if leading > 0 then String.sub digits 0 leading ^ "." ^ String.sub digits leading (n - leading)
      else "0." ^ String.make (-leading) '0' ^ digits
    else
      let rest = if n > 1 then "." ^ String.sub digits 1 (n - 1) else "" in
      Printf.sprintf "%c%se%+d" digits.[0] rest (leading - 1)

let ends words (interval : Proved.interval) =
  Printf.sprintf ", and %s lies between %s and %s" words (decimal false interval.lower) (decimal true interval.upper)

(* How many coefficients go where. *)
let counted fates =
  let kind : Proved.fate -> int = function
    | Finite -> 0
    | Infinite (true, _, _) -> 1
    | Infinite (false, _, _) -> 2
    | Undetermined _ -> 3
    | NotIdentified -> 4
    | Unclaimed -> 5
  in
  let words =
    [ ("is finite", "are finite"); ("runs to +∞", "run to +∞"); ("runs to −∞", "run to −∞");
      ("is undetermined", "are undetermined"); ("is not identified", "are not identified") ]
  in
  let told i (one, many) =
    match List.length (List.filter (fun fate -> kind fate = i) fates) with
    | 0 -> []
    | n -> [ Printf.sprintf "%d %s" n (if n > 1 then many else one) ]
  in
  String.concat ", " (List.concat (List.mapi told words))

let coefficients what = function
  | None | Some { Proved.each = []; _ } -> ""
  | Some (found : Proved.coefficients) ->
      Printf.sprintf "; of %d %s %s" (List.length found.each) what (counted found.each)

(* With a model: how many of its comparisons can be made certain; silent: none depends on a weight. *)
let of_model name verdict strict many silent =
  match verdict with
  | "overlap" when silent ->
      Printf.sprintf "overlap: nothing is identified, the likelihood of this %s model is constant" name
  | "overlap" -> Printf.sprintf "overlap: the maximum-likelihood estimate of this %s model exists" name
  | _ ->
      Printf.sprintf "%s: this %s model has no maximum-likelihood estimate, %d of %d comparisons are certain" verdict name
        strict many

let proved rows (certificate : Proved.certificate) =
  let n = List.length rows in
  match certificate with
  | Complete (_, margin, street) ->
      let told words = function None -> "" | Some interval -> ends words interval in
      Printf.sprintf "complete: w has each of the %d rows strictly on its side%s%s" n (told "the theorem's margin" margin)
        (told "half the width of the widest street" (Option.map snd street))
  | Quasi _ ->
      let plane = List.length (List.filter (Proved.plane_of certificate) rows) in
      Printf.sprintf "quasi: no row is on the wrong side, %d of %d rows lie on every such hyperplane" plane n
  | Overlap (lambda, span) ->
      let part = function Some _ -> true | None -> ( match span with Proved.Everywhere _ -> true | Null _ -> false) in
      Printf.sprintf "overlap: %d rows have mixtures that coincide; no hyperplane separates, not even touching"
        (List.length (List.filter part lambda))
