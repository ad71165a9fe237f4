// Puts a pixel and tracked links into an HTML mail. A tokenizer finds the links; only the values of their attributes are replaced and the
// pixel is inserted, so no other byte changes. Cost and growth are limited: links beyond the limits are not tracked.

import { LruCache } from "#runtime/lru-cache.ts";
import { type Attribute, readTags } from "./html-tokens.ts";

interface Tracking {
  /** Null for no pixel. */
  pixelUrl: string | null;
  /** The URL that records a click and redirects to `target`; null if this link is not to be tracked. */
  clickUrl(target: string): string | null;
}

/** The value of an `href` with an http(s) target; `start` and `end` are inside the quotes. */
interface LinkPosition {
  start: number;
  end: number;
  target: string;
  quoted: boolean;
}

/** Where an HTML mail can be changed. */
interface InsertionPoints {
  /** In order, at most `maxLinks`. */
  links: readonly LinkPosition[];
  /** Before the end of the body; in a very long mail, its end. */
  pixelAt: number;
}

/** Maximum number of tracked links in a mail. */
export const maxLinks = 1000;
/** Characters that tracked links may add to a mail: one typically adds 150, and at most 1,000. */
const maxGrowth = 256 * 1024;
/** How many characters of a mail are read: five times what mail programs show. */
const maxReadLength = 512 * 1024;

/** A link with this attribute is not tracked. */
const untracked = "data-no-track";

export function findInsertionPoints(html: string): InsertionPoints {
  const links: LinkPosition[] = [];
  let bodyEnd: number | null = null;
  let htmlEnd: number | null = null;
  readTags(html.slice(0, maxReadLength), {
    open(name, attribute) {
      if (name !== "a" || links.length >= maxLinks || attribute(untracked) !== undefined) return;
      const href = attribute("href");
      const link = href === undefined ? null : linkAt(html, href);
      if (link !== null) links.push(link);
    },
    close(name, start) {
      if (name === "body") bodyEnd = start;
      if (name === "html") htmlEnd = start;
    },
    text() {},
  });
  return { links, pixelAt: bodyEnd ?? htmlEnd ?? html.length };
}

/** Campaigns repeat one body, which is parsed once. Large bodies are rare and not cached. */
const maxCachedBodies = 8;
const maxCachedLength = 256 * 1024;
const cache = new LruCache<string, InsertionPoints>(maxCachedBodies);

function cachedInsertionPoints(html: string): InsertionPoints {
  return html.length > maxCachedLength
    ? findInsertionPoints(html)
    : cache.getOrCreate(html, () => findInsertionPoints(html));
}

const beforeValue = /\s*=\s*(["']?)/y;

/** The link with this `href`; null if its target is not a web page. */
function linkAt(html: string, { value, nameEnd, end }: Attribute): LinkPosition | null {
  beforeValue.lastIndex = nameEnd;
  const quote = beforeValue.exec(html)?.[1];
  if (quote === undefined) return null;
  // Browsers ignore blanks around a URL, and line ends and tabs inside it.
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

/** The HTML with the pixel and the tracked links. Never throws: on an error the HTML is returned unchanged. */
export function withTracking(html: string, { pixelUrl, clickUrl }: Tracking): string {
  try {
    const { links, pixelAt } = cachedInsertionPoints(html);
    const pixel =
      pixelUrl === null
        ? ""
        : `<img src="${escaped(pixelUrl)}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`;
    let out = "";
    let done = 0;
    const replace = (start: number, end: number, text: string) => {
      out += html.slice(done, start) + text;
      done = end;
    };
    let pixelIn = false;
    let growth = 0;
    for (const { start, end, target, quoted } of links) {
      if (!pixelIn && start > pixelAt) {
        replace(pixelAt, pixelAt, pixel);
        pixelIn = true;
      }
      const url = clickUrl(target);
      if (url === null) continue;
      const value = quoted ? escaped(url) : `"${escaped(url)}"`;
      growth += value.length - (end - start);
      if (growth > maxGrowth) break;
      replace(start, end, value);
    }
    if (!pixelIn) replace(pixelAt, pixelAt, pixel);
    return out + html.slice(done);
  } catch {
    return html;
  }
}
