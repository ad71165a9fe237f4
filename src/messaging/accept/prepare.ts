// What preparing a send needs and gives; the same for every channel.

import type { Issue } from "#contract/issue.ts";
import type { UploadedFile } from "#store/email/attachments.ts";
import type { NewPayload } from "#store/messages/contents.ts";
import type { NewEmail, NewMessage } from "#store/messages/send.ts";

export interface PrepareTools {
  /** Epoch ms of acceptance. */
  now: number;
  newIds(prefix: string, count: number): string[];
  /** Lets other work run between slices of contacts. */
  yieldToEventLoop(): Promise<void>;
}

/** The rows of a send without issues. */
export interface ReadySend {
  kind: "ready";
  messages: readonly NewMessage[];
  emails?: readonly NewEmail[];
  payloads?: readonly NewPayload[];
  attachments?: readonly UploadedFile[];
}

/** `invalid`: the issues of the body and those that need the account, together. */
export type PreparedSend = ReadySend | { kind: "invalid"; issues: Issue[] };

/** Contacts prepared before the event loop gets a turn. */
export const sliceSize = 1000;
