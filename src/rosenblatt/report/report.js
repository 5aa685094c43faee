// Sorting of tables and saving of the certificate; all else on the page works without it.
(() => {
  "use strict";
  const key = (row, column) => {
    const cell = row.cells[column];
    const sort = cell.dataset.sort;
    if (sort === undefined) return cell.textContent;
    return sort !== "" && !Number.isNaN(Number(sort)) ? Number(sort) : sort;
  };
  // numbers before words, what is absent last, whichever way
  const compare = (a, b, sign) => {
    const absent = (v) => v === "" || v === "—";
    if (absent(a) || absent(b)) return absent(a) - absent(b);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return sign * (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
  };
  document.querySelectorAll("table.sortable").forEach((table) => {
    const headings = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    headings.forEach((heading, column) => {
      if (body.rows[0]?.cells[column].classList.contains("number")) heading.classList.add("number");
      heading.firstElementChild.addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row) => [key(row, column), row]);
        rows.sort((a, b) => compare(a[0], b[0], down ? -1 : 1));
        body.append(...rows.map((pair) => pair[1]));
      });
    });
  });
  document.querySelectorAll("[data-save]").forEach((button) => {
    button.addEventListener("click", () => {
      const text = document.getElementById(button.dataset.save).textContent;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = button.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
})();
