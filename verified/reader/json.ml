(* JSON, read strictly: no name twice in an object, nothing after the value. *)

exception Wrong of string

type t =
  | Null
  | Bool of bool
  | Int of Z.t
  | Float of float
  | String of string
  | List of t list
  | Object of (string * t) list

let deepest = 900 (* nested values *)
let wrong () = raise (Wrong "the file is not JSON")

let add_utf8 out code =
  let byte n = Buffer.add_char out (Char.chr n) in
  if code < 0x80 then byte code
  else begin
    if code < 0x800 then byte (0xC0 lor (code lsr 6))
    else begin
      if code < 0x10000 then byte (0xE0 lor (code lsr 12))
      else begin
        byte (0xF0 lor (code lsr 18));
        byte (0x80 lor ((code lsr 12) land 0x3F))
      end;
      byte (0x80 lor ((code lsr 6) land 0x3F))
    end;
    byte (0x80 lor (code land 0x3F))
  end

let unique pairs =
  let seen = Hashtbl.create (List.length pairs) in
  let add (name, _) =
    if Hashtbl.mem seen name then raise (Wrong "the file has a name twice");
    Hashtbl.add seen name ()
  in
  List.iter add pairs;
  pairs

(* The number at a place of the text, and the place after it. *)
let number text start =
  let n = String.length text in
  let rec digits i = if i < n && text.[i] >= '0' && text.[i] <= '9' then digits (i + 1) else i in
  let some i = match digits i with j when j > i -> j | _ -> wrong () in
  let first = if text.[start] = '-' then start + 1 else start in
  let whole = if first < n && text.[first] = '0' then first + 1 else some first in
  let point = if whole < n && text.[whole] = '.' then some (whole + 1) else whole in
  let stop =
    if point < n && (text.[point] = 'e' || text.[point] = 'E') then
      some (if point + 1 < n && (text.[point + 1] = '+' || text.[point + 1] = '-') then point + 2 else point + 1)
    else point
  in
  let found = String.sub text start (stop - start) in
  ((if stop = whole then Int (Z.of_string found) else Float (float_of_string found)), stop)

type state = { text : string; mutable at : int }

let ended s = s.at >= String.length s.text
let peek s = if ended s then wrong () else s.text.[s.at]
let advance s = s.at <- s.at + 1
let expect s c = if peek s = c then advance s else wrong ()

let rec blank s =
  if (not (ended s)) && String.contains " \t\r\n" s.text.[s.at] then (advance s; blank s)

(* Whether the text goes on with this word. *)
let continues s w =
  let size = String.length w in
  s.at + size <= String.length s.text && String.sub s.text s.at size = w

let word s w value = if continues s w then (s.at <- s.at + String.length w; value) else wrong ()

let hex s =
  let is_hex c = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') in
  if s.at + 4 > String.length s.text then wrong ();
  let four = String.sub s.text s.at 4 in
  if not (String.for_all is_hex four) then wrong ();
  s.at <- s.at + 4;
  int_of_string ("0x" ^ four)

(* A character by its number; beyond 0xFFFF it is written as two. *)
let numbered s out =
  let high = hex s in
  let after = s.at in
  let low = if high land 0xFC00 = 0xD800 && continues s "\\u" then (s.at <- after + 2; hex s) else 0 in
  if low land 0xFC00 = 0xDC00 then add_utf8 out (0x10000 + ((high land 0x3FF) lsl 10) + (low land 0x3FF))
  else (s.at <- after; add_utf8 out high)

let escaped s out =
  let c = peek s in
  advance s;
  match c with
  | '"' | '\\' | '/' -> Buffer.add_char out c
  | 'b' -> Buffer.add_char out '\b'
  | 'f' -> Buffer.add_char out '\012'
  | 'n' -> Buffer.add_char out '\n'
  | 'r' -> Buffer.add_char out '\r'
  | 't' -> Buffer.add_char out '\t'
  | 'u' -> numbered s out
  | _ -> wrong ()

let str s =
  expect s '"';
  let out = Buffer.create 16 in
  let rec go () =
    let c = peek s in
    advance s;
    match c with
    | '"' -> Buffer.contents out
    | '\\' -> escaped s out; go ()
    | c when Char.code c < 0x20 -> wrong ()
    | c -> Buffer.add_char out c; go ()
  in
  go ()

(* What is between brackets, separated by commas. *)
let items s close item =
  advance s;
  blank s;
  let rec more found =
    let found = item () :: found in
    blank s;
    match peek s with
    | ',' -> advance s; blank s; more found
    | c when c = close -> advance s; List.rev found
    | _ -> wrong ()
  in
  if peek s = close then (advance s; []) else more []

let rec value s depth =
  if depth > deepest then wrong ();
  blank s;
  match peek s with
  | '{' -> Object (unique (items s '}' (fun () -> pair s depth)))
  | '[' -> List (items s ']' (fun () -> value s (depth + 1)))
  | '"' -> String (str s)
  | 't' -> word s "true" (Bool true)
  | 'f' -> word s "false" (Bool false)
  | 'n' -> word s "null" Null
  | 'N' -> word s "NaN" (Float nan)
  | 'I' -> word s "Infinity" (Float infinity)
  | '-' when continues s "-I" -> word s "-Infinity" (Float neg_infinity)
  | '-' | '0' .. '9' ->
      let found, stop = number s.text s.at in
      s.at <- stop;
      found
  | _ -> wrong ()

and pair s depth =
  let name = str s in
  blank s;
  expect s ':';
  (name, value s (depth + 1))

let parse text =
  let s = { text; at = 0 } in
  if continues s "\xEF\xBB\xBF" then s.at <- 3;
  let found = value s 0 in
  blank s;
  if not (ended s) then wrong ();
  found
