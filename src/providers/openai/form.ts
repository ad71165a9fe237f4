// Writes a form for a vendor: the caller's parts with another model (RFC 7578).

import type { Form, FormPart } from "#contract/ai/operations.ts";

/** The characters that would end a name in its header, as browsers escape them (HTML, 4.10.22.8). */
const escaped = (name: string) =>
  name.replace(/["\r\n]/g, (mark) => (mark === '"' ? "%22" : mark === "\r" ? "%0D" : "%0A"));

/** The first bytes of image formats: OpenAI does not edit images without a declared type. */
const pictures: readonly [start: string, type: string][] = [
  ["\x89PNG", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["RIFF", "image/webp"],
];

function typeOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const found = pictures.find(([first]) => start.startsWith(first));
  const isSound = found?.[0] === "RIFF" && start.slice(8) !== "WEBP";
  return found === undefined || isSound ? "application/octet-stream" : found[1];
}

function headersOf({ name, filename, bytes }: FormPart): string {
  const file = filename === null ? "" : `; filename="${escaped(filename)}"`;
  const type = filename === null ? "" : `content-type: ${typeOf(bytes)}\r\n`;
  return `content-disposition: form-data; name="${escaped(name)}"${file}\r\n${type}`;
}

/**
 * The form's bytes with the caller's model replaced by `model`. The boundary is the caller's own, which no part contains; a model's name
 * has no line break.
 */
export function encodeForm({ boundary, parts }: Form, model: string): Buffer {
  const own: FormPart = { name: "model", filename: null, bytes: Buffer.from(model) };
  const sent = [own, ...parts.filter(({ name }) => name !== "model")];
  const pieces = sent.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n`),
    part.bytes,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}
