// A form with files in memory, as it is forwarded to a provider: every part with its name and bytes.

import type { Form, FormPart } from "#contract/ai/operations.ts";
import { boundaryOf, MultipartReader } from "./multipart.ts";

const maxFields = 100;
const maxFieldBytes = 1024 * 1024;

/** The parts of a body in memory, which the parts share; null if it is no form, or has too many parts. */
export function readFormParts(body: Buffer, contentType: string): Form | null {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return null;
  const reader = new MultipartReader(boundary, { maxFields, maxFieldBytes });
  const parts: FormPart[] = [];
  let file: { name: string; filename: string; pieces: Buffer[] } | null = null;
  const events = reader.write(body);
  for (;;) {
    const next = events.next();
    if (next.done) return next.value === null && reader.complete ? { boundary, parts } : null;
    const event = next.value;
    if (event.kind === "field")
      parts.push({ name: event.name, filename: null, bytes: Buffer.from(event.value) });
    else if (event.kind === "file") file = { name: event.name, filename: event.filename, pieces: [] };
    else if (event.kind === "piece") file?.pieces.push(event.bytes);
    else if (file !== null) {
      const { name, filename, pieces } = file;
      // Nearly always one piece: the body is all here.
      const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      parts.push({ name, filename, bytes });
      file = null;
    }
  }
}
