(* The certificate's fields, read strictly: exactly those of its verdict and version, of the right kinds. *)

open Outcomes

let get name json = List.assoc_opt name json

let longest_number = 1 lsl 16 (* characters, or 1024 for each weight if that is more *)

type header = { n : int; p : Z.t; bias : bool; verdict : string; layout : string; sha256 : string; version : int }

let wrong_kind name = refused (Printf.sprintf "its %s is missing or of the wrong kind" name)

let refuse_newer = function
  | Json.Object fields when get "format" fields = Some (Json.String "rosenblatt-certificate/3") ->
      raise (Newer "certificates of version 3 are checked by checker.py; this checker reads versions 1 and 2")
  | _ -> ()

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
    | _ -> refused "it has an unknown format"
  in
  if not (List.mem layout [ "dense"; "csr" ] && List.mem verdict [ "complete"; "quasi"; "overlap" ] && Z.sign n > 0) then
    refused "it has an unknown layout or verdict, or no rows";
  let n = if Z.fits_int n then Z.to_int n else max_int in
  { n; p; bias; verdict; layout; sha256; version }

let common =
  [ "format"; "verdict"; "n"; "p"; "fit_intercept"; "layout"; "data_sha256"; "classes"; "features"; "table" ]

(* One power of ten a column, or none; at least one is not zero where the field is there. *)
let decimals header fields =
  let power = function
    | Json.Null -> None
    | Json.Int k when Z.sign k >= 0 && Z.leq k (Z.of_int 15) -> Some k
    | Json.Int _ -> refused "it has a power of ten whose decimals floats do not tell apart"
    | _ -> refused "its decimals are not one power of ten a column"
  in
  match get "decimals" fields with
  | None -> None
  | Some (Json.List l) when Z.equal (Z.of_int (List.length l)) header.p ->
      let powers = List.map power l in
      let some = function Some k -> Z.sign k > 0 | None -> false in
      if not (List.exists some powers) then refused "its decimals are not one power of ten a column";
      Some powers
  | _ -> refused "its decimals are not one power of ten a column"

(* Which fields there must be, and which there may be. *)
let check_fields header fields =
  let found = List.filter (fun name -> not (List.mem name common)) (List.map fst fields) in
  let span = [ "lambda"; (if List.mem "base" found then "base" else "null") ] in
  let needed =
    match header.verdict with "complete" -> [ "w" ] | "quasi" -> "w" :: span | _ -> span
  in
  let optional = if header.verdict = "complete" then [ "margin" ] else [] in
  let street = header.verdict = "complete" && header.bias && header.version = 2 in
  let newer = if header.version = 2 then [ "decimals"; "coefficients" ] else [] in
  let allowed = needed @ optional @ newer @ if street then [ "street" ] else [] in
  if not (List.for_all (fun f -> List.mem f found) needed && List.for_all (fun f -> List.mem f allowed) found) then
    refused "its fields are not those of its verdict and version";
  ignore (decimals header fields)

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

(* Row numbers, as people write them, and numbers for them. *)
let entries n d = function
  | Json.Object entries ->
      let place key =
        let plain = key <> "" && String.for_all Decimal_text.is_digit key && (key = "0" || key.[0] <> '0') in
        match if plain && String.length key < 18 then int_of_string key else n with
        | i when i < n -> i
        | _ -> refused "lambda names a row that is not on the plane"
      in
      List.map (fun (key, value) -> (place key, json_number d value)) entries
  | _ -> refused "lambda is missing or too long"

(* One entry for every row. *)
let lambda n d json =
  let found = Array.make n None in
  List.iter (fun (i, value) -> found.(i) <- Some value) (entries n d json);
  Array.to_list found

let ratio d = function
  | Json.String s -> (
      match String.split_on_char '/' s with
      | [ over; under ] ->
          let over = number d over and under = number d under in
          if Z.sign over < 0 || Z.sign under <= 0 then refused "an end of the margin is not a fraction";
          (over, under)
      | _ -> refused "an end of the margin is not a fraction")
  | _ -> refused "an end of the margin is not a fraction"

let interval name n d fields = function
  | Json.Object entry when List.sort compare (List.map fst entry) = fields ->
      let part field = List.assoc field entry in
      ( { Proved.lower = ratio d (part "lower"); upper = ratio d (part "upper"); mixture = lambda n d (part "lambda") },
        entry )
  | _ -> refused (Printf.sprintf "its %s does not have the fields of one" name)

(* ---------------------------------------------------------------------------------------------- coefficients *)

let sparse pairs = List.map (fun (i, c) -> (Z.of_int i, c)) (List.sort (fun (i, _) (j, _) -> compare i j) pairs)

let fate n d = function
  | Json.Object entry -> (
      let part name = List.assoc name entry in
      let fields = List.sort compare (List.map fst entry) in
      match (get "kind" entry, fields) with
      | Some (Json.String "not identified"), [ "kind" ] -> Proved.NotIdentified
      | Some (Json.String "finite"), [ "kind" ] -> Finite
      | Some (Json.String "undetermined"), [ "kind"; "separating" ] -> Undetermined (vector d (part "separating"))
      | Some (Json.String (("+inf" | "-inf") as kind)), [ "kind"; "scale"; "strict" ] ->
          Infinite (kind = "+inf", sparse (entries n d (part "strict")), json_number d (part "scale"))
      | _ -> refused "a coefficient does not have the fields of its kind")
  | _ -> refused "a coefficient does not have the fields of its kind"

let vectors d = function
  | Json.List l when List.compare_length_with l d <= 0 -> List.map (vector d) l
  | _ -> refused "a list is missing or too long"

let row_number n = function
  | Json.Int i when Z.sign i >= 0 && Z.lt i (Z.of_int n) -> Z.to_int i
  | _ -> refused "coefficients are missing, or name a row that is not there, or one twice"

(* The coefficients; `on_plane` tells of every row whether it is. That there are no more rows and vectors than weights,
   and plane rows first, the proof does not need: the format does. *)
let coefficients header fields on_plane =
  let n = header.n and d = Z.to_int header.p + Bool.to_int header.bias and quasi = header.verdict = "quasi" in
  let wanted = [ "each"; "null" ] @ (if quasi then [ "open" ] else []) @ [ "rows" ] in
  match get "coefficients" fields with
  | None -> None
  | Some (Json.Object entry) when List.sort compare (List.map fst entry) = wanted ->
      let list name = match List.assoc name entry with
        | Json.List l when List.compare_length_with l d <= 0 -> l
        | _ -> refused "a list is missing or too long"
      in
      let some = List.map (row_number n) (list "rows") and each = list "each" in
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
      Some { Proved.rows_listed; opened; unseen = null; each = List.map (fate n d) each }
  | Some _ -> refused "its coefficients do not have the fields of such"

let certificate header fields =
  check_fields header fields;
  let n = header.n and d = Z.to_int header.p + Bool.to_int header.bias in
  let part name = List.assoc name fields in
  let span () =
    match get "base" fields with
    | Some base -> Proved.Everywhere (json_number d base)
    | None -> Proved.Null (vectors d (part "null"))
  in
  match header.verdict with
  | "complete" ->
      let margin entry = fst (interval "margin" n d [ "lambda"; "lower"; "upper" ] entry) in
      let street entry =
        let ends, inside = interval "street" n d [ "lambda"; "lower"; "upper"; "w" ] entry in
        (vector d (List.assoc "w" inside), ends)
      in
      Proved.Complete
        (vector d (part "w"), Option.map margin (get "margin" fields), Option.map street (get "street" fields))
  | "quasi" -> Proved.Quasi (vector d (part "w"), lambda n d (part "lambda"), span ())
  | _ -> Proved.Overlap (lambda n d (part "lambda"), span ())
