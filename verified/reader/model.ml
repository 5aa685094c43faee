(* The model of a certificate and its columns: read strictly, as checker.py does. *)

open Outcomes

type t = {
  name : string;
  columns : (string * string list) list; (* argument, names of columns in the table *)
  classes : string list; (* or levels *)
  groups : string list;
  items : string list;
  effects : string list list;
  exact : bool; (* ties *)
}

let names = [ "logistic"; "binomial"; "poisson"; "multinomial"; "ordinal"; "conditional"; "cox"; "paired";
              "sequential" ]
let counts = [ "logistic"; "binomial"; "poisson" ]

let needed = function
  | "binomial" -> [ "trials" ]
  | "conditional" -> [ "groups" ]
  | "cox" -> [ "time"; "event" ]
  | _ -> []

let optional = function
  | "cox" -> [ "entry"; "groups" ]
  | "paired" -> [ "items" ]
  | name when List.mem name counts -> [ "fixed_effects" ]
  | _ -> []

let listed = function "logistic" | "multinomial" -> [ "classes" ] | "ordinal" | "sequential" -> [ "levels" ] | _ -> []
let several = [ "fixed_effects"; "items" ]
let order = [ "y"; "trials"; "groups"; "time"; "event"; "entry"; "fixed_effects"; "items" ] (* in which they are hashed *)

(* The columns besides X that are numbers, in their order. *)
let numbers_of model =
  let names =
    match model.name with
    | "binomial" -> [ "y"; "trials" ]
    | "poisson" | "paired" -> [ "y" ]
    | "cox" -> [ "time"; "entry" ]
    | _ -> []
  in
  List.filter (fun name -> name = "y" || List.mem_assoc name model.columns) names

let subset a b = List.for_all (fun x -> List.mem x b) a
let same a b = subset a b && subset b a

let names_in ?(different = false) least json =
  match json with
  | Json.List l when List.length l >= least && List.for_all (function Json.String _ -> true | _ -> false) l ->
      let found = List.map (function Json.String s -> s | _ -> "") l in
      if different && List.length (List.sort_uniq compare found) < List.length found then
        refused "a list of its model has a name twice";
      found
  | _ -> refused "a list of its model is too short, or not of names"

(* How two numbers in plain text compare: by sign, size, digits. *)
let compare_plain a b =
  let key text =
    match text with
    | "inf" -> (1, max_int, "")
    | "-inf" -> (-1, max_int, "")
    | _ ->
        let negative, m, e, zeros = Decimal_text.parts text in
        if m = "" then (0, 0, "") else ((if negative then -1 else 1), String.length m + e + zeros, m)
  in
  let s, size, digits = key a and t, size', digits' = key b in
  if s <> t then compare s t else s * compare (size, digits) (size', digits')

let is_plain text =
  let exponent = match String.index_opt text 'e' with Some i -> String.length text - i | None -> 0 in
  text = "inf" || text = "-inf"
  || (Decimal_text.well_formed text && exponent < 18 && not (String.contains text 'E' || String.contains text '_'))

let rec ascending compare = function a :: (b :: _ as rest) -> compare a b <= 0 && ascending compare rest | _ -> true

let in_order names =
  ascending String.compare names || (List.for_all is_plain names && ascending compare_plain names)

let widest = 1 lsl 20

let schema json p bias =
  let fields = match json with Json.Object f -> f | _ -> [] in
  let get field = List.assoc_opt field fields in
  let name = match get "name" with Some (Json.String s) when List.mem s names -> s | _ -> refused "it has an unknown model" in
  let columns =
    match get "columns" with Some (Json.Object c) -> c | _ -> refused "its columns is missing or of the wrong kind"
  in
  let arguments = List.map fst columns in
  if not (subset (needed name) arguments && subset arguments (needed name @ optional name)) then
    refused "its model does not have the columns of such";
  let has argument = List.mem argument arguments in
  let lists = listed name @ List.filter has [ "groups"; "items" ] in
  let wanted = [ "name"; "columns" ] @ lists @ (if name = "cox" then [ "ties" ] else []) in
  if not (same (List.map fst fields) (wanted @ if has "fixed_effects" then [ "effects" ] else [])) then
    refused "its model does not have the fields of such";
  let exact =
    match (name, get "ties") with
    | "cox", Some (Json.String (("efron" | "breslow" | "exact") as ties)) -> ties = "exact"
    | "cox", _ -> refused "it has unknown ties"
    | _ -> false
  in
  let columns =
    List.map (fun (a, c) -> (a, names_in 1 (if List.mem a several then c else Json.List [ c ]))) columns
  in
  let least = if List.mem name [ "multinomial"; "ordinal"; "sequential" ] then 2 else 1 in
  let list field = match get field with Some l when List.mem field lists -> names_in ~different:true least l | _ -> [] in
  let found = List.map (fun field -> (field, list field)) (List.sort compare lists) in
  let part field = Option.value (List.assoc_opt field found) ~default:[] in
  let sets = List.length (Option.value (List.assoc_opt "fixed_effects" columns) ~default:[]) in
  let effects =
    match get "effects" with
    | None -> []
    | Some (Json.List l) when List.length l <= sets -> List.map (names_in ~different:true 1) l
    | Some _ -> refused "a list is missing or too long"
  in
  if not (List.for_all in_order (part "groups" :: part "items" :: effects)) then
    refused "its groups, effects or items are not sorted";
  let pair = match List.assoc_opt "items" columns with Some l -> List.length l | None -> 2 in
  if sets <> List.length effects || pair <> 2 then refused "its model has another number of columns than of lists";
  if bias && not (List.mem name ("multinomial" :: counts)) then refused ("a " ^ name ^ " model has no intercept");
  if (effects <> [] || has "fixed_effects") && not bias then refused "its effects need an intercept";
  if name = "logistic" && List.length (part "classes") > 2 then refused "it has more than two classes";
  let total = List.fold_left (fun sum l -> sum + List.length l) 0 (List.map snd found @ effects) in
  if Z.gt (Z.mul (Z.of_int total) (Z.succ p)) (Z.of_int widest) then refused "its model has too many weights";
  { name; columns; classes = part "classes" @ part "levels"; groups = part "groups"; items = part "items"; effects; exact }

(* ------------------------------------------------------------------------------------------------ the columns *)

let given = function
  | Json.Float x -> Values.Float x
  | Json.Int n -> Values.Text (Z.to_string n)
  | Json.String s -> Values.Text s
  | _ -> other_data "a value is no number"

let elements argument = function
  | Json.List l -> Array.of_list l
  | _ -> other_data (argument ^ " does not hold what it should")

let misfit argument = other_data (argument ^ " does not hold one value for each row that the certificate knows")

(* Places in a list, which names are turned into. *)
let codes argument n size names values =
  let is_name = function Json.String _ -> true | _ -> false in
  let place =
    if Array.length values > 0 && Array.for_all is_name values then begin
      let places = Hashtbl.create 16 in
      List.iteri (fun i name -> Hashtbl.replace places name i) names;
      function Json.String s -> Option.value (Hashtbl.find_opt places s) ~default:(-1) | _ -> -1
    end
    else function
      | Json.Int i when Z.fits_int i -> Z.to_int i
      | Json.Int _ -> -1
      | Json.Bool b -> Bool.to_int b
      | _ -> other_data (argument ^ " does not hold what it should")
  in
  let found = Array.map place values in
  if Array.length found <> n || Array.exists (fun c -> c < 0 || c >= size) found then misfit argument;
  found

let floats argument n values =
  let one = function
    | Json.Float x -> x +. 0.0
    | Json.Int i -> Z.to_float i
    | Json.Bool b -> Bool.to_float b
    | _ -> other_data (argument ^ " does not hold what it should")
  in
  let found = Array.map one values in
  if Array.length found <> n || Array.exists (fun x -> Float.is_nan (x -. x)) found then misfit argument;
  found

let read_numbers argument n reading values =
  let found = Array.map (fun v -> Values.read reading (given v)) values in
  if Array.length found <> n then misfit argument;
  found

(* The names that codes stand for, and how many there are; nothing for numbers. *)
let lists model = function
  | "groups" -> Some [ (model.groups, List.length model.groups) ]
  | "items" -> let one = (model.items, List.length model.items) in Some [ one; one ]
  | "fixed_effects" -> Some (List.map (fun l -> (l, List.length l)) model.effects)
  | "event" -> Some [ ([], 2) ]
  | "y" when not (List.mem model.name [ "binomial"; "poisson"; "paired" ]) ->
      Some [ (if model.classes = [] then ([], 2) else (model.classes, List.length model.classes)) ]
  | _ -> None

let all_used argument size found =
  let used = Array.make size false in
  List.iter (Array.iter (fun c -> used.(c) <- true)) found;
  if not (Array.for_all Fun.id used) then refused (Printf.sprintf "it lists %s that are not there" argument)

let as_codes = List.map (function Hashing.Codes c -> c | _ -> [||])

(* Every column by its argument; of fixed effects and items several. `own`: readings by argument (version 3). *)
let columns model n own (values : (string * Json.t) list) =
  let wanted = (if model.name = "cox" then [] else [ "y" ]) @ List.map fst model.columns in
  let there = List.filter_map (fun (name, v) -> if v = Json.Null then None else Some name) values in
  if not (same wanted there) then other_data ("it is about the columns " ^ String.concat ", " (List.sort compare wanted));
  let column argument =
    let value = List.assoc argument values in
    let columns = if List.mem argument several then Array.to_list (elements argument value) else [ value ] in
    let known = lists model argument in
    if List.length columns <> (match known with Some l -> List.length l | None -> 1) then
      other_data ("it is about another number of " ^ argument);
    let columns = List.map (elements argument) columns in
    let found =
      match (known, List.assoc_opt argument own) with
      | _, Some reading ->
          List.map (fun v -> Hashing.Read (reading, read_numbers argument n reading v)) columns
      | Some lists, None ->
          List.map2 (fun v (names, size) -> Hashing.Codes (codes argument n size names v)) columns lists
      | None, None -> List.map (fun v -> Hashing.Floats (floats argument n v)) columns
    in
    (match (argument, known) with
    | ("groups" | "fixed_effects"), Some lists ->
        List.iter2 (fun c (_, size) -> all_used argument size [ c ]) (as_codes found) lists
    | "items", _ -> all_used argument (List.length model.items) (as_codes found)
    | _ -> ());
    (argument, found)
  in
  List.map column (List.filter (fun argument -> List.mem argument wanted) order)

(* The numbers of a column as fractions. *)
let fractions columns argument =
  match List.assoc_opt argument columns with
  | Some [ Hashing.Floats f ] -> Array.map (fun x -> Proved.number None (Proved.Binary (Floats.dyadic x))) f
  | Some [ Hashing.Read (reading, v) ] -> Array.map (fun x -> Proved.number None (Values.cell reading x)) v
  | _ -> [||]

let codes_of columns argument = as_codes (Option.value (List.assoc_opt argument columns) ~default:[])
let less (a, b) (c, d) = Z.lt (Z.mul a d) (Z.mul c b)

(* Refuse what no data of a model are. *)
let check_sound model columns =
  let y = fractions columns "y" and zero = (Z.zero, Z.one) in
  let wrong =
    match model.name with
    | "binomial" ->
        let trials = fractions columns "trials" in
        List.exists (fun i -> less y.(i) zero || less trials.(i) y.(i)) (List.init (Array.length y) Fun.id)
    | "poisson" -> Array.exists (fun v -> less v zero) y
    | "paired" ->
        let is a v = not (less a v || less v a) in
        let half = (Z.one, Z.of_int 2) and one = (Z.one, Z.one) in
        not (Array.for_all (fun v -> is zero v || is half v || is one v) y)
    | "cox" ->
        let entry = fractions columns "entry" and time = fractions columns "time" in
        List.exists (fun i -> not (less entry.(i) time.(i))) (List.init (Array.length entry) Fun.id)
    | _ -> false
  in
  if wrong then other_data ("the columns are not those of a " ^ model.name ^ " model")
