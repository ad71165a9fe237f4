// The page that a QR code opens on a phone: what to install, what to type in, and in which order. It holds the phone's token and
// its code, so it works for a few minutes, is stored nowhere, and loads nothing from elsewhere.

import { createHash } from "node:crypto";

const style = `
:root { color-scheme: light dark; --page: light-dark(#fbfbf9, #14171a); --card: light-dark(#ffffff, #1b1f23);
  --ink: light-dark(#1c2126, #e3e6e8); --soft: light-dark(#5a636b, #9aa4ad); --line: light-dark(#c9cdca, #454c53);
  --link: light-dark(#0b5cad, #7ab7ff); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1.25rem; }
h1 { margin: 0 0 .5rem; font-size: 1.3rem; }
p, li { margin: 0 0 .6rem; }
a { color: var(--link); }
.value { display: flex; gap: .5rem; margin: .3rem 0 .8rem; }
.value code { flex: 1; padding: .45rem .6rem; overflow-wrap: anywhere; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; }
button { padding: .45rem .8rem; font: inherit; color: var(--card); background: var(--link); border: 0; border-radius: 8px; }
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

const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The policy of the page: its own two blocks, and nothing else. */
export const linkPagePolicy = `default-src 'none'; style-src ${digest(style)}; script-src ${digest(script)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const value = (text: string) =>
  `<div class="value"><code>${escaped(text)}</code><button type="button">Copy</button></div>`;

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
<script>${script}</script>
</body>
</html>
`;
}

/** How to link a phone. `code` null: by the token alone. */
export function linkPage(link: {
  apiUrl: string;
  token: string;
  code: string | null;
  expiresAt: string;
}): string {
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

export const linkPageOver = page(
  "This page has expired",
  "<p>Ask for a new code where you got this address. A phone that is linked already stays linked.</p>",
);
