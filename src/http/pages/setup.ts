// The page at /setup: where a one-time link becomes an operator, or lets a user choose a password. Self-contained, under a policy that
// allows only its own two blocks and our own API. The code comes after the `#` of the link, so no server and no log sees it.

import { createHash } from "node:crypto";
import { commandWords } from "#runtime/program.ts";

const style = `
:root { color-scheme: light dark; --page: light-dark(#fbfbf9, #14171a); --card: light-dark(#ffffff, #1b1f23);
  --ink: light-dark(#1c2126, #e3e6e8); --soft: light-dark(#5a636b, #9aa4ad); --line: light-dark(#c9cdca, #454c53);
  --link: light-dark(#0b5cad, #7ab7ff); --bad: light-dark(#a3341f, #ff9b85); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, sans-serif; }
main { width: min(26rem, 92vw); padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 .25rem; font-size: 1.3rem; }
p { margin: 0 0 1.25rem; color: var(--soft); }
label { display: block; margin: .9rem 0 .2rem; font-size: .92rem; }
input { width: 100%; padding: .55rem .7rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--line); border-radius: 8px; }
button { margin-top: 1.4rem; width: 100%; padding: .65rem; font: inherit; font-weight: 600; color: var(--card);
  background: var(--link); border: 0; border-radius: 8px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#result { margin: 1rem 0 0; min-height: 1.6em; color: var(--bad); }
#result.done { color: inherit; }
[hidden] { display: none; }
input[readonly] { color: var(--soft); }
`;

const script = `
const form = document.querySelector("form");
const result = document.getElementById("result");
const code = decodeURIComponent(location.hash.slice(1));
// Neither the address bar nor the history keeps it.
history.replaceState(null, "", location.pathname);
// The link of a user whom an operator has added: only the password is missing.
const isUser = code.startsWith("tlu_");
const ask = (path, body) =>
  fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
async function greet() {
  const title = "Choose your password";
  document.title = title + " · Trunkline";
  document.querySelector("h1").textContent = title;
  form.querySelector("button").textContent = "Choose it and sign in";
  form.elements.name.disabled = true;
  for (const field of form.querySelectorAll(".name")) field.hidden = true;
  form.elements.email.readOnly = true;
  const about = document.getElementById("about");
  about.textContent = "With it you sign in here.";
  const reply = await ask("/api/manage/v1/setup/link", { code });
  const body = await reply.json();
  if (!reply.ok) {
    form.hidden = true;
    // 401: the link is unknown, used or expired; 422: the text is not that of a link. Other answers say nothing of it.
    const isOver = reply.status === 401 || reply.status === 422;
    result.textContent = body.message + (isOver
      ? " Ask the operator who sent it to you for a new one."
      : " Open the link again later.");
    return;
  }
  about.textContent = "Welcome, " + body.data.name + ". With your address and this password you sign in here.";
  form.elements.email.value = body.data.email;
  form.elements.password.focus();
}
if (!code) result.textContent = "This page needs its one-time link. ${commandWords("setup")} makes a new one.";
else if (isUser) greet().catch(() => { result.textContent = "The service did not answer. Open the link again."; });
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  result.textContent = "";
  const { email, name, password } = Object.fromEntries(new FormData(form));
  try {
    const reply = isUser
      ? await ask("/api/manage/v1/setup/user", { code, password })
      : await ask("/api/manage/v1/setup", { code, email, name, password });
    const body = await reply.json();
    if (reply.ok) {
      form.hidden = true;
      result.className = "done";
      result.textContent = isUser ? "You are signed in." : "You are the operator of this installation now.";
      // The dashboard may be switched off.
      const dashboard = await fetch("/", { headers: { accept: "text/html" } });
      if (dashboard.ok) location.replace("/");
      else result.textContent += " What you can do with it is at /docs.";
    } else {
      const errors = Object.entries(body.errors ?? {}).map(([field, words]) => field + ": " + words.join(" "));
      result.textContent = errors.join(" ") || body.message;
    }
  } catch {
    result.textContent = "The service did not answer. Try again.";
  }
  button.disabled = false;
});
`;

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Set up Trunkline</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Set up Trunkline</h1>
<p id="about">Choose how you sign in as the operator of this installation.</p>
<form>
<label for="name" class="name">Name</label>
<input id="name" class="name" name="name" autocomplete="name" required maxlength="100">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254">
<label for="password">Password, at least 12 characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="200">
<button>Make me the operator</button>
</form>
<p id="result" role="status"></p>
</main>
<script>${script}</script>
</body>
</html>
`;

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page and the policy that it needs. */
export const setupPage = {
  html,
  contentSecurityPolicy: [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
};
