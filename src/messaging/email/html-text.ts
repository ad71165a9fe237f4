// Derives the text part of an HTML mail, and the HTML part of a text mail. The HTML is read as a stream of tags, so the cost per byte does
// not depend on nesting. Only the beginning of a very long mail is read.

import { readTags } from "./html-tokens.ts";

/** Elements that occur in mails. Anything else in angle brackets may be an address such as `<name@host>`. */
const elements =
  "a|abbr|address|article|aside|b|big|blockquote|body|br|button|caption|center|code|col|dd|del|div|dl|dt|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|img|ins|label|li|link|main|mark|meta|nav|ol|p|pre|q|s|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|wbr";
const tag = new RegExp(`<(?:!doctype\\s+html|!--|/?(?:${elements})(?:\\s[^<>]*)?/?>)`, "i");

/** Whether a body is HTML: it has at least one HTML tag. */
export function isHtml(body: string): boolean {
  return tag.test(body);
}

const hidden = new Set(["head", "style", "script", "title", "template", "noscript", "object", "svg"]);
/** Block elements, with the number of line breaks before and after them. */
const blocks = new Map<string, number>([
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "dl", "pre", "table"].map(
    (name) => [name, 2] as const,
  ),
  ...[
    "div",
    "li",
    "tr",
    "section",
    "article",
    "header",
    "footer",
    "address",
    "dt",
    "dd",
    "center",
    "form",
  ].map((name) => [name, 1] as const),
]);
const rule = "-".repeat(40);
/** Maximum number of characters of HTML read and of text written. */
export const maxTextLength = 512 * 1024;
/** The end of a truncated text. */
const truncated = "\n\n[…]";

/** The text part of an HTML body: blocks on separate lines, list items with dashes, links followed by their targets. */
export function textOfHtml(html: string): string {
  const text = textOf(html.slice(0, maxTextLength));
  if (html.length <= maxTextLength && text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength).toWellFormed().trimEnd()}${truncated}`;
}

function textOf(html: string): string {
  const out: string[] = [];
  /** Line breaks to write before the next text; a blank to write within a line. */
  let breaks = 0;
  let blank = false;
  /** The hidden element that encloses the current position. */
  let hiddenBy: string | null = null;
  let preformatted = false;
  /** The open link; links do not nest in HTML. */
  let link: { href: string; from: number } | null = null;
  const write = (text: string) => {
    if (out.length > 0 && breaks > 0) out.push("\n".repeat(breaks));
    else if (out.length > 0 && blank) out.push(" ");
    breaks = 0;
    blank = false;
    out.push(text);
  };
  const endLink = () => {
    if (link === null) return;
    const { href, from } = link;
    link = null;
    const label = out.slice(from).join("").trim();
    if (label === href || `mailto:${label}` === href) return;
    blank = out.length > from;
    write(`(${href})`);
  };
  readTags(html, {
    open(name, attribute) {
      if (hiddenBy !== null) return;
      if (hidden.has(name)) {
        hiddenBy = name;
        return;
      }
      breaks = Math.max(breaks, blocks.get(name) ?? 0);
      switch (name) {
        case "br":
          breaks = Math.min(breaks + 1, 2);
          break;
        case "hr":
          breaks = Math.max(breaks, 1);
          write(rule);
          breaks = 1;
          break;
        case "li":
          write("-");
          blank = true;
          break;
        case "td":
        case "th":
          blank = true;
          break;
        case "img": {
          const words = attribute("alt")?.value.trim();
          if (words) write(words);
          break;
        }
        case "a": {
          endLink();
          const href = targetOf(attribute("href")?.value);
          if (href !== null) link = { href, from: out.length };
          break;
        }
        case "pre":
          preformatted = true;
          break;
      }
    },
    close(name) {
      if (hiddenBy !== null) {
        if (name === hiddenBy) hiddenBy = null;
        return;
      }
      if (name === "a") endLink();
      if (name === "pre") preformatted = false;
      breaks = Math.max(breaks, blocks.get(name) ?? 0);
    },
    text(text) {
      if (hiddenBy !== null) return;
      if (preformatted) {
        write(text);
        return;
      }
      const words = text.replace(/[\s\u00ad\u200b-\u200d\u2060\ufeff]+/g, " ");
      if (words.startsWith(" ")) blank = true;
      const bare = words.trim();
      if (bare === "") return;
      write(bare);
      blank = words.endsWith(" ");
    },
  });
  endLink();
  return out.join("").trim();
}

/** The target of a link, if it makes sense in a text. */
function targetOf(href: string | undefined): string | null {
  const target = href?.trim() ?? "";
  return /^(?:https?|mailto|tel):/i.test(target) ? target : null;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/\r\n|[&<>"\r\n]/g, (sign) => escapes[sign] ?? "<br>\n");

/** Maximum number of web addresses that become links. */
const maxLinks = 1000;

/** A text as HTML, with its first 1,000 web addresses as links. */
export function htmlOfText(text: string): string {
  let html = "";
  let done = 0;
  let links = 0;
  for (const { 0: address, index } of text.matchAll(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}']/g)) {
    const safe = escaped(address);
    html += `${escaped(text.slice(done, index))}<a href="${safe}">${safe}</a>`;
    done = index + address.length;
    links += 1;
    if (links === maxLinks) break;
  }
  return `<!doctype html><html><body><p>${html}${escaped(text.slice(done))}</p></body></html>`;
}
