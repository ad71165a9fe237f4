// Style and script of the guides, in addition to those of the API reference. Both are inline under their hashes.

export const guideStyle = `
header h1 a { color: inherit; text-decoration: none; }
nav a[aria-current] { font-weight: 600; color: var(--link); }
#found { margin-bottom: 1rem; } #found small { display: block; }
main h1 { font-size: 1.7rem; line-height: 1.25; } main h2 { border-top: 1px solid var(--line); padding-top: 1.2rem; }
main h3 { margin: 2rem 0 .4rem; font-size: 1.08rem; }
main pre { border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
main :not(pre) > code { background: var(--card); border: 1px solid var(--line); border-radius: 4px; padding: 0 .25em; overflow-wrap: anywhere; }
main img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
blockquote { margin: 1rem 0; padding: .1rem 1rem; border-left: 3px solid var(--line); color: var(--soft); }
`;

export const guideScript = `
const root = document.documentElement.dataset.root;
const box = document.getElementById("find");
const list = document.getElementById("found");
let sections;
const load = () => sections ??= fetch(root + "search.json").then((reply) => reply.json(), () => []);
box.addEventListener("focus", load);
box.addEventListener("input", async () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const all = await load();
  const rank = (word, title, heading, text) =>
    heading.includes(word) ? 4 : title.includes(word) ? 3 : text.includes(word) ? 1 : 0;
  const hits = words.length === 0 ? [] : all.flatMap((section) => {
    const [title, heading, text] = section.slice(1).map((part) => part.toLowerCase());
    const ranks = words.map((word) => rank(word, title, heading, text));
    return ranks.includes(0) ? [] : [[ranks.reduce((sum, one) => sum + one), section]];
  });
  hits.sort(([a], [b]) => b - a);
  list.replaceChildren(...hits.slice(0, 12).map(([, [path, title, heading]]) => {
    const link = document.createElement("a");
    link.href = root + path;
    link.textContent = heading;
    const small = document.createElement("small");
    small.textContent = title === heading ? "" : title;
    link.append(small);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  if (words.length > 0 && hits.length === 0) list.textContent = "Nothing found.";
});
`;
