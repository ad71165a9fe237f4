// A `multipart/form-data` body (RFC 7578) as browsers write it: no name, file name or content can end its part or
// add a header to it. File names are plain UTF-8: Mailgun drops files that are named by `filename*`.

import { createHash } from "node:crypto";

interface FormField {
  name: string;
  value: string;
}

export interface FormFile {
  name: string;
  filename: string;
  contentType: string;
  /** Of the content, hex. */
  sha256: string;
  content: Buffer;
}

/** The body in one piece, and the content type that names its boundary. Files follow the fields. */
export function multipartForm(
  fields: readonly FormField[],
  files: readonly FormFile[],
): { contentType: string; body: Buffer } {
  const boundary = boundaryOf(fields, files);
  const chunks: Buffer[] = [];
  for (const { name, value } of fields) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n`;
    chunks.push(Buffer.from(`${head}${value.toWellFormed()}\r\n`));
  }
  for (const { name, filename, contentType, content } of files) {
    const disposition = `form-data; name="${quoted(name)}"; filename="${quoted(filename)}"`;
    const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${mediaType(contentType)}\r\n\r\n`;
    chunks.push(Buffer.from(head), content, Buffer.from("\r\n"));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(chunks) };
}

/** A hash over all names and contents: none of them can contain the hash of itself. */
function boundaryOf(fields: readonly FormField[], files: readonly FormFile[]): string {
  const hash = createHash("sha256");
  for (const { name, value } of fields) hash.update(JSON.stringify([name, value]));
  for (const { filename, sha256 } of files) hash.update(JSON.stringify([filename, sha256]));
  return `trunkline-${hash.digest("hex").slice(0, 40)}`;
}

/** The escapes of the HTML standard ("multipart/form-data encoding algorithm"). */
function quoted(name: string): string {
  return name
    .toWellFormed()
    .replaceAll('"', "%22")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A")
    .replaceAll("\0", "");
}

function mediaType(text: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[ \t\u0021-\u007e]*)?$/.test(text)
    ? text
    : "application/octet-stream";
}
