// "Try it" on the page at /docs: the data that an operation needs for it, and the script that creates its form and calls this installation.
// Keys stay in their fields: nothing stores them, and the page may connect only to its own address.

/** The inputs of a form. */
interface Tryable {
  method: string;
  path: string;
  /** The page's field with the credential; null if the operation needs none. */
  credential: "api_key" | "pool_key" | "token" | null;
  /** The names of its query parameters. */
  query: readonly string[];
  /** The initial body, as JSON text; null if the operation has no body. */
  body: string | null;
}

/** The fields of the credentials, once for the page. */
export const tryKeys = `<p>With these, <strong>Try it</strong> below asks this installation. They stay in this page: nothing stores them.</p>
<div class="keys">${[
  ["api_key", "API key"],
  ["pool_key", "Pool key"],
  ["token", "Management token"],
]
  .map(
    ([name, label]) =>
      `<label>${label}<input type="password" id="try-${name}" autocomplete="off" spellcheck="false"></label>`,
  )
  .join("")}</div>`;

/** `safe`: makes a text safe for an attribute. */
export function tryElement(of: Tryable, safe: (text: string) => string): string {
  const { method, path, credential, query, body } = of;
  const attributes = [
    ["method", method.toUpperCase()],
    ["path", path],
    ["credential", credential ?? ""],
    ["query", query.join(" ")],
    ["body", body ?? ""],
  ].map(([name = "", value = ""]) => ` data-${name}="${safe(value)}"`);
  return `<details class="try"${attributes.join("")}><summary>Try it</summary></details>`;
}

/** The forms are created when they are opened. An answer longer than 200,000 characters is cut. */
export const tryScript = `
const headerOf = { api_key: (key) => ["Api-key", key], pool_key: (key) => ["Authorization", "Bearer " + key],
  token: (key) => ["Authorization", "Bearer " + key] };
const made = (name, more, ...children) => { const element = Object.assign(document.createElement(name), more); element.append(...children); return element; };
for (const place of document.querySelectorAll("details.try")) place.addEventListener("toggle", () => {
  if (!place.open || place.querySelector("form")) return;
  const { method, path, credential, query, body } = place.dataset;
  const inPath = [...path.matchAll(/\\{(\\w+)\\}/g)].map(([, name]) => name);
  const fields = [...inPath, ...query.split(" ").filter(Boolean)].map((name) => {
    const input = made("input", { name, autocomplete: "off", required: inPath.includes(name) });
    return made("label", {}, name, input);
  });
  const text = body === "" ? null : made("textarea", { value: body, rows: Math.min(16, body.split("\\n").length + 1), spellcheck: false });
  const button = made("button", { className: "send" }, method === "GET" ? "Ask" : "Send");
  const note = method === "GET" ? "" : made("small", {}, " It is done for real.");
  const state = made("p", { role: "status" });
  const answer = made("code", {});
  const shown = made("pre", { tabIndex: 0, hidden: true }, answer);
  const form = made("form", {}, ...fields, ...(text ? [made("label", {}, "Body, as JSON", text)] : []), made("p", {}, button, note), state, shown);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const key = credential === "" ? "" : document.getElementById("try-" + credential).value.trim();
    const value = (name) => form.elements.namedItem(name).value.trim();
    const address = new URL(path.replaceAll(/\\{(\\w+)\\}/g, (_, name) => encodeURIComponent(value(name))), location.href);
    for (const name of query.split(" ").filter(Boolean)) if (value(name) !== "") address.searchParams.append(name, value(name));
    const headers = { ...(text ? { "Content-Type": "application/json" } : {}), ...(key ? Object.fromEntries([headerOf[credential](key)]) : {}) };
    button.disabled = true;
    state.textContent = "…";
    shown.hidden = true;
    const began = performance.now();
    try {
      const reply = await fetch(address, { method, headers, credentials: "omit", ...(text ? { body: text.value } : {}) });
      const words = (await reply.text()).slice(0, 200000);
      const id = reply.headers.get("X-Request-Id");
      state.textContent = reply.status + " " + reply.statusText + ", " + Math.round(performance.now() - began) + " ms" + (id ? ", " + id : "");
      let pretty = words;
      try { pretty = JSON.stringify(JSON.parse(words), null, 2); } catch {}
      answer.textContent = pretty;
      shown.hidden = words === "";
    } catch {
      state.textContent = "There was no answer.";
    }
    button.disabled = false;
  });
  place.append(form);
});
`;
