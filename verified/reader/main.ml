(* rosenblatt-verify CERTIFICATE.json DATA: what is proved, checked by code extracted from its proof. *)

open Outcomes

let prime = Z.pred (Z.shift_left Z.one 61)
let invert a = if Z.sign a = 0 then Z.zero else try Z.invert a prime with Division_by_zero -> Z.zero
let longest_certificate = 1 lsl 28 (* bytes *)

let contents ?(longest = max_int) path =
  let file = open_in_bin path in
  if in_channel_length file > longest then refused "the file is too long for a certificate";
  let text = really_input_string file (in_channel_length file) in
  close_in file;
  text

let parse text = try Json.parse text with Json.Wrong why -> refused why | Stack_overflow -> refused "the file is not JSON"

(* Rows X, labels, and a model's columns as they are given. *)
type data = { x : Values.given array array; labels : bool array; columns : (string * Json.t) list }

(* Arrays in JSON: X a list of rows, y, and a model's columns. Numbers are floats, texts are numbers as written. *)
let of_arrays certificate json =
  ignore (Schema.header certificate);
  let fields = Schema.fields_of json in
  let x =
    match Schema.get "X" fields with
    | Some (Json.List rows) ->
        let row = function Json.List l -> Array.of_list (List.map Model.given l) | _ -> other_data "X has no rows" in
        Array.of_list (Made.map row rows)
    | _ -> other_data "there is no X"
  in
  let columns = List.remove_assoc "X" fields in
  if Table.get "model" certificate <> None then { x; labels = [||]; columns }
  else
    let label = function
      | Json.Int n when Z.equal n Z.one -> true
      | Json.Int n when Z.equal n Z.minus_one -> false
      | _ -> other_data "a label is neither -1 nor +1"
    in
    match columns with
    | [ ("y", Json.List y) ] -> { x; labels = Array.of_list (Made.map label y); columns = [] }
    | _ -> other_data "it is about rows with two classes"

(* The data, and how they were read. *)
let read_data certificate path =
  if Filename.check_suffix path ".f64" then begin
    let header = Schema.header certificate in
    let p = if Z.fits_int header.p && Z.sign header.p >= 0 then Z.to_int header.p else -1 in
    if p < 0 || p > Table.widest then other_data "its number of columns fits no data";
    let x, labels = Raw.read header.n p (contents path) in
    ({ x; labels; columns = [] }, Printf.sprintf "%d rows of raw float64" header.n)
  end
  else if Filename.check_suffix path ".json" then begin
    let data = of_arrays certificate (parse (contents path)) in
    (data, Printf.sprintf "%d rows of arrays" (Array.length data.x))
  end
  else
    let p = match Table.get "p" certificate with Some (Json.Int p) -> p | _ -> Z.minus_one in
    let x, labels, columns, told = Table.read certificate p (contents path) in
    ({ x; labels; columns }, told)

let plain = function
  | Values.Float x -> x
  | Values.Text t -> ( match Decimal_text.parse t with Some x -> x | None -> other_data (t ^ " is no number"))

let finite x = if Float.is_nan (x -. x) then other_data "a value is not a finite number" else x

(* The cells as what is proved takes them, and a model's columns; refused where their hash is another one. *)
let cells (header : Schema.header) data =
  let labels n =
    if Array.length data.labels <> n then other_data "it is about rows with two classes" else [ Hashing.Labels data.labels ]
  in
  let columns own =
    match header.model with
    | None -> []
    | Some model ->
        let found = Model.columns model header.n own data.columns in
        Model.check_sound model found;
        found
  in
  let hashed found = if header.model = None then labels header.n else List.concat_map snd found in
  let compare_hash digest = if header.sha256 <> digest then other_data "the data have another hash" in
  if header.version < 3 then begin
    let x = Array.map (Array.map plain) data.x in
    let found = columns [] in
    compare_hash (Hashing.digest header.layout x (hashed found));
    (Array.map (fun row -> List.map (fun v -> Proved.Binary (Floats.dyadic (finite v))) (Array.to_list row)) x, found)
  end
  else begin
    let readings = Array.of_list header.readings in
    let x = Array.map (Array.mapi (fun j v -> Values.read readings.(j) v)) data.x in
    let names = match header.model with Some model -> Model.numbers_of model | None -> [] in
    let p = Z.to_int header.p in
    let found = columns (List.mapi (fun k name -> (name, readings.(p + k))) names) in
    compare_hash (Hashing.digest_of_blocks header.layout header.readings x (hashed found));
    (Array.map (fun row -> List.mapi (fun j v -> Values.cell readings.(j) v) (Array.to_list row)) x, found)
  end

let check certificate data =
  let header = Schema.header certificate in
  let fields = Schema.fields_of certificate in
  let fits x = Z.equal (Z.of_int (Array.length x)) header.p in
  if Array.length data.x <> header.n || not (Array.for_all fits data.x) then
    other_data (Printf.sprintf "it is about %d rows and %s columns" header.n (Z.to_string header.p));
  let cells, columns = cells header data in
  let p = Z.to_int header.p in
  let decimals =
    match Schema.decimals header.p fields with Some powers -> powers | None -> List.init p (fun _ -> None)
  in
  let made =
    match header.model with
    | None -> Made.two_classes decimals header.bias cells data.labels
    | Some model -> Made.of_model decimals header.bias model columns cells
  in
  let zeros = List.init made.d (fun _ -> Z.zero) in
  let claimed = Schema.certificate header fields made in
  let holds =
    if header.model = None then Proved.check prime invert made.rows claimed
    else Proved.check_model prime invert zeros made.rows claimed
  in
  if not holds then refused "the proved check says no";
  let on_plane = Array.of_list (Made.map (Proved.plane_of claimed) made.rows) in
  let coefficients = Schema.coefficients header fields made on_plane in
  let hold found =
    if header.model = None then Proved.check_coefficients prime invert made.rows claimed found
    else Proved.check_model_coefficients prime invert zeros made.rows claimed found
  in
  if not (Option.fold ~none:true ~some:hold coefficients) then refused "the proved check says no to a coefficient";
  let because (named, w) =
    if not (Proved.check_because made.rows claimed named w) then refused "the proved check says no to its because"
  in
  List.iter because (Schema.because header fields made);
  match header.model with
  | None -> Sentences.proved made.rows claimed ^ Sentences.coefficients "coefficients" coefficients
  | Some model ->
      let many = List.length (List.filter (fun (_, equal) -> not equal) made.called) in
      let strict = Array.fold_left (fun n on -> if on then n else n + 1) 0 on_plane in
      let silent = header.verdict = "overlap" && Made.silent made model p in
      Sentences.of_model model.name header.verdict strict many silent ^ Sentences.coefficients "weights" coefficients

let main () =
  match Sys.argv with
  | [| _; certificate; data |] -> (
      try
        let certificate = parse (contents ~longest:longest_certificate certificate) in
        let data, told = read_data certificate data in
        Printf.printf "holds: %s\n" (check certificate data);
        Printf.printf "read: %s\n" told;
        Printf.printf "proved: the check, in Coq; not proved: %d lines that read the files\n" Lines.unproved;
        0
      with
      | Newer why -> Printf.printf "is not read: %s\n" why; 3
      | Refused why -> Printf.printf "does not hold: %s\n" why; 1
      | Other_data why | Sys_error why -> Printf.printf "is not about these data: %s\n" why; 2
      | Stack_overflow -> print_endline "is too large for the stack; say: ulimit -s unlimited"; 2)
  | _ ->
      print_endline
        "usage: rosenblatt-verify CERTIFICATE.json DATA.csv (or DATA.json: arrays; or DATA.f64: raw float64, then labels)";
      2

let () = exit (main ())
