// What a submission agent adds to a mail when it goes out (RFC 6409, 8): everything else stays as it was written. The same at every attempt.

import { fieldOf, readHead, withFields } from "./head.ts";

interface Additions {
  /** Ours (`msg_…`), by which reports about the mail are recognised. */
  id: string;
  /** For a mail that has none. */
  messageId: string;
  /** What the gateway's settings add, in place of fields of these names. */
  headers: readonly (readonly [name: string, value: string])[];
}

/** The mail as it goes out, but for its signatures. */
export function finished(raw: Buffer, { id, messageId, headers }: Additions): Buffer {
  const head = readHead(raw);
  // It was read when it was accepted.
  if (typeof head === "string") throw new Error(head);
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()));
  const identity =
    fieldOf(head, "message-id") === null ? `Message-ID: ${messageId}\r\n` : `X-Trunkline-Message: ${id}\r\n`;
  const added = [identity, ...headers.map(([name, value]) => `${name}: ${value}\r\n`)];
  return withFields(raw, head, (name) => replaced.has(name), added.join(""));
}
