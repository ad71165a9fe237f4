// Files of a mail: the types and names that are allowed, and the list in a JSON body. A file is accepted as its bytes
// only: `path`, `href` and other fields that mail libraries would fetch are unknown here, and an item without content has
// an issue.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { exceeds, isObject, trimmed, trimOrNull } from "#contract/normalise.ts";
import { checker, sentences } from "#contract/wording.ts";
import { asRequired } from "./contacts.ts";

/** The types by their file name extensions, in the order in which the interface lists them. */
export const attachmentTypes = [
  "pdf",
  "doc",
  "docx",
  "xls",
  "xlsx",
  "csv",
  "txt",
  "png",
  "jpg",
  "jpeg",
  "gif",
  "zip",
  "rar",
  "svg",
  "webp",
] as const;
export type AttachmentType = (typeof attachmentTypes)[number];

/** A file in a JSON body. */
export const attachment = z
  .object({
    filename: z
      .string()
      .describe(`What the recipient sees; its extension is one of ${attachmentTypes.join(", ")}.`)
      .meta({ minLength: 1, examples: ["invoice.pdf"] }),
    content: z.string().describe("The bytes as base64.").meta({ minLength: 1, contentEncoding: "base64" }),
    content_type: z
      .string()
      .nullish()
      .describe("Accepted for compatibility. The extension decides the type, and the content must match it."),
    content_id: z
      .string()
      .check(({ value: input, issues }) => {
        // SES allows 78 characters.
        if (!/^[A-Za-z0-9][A-Za-z0-9._@-]{0,77}$/.test(input))
          issues.push({ code: "custom", params: { rule: "regex" }, input });
      })
      .nullish()
      .describe("Shows an image where the HTML refers to `cid:` and this id."),
  })
  .meta({ id: "Attachment", description: "A file." });

/** A file of a JSON body that passed the rules of this list. */
export interface InlineFile {
  /** As the caller wrote it; the rules for names are applied later, as for every file. */
  filename: string;
  /** Base64, without line ends. */
  content: string;
  /** By which the HTML refers to it; null for a file beside the mail. */
  contentId: string | null;
}

/** The types that may be shown within a mail. */
const inlineTypes: readonly AttachmentType[] = ["png", "jpg", "jpeg", "gif", "webp", "svg"];

const check = checker(attachment);
const listPath = ["attachments"];

/** Whether the text is base64, with or without padding. Linear, because it may be megabytes long. */
function isBase64(text: string): boolean {
  if (/[^A-Za-z0-9+/=]/.test(text)) return false;
  const padding = text.indexOf("=");
  const length = padding === -1 ? text.length : padding;
  if (length % 4 === 1) return false;
  return (
    padding === -1 ||
    (text.length % 4 === 0 && text.length - padding <= 2 && !/=[^=]/.test(text.slice(padding)))
  );
}

/** The list of files in a body; issues are added to `issues`. Absent, null or empty means no files. */
export function readInlineFiles(body: unknown, maxFiles: number, issues: Issue[]): (InlineFile | null)[] {
  const list = asRequired(trimOrNull(isObject(body) ? body.attachments : null));
  if (list === null) return [];
  if (!Array.isArray(list)) {
    issues.push({ path: listPath, message: sentences.array(listPath) });
    return [];
  }
  if (list.length > maxFiles) {
    issues.push({ path: listPath, message: sentences.atMostItems(listPath, maxFiles) });
    return [];
  }
  const ids = new Set<string>();
  return list.map((item: unknown, index) => {
    const file = inlineFile(item, index, issues);
    if (file === null || file.contentId === null) return file;
    const path = [...listPath, index, "content_id"];
    const type = extensionOf(filenameOf(file.filename));
    if (type === null || !inlineTypes.includes(type))
      issues.push({ path, message: sentences.mimes([...listPath, index], inlineTypes) });
    else if (ids.has(file.contentId)) issues.push({ path, message: sentences.distinct(path) });
    ids.add(file.contentId);
    return file;
  });
}

/** Null if the item has an issue. */
function inlineFile(item: unknown, index: number, issues: Issue[]): InlineFile | null {
  const path = [...listPath, index];
  if (!isObject(item)) {
    issues.push({ path, message: sentences.file(path) });
    return null;
  }
  // Not trimmed like other text, because it may be megabytes long; an empty one counts as missing.
  const content = item.content === "" || item.content === undefined ? null : item.content;
  const fields = {
    filename: asRequired(trimOrNull(item.filename)),
    content: asRequired(content),
    content_type: trimOrNull(item.content_type),
    content_id: trimOrNull(item.content_id),
  };
  const found = check(fields, listPath, index);
  if (found !== null) {
    issues.push(...found);
    return null;
  }
  const {
    filename,
    content: base64,
    content_id: contentId,
  } = fields as {
    filename: string;
    content: string;
    content_id: string | null;
  };
  const text = withoutLineEnds(base64);
  if (!isBase64(text)) {
    const at = [...path, "content"];
    issues.push({ path: at, message: sentences.base64(at) });
    return null;
  }
  return { filename, content: text, contentId };
}

/** On the bytes, because a regular expression would first list all pieces: 32 MiB with a line end every two characters took 2 s. */
function withoutLineEnds(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (const byte of bytes) if (byte !== 0x0a && byte !== 0x0d) bytes[length++] = byte;
  return bytes.toString("utf8", 0, length);
}

const maxNameLength = 255;
/** Longest text that may be a name once its marks are removed. */
const maxMarkedLength = 4 * maxNameLength;
/** Bidirectional overrides and isolates: with them `fdp.exe` is displayed as `exe.pdf`. */
const bidiMarks = /[\u202a-\u202e\u2066-\u2069]/g;

/** A file name as it is stored: without a path and without bidirectional marks. All scripts are allowed. */
export function filenameOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  // A text of megabytes is not a name, with or without its marks.
  return trimmed(name.length > maxMarkedLength ? name : name.replace(bidiMarks, ""));
}

/** The issue of a name from `filenameOf`, as a sentence about the file at `path`; null if it has none. */
export function filenameIssue(name: string, path: Issue["path"]): string | null {
  if (!name.isWellFormed()) return sentences.unsendable(path);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return sentences.oneLine(path);
  return exceeds(name, maxNameLength) ? sentences.atMostCharacters(path, maxNameLength) : null;
}

/** The type by the name's extension; null for one that is not allowed. */
export function extensionOf(name: string): AttachmentType | null {
  const dot = name.lastIndexOf(".");
  const extension = dot === -1 ? "" : name.slice(dot + 1).toLowerCase();
  return (attachmentTypes as readonly string[]).includes(extension) ? (extension as AttachmentType) : null;
}
