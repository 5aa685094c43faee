(* The rows X and the labels y, from the user's own CSV file, read as the certificate's `table` says. *)

open Outcomes

let misfit text = other_data ("the table does not fit: " ^ text)
let get name = function Json.Object fields -> List.assoc_opt name fields | _ -> None

let text name json =
  match get name json with Some (Json.String s) -> s | _ -> misfit (Printf.sprintf "%s is missing" name)

let texts name json =
  match get name json with
  | Some (Json.List l) -> List.map (function Json.String s -> s | _ -> misfit (name ^ " are not names")) l
  | _ -> []

let whole default name json =
  match get name json with
  | Some (Json.Int n) when Z.fits_int n -> Z.to_int n
  | Some (Json.Bool b) -> Bool.to_int b
  | None | Some Json.Null -> default
  | _ -> misfit (Printf.sprintf "%s is no whole number" name)

type kind = Number | Boolean | Category of (string, int) Hashtbl.t | Hash of int

type column = { name : string; told : string; kind : kind; width : int; reference : int; missing : bool }

let column json =
  let told = text "kind" json in
  let kind, inner =
    match told with
    | "number" -> (Number, 1)
    | "boolean" -> (Boolean, 1)
    | "category" ->
        let levels = Hashtbl.create 16 and names = texts "levels" json in
        List.iteri (fun i level -> if not (Hashtbl.mem levels level) then Hashtbl.add levels level i) names;
        (Category levels, List.length names)
    | "hash" -> (Hash (whole 0 "buckets" json), whole 0 "buckets" json)
    | _ -> refused ("this checker knows no column of the kind " ^ told)
  in
  let reference = whole 0 "reference" json and missing = whole 0 "missing" json <> 0 in
  { name = text "name" json; told; kind; width = inner; reference; missing }

let widest = 1 lsl 20

let binomial n k =
  let rec go i found = if i > k then found else go (i + 1) (Z.div (Z.mul found (Z.of_int (n - k + i))) (Z.of_int i)) in
  go 1 Z.one

let check_width columns degree p =
  let width c = c.width - (if c.reference <> 0 then 1 else 0) + Bool.to_int c.missing in
  let total = List.fold_left (fun sum c -> sum + width c) 0 columns in
  let described = degree >= 1 && degree <= 9 && total <= widest in
  if not (described && Z.equal (Z.pred (binomial (total + degree) degree)) p && Z.leq p (Z.of_int widest)) then
    refused (Printf.sprintf "its table does not describe the %s columns it is about, or they are too many" (Z.to_string p))

let number cell =
  match Decimal_text.parse cell with Some x -> x | None -> misfit (Printf.sprintf "%S is no number" cell)

(* The numbers that stand for a cell; none where it is missing and has no place of its own. *)
let encode column cell =
  let one_of size at = List.init (max 0 (size - column.reference)) (fun i -> Bool.to_float (i + column.reference = at)) in
  let lost = cell = None and given = Option.value cell ~default:"" in
  let lost, values =
    match column.kind with
    | Number ->
        let x = if lost then nan else number given in
        (Float.is_nan x, [ (if Float.is_nan x then 0.0 else x) ])
    | Boolean -> (
        match String.lowercase_ascii given with
        | _ when lost -> (lost, [ 0.0 ])
        | "false" -> (lost, [ 0.0 ])
        | "true" -> (lost, [ 1.0 ])
        | _ -> misfit (Printf.sprintf "%S is neither true nor false" given))
    | Category levels ->
        let at = if lost then -1 else Option.value (Hashtbl.find_opt levels given) ~default:(-2) in
        if at = -2 then misfit (Printf.sprintf "%S is no level of %s" given column.name);
        (lost, one_of column.width at)
    | Hash buckets ->
        let digest = if lost then "" else String.sub (Digest.to_hex (Digest.string given)) 0 8 in
        let at = if lost then -1 else int_of_string ("0x" ^ digest) mod buckets in
        (lost, one_of buckets at)
  in
  if column.missing then Some (values @ [ Bool.to_float lost ]) else if lost then None else Some values

(* All products of 2, …, degree of the values, in the order of combinations with replacement. *)
let with_products degree x =
  let rec terms size from =
    if size = 0 then [ None ]
    else
      match from with
      | [] -> []
      | first :: rest ->
          let times = function None -> Some [ first ] | Some t -> Some (first :: t) in
          List.map times (terms (size - 1) from) @ terms size rest
  in
  let product = function None | Some [] -> 1.0 | Some (first :: rest) -> List.fold_left ( *. ) first rest in
  x @ List.concat_map (fun size -> List.map product (terms size x)) (List.init (degree - 1) (fun i -> i + 2))

(* How the certificate has the table read. *)
type plan = {
  json : Json.t;
  columns : column list;
  counts : string list;
  target : string option;
  degree : int;
  lost : string list;
  drops : bool;
}

let plan certificate p =
  let json =
    match get "table" certificate with
    | Some (Json.Object _ as t) -> t
    | _ -> refused "its table is missing or of the wrong kind"
  in
  let columns = match get "columns" json with Some (Json.List l) -> List.map column l | _ -> misfit "it has no columns" in
  let counts = texts "counts" json in
  let target = match get "target" json with Some (Json.String s) -> Some s | _ -> None in
  let names = List.map (fun c -> c.name) columns in
  if List.exists (fun name -> List.mem name names) (Option.to_list target @ counts) then
    refused "its target is among the columns that should tell it";
  let degree = whole 1 "degree" json in
  check_width columns degree p;
  let lost = "" :: texts "na" json and drops = get "missing" json = Some (Json.String "drop") in
  { json; columns; counts; target; degree; lost; drops }

let delimiter plan =
  match get "delimiter" plan.json with
  | None -> ','
  | Some (Json.String s) when String.length s = 1 -> s.[0]
  | _ -> misfit "its delimiter is not one character"

let positive plan =
  match get "positive" plan.json with
  | Some (Json.String s) -> s
  | Some (Json.Int n) -> Z.to_string n
  | Some (Json.Bool b) -> if b then "True" else "False"
  | _ -> misfit "it does not say which class is the positive one"

(* The labels of a line: one; none or two where it counts outcomes; and whether they are known. *)
let labels plan cell =
  match (plan.counts, plan.target) with
  | [ successes; failures ], _ ->
      let amount name = match cell name with Some c -> number c | None -> nan in
      let s = amount successes and f = amount failures in
      ((if s > 0.0 then [ true ] else []) @ (if f > 0.0 then [ false ] else []), s +. f >= 0.0)
  | [], Some target -> (
      match cell target with Some c -> ([ c = positive plan ], true) | None -> ([ false ], false))
  | [], None -> misfit "it has no target"
  | _ -> misfit "counts are two columns"

let weightless plan cell =
  match get "weights" plan.json with
  | Some (Json.String name) -> not ((match cell name with Some c -> number c | None -> 0.0) > 0.0)
  | _ -> false

(* The row of a line and its labels; no labels where it is dropped. *)
let read_line plan cell =
  let encoded = List.map (fun c -> encode c (cell c.name)) plan.columns in
  let labels, known = labels plan cell in
  let absent = (not known) || List.mem None encoded in
  if absent && not plan.drops then misfit "a value is missing";
  if absent || weightless plan cell then ([||], [])
  else (Array.of_list (with_products plan.degree (List.concat_map Option.get encoded)), labels)

(* The cell of a line in a column, if it is not missing. *)
let cell_of plan header cells name =
  match Hashtbl.find_opt header name with
  | None -> misfit (Printf.sprintf "there is no column %s" name)
  | Some at when at >= Array.length cells || List.mem cells.(at) plan.lost -> None
  | Some at -> Some cells.(at)

let told plan lines dropped =
  let outcome =
    match (plan.counts, plan.target) with
    | [], Some t -> t
    | counts, _ -> "[" ^ String.concat ", " (List.map (Printf.sprintf "'%s'") counts) ^ "]"
  in
  let column (c : column) = Printf.sprintf "%s (%s)" c.name c.told in
  Printf.sprintf "%d rows, target %s, columns %s%s" lines outcome
    (String.concat ", " (List.map column plan.columns))
    (if dropped > 0 then
       Printf.sprintf "; %d rows dropped, because a value is missing or they weigh nothing" dropped
     else "")

(* The rows with their labels, and how they were read. *)
let read certificate p source =
  let plan = plan certificate p in
  let header = Hashtbl.create 16 and seen = ref (-1) and dropped = ref 0 in
  let handle rows cells =
    incr seen;
    if !seen = 0 then (List.iteri (fun i name -> Hashtbl.replace header name i) cells; rows)
    else
      let x, labels = read_line plan (cell_of plan header (Array.of_list cells)) in
      if labels = [] then incr dropped;
      List.fold_left (fun rows label -> (x, label) :: rows) rows labels
  in
  let rows = List.rev (Csv.fold (delimiter plan) source handle []) in
  (rows, told plan (max 0 !seen) !dropped)
