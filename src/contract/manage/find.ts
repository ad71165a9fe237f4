// The management API's schemas for finding a record by a text that a person pasted.

import { z } from "zod";
import { instant, reply } from "#contract/envelope.ts";

export const findQuery = z.strictObject({
  q: z
    .string({ error: "is required" })
    .max(2_000, "must have at most 2,000 characters")
    .describe("An id, the identifier of a gateway, or a text with ids in it, such as a line of a log."),
});

export const recordKinds = [
  "account",
  "message",
  "request",
  "call",
  "received",
  "gateway",
  "pool",
  "member",
  "pool_key",
  "domain",
] as const;

const foundRecord = z
  .object({
    kind: z.enum(recordKinds),
    account: z.object({ id: z.string(), name: z.string() }),
    id: z.string().describe("For a gateway: its identifier."),
    title: z
      .string()
      .nullable()
      .describe(
        "Its name for people: a name, a recipient, a sender, a domain; the channel of a request, the model of a call, the kind of a gateway.",
      ),
    pool: z.string().nullable().describe("For a call, a member or a pool key: the id of its pool."),
    at: instant.describe("When it was made."),
  })
  .meta({ id: "FoundRecord" });

export const findReply = reply("FoundRecords", z.array(foundRecord));
