// The management API's stream of hints: that something of an account changed, and in which topic.

import { z } from "zod";

/** The topics of hints. Processes of one installation exchange their indices in this list. */
export const topics = [
  "account",
  "calls",
  "credit",
  "deliveries",
  "domains",
  "gateways",
  "hooks",
  "keys",
  "links",
  "messages",
  "pools",
  "received",
  "suppressions",
  "webhooks",
] as const;
export type Topic = (typeof topics)[number];

/** The events of the stream, for the document. */
export const accountEvents = z
  .string()
  .describe(
    `Events: \`hello\` with \`{"process", "version"}\`, once; \`changed\` with \`{"topics", "at"}\`, at most twice a second. Topics: ${topics.join(", ")}.`,
  );
