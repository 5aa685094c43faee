// Self-tests and exercises: without JavaScript, and in the repository, a question with its answer folded away.
const said = (before) => {
  const line = document.createElement("p");
  line.setAttribute("role", "status");
  before.before(line);
  return line;
};
const AGAIN = "No. Try again, or look at the answer.";

// The choices of a self-test become buttons, and say whether they are right. The answer is the first number folded away.
for (const box of document.querySelectorAll(".selftest")) {
  const answer = box.querySelector("details");
  const right = Number.parseInt(/\d+/.exec(answer.textContent.replace("Answer", ""))[0], 10);
  const line = said(answer);
  const choices = [...box.querySelectorAll(":scope > ol > li")];
  choices.forEach((choice, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...choice.childNodes);
    button.addEventListener("click", () => {
      choice.className = i + 1 === right ? "right" : "wrong";
      line.textContent = i + 1 === right ? "Right." : AGAIN;
      if (i + 1 === right) answer.open = true;
    });
    choice.append(button);
  });
}

// An exercise gets a field. Right is what stands in bold at the beginning of its answer; numbers may be written 0.5, ,5 or 1/2.
const plain = (text) => text.trim().toLowerCase().replaceAll("−", "-").replace(/[\s()[\]{}.]+$|^[\s()[\]{}]+|(?<=\d),(?=\d{3}\b)/g, "");
const value = (text) => {
  const [over, under = "1", ...more] = plain(text).replace(",", ".").split("/");
  return over === "" || more.length ? NaN : Number(over) / Number(under);
};
const list = (text) => plain(text).split(/[\s,;]+/).join(" ");
const same = (a, b) => list(a) === list(b) || Math.abs(value(a) - value(b)) < 1e-9;
for (const answer of document.querySelectorAll("#exercises details")) {
  const right = answer.querySelector("summary + p > strong:first-child");
  if (!right) continue;
  const form = document.createElement("form");
  form.className = "exercise";
  const field = document.createElement("input");
  field.setAttribute("aria-label", "Your answer");
  field.placeholder = "Your answer";
  const button = document.createElement("button");
  button.textContent = "Check";
  form.append(field, button);
  answer.before(form);
  const line = said(answer);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!field.value.trim()) return;
    const good = right.textContent.split(" or ").some((one) => same(field.value, one));
    line.textContent = good ? "Right." : AGAIN;
    if (good) answer.open = true;
  });
}
