// Files of a mail: which types may come, what a file may be called, and the list of them that a JSON body may carry.
// A file comes as its bytes and in no other form: `path`, `href` and whatever else mail libraries would fetch by
// themselves are unknown fields here, and an item without content is a fault.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { exceeds, trimmed, trimOrNull } from "#contract/normalise.ts";
import { checker, sentences } from "#contract/wording.ts";
import { asRequired, isObject } from "./contacts.ts";

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
      .meta({ examples: ["invoice.pdf"] }),
    content: z.string().describe("The bytes as base64.").meta({ contentEncoding: "base64" }),
    content_type: z
      .string()
      .nullish()
      .describe(
        "Taken for compatibility. What is sent goes by the extension, with which the content must agree.",
      ),
  })
  .describe("A file.");

/** A file of a JSON body whose own rules it passed. */
export interface InlineFile {
  /** As given; its rules are those of every file. */
  filename: string;
  /** Base64, without line ends. */
  content: string;
}

const check = checker(attachment);
const listPath = ["attachments"];

/** Whether the text is base64 with or without its padding. No expression walks it whole: it may be megabytes long. */
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

/** The list of files in a body; the faults are added to `issues`. An absent, null or empty one means none. */
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
  return list.map((item: unknown, index) => inlineFile(item, index, issues));
}

/** Null: it has an issue. */
function inlineFile(item: unknown, index: number, issues: Issue[]): InlineFile | null {
  const path = [...listPath, index];
  if (!isObject(item)) {
    issues.push({ path, message: sentences.file(path) });
    return null;
  }
  // Megabytes of base64 are not walked for blanks at their ends as other text is: `required` sees an empty one.
  const content = item.content === "" || item.content === undefined ? null : item.content;
  const fields = {
    filename: asRequired(trimOrNull(item.filename)),
    content: asRequired(content),
    content_type: trimOrNull(item.content_type),
  };
  const found = check(fields, listPath, index);
  if (found !== null) {
    issues.push(...found);
    return null;
  }
  const given = fields as { filename: string; content: string };
  const text = /[\r\n]/.test(given.content) ? given.content.replace(/[\r\n]+/g, "") : given.content;
  if (!isBase64(text)) {
    const at = [...path, "content"];
    issues.push({ path: at, message: sentences.base64(at) });
    return null;
  }
  return { filename: given.filename, content: text };
}

const maxNameLength = 255;
/** Overrides and isolates of direction: with them `exe.pdf` may be shown where `fdp.exe` stands. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

/** A file name as it is kept: without a path in front and without marks of direction. Any script is kept. */
export function filenameOf(given: string): string {
  const name = given.slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1);
  return trimmed(name.replace(directions, ""));
}

/** What is wrong with a name that `filenameOf` gave, as a sentence about the file at `path`; null: nothing. */
export function filenameIssue(name: string, path: Issue["path"]): string | null {
  if (!name.isWellFormed()) return sentences.unsendable(path);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return sentences.oneLine(path);
  return exceeds(name, maxNameLength) ? sentences.atMostCharacters(path, maxNameLength) : null;
}

/** The type that the name's extension says; null for one that may not come. */
export function extensionOf(name: string): AttachmentType | null {
  const dot = name.lastIndexOf(".");
  const extension = dot === -1 ? "" : name.slice(dot + 1).toLowerCase();
  return (attachmentTypes as readonly string[]).includes(extension) ? (extension as AttachmentType) : null;
}
