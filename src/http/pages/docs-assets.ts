// Style and script of the page at /docs. Both are inline under their hashes, so neither may be changed on
// its way out. Colours keep a contrast of at least 4.5:1 in both schemes.

export const docsStyle = `
:root { color-scheme: light dark;
  --page: light-dark(#fbfbf9, #14171a); --card: light-dark(#ffffff, #1b1f23); --ink: light-dark(#1c2126, #e3e6e8);
  --soft: light-dark(#5a636b, #9aa4ad); --line: light-dark(#e0e2df, #30363c); --link: light-dark(#0b5cad, #7ab7ff);
  --good: light-dark(#146c43, #62c996); --bad: light-dark(#a3341f, #ff9b85); --post: light-dark(#8a4b00, #f0b35e); }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
header { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: 1rem 1.5rem;
  border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.35rem; } h1 small { color: var(--soft); font-weight: 400; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 54rem); gap: 2.5rem; padding: 0 1.5rem; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 1.25rem 0; font-size: .9rem; }
nav h2 { margin: 1.1rem 0 .2rem; font-size: .78rem; color: var(--soft); letter-spacing: .04em; text-transform: uppercase; }
nav ul { list-style: none; margin: .4rem 0 0; padding: 0; }
nav li a { display: block; padding: .2rem 0; color: inherit; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
nav label { color: var(--soft); }
nav input { width: 100%; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card);
  color: inherit; font: inherit; }
main { padding: 1.25rem 0 6rem; }
main > h2 { margin: 2.75rem 0 .5rem; font-size: 1.3rem; }
.lead { color: var(--soft); margin-top: 0; }
.endpoint, .event { margin: 1rem 0 1.5rem; padding: 1.1rem 1.3rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; }
.endpoint h3, .event h3 { margin: 0; font-size: 1.08rem; } .endpoint h3 a, .event h3 a { color: inherit; text-decoration: none; }
.endpoint h4 { margin: 1.2rem 0 .4rem; font-size: .95rem; }
.line { margin: .35rem 0; }
code, pre { font: .88em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.method { font: 700 .72rem/1 ui-monospace, Menlo, monospace; color: var(--good); display: inline-block; min-width: 2.6rem; }
.method.post { color: var(--post); }
.key { font-size: .75rem; border: 1px solid var(--line); border-radius: 99px; padding: .1rem .5rem; color: var(--soft); }
figure { margin: .8rem 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
figcaption { display: flex; justify-content: space-between; align-items: center; padding: .3rem .8rem; color: var(--soft);
  font-size: .82rem; border-bottom: 1px solid var(--line); }
pre { margin: 0; padding: .8rem; overflow: auto; background: var(--page); }
button { font: inherit; color: var(--link); background: none; border: 0; padding: .2rem .4rem; cursor: pointer; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; margin: .6rem 0; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th { text-align: left; color: var(--soft); font-weight: 500; }
th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
small { color: var(--soft); }
.keys, .try form { display: grid; gap: .6rem; } .keys { grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); }
.keys label, .try label { display: grid; gap: .2rem; color: var(--soft); font-size: .9rem; }
.keys input, .try input, .try textarea { padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: 6px; background: var(--page);
  color: var(--ink); font: .88rem/1.5 ui-monospace, Menlo, monospace; }
.try summary { cursor: pointer; color: var(--link); } .try form { margin: .6rem 0; } .try p { margin: 0; }
.try pre { border: 1px solid var(--line); border-radius: 8px; max-height: 30rem; }
.send { border: 1px solid var(--link); border-radius: 6px; padding: .3rem .9rem; }
.reply { border-top: 1px solid var(--line); padding: .45rem 0; font-size: .92rem; }
.reply summary { cursor: pointer; }
.status { font: 700 .85rem/1 ui-monospace, Menlo, monospace; color: var(--good); } .s4, .s5 { color: var(--bad); }
@media (max-width: 60rem) { .page { grid-template-columns: minmax(0, 1fr); gap: 0; } nav { position: static; max-height: none; } }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print { nav, button, .skip, .keys, .try { display: none; } .page { display: block; } }
`;

export const docsScript = `
const here = location.origin === "null" ? null : location.origin;
if (here) for (const code of document.querySelectorAll("figure code")) {
  code.textContent = code.textContent.replaceAll("http://localhost:8080", here);
}
for (const button of document.querySelectorAll(".copy")) button.addEventListener("click", async () => {
  const code = button.closest("figure").querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});
const find = document.getElementById("find");
find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const section of document.querySelectorAll("section.endpoint, section.event")) {
    const text = section.dataset.find + " " + section.textContent.toLowerCase();
    section.hidden = !words.every((word) => text.includes(word));
    if (!section.hidden) shown++;
    const link = document.querySelector('nav a[href="#' + section.id + '"]');
    if (link) link.parentElement.hidden = section.hidden;
  }
  document.getElementById("none").hidden = shown > 0;
});
`;
