// The files of an email as Resend's clients write them: `content` as base64 or bytes, or `path`, the address where a file is.

import { isObject } from "#contract/normalise.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { isAbsent } from "./email.ts";
import { ResendRefusal } from "./errors.ts";

const maxUrlLength = 4000;
/** Stands for the content of a file that is fetched later, so that its other fields are checked like those of any file. */
const placeholder = "AA==";

/** The base64 of a content that is not a text: the bytes that JSON makes of a `Buffer` in Node, or of a list in Python. */
function base64Of(content: unknown): unknown {
  const bytes: unknown = isObject(content) && content.type === "Buffer" ? content.data : content;
  if (!Array.isArray(bytes)) return content;
  const areBytes = bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  return areBytes ? Buffer.from(bytes).toString("base64") : null;
}

interface Attachments {
  /** As a send has them. */
  list: unknown;
  /** The addresses of those that are fetched, by their index in the list. */
  urls: ReadonlyMap<number, string>;
}

/** The list of files of an email. */
export function attachmentsOf(value: unknown, outbound: Pick<Outbound, "rejectReason">): Attachments {
  const attachments = isObject(value) ? value.attachments : null;
  const urls = new Map<number, string>();
  if (!Array.isArray(attachments)) return { list: attachments, urls };
  const list = attachments.map((item: unknown, index) => {
    if (!isObject(item)) return item;
    const { filename, content, path } = item;
    // The packages' own names are in camel case, and some pass them on as they are.
    const contentId = item.content_id ?? item.inline_content_id ?? item.contentId ?? item.inlineContentId;
    const fields = { filename, content: base64Of(content), content_id: contentId };
    if (isAbsent(path)) return fields;
    const url = urlOf(path, index, outbound);
    if (!isAbsent(content)) throw invalidAt(index, "can have `content` or `path`, but not both");
    urls.set(index, url.href);
    return { ...fields, filename: isAbsent(filename) ? nameIn(url) : filename, content: placeholder };
  });
  return { list, urls };
}

const invalidAt = (index: number, what: string) =>
  new ResendRefusal("invalid_attachment", `The attachments.${index} field ${what}.`);

function urlOf(path: unknown, index: number, { rejectReason }: Pick<Outbound, "rejectReason">): URL {
  const text = typeof path === "string" ? path : "";
  if (text.length > maxUrlLength)
    throw invalidAt(index, `has a \`path\` that is longer than ${maxUrlLength} characters`);
  const url = URL.parse(text);
  const reason = rejectReason(text);
  if (url === null || reason !== null) throw invalidAt(index, `has a \`path\` that is refused: ${reason}`);
  return url;
}

/** The last segment of the path. */
function nameIn({ pathname }: URL): string {
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
