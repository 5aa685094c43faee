(* Lines of cells. Quotes as spreadsheets write them: "a ""b"" c"; a line ends at \n, \r or \r\n. *)

type place = Start | Plain | Quoted | After_quote

let fold delimiter text handle first =
  let n = String.length text in
  let cell = Buffer.create 64 in
  let rec go i place cells result =
    let finish () =
      let found = Buffer.contents cell in
      Buffer.clear cell;
      found
    in
    let add c next =
      Buffer.add_char cell c;
      go (i + 1) next cells result
    in
    let end_of_line () =
      let empty = cells = [] && place = Start in
      let cells = if empty then [] else List.rev (finish () :: cells) in
      let next = if i + 1 < n && text.[i] = '\r' && text.[i + 1] = '\n' then i + 2 else i + 1 in
      go next Start [] (if empty then result else handle result cells)
    in
    if i >= n then if cells = [] && place = Start then result else handle result (List.rev (finish () :: cells))
    else
      match (place, text.[i]) with
      | Quoted, '"' -> go (i + 1) After_quote cells result
      | Quoted, c -> add c Quoted
      | Start, '"' -> go (i + 1) Quoted cells result
      | After_quote, '"' -> add '"' Quoted
      | _, ('\n' | '\r') -> end_of_line ()
      | _, c when c = delimiter ->
          let found = finish () in
          go (i + 1) Start (found :: cells) result
      | _, c -> add c Plain
  in
  let start = if n >= 3 && String.sub text 0 3 = "\xEF\xBB\xBF" then 3 else 0 in
  go start Start [] first
