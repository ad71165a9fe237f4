// Puts a pixel and followed links into an HTML mail. Where a link stands is read by an HTML tokenizer; then only the
// values of those attributes are exchanged and the pixel is put in, so that not a byte of anything else changes. What
// it costs and adds is bounded: beyond the bounds links are left as they are.

import { Tokenizer } from "htmlparser2";

export interface Tracking {
  /** Null: no pixel. */
  pixelUrl: string | null;
  /** The URL that leads to `target` through us; null: leave this link as it is. */
  clickUrl(target: string): string | null;
}

/** Where an HTML mail can be changed. Belongs to the mail's text, so a campaign's needs finding once. */
export interface InsertionPoints {
  /**
   * Values of `href` with an http(s) target, from first to last, at most `mostLinks`; `start` and `end` are inside the
   * quotes.
   */
  links: readonly { start: number; end: number; target: string; quoted: boolean }[];
  /** Before the end of the body; of a very long mail its own end. */
  pixelAt: number;
}

/** Links of a mail that are led through us. */
export const maxLinks = 1000;
/** Characters that they may add to it: a usual one adds 150, the longest that is followed 1,000. */
const maxGrowth = 256 * 1024;
/** How much of a mail is looked through, in characters: five times what mail programs show of one. */
const maxReadLength = 512 * 1024;

/** A link with this attribute is left as it is. */
const untracked = "data-no-track";

/** Throws nothing of its own; what the tokenizer might throw is for `withTracking` to catch. */
export function findInsertionPoints(html: string): InsertionPoints {
  const links: InsertionPoints["links"][number][] = [];
  let bodyEnd: number | null = null;
  let htmlEnd: number | null = null;
  let isLink = false;
  let name = "";
  let nameEnd = 0;
  let value = "";
  let link: InsertionPoints["links"][number] | null = null;
  let seen = false;
  let skip = false;
  const opened = () => {
    if (isLink && link !== null && !skip && links.length < maxLinks) links.push(link);
    isLink = false;
    link = null;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        isLink = links.length < maxLinks && end - start === 1 && (html[start] === "a" || html[start] === "A");
        link = null;
        seen = false;
        skip = false;
      },
      onattribname(start, end) {
        if (!isLink) return;
        name = html.slice(start, end).toLowerCase();
        nameEnd = end;
        value = "";
      },
      onattribdata(start, end) {
        if (isLink) value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        if (isLink) value += String.fromCodePoint(codePoint);
      },
      onattribend(_quote, end) {
        if (!isLink) return;
        if (name === untracked) skip = true;
        // Of two, browsers follow the first.
        if (name !== "href" || seen) return;
        seen = true;
        link = linkAt(html, nameEnd, end, value);
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag(start, end) {
        const closed = html.slice(start, end).toLowerCase();
        if (closed === "body") bodyEnd = start - 2;
        if (closed === "html") htmlEnd = start - 2;
      },
      ontext() {},
      ontextentity() {},
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  // Cut where a tag stood, that tag never ends, and is none.
  tokenizer.write(html.slice(0, maxReadLength));
  tokenizer.end();
  return { links, pixelAt: bodyEnd ?? htmlEnd ?? html.length };
}

const beforeValue = /\s*=\s*(["']?)/y;

/** The link whose attribute's name ends at `nameEnd`, and which itself ends at `end`; null: its target is no web page. */
function linkAt(
  html: string,
  nameEnd: number,
  end: number,
  value: string,
): InsertionPoints["links"][number] | null {
  beforeValue.lastIndex = nameEnd;
  const quote = beforeValue.exec(html)?.[1];
  if (quote === undefined) return null;
  // As browsers read it: blanks around it, and line ends and tabs in it, are not part of a URL.
  const target = value.trim().replace(/[\t\r\n]/g, "");
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return null;
  const start = beforeValue.lastIndex;
  return { start, end: quote === "" ? end : end - 1, target, quoted: quote !== "" };
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

/** The mail with what is asked for. Never throws: a mail too odd to be changed comes back as it was. */
export function withTracking(
  html: string,
  { pixelUrl, clickUrl }: Tracking,
  placesIn: (html: string) => InsertionPoints = findInsertionPoints,
): string {
  try {
    const { links, pixelAt } = placesIn(html);
    const pixel =
      pixelUrl === null
        ? ""
        : `<img src="${escaped(pixelUrl)}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`;
    let out = "";
    let done = 0;
    const put = (start: number, end: number, text: string) => {
      out += html.slice(done, start) + text;
      done = end;
    };
    let pixelIn = false;
    let growth = 0;
    for (const { start, end, target, quoted } of links) {
      if (!pixelIn && start > pixelAt) {
        put(pixelAt, pixelAt, pixel);
        pixelIn = true;
      }
      const url = clickUrl(target);
      if (url === null) continue;
      const value = quoted ? escaped(url) : `"${escaped(url)}"`;
      growth += value.length - (end - start);
      if (growth > maxGrowth) break;
      put(start, end, value);
    }
    if (!pixelIn) put(pixelAt, pixelAt, pixel);
    return out + html.slice(done);
  } catch {
    return html;
  }
}
