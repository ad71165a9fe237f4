// GET /link/{page}: the page that a QR code opens on a phone: what to install, what to type in, and in which order. It contains the phone's
// token and its code, so it works for a few minutes, is stored nowhere, and loads no external resources.

import { z } from "zod";
import type { Call } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { secretLinkPages } from "#http/pages/secret-link-page.ts";
import { findLinkPage } from "#phones/link.ts";
import { phonePath, withThrottle } from "./phone-call.ts";

const style = `
main { max-width: 34rem; margin: 0 auto; padding: 1.25rem; }
h1 { margin: 0 0 .5rem; }
p, li { margin: 0 0 .6rem; }
a { color: var(--link); }
.value { display: flex; gap: .5rem; margin: .3rem 0 .8rem; }
.value code { flex: 1; padding: .45rem .6rem; overflow-wrap: anywhere; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; }
button { padding: .45rem .8rem; }
.soft { color: var(--soft); }
`;

const script = `
for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", async () => {
    const value = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(value.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(value);
    }
  });
}
`;

const { policy, page } = secretLinkPages(style, { script });

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const value = (text: string) =>
  `<div class="value"><code>${escaped(text)}</code><button type="button">Copy</button></div>`;

/** How to link a phone. `code` is null if it links only by the token. */
function linkPage(link: { apiUrl: string; token: string; code: string | null; expiresAt: string }): string {
  const { apiUrl, token, code, expiresAt } = link;
  return page(
    "Link this phone",
    `<p>This page works until ${escaped(expiresAt)}.</p>
<ol>
<li>Install <a href="https://github.com/capcom6/android-sms-gateway/releases" rel="noreferrer">SMS Gateway for Android</a>, version
1.53.1 or later, better 1.70.3 or later: the file <code>app-release.apk</code>. Do not start it before the next step is done in the app's settings.</li>
<li>Android 13 and later: open the app's info in Android's settings, then the menu ⋮, then <em>Allow restricted settings</em>.</li>
<li>In the app: <em>Settings</em>, <em>Cloud server</em>. Enter the <em>API URL</em>:
${value(apiUrl)}
and the <em>Private token</em>:
${value(token)}
and set the <em>Notification channel</em> to <em>SSE only</em>.</li>
<li><em>Settings</em>, <em>System</em>: switch the battery optimization off for the app.</li>
<li><em>Home</em>: switch <em>Cloud server</em> and <em>Start on boot</em> on, and start it. ${
      code === null
        ? "Choose <em>Sign up</em>."
        : `Choose <em>By code</em> and enter:
${value(code)}`
    } Allow it to send SMS and to use the phone.</li>
</ol>
<p class="soft">The address must stand there before the first start, or the phone registers with the app's public server. A phone that was
registered there before does not ask for a code: it registers here with the private token by itself.</p>`,
  );
}

/** The policy of the page allows only its own two blocks. */
function answer<const Status extends number>(status: Status, body: string) {
  const headers = { "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" };
  return { status, body, type: "text/html; charset=utf-8", headers };
}

const over = answer(
  404,
  page(
    "This page has expired",
    "<p>Ask for a new code where you got this address. A phone that is linked already stays linked.</p>",
  ),
);

async function show(call: Call) {
  const { publicUrl } = call.settings;
  const found = await withThrottle(call, call.params.page ?? "", (shown) => findLinkPage(call.core, shown));
  if (!("token" in found) || publicUrl === null) return over;
  const { token, code, expiresAt } = found;
  return answer(200, linkPage({ apiUrl: `${publicUrl}${phonePath}`, token, code, expiresAt }));
}

export const linkPageEndpoint = endpoint({
  method: "GET",
  path: "/link/{page}",
  name: "showLinkPage",
  tag: "Phones",
  summary: "How to link a phone",
  family: "open",
  params: { page: z.string().max(100) },
  notFound: over,
  replies: { 200: z.string(), 404: z.string() },
  replyType: "text/html",
  problems: [],
})(show);
