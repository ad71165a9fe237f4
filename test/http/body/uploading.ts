// Upload forms for the tests of uploads, and how they are posted.

import { key } from "../edge.ts";
import type { Wire } from "../wire.ts";

export const mail = { email: "ada@example.com", subject: "Hello", message: "Hi" };
/** A file that is recognised as a PDF. */
export const pdf = (bytes = 200) =>
  Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(bytes - 9, "abcdefg")]);

/** A field of the form, or a file of it. */
export type Field = [name: string, value: string] | [name: string, content: Buffer, filename: string];

export function form(...fields: Field[]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of fields) {
    if (typeof value === "string") data.append(name, value);
    else data.append(name, new Blob([new Uint8Array(value)]), filename);
  }
  return data;
}

export const contact: Field = ["contact", JSON.stringify([mail])];
export const post = (
  wire: Wire,
  body: FormData | string,
  headers: Record<string, string> = { "Api-key": key },
) => fetch(`http://127.0.0.1:${wire.port}/api/email/send`, { method: "POST", body, headers });
