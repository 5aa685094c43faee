(* The rows X, the labels y and a model's columns, from the user's own CSV file, read as the certificate's `table` says. *)

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

type column = {
  name : string; told : string; kind : kind; width : int; reference : int; missing : bool; mean : float;
}

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
  let mean =
    match get "mean" json with Some (Json.Float x) -> x | Some (Json.Int n) -> Z.to_float n | _ -> nan
  in
  { name = text "name" json; told; kind; width = inner; reference; missing; mean }

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

let float x = Values.Float x

(* The numbers that stand for a cell; none where it is missing and has no place of its own. `exact`: they stay texts. *)
let encode exact column cell =
  let one_of size at =
    List.init (max 0 (size - column.reference)) (fun i -> float (Bool.to_float (i + column.reference = at)))
  in
  let lost = cell = None and given = Option.value cell ~default:"" in
  let lost, values =
    match column.kind with
    | Number ->
        let x = if lost then column.mean else number given in
        let kept = if exact && not lost then Values.Text given else float x in
        (Float.is_nan x, [ (if Float.is_nan x then float 0.0 else kept) ])
    | Boolean -> (
        match String.lowercase_ascii given with
        | _ when lost -> (lost, [ float 0.0 ])
        | "false" -> (lost, [ float 0.0 ])
        | "true" -> (lost, [ float 1.0 ])
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
  if column.missing then Some (values @ [ float (Bool.to_float lost) ]) else if lost then None else Some values

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
  let floats = if degree > 1 then List.map Values.as_float x else [] in
  let products size = List.map (fun term -> float (product term)) (terms size floats) in
  x @ List.concat_map products (List.init (degree - 1) (fun i -> i + 2))

(* ------------------------------------------------------------------------------------------------ plain numbers *)

let replace_all part by text =
  let n = String.length part in
  let out = Buffer.create (String.length text) in
  let rec go i =
    if i + n <= String.length text && String.sub text i n = part then (Buffer.add_string out by; go (i + n))
    else if i < String.length text then (Buffer.add_char out text.[i]; go (i + 1))
  in
  go 0;
  Buffer.contents out

(* Blanks that stand between thousands, or before a percent sign: all become the plain one. *)
let plain_blanks text = List.fold_left (fun t b -> replace_all b " " t) text [ "\xC2\xA0"; "\xE2\x80\x89"; "\xE2\x80\xAF" ]

let trim_blanks text =
  let n = String.length text in
  let rec left i = if i < n && text.[i] = ' ' then left (i + 1) else i in
  let rec right j = if j > 0 && text.[j - 1] = ' ' then right (j - 1) else j in
  let i = left 0 in
  String.sub text i (max 0 (right n - i))

let is_plain text =
  Decimal_text.well_formed text && not (String.contains text '_')

(* The text of a number without the marks that its column has: 1.234,5 is 1234.5, and 68 % is 68e-2. *)
let plain how text =
  let flag name = match get name how with Some (Json.Bool b) -> b | Some (Json.Int n) -> Z.sign n <> 0 | _ -> false in
  let mark name default = match get name how with Some (Json.String s) -> s | _ -> default in
  if get "date" how <> None && get "date" how <> Some Json.Null then
    raise (Newer "columns of dates are read by checker.py");
  if List.mem text (texts "na" how) then None
  else
    let point = mark "decimal" "." and between = mark "thousands" "" and percent = flag "percent" in
    if point = "." && between = "" && (not percent) && not (flag "minus") then Some text
    else begin
      let no () = misfit (Printf.sprintf "%S is not a number" text) in
      let text = if flag "minus" then replace_all "\xE2\x88\x92" "-" text else text in
      let text = trim_blanks text in
      let n = String.length text in
      let body = if percent && n > 0 && text.[n - 1] = '%' then Some (String.sub text 0 (n - 1)) else None in
      let rec without_blanks t =
        let shorter = trim_blanks (" " ^ plain_blanks t) in
        if shorter = t then t else without_blanks shorter
      in
      let body' = match body with Some b -> without_blanks b | None -> text in
      let whole, rest = match String.index_opt body' point.[0] with
        | Some i when String.length point = 1 -> (String.sub body' 0 i, Some (String.sub body' (i + 1) (String.length body' - i - 1)))
        | _ -> (body', None)
      in
      let groups =
        if between = "" then [ whole ]
        else if between = " " then String.split_on_char ' ' (plain_blanks whole)
        else if String.length between = 1 then String.split_on_char between.[0] whole
        else no ()
      in
      let few = if flag "indian" then 2 else 3 in
      let unsigned t = let k = String.length t in
        let rec go i = if i < k && (t.[i] = '+' || t.[i] = '-') then go (i + 1) else k - i in go 0 in
      let grouped =
        match List.rev groups with
        | last :: (_ :: _ as others) ->
            let first = List.hd groups and middle = List.tl (List.rev others) in
            unsigned first <= few && String.length last = 3 && List.for_all (fun g -> String.length g = few) middle
        | _ -> true
      in
      let joined = String.concat "" groups and after = Option.value rest ~default:"" in
      let plain = joined ^ (if rest = None then "" else ".") ^ after in
      if (not grouped) || (not (is_plain plain)) || String.contains (joined ^ after) '.' || percent <> (body <> None) then no ();
      Some (if percent then plain ^ "e-2" else plain)
    end

(* ------------------------------------------------------------------------------------------------------ the plan *)

(* How the certificate has the table read. *)
type plan = {
  json : Json.t;
  columns : column list;
  counts : string list;
  target : string option;
  degree : int;
  lost : string list;
  drops : bool;
  exact : bool; (* version 3: numbers stay texts *)
  model : Model.t option;
  numerals : (string * Json.t) list;
}

(* (argument, column) of a model, besides y. *)
let named (model : Model.t option) =
  match model with
  | Some m -> List.concat_map (fun (argument, columns) -> List.map (fun c -> (argument, c)) columns) m.columns
  | None -> []

let plan certificate p =
  let json =
    match get "table" certificate with
    | Some (Json.Object _ as t) -> t
    | _ -> refused "its table is missing or of the wrong kind"
  in
  let model =
    match (get "model" certificate, get "fit_intercept" certificate) with
    | None, _ -> None
    | Some m, Some (Json.Bool bias) -> Some (Model.schema m p bias)
    | Some m, _ -> Some (Model.schema m p false)
  in
  let columns = match get "columns" json with Some (Json.List l) -> List.map column l | _ -> misfit "it has no columns" in
  let counts = texts "counts" json in
  let target = match get "target" json with Some (Json.String s) -> Some s | _ -> None in
  let names = List.map (fun (c : column) -> c.name) columns in
  let followed = List.filter_map (fun (a, c) -> if a = "time" || a = "event" then Some c else None) (named model) in
  if List.exists (fun name -> List.mem name names) (Option.to_list target @ counts @ followed) then
    refused "its target is among the columns that should tell it";
  let degree = whole 1 "degree" json in
  check_width columns degree p;
  let lost = "" :: texts "na" json and drops = get "missing" json = Some (Json.String "drop") in
  let numerals = match get "numerals" json with Some (Json.Object l) -> l | _ -> [] in
  { json; columns; counts; target; degree; lost; drops; exact = get "readings" certificate <> None; model; numerals }

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

(* ------------------------------------------------------------------------------------------------------ outcomes *)

(* The labels of a line without a model: one; none or two where it counts outcomes; and whether they are known. *)
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

(* What a model takes from a line: (argument, column, names that its codes stand for, whether it must be whole). *)
let wanted plan (m : Model.t) =
  let target = if m.name = "cox" then [] else match plan.target with
    | Some t -> [ ("y", t) ] | None -> misfit "it has no target" in
  let effects = ref m.effects in
  let one (argument, column) =
    let names =
      match argument with
      | "y" -> m.classes
      | "groups" -> m.groups
      | "items" -> m.items
      | "fixed_effects" -> (match !effects with first :: rest -> effects := rest; first | [] -> [])
      | _ -> []
    in
    (argument, column, names, argument = "event" || (argument = "y" && m.name = "conditional"))
  in
  List.map one (target @ named plan.model)

let same_number a b = try Decimal_text.as_written a = Decimal_text.as_written b with Other_data _ -> false

let code names text =
  let rec find i = function [] -> None | n :: rest -> if n = text then Some i else find (i + 1) rest in
  let rec near i = function
    | [] -> misfit (Printf.sprintf "%S is not in the certificate's list" text)
    | n :: rest -> if same_number n text then i else near (i + 1) rest
  in
  Json.Int (Z.of_int (match find 0 names with Some i -> i | None -> near 0 names))

let of_cell exact names is_whole text =
  if names <> [] then code names text
  else
    let text = match String.lowercase_ascii text with "true" -> "1" | "false" -> "0" | _ -> text in
    let x = number text in
    if is_whole then if Float.is_integer x then Json.Int (Z.of_float x) else Json.Float x
    else if exact then Json.String text
    else Json.Float x

(* ------------------------------------------------------------------------------------------------------ the lines *)

type outcome = Label of bool | Values of Json.t list

let outcomes plan wanted cell =
  match plan.model with
  | None ->
      let labels, known = labels plan cell in
      (List.map (fun l -> Label l) labels, known)
  | Some _ ->
      let texts = List.map (fun (_, column, _, _) -> cell column) wanted in
      if List.mem None texts then ([], false)
      else
        let value (_, _, names, is_whole) text = of_cell plan.exact names is_whole (Option.get text) in
        ([ Values (List.map2 value wanted texts) ], true)

let weightless plan cell =
  match get "weights" plan.json with
  | Some (Json.String name) -> not ((match cell name with Some c -> number c | None -> 0.0) > 0.0)
  | _ -> false

(* The row of a line and its outcomes; no outcomes where it is dropped. *)
let read_line plan wanted cell =
  let encoded = List.map (fun (c : column) -> encode plan.exact c (cell c.name)) plan.columns in
  let outcomes, known = outcomes plan wanted cell in
  let absent = (not known) || List.mem None encoded in
  if absent && not plan.drops then misfit "a value is missing";
  if absent || weightless plan cell then ([||], [])
  else (Array.of_list (with_products plan.degree (List.concat_map Option.get encoded)), outcomes)

(* The cell of a line in a column, if it is not missing. *)
let cell_of plan header cells name =
  match Hashtbl.find_opt header name with
  | None -> misfit (Printf.sprintf "its first line does not name the column %s" name)
  | Some at when at >= Array.length cells || List.mem cells.(at) plan.lost -> None
  | Some at -> (
      match List.assoc_opt name plan.numerals with Some how -> plain how cells.(at) | None -> Some cells.(at))

let told plan lines dropped =
  let outcome =
    match (plan.counts, plan.target) with
    | [], t -> Option.value t ~default:"none"
    | counts, _ -> "[" ^ String.concat ", " (List.map (Printf.sprintf "'%s'") counts) ^ "]"
  in
  let column (c : column) = Printf.sprintf "%s (%s)" c.name c.told in
  Printf.sprintf "%d rows, target %s, columns %s%s%s" lines outcome
    (String.concat ", " (List.map column plan.columns))
    (String.concat "" (List.map (fun (a, c) -> Printf.sprintf ", %s as %s" c a) (named plan.model)))
    (if dropped > 0 then
       Printf.sprintf "; %d rows dropped, because a value is missing or they weigh nothing" dropped
     else "")

(* Several columns of one argument are one list. *)
let gathered wanted lines =
  let column k = Json.List (List.map (fun values -> List.nth values k) lines) in
  let arguments = List.sort_uniq compare (List.map (fun (a, _, _, _) -> a) wanted) in
  let one argument =
    let places = List.filteri (fun k _ -> let a, _, _, _ = List.nth wanted k in a = argument) (List.mapi (fun k _ -> k) wanted) in
    let columns = List.map column places in
    (argument, if List.mem argument Model.several then Json.List columns else List.hd columns)
  in
  List.map one arguments

(* Bytes from 0x80 on come in groups, as UTF-8 has them. *)
let is_utf_8 source =
  let n = String.length source in
  let rec go i =
    if i >= n then i = n
    else
      let c = Char.code source.[i] in
      let more = if c < 0x80 then 0 else if c land 0xE0 = 0xC0 then 1 else if c land 0xF0 = 0xE0 then 2 else 3 in
      let follows k = i + k < n && Char.code source.[i + k] land 0xC0 = 0x80 in
      (c < 0x80 || (c >= 0xC2 && c <= 0xF4)) && List.for_all follows (List.init more succ) && go (i + 1 + more)
  in
  go 0

let refuse_other_text source =
  if not (is_utf_8 source) then raise (Newer "text that is not UTF-8 is read by checker.py")

(* The rows, the labels, a model's columns, and how they were read. *)
let read certificate p source =
  let plan = plan certificate p in
  refuse_other_text source;
  let wanted = match plan.model with Some m -> wanted plan m | None -> [] in
  let header = Hashtbl.create 16 and seen = ref (-1) and dropped = ref 0 in
  let there name = if not (Hashtbl.mem header name) then misfit ("its first line does not name the column " ^ name) in
  let handle rows cells =
    incr seen;
    if !seen = 0 then begin
      List.iteri (fun i name -> Hashtbl.replace header name i) cells;
      List.iter (fun (c : column) -> there c.name) plan.columns;
      List.iter (fun (_, column) -> there column) (named plan.model);
      rows
    end
    else
      let x, outcomes = read_line plan wanted (cell_of plan header (Array.of_list cells)) in
      if outcomes = [] then incr dropped;
      List.fold_left (fun rows outcome -> (x, outcome) :: rows) rows outcomes
  in
  let rows = List.rev (Csv.fold (delimiter plan) source handle []) in
  let label = function _, Label l -> Some l | _ -> None and values = function _, Values v -> Some v | _ -> None in
  let lines = List.filter_map values rows in
  ( Array.of_list (List.map fst rows), Array.of_list (List.filter_map label rows),
    (if plan.model = None then [] else gathered wanted lines), told plan (max 0 !seen) !dropped )
