(* The rows z of the data, made by what is proved, and what a certificate calls them. An equality is two rows, z and −z. *)

open Outcomes

type t = { d : int; rows : Proved.row list; called : (string * bool) list; place : (string, int * bool) Hashtbl.t }

let of_rows d rows called =
  let place = Hashtbl.create 64 in
  let add at (name, equal) =
    Hashtbl.replace place name (at, equal);
    at + if equal then 2 else 1
  in
  let total = List.fold_left add 0 called in
  if List.compare_length_with rows total <> 0 then refused "its rows are not those of its model";
  { d; rows; called; place }

(* Coq counts by successors; all share theirs. *)
let counted = ref [| Proved.O |]

let rec nat k =
  if k < Array.length !counted then !counted.(k)
  else begin
    let old = !counted in
    let size = Array.length old in
    let more = Array.make (2 * size) Proved.O in
    Array.blit old 0 more 0 size;
    for i = size to (2 * size) - 1 do more.(i) <- Proved.S more.(i - 1) done;
    counted := more;
    nat k
  end

let map f l = List.rev (List.rev_map f l)
let concat lists = List.rev (List.fold_left (fun done_ l -> List.rev_append l done_) [] lists)
let wrong () = refused "a value is not the decimal it is said to be"
let some = function Some found -> found | None -> wrong ()

let two_classes decimals bias cells labels =
  let example i = { Proved.is_positive = labels.(i); values = cells.(i) } in
  let n = Array.length labels in
  let rows = map (fun i -> some (Proved.encode decimals bias (example i))) (List.init n Fun.id) in
  let called = map (fun i -> (string_of_int i, false)) (List.init n Fun.id) in
  of_rows (List.length decimals + Bool.to_int bias) rows called

(* ------------------------------------------------------------------------------------- one factor for each row *)

let response (model : Model.t) columns =
  let y = Model.fractions columns "y" and trials = Model.fractions columns "trials" in
  let codes = match Model.codes_of columns "y" with [ c ] -> c | _ -> [||] in
  let many = nat (List.length model.classes) in
  let kept =
    if model.name = "ordinal" then Proved.kept_levels many (map nat (List.sort_uniq compare (Array.to_list codes)))
    else []
  in
  let one i =
    match model.name with
    | "logistic" -> Proved.Class (codes.(i) <> 0)
    | "binomial" -> Proved.Successes (y.(i), trials.(i))
    | "poisson" -> Proved.Count y.(i)
    | "multinomial" -> Proved.Category (nat codes.(i), many)
    | "ordinal" -> Proved.level_response kept (nat codes.(i))
    | "sequential" -> Proved.Stage (nat codes.(i), nat (List.length model.classes - 1))
    | _ -> Proved.Game y.(i)
  in
  (one, List.length kept)

let rec int_of = function Proved.O -> 0 | Proved.S k -> 1 + int_of k

(* What the rows of an observation are called, in their order. *)
let called i (response : Proved.response) =
  let name k = (Printf.sprintf "%d:%d" i k, false) in
  let sign (a, b) = Z.sign a * Z.sign b in
  match response with
  | Class _ -> [ (string_of_int i, false) ]
  | Successes (k, m) -> (if sign k > 0 then [ name 1 ] else []) @ if Model.less k m then [ name 0 ] else []
  | Count k -> [ (string_of_int i, sign k > 0) ]
  | Category (own, many) ->
      List.filter_map (fun k -> if k = int_of own then None else Some (name k)) (List.init (int_of many) Fun.id)
  | Level (k, last) ->
      let k = int_of k and last = int_of last in
      (if k < last then [ name (k + 1) ] else []) @ if k > 0 then [ name k ] else []
  | Stage (level, last) -> List.init (min (int_of level + 1) (int_of last)) (fun k -> name (k + 1))
  | Game won -> [ (string_of_int i, sign won > 0 && Model.less won (Z.one, Z.one)) ]

let observations decimals bias (model : Model.t) columns cells =
  let p = List.length decimals and n = Array.length cells in
  let response, kept = response model columns in
  let sizes = List.map (fun l -> List.length l - 1) model.effects in
  let width = p + List.fold_left ( + ) 0 sizes + Bool.to_int bias in
  let d =
    match model.name with
    | "multinomial" -> width * (List.length model.classes - 1)
    | "ordinal" -> p + kept - 1
    | "sequential" -> p + List.length model.classes - 1
    | "paired" when model.items <> [] -> List.length model.items - 1
    | _ -> width
  in
  let effects = Model.codes_of columns "fixed_effects" and items = Model.codes_of columns "items" in
  let predictor i =
    match items with
    | [ a; b ] -> if a.(i) = b.(i) then [] else Proved.difference (nat a.(i)) (nat b.(i))
    | _ -> Proved.linear (nat p) (map nat sizes) (map (fun c -> nat c.(i)) effects) bias
  in
  let rows i =
    let o = { Proved.given = cells.(i); predictor = predictor i; observed = response i } in
    some (Proved.rows_of_observation decimals (nat d) (nat p) (nat width) o)
  in
  let all = List.init n Fun.id in
  of_rows d (concat (map rows all)) (concat (map (fun i -> called i (response i)) all))

(* ------------------------------------------------------------------------------------ rows compared with rows *)

let steps groups =
  let one (g : Plans.group) =
    match g.proved with
    | Directly (a, b) | Through (a, b) -> List.length a * (List.length b + 2)
    | Tied (_, l) -> 4 * (List.length l + 1)
  in
  List.fold_left (fun sum g -> sum + one g) 2 groups

let compared decimals (model : Model.t) columns cells =
  let n = Array.length cells and p = List.length decimals in
  let column name default = match Model.codes_of columns name with [ c ] -> c | _ -> Array.make n default in
  let strata = column "groups" 0 in
  let cox = model.name = "cox" in
  let cases = column (if cox then "event" else "y") 0 in
  let time = Model.fractions columns "time" and entry = Model.fractions columns "entry" in
  let groups = if cox then Plans.cox model.exact strata time cases entry else Plans.conditional strata cases in
  let subject i =
    { Proved.held = cells.(i); stratum = Z.of_int strata.(i); case = cases.(i) = 1;
      until = (if cox then time.(i) else (Z.zero, Z.one)); since = (if Array.length entry > 0 then Some entry.(i) else None) }
  in
  let add table i = Proved.Numbered.add (Plans.number i) (subject i) table in
  let table = List.fold_left add Proved.Numbered.empty (List.init n Fun.id) in
  let setting = if cox then Proved.Cox model.exact else Proved.Conditional in
  let plan = map (fun (g : Plans.group) -> g.proved) groups in
  if not (Proved.faithful setting table plan && Proved.covers setting table (nat (steps groups)) plan) then
    refused "its comparisons were not shown to be those of its model";
  let through = function Proved.Through _ -> true | _ -> false in
  let d = p + List.length (List.filter through plan) in
  let rows = map (fun f -> some (Proved.row_of_form decimals table (nat d) f)) (Proved.plan_forms (nat p) plan) in
  of_rows d rows (concat (map (fun (g : Plans.group) -> g.called) groups))

let of_model decimals bias (model : Model.t) columns cells =
  if List.mem model.name [ "conditional"; "cox" ] then compared decimals model columns cells
  else observations decimals bias model columns cells

(* Whether no comparison depends on a coefficient: every z is 0, or rows beside the same unknown are all equal. *)
let silent made (model : Model.t) p =
  let width = if List.mem model.name [ "conditional"; "cox" ] then p else made.d in
  let beside = Hashtbl.create 16 in
  let split (r : Proved.row) =
    let x = List.filteri (fun j _ -> j < width) r.entries and rest = List.filteri (fun j _ -> j >= width) r.entries in
    let unknown = List.find_opt (fun (_, v) -> Z.sign v <> 0) (List.mapi (fun j v -> (j, v)) rest) in
    (x, unknown, r.denominator)
  in
  let same (x, m) (y, k) = List.for_all2 (fun a b -> Z.equal (Z.mul a k) (Z.mul b m)) x y in
  let quiet r =
    match split r with
    | x, None, _ -> List.for_all (fun v -> Z.sign v = 0) x
    | x, Some (j, v), m -> (
        let x = if Z.sign v > 0 then List.map Z.neg x else x in
        match Hashtbl.find_opt beside j with
        | Some first -> same first (x, m)
        | None -> Hashtbl.add beside j (x, m); true)
  in
  List.for_all quiet made.rows && width > 0
