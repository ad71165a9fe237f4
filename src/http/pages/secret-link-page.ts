// What the pages behind links of their own share: how a person sets up, links a phone or unsubscribes. Each is one self-contained document
// under a policy that allows its own blocks and nothing from elsewhere.

import { createHash } from "node:crypto";

// The colours and sizes are those of the dashboard (ui/src/look/tokens.css).
const colours = `
:root { color-scheme: light dark; --page: light-dark(#fafafb, #0b0b0d); --card: light-dark(#ffffff, #0f0f11);
  --ink: light-dark(#17171a, #ededf0); --soft: light-dark(#62626c, #a1a1ac); --line: light-dark(#e9e9ed, #26262b);
  --edge: light-dark(#8d8d97, #6f6f7a); --raised: light-dark(#ffffff, #17171a);
  --link: light-dark(#3550dc, #97abff); --bad: light-dark(#b3261e, #ff9488); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 14px/20px "Geist Variable", system-ui, sans-serif; }
h1 { font-size: 22px; line-height: 28px; font-weight: 600; letter-spacing: -.02em; }
button { font: inherit; font-weight: 500; color: var(--card); background: var(--ink); border: 0; border-radius: 6px; }
`;

/** A card in the middle of the screen, with one button. */
export const cardStyle = `
body { min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; }
main { width: min(380px, 100%); padding: 32px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
h1 { margin: 0 0 4px; }
p { color: var(--soft); }
button { margin-top: 20px; width: 100%; min-height: 32px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 760px) { button { min-height: 44px; } }
`;

const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * Pages with a style and a script (none by default) of their own. `rules`: what the policy allows besides them; `form-action` is `'none'`
 * unless it is one of these. `head` and `brand` are markup of the document's head and of what is above the title.
 */
export function secretLinkPages(
  ownStyle: string,
  {
    script = null,
    rules = ["form-action 'none'"],
    head = "",
    brand = "",
  }: { script?: string | null; rules?: readonly string[]; head?: string; brand?: string } = {},
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
${head}<style>${style}</style>
</head>
<body>
<main>
${brand}<h1>${title}</h1>
${content}
</main>${script === null ? "" : `\n<script>${script}</script>`}
</body>
</html>
`,
  };
}
