(* The certificate's fields, read strictly: exactly those of its verdict and version, of the right kinds. *)

open Outcomes

let get name json = List.assoc_opt name json

let longest_number = 1 lsl 16 (* characters, or 1024 for each weight if that is more *)

type header = {
  n : int; p : Z.t; bias : bool; verdict : string; layout : string; sha256 : string; version : int;
  model : Model.t option; readings : Values.reading list;
}

let wrong_kind name = refused (Printf.sprintf "its %s is missing or of the wrong kind" name)

let common =
  [ "format"; "verdict"; "n"; "p"; "fit_intercept"; "layout"; "data_sha256"; "classes"; "features"; "table" ]

let reading = function
  | Json.Object [ ("power", Json.Int k) ] when Z.leq (Z.abs k) (Z.of_int Decimal_text.farthest_power) ->
      Values.Power (Z.to_int k)
  | Json.Object [ ("binary", Json.Int b) ] when Z.equal b (Z.of_int 32) || Z.equal b (Z.of_int 64) -> Values.Bits (Z.to_int b)
  | _ -> refused "its readings are not one for each column"

(* One power of ten a column, or none; at least one is not zero where the field is there. *)
let decimals p fields =
  let power = function
    | Json.Null -> None
    | Json.Int k when Z.sign k >= 0 && Z.leq k (Z.of_int 15) -> Some k
    | Json.Int _ -> refused "it has a power of ten whose decimals floats do not tell apart"
    | _ -> refused "its decimals are not one power of ten a column"
  in
  match get "decimals" fields with
  | None -> None
  | Some (Json.List l) when Z.equal (Z.of_int (List.length l)) p ->
      let powers = List.map power l in
      let some = function Some k -> Z.sign k > 0 | None -> false in
      if not (List.exists some powers) then refused "its decimals are not one power of ten a column";
      Some powers
  | _ -> refused "its decimals are not one power of ten a column"

(* Which fields there must be, and which there may be. *)
let check_fields ~version ~verdict ~bias ~model fields =
  let found = List.filter (fun name -> not (List.mem name common)) (List.map fst fields) in
  let span = [ "lambda"; (if List.mem "base" found then "base" else "null") ] in
  let complete = verdict = "complete" in
  let needed = match verdict with "complete" -> [ "w" ] | "quasi" -> "w" :: span | _ -> span in
  let needed = needed @ (if version = 3 then [ "readings" ] else []) in
  let needed = needed @ if model then "model" :: (if complete then [] else [ "free" ]) else [] in
  let margins = if complete && not model then "margin" :: (if bias && version > 1 then [ "street" ] else []) else [] in
  let newer = match version with 1 -> [] | 2 -> [ "coefficients"; "decimals" ] | _ -> [ "coefficients" ] in
  let because = if version = 3 && verdict <> "overlap" then [ "because" ] else [] in
  let allowed = needed @ margins @ newer @ because in
  if not (List.for_all (fun f -> List.mem f found) needed && List.for_all (fun f -> List.mem f allowed) found) then
    refused "its fields are not those of its verdict and version"

let fields_of = function Json.Object f -> f | _ -> []

let header certificate =
  let fields = match certificate with Json.Object f -> f | _ -> wrong_kind "format" in
  let text name = match get name fields with Some (Json.String s) -> s | _ -> wrong_kind name in
  let int name = match get name fields with Some (Json.Int n) -> n | _ -> wrong_kind name in
  let format = text "format" in
  let verdict = text "verdict" in
  let n = int "n" in
  let p = int "p" in
  let bias = match get "fit_intercept" fields with Some (Json.Bool b) -> b | _ -> wrong_kind "fit_intercept" in
  let layout = text "layout" in
  let sha256 = text "data_sha256" in
  let list name = match get name fields with Some (Json.List _) -> () | _ -> wrong_kind name in
  list "classes";
  list "features";
  (match get "table" fields with Some (Json.Object _) -> () | _ -> wrong_kind "table");
  let version =
    match format with
    | "rosenblatt-certificate/1" -> 1
    | "rosenblatt-certificate/2" -> 2
    | "rosenblatt-certificate/3" -> 3
    | _ -> refused "it has an unknown format"
  in
  if not (List.mem layout [ "dense"; "csr" ] && List.mem verdict [ "complete"; "quasi"; "overlap" ] && Z.sign n > 0) then
    refused "it has an unknown layout or verdict, or no rows";
  let model =
    match get "model" fields with Some json when version > 1 -> Some (json, Model.schema json p bias) | _ -> None
  in
  let own = match model with
    | None -> 0
    | Some (json, found) ->
        let classes = Option.value (get "classes" (fields_of json)) ~default:(Json.List []) in
        let free = match get "free" fields with None | Some (Json.Object _) -> true | _ -> false in
        if not (free && get "classes" fields = Some classes) then
          refused "its free is not an object, or its classes are not those of its model";
        List.length (Model.numbers_of found)
  in
  check_fields ~version ~verdict ~bias ~model:(model <> None) fields;
  let readings =
    match get "readings" fields with
    | Some (Json.List l) when version = 3 && Z.equal (Z.of_int (List.length l)) (Z.add p (Z.of_int own)) ->
        List.map reading l
    | _ when version = 3 -> refused "its readings are not one for each column"
    | _ -> []
  in
  ignore (decimals p fields);
  let n = if Z.fits_int n then Z.to_int n else max_int in
  { n; p; bias; verdict; layout; sha256; version; model = Option.map snd model; readings }

let is_hex text =
  let n = String.length text in
  let start = if n > 0 && text.[0] = '-' then 1 else 0 in
  let hex c = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') in
  let rec all i = i = n || (hex text.[i] && all (i + 1)) in
  n > start + 2 && text.[start] = '0' && text.[start + 1] = 'x' && all (start + 2)

let number d text =
  if not (is_hex text) then refused "a number is not written in hexadecimal";
  if String.length text > max longest_number (1024 * d) then
    refused (Printf.sprintf "a number has %d digits: no proof with %d weights needs so many" (String.length text) d);
  Z.of_string text

let json_number d = function
  | Json.String s -> number d s
  | _ -> refused "a number is not written in hexadecimal"

let vector d = function
  | Json.List l when List.compare_length_with l d = 0 ->
      let v = List.map (json_number d) l in
      if List.for_all (fun x -> Z.sign x = 0) v then refused "a vector has the wrong length or is zero";
      v
  | Json.List l when List.compare_length_with l d < 0 -> refused "a vector has the wrong length or is zero"
  | _ -> refused "a list is missing or too long"

(* Rows by their names, and numbers for them; `equal` wants equalities, otherwise none. *)
let entries (made : Made.t) ~equal = function
  | Json.Object entries ->
      let place name =
        match Hashtbl.find_opt made.place name with
        | Some (at, e) when e = equal -> at
        | _ when equal -> refused "free names a row that is no equality"
        | _ -> refused "lambda names a row that is not on the plane"
      in
      List.map (fun (name, value) -> (place name, json_number made.d value)) entries
  | _ -> refused "lambda is missing or too long"

(* One entry for every row. *)
let lambda (made : Made.t) json =
  let found = Array.make (List.length made.rows) None in
  List.iter (fun (i, value) -> found.(i) <- Some value) (entries made ~equal:false json);
  found

(* A number c on an equality is c + 1 or 1 on z, and 1 or 1 − c on −z: both are positive. With a base, that is the 1. *)
let with_free (made : Made.t) ~based free found =
  let more c = Z.add (Z.max c Z.zero) (if based then Z.zero else Z.one) in
  let numbers = Hashtbl.of_seq (List.to_seq free) in
  let add _ (at, equal) =
    if equal then begin
      let c = Option.value (Hashtbl.find_opt numbers at) ~default:Z.zero in
      found.(at) <- Some (more c);
      found.(at + 1) <- Some (more (Z.neg c))
    end
  in
  Hashtbl.iter add made.place;
  found

let ratio d = function
  | Json.String s -> (
      match String.split_on_char '/' s with
      | [ over; under ] ->
          let over = number d over and under = number d under in
          if Z.sign over < 0 || Z.sign under <= 0 then refused "an end of the margin is not a fraction";
          (over, under)
      | _ -> refused "an end of the margin is not a fraction")
  | _ -> refused "an end of the margin is not a fraction"

let interval name made d fields = function
  | Json.Object entry when List.sort compare (List.map fst entry) = fields ->
      let part field = List.assoc field entry in
      ( { Proved.lower = ratio d (part "lower"); upper = ratio d (part "upper"); mixture = Array.to_list (lambda made (part "lambda")) },
        entry )
  | _ -> refused (Printf.sprintf "its %s does not have the fields of one" name)

(* ---------------------------------------------------------------------------------------------- coefficients *)

let sparse pairs = List.map (fun (i, c) -> (Z.of_int i, c)) (List.sort (fun (i, _) (j, _) -> compare i j) pairs)

let fate (made : Made.t) version = function
  | Json.Object entry -> (
      let part name = List.assoc name entry in
      let fields = List.sort compare (List.map fst entry) in
      match (get "kind" entry, fields) with
      | Some (Json.String "not identified"), [ "kind" ] -> Proved.NotIdentified
      | Some (Json.String "finite"), [ "kind" ] -> Finite
      | Some (Json.String "open"), [ "kind" ] when version = 3 -> Unclaimed
      | Some (Json.String "undetermined"), [ "kind"; "separating" ] -> Undetermined (vector made.d (part "separating"))
      | Some (Json.String (("+inf" | "-inf") as kind)), [ "kind"; "scale"; "strict" ] ->
          let strict = sparse (entries made ~equal:false (part "strict")) in
          Infinite (kind = "+inf", strict, json_number made.d (part "scale"))
      | _ -> refused "a coefficient does not have the fields of its kind")
  | _ -> refused "a coefficient does not have the fields of its kind"

let vectors d = function
  | Json.List l when List.compare_length_with l d <= 0 -> List.map (vector d) l
  | _ -> refused "a list is missing or too long"

(* With a model, rows are called by names, otherwise by numbers. *)
let row_number header (made : Made.t) json =
  let name =
    match json with
    | Json.Int i when header.model = None -> Z.to_string i
    | Json.String s when header.model <> None -> s
    | _ -> ""
  in
  match Hashtbl.find_opt made.place name with
  | Some (at, _) -> at
  | None -> refused "coefficients are missing, or name a row that is not there, or one twice"

(* The coefficients; `on_plane` tells of every row whether it is. That there are no more rows and vectors than weights,
   and plane rows first, the proof does not need: the format does. *)
let coefficients header fields (made : Made.t) on_plane =
  let d = made.d and quasi = header.verdict = "quasi" in
  let wanted = [ "each"; "null" ] @ (if quasi then [ "open" ] else []) @ [ "rows" ] in
  match get "coefficients" fields with
  | None -> None
  | Some (Json.Object entry) when List.sort compare (List.map fst entry) = wanted ->
      let list name = match List.assoc name entry with
        | Json.List l when List.compare_length_with l d <= 0 -> l
        | _ -> refused "a list is missing or too long"
      in
      let some = List.map (row_number header made) (list "rows") and each = list "each" in
      if List.length (List.sort_uniq compare some) < List.length some || List.length each < d then
        refused "coefficients are missing, or name a row that is not there, or one twice";
      let null = vectors d (List.assoc "null" entry) in
      let opened = if quasi then vectors d (List.assoc "open" entry) else [] in
      let sides = List.map (fun i -> not on_plane.(i)) some in
      if List.length some + List.length null > d || List.sort compare sides <> sides then
        refused "the rows of coefficients are dependent, or do not begin with those on the plane";
      if quasi && List.length opened + List.length (List.filter not sides) > d then
        refused "the rows of coefficients and open are not as many as weights";
      let rows_listed = sparse (List.map (fun i -> (i, Z.one)) some) in
      Some { Proved.rows_listed; opened; unseen = null; each = List.map (fate made header.version) each }
  | Some _ -> refused "its coefficients do not have the fields of such"

(* Weights that are to separate by few columns alone: which weights are named, and the weights. *)
let because header fields (made : Made.t) =
  let last = made.d - Bool.to_int header.bias in
  let entry = function
    | Json.Object e when List.sort compare (List.map fst e) = [ "columns"; "w" ] ->
        let column = function
          | Json.Int j when Z.sign j >= 0 && Z.lt j (Z.of_int last) -> Z.to_int j
          | _ -> refused "its because names columns that are not there, or not in their order"
        in
        let columns = match List.assoc "columns" e with
          | Json.List (_ :: _ as l) when List.compare_length_with l made.d <= 0 -> List.map column l
          | _ -> refused "a list is missing or too long"
        in
        if List.sort_uniq compare columns <> columns then
          refused "its because names columns that are not there, or not in their order";
        (List.init made.d (fun j -> j >= last || List.mem j columns), vector made.d (List.assoc "w" e))
    | _ -> refused "its because does not have the fields of such"
  in
  match get "because" fields with
  | None -> []
  | Some (Json.List l) when List.compare_length_with l made.d <= 0 -> List.map entry l
  | _ -> refused "a list is missing or too long"

let certificate header fields (made : Made.t) =
  let d = made.d in
  let part name = List.assoc name fields in
  let span () =
    match get "base" fields with
    | Some base ->
        let base = json_number d base in
        if header.model <> None && Z.sign base <= 0 then refused "base is not positive";
        Proved.Everywhere base
    | None -> Proved.Null (vectors d (part "null"))
  in
  let mixture () =
    let found = lambda made (part "lambda") in
    let free = match get "free" fields with Some json -> entries made ~equal:true json | None -> [] in
    Array.to_list (with_free made ~based:(List.mem_assoc "base" fields) free found)
  in
  match header.verdict with
  | "complete" ->
      let margin entry = fst (interval "margin" made d [ "lambda"; "lower"; "upper" ] entry) in
      let street entry =
        let ends, inside = interval "street" made d [ "lambda"; "lower"; "upper"; "w" ] entry in
        (vector d (List.assoc "w" inside), ends)
      in
      Proved.Complete
        (vector d (part "w"), Option.map margin (get "margin" fields), Option.map street (get "street" fields))
  | "quasi" -> Proved.Quasi (vector d (part "w"), mixture (), span ())
  | _ -> Proved.Overlap (mixture (), span ())
