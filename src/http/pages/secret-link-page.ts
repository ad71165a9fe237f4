// What the pages behind links of their own share: how a person sets up, links a phone or unsubscribes. Each is one self-contained document
// under a policy that allows its own blocks and nothing from elsewhere.

import { createHash } from "node:crypto";

const colours = `
:root { color-scheme: light dark; --page: light-dark(#fbfbf9, #14171a); --card: light-dark(#ffffff, #1b1f23);
  --ink: light-dark(#1c2126, #e3e6e8); --soft: light-dark(#5a636b, #9aa4ad); --line: light-dark(#c9cdca, #454c53);
  --link: light-dark(#0b5cad, #7ab7ff); --bad: light-dark(#a3341f, #ff9b85); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
h1 { font-size: 1.3rem; }
button { font: inherit; color: var(--card); background: var(--link); border: 0; border-radius: 8px; }
`;

/** A card in the middle of the screen, with one button. */
export const cardStyle = `
body { min-height: 100vh; display: grid; place-items: center; }
main { width: min(26rem, 92vw); padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 .25rem; }
p { color: var(--soft); }
button { margin-top: 1.4rem; width: 100%; padding: .65rem; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`;

const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * Pages with a style and a script (none by default) of their own. `rules`: what the policy allows besides them; `form-action` is `'none'`
 * unless it is one of these.
 */
export function secretLinkPages(
  ownStyle: string,
  {
    script = null,
    rules = ["form-action 'none'"],
  }: { script?: string | null; rules?: readonly string[] } = {},
): { policy: string; page: (title: string, content: string) => string } {
  const style = colours + ownStyle;
  const scriptRules = script === null ? [] : [`script-src ${digest(script)}`];
  return {
    policy: [
      "default-src 'none'",
      `style-src ${digest(style)}`,
      ...scriptRules,
      ...rules,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    page: (title, content) => `<!doctype html>
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
</main>${script === null ? "" : `\n<script>${script}</script>`}
</body>
</html>
`,
  };
}
