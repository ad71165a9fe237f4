// The page at /setup: where a one-time link becomes an operator, or lets a user choose a password. Self-contained, under a policy that
// allows only its own two blocks and our own API. The code comes after the `#` of the link, so no server and no log sees it.

import { commandWords } from "#runtime/program.ts";
import { cardStyle, secretLinkPages } from "./secret-link-page.ts";

// The dashboard's letters, where it is switched on. They come with the document or not at all: no text moves.
const font = "/assets/geist-latin-wght-normal.woff2";

const style = `${cardStyle}p { margin: 0 0 20px; }
@font-face { font-family: "Geist Variable"; font-weight: 100 900; font-display: optional; src: url(${font}) format("woff2"); }
.brand { display: flex; align-items: center; gap: 8px; color: var(--ink); font-weight: 600; }
label { display: block; margin: 16px 0 6px; font-size: 13px; font-weight: 500; }
input { width: 100%; min-height: 32px; padding: 5px 10px; font: inherit; color: inherit; background: var(--raised);
  border: 1px solid var(--edge); border-radius: 6px; }
@media (max-width: 760px) { input { min-height: 44px; } }
#result { margin: 16px 0 0; min-height: 20px; color: var(--bad); }
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
    // 401: the link is unknown, used or expired; 422: the text is not that of a link. Other answers say nothing about it.
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

const { policy, page } = secretLinkPages(style, {
  script,
  rules: ["connect-src 'self'", "font-src 'self'", "form-action 'none'"],
  head: `<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>\n`,
  brand: `<p class="brand"><svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2"
 stroke-linecap="round" aria-hidden="true"><path d="M3 4h14M10 4v12M3 10h4M13 10h4"/></svg>Trunkline</p>\n`,
});

const html = page(
  "Set up Trunkline",
  `<p id="about">Choose how you sign in as the operator of this installation.</p>
<form>
<label for="name" class="name">Name</label>
<input id="name" class="name" name="name" autocomplete="name" required maxlength="100">
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254">
<label for="password">Password, at least 12 characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="200">
<button>Make me the operator</button>
</form>
<p id="result" role="status"></p>`,
);

/** The page and the policy that it needs. */
export const setupPage = { html, contentSecurityPolicy: policy };
