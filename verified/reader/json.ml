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

let parse text =
  let n = String.length text in
  let at = ref (if n >= 3 && String.sub text 0 3 = "\xEF\xBB\xBF" then 3 else 0) in
  let peek () = if !at < n then text.[!at] else wrong () in
  let rec blank () =
    if !at < n && String.contains " \t\r\n" text.[!at] then (incr at; blank ())
  in
  let expect c = if peek () = c then incr at else wrong () in
  let word w value =
    let size = String.length w in
    if !at + size <= n && String.sub text !at size = w then (at := !at + size; value) else wrong ()
  in
  let hex () =
    let is_hex c = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') in
    if !at + 4 > n then wrong ();
    let four = String.sub text !at 4 in
    if not (String.for_all is_hex four) then wrong ();
    at := !at + 4;
    int_of_string ("0x" ^ four)
  in
  let escaped out =
    match peek () with
    | ('"' | '\\' | '/') as c -> incr at; Buffer.add_char out c
    | 'b' -> incr at; Buffer.add_char out '\b'
    | 'f' -> incr at; Buffer.add_char out '\012'
    | 'n' -> incr at; Buffer.add_char out '\n'
    | 'r' -> incr at; Buffer.add_char out '\r'
    | 't' -> incr at; Buffer.add_char out '\t'
    | 'u' ->
        incr at;
        let high = hex () in
        let after = !at in
        let pair = high land 0xFC00 = 0xD800 && after + 1 < n && text.[after] = '\\' && text.[after + 1] = 'u' in
        let low = if pair then (at := after + 2; hex ()) else 0 in
        if pair && low land 0xFC00 = 0xDC00 then
          add_utf8 out (0x10000 + ((high land 0x3FF) lsl 10) + (low land 0x3FF))
        else (at := after; add_utf8 out high)
    | _ -> wrong ()
  in
  let str () =
    expect '"';
    let out = Buffer.create 16 in
    let rec go () =
      match peek () with
      | '"' -> incr at
      | '\\' -> incr at; escaped out; go ()
      | c when Char.code c < 0x20 -> wrong ()
      | c -> incr at; Buffer.add_char out c; go ()
    in
    go ();
    Buffer.contents out
  in
  (* What is between brackets, separated by commas. *)
  let items close item =
    incr at;
    blank ();
    if peek () = close then (incr at; [])
    else
      let rec more found =
        let found = item () :: found in
        blank ();
        match peek () with
        | ',' -> incr at; blank (); more found
        | c when c = close -> incr at; List.rev found
        | _ -> wrong ()
      in
      more []
  in
  let rec value depth =
    if depth > deepest then wrong ();
    blank ();
    match peek () with
    | '{' -> Object (unique (items '}' (pair depth)))
    | '[' -> List (items ']' (fun () -> value (depth + 1)))
    | '"' -> String (str ())
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | 'n' -> word "null" Null
    | 'N' -> word "NaN" (Float nan)
    | 'I' -> word "Infinity" (Float infinity)
    | '-' when !at + 1 < n && text.[!at + 1] = 'I' -> word "-Infinity" (Float neg_infinity)
    | '-' | '0' .. '9' ->
        let found, stop = number text !at in
        at := stop;
        found
    | _ -> wrong ()
  and pair depth () =
    let name = str () in
    blank ();
    expect ':';
    (name, value (depth + 1))
  in
  let found = value 0 in
  blank ();
  if !at < n then wrong ();
  found
