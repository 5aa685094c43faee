// Self-tests: the choices of a question become buttons, and say whether they are right. The answer is the first number
// in the folded part. Without JavaScript, and in the repository, a question is a list with its answer folded away.
for (const box of document.querySelectorAll(".selftest")) {
  const answer = box.querySelector("details");
  const right = Number.parseInt(/\d+/.exec(answer.textContent.replace("Answer", ""))[0], 10);
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  const choices = [...box.querySelectorAll(":scope > ol > li")];
  choices.forEach((choice, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...choice.childNodes);
    button.addEventListener("click", () => {
      choice.className = i + 1 === right ? "right" : "wrong";
      said.textContent = i + 1 === right ? "Right." : "No. Try again, or look at the answer.";
      if (i + 1 === right) answer.open = true;
    });
    choice.append(button);
  });
  answer.before(said);
}
