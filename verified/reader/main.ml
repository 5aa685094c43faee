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

let read_certificate path =
  let text = contents ~longest:longest_certificate path in
  try Json.parse text with Json.Wrong why -> refused why | Stack_overflow -> refused "the file is not JSON"

(* Rows and labels, and how they were read. *)
let read_data certificate path =
  if Filename.check_suffix path ".f64" then begin
    let header = Schema.header certificate in
    Schema.check_fields header (match certificate with Json.Object f -> f | _ -> []);
    let p = if Z.fits_int header.p && Z.sign header.p >= 0 then Z.to_int header.p else -1 in
    if p < 0 || p > Table.widest then other_data "its number of columns fits no data";
    (Raw.read header.n p (contents path), Printf.sprintf "%d rows of raw float64" header.n)
  end
  else
    let p = match Table.get "p" certificate with Some (Json.Int p) -> p | _ -> Z.minus_one in
    Table.read certificate p (contents path)

let check certificate rows =
  let header = Schema.header certificate in
  let fields = match certificate with Json.Object f -> f | _ -> [] in
  Schema.check_fields header fields;
  let fits (x, _) = Z.equal (Z.of_int (Array.length x)) header.p in
  if List.compare_length_with rows header.n <> 0 || not (List.for_all fits rows) then
    other_data (Printf.sprintf "it is about %d rows and %s columns" header.n (Z.to_string header.p));
  if header.sha256 <> Hashing.digest header.layout rows then other_data "the data have another hash";
  let claimed = Schema.certificate header fields in
  let decimals =
    match Schema.decimals header fields with
    | Some powers -> powers
    | None -> List.init (Z.to_int header.p) (fun _ -> None)
  in
  let encode row =
    match Proved.encode decimals header.bias (Floats.example row) with
    | Some found -> found
    | None -> refused "a value is not the decimal it is said to be"
  in
  let encoded = List.rev (List.rev_map encode rows) in
  if not (Proved.check prime invert encoded claimed) then refused "the proved check says no";
  let on_plane = Array.of_list (List.rev (List.rev_map (Proved.plane_of claimed) encoded)) in
  let coefficients = Schema.coefficients header fields on_plane in
  let hold found = Proved.check_coefficients prime invert encoded claimed found in
  if not (Option.fold ~none:true ~some:hold coefficients) then refused "the proved check says no to a coefficient";
  Sentences.proved encoded claimed ^ Sentences.coefficients coefficients

let main () =
  match Sys.argv with
  | [| _; certificate; data |] -> (
      try
        let certificate = read_certificate certificate in
        Schema.refuse_newer certificate;
        let rows, told = read_data certificate data in
        Printf.printf "holds: %s\n" (check certificate rows);
        Printf.printf "read: %s\n" told;
        Printf.printf "proved: the check, in Coq; not proved: %d lines that read the files\n" Lines.unproved;
        0
      with
      | Newer why -> Printf.printf "is not read: %s\n" why; 3
      | Refused why -> Printf.printf "does not hold: %s\n" why; 1
      | Other_data why | Sys_error why -> Printf.printf "is not about these data: %s\n" why; 2
      | Stack_overflow -> print_endline "is too large for the stack; say: ulimit -s unlimited"; 2)
  | _ ->
      print_endline "usage: rosenblatt-verify CERTIFICATE.json DATA.csv (or DATA.f64: raw float64, then labels as int8)";
      2

let () = exit (main ())
