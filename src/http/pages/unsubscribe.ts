// The page behind the unsubscribe link of a mail, for people: it asks, and only its button acts, because mail scanners
// follow every link. No script, no cookie, nothing from elsewhere; it says nothing of who the recipient is.

import { createHash } from "node:crypto";

const style = `
:root { color-scheme: light dark; --page: light-dark(#fbfbf9, #14171a); --card: light-dark(#ffffff, #1b1f23);
  --ink: light-dark(#1c2126, #e3e6e8); --soft: light-dark(#5a636b, #9aa4ad); --line: light-dark(#c9cdca, #454c53);
  --link: light-dark(#0b5cad, #7ab7ff); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, sans-serif; }
main { width: min(26rem, 92vw); padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 .25rem; font-size: 1.3rem; }
p { margin: 0; color: var(--soft); }
button { margin-top: 1.4rem; width: 100%; padding: .65rem; font: inherit; font-weight: 600; color: var(--card);
  background: var(--link); border: 0; border-radius: 8px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`;

function page(title: string, text: string, form = ""): string {
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
<p>${text}</p>
${form}
</main>
</body>
</html>
`;
}

/** Posts to the page's own address, as mail programs do by themselves (RFC 8058). */
const form = `<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>Unsubscribe</button>
</form>`;

export const unsubscribePages = {
  ask: page("Unsubscribe", "Do you want to get no more mail from this sender?", form),
  done: page("You are unsubscribed", "This sender's mail does not go to you any more."),
  /** Shown while storage does not answer. */
  later: page("Not now", "This could not be done at the moment. Please try again in a few minutes.", form),
  /** Shown for a malformed token, also when a link was followed. */
  invalid: page("This link is not valid", "It may have been cut off. Follow the link in the mail itself."),
};

/** The policy that these pages need. */
export const unsubscribePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");
