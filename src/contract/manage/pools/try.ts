// The management API's trial of a pool: a completion that a person requests without a pool key, and the events that report its progress.

import { z } from "zod";
import { freeText, nameText } from "#contract/name.ts";

const message = z
  .strictObject({
    role: z.enum(["system", "user", "assistant"]),
    content: freeText(0, 1_000_000).describe("The text."),
  })
  .meta({ id: "TryPoolMessage" });

export const tryPoolRequest = z
  .strictObject({
    messages: z.array(message).min(1).max(500).describe("The conversation, oldest message first."),
    model: nameText(1, 200)
      .nullable()
      .default(null)
      .describe("The model, or the pool's name. If null, the pool chooses."),
    temperature: z.number().min(0).max(2).nullable().default(null).describe("Null for the model's own."),
    max_tokens: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe("Maximum length of the answer, in tokens. Null for the model's own limit."),
    stop: z.array(freeText(1, 200)).max(4).default([]).describe("Texts before which the answer ends."),
    pretend_down: z
      .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an id"))
      .max(100)
      .default([])
      .describe(
        "Ids of members that count as down, only for this call. Nothing is sent to them, and their health does not change.",
      ),
  })
  .meta({ id: "TryPoolRequest", description: "A conversation for the pool." });
export type TryPoolInput = z.output<typeof tryPoolRequest>;

/** The events of the stream, for the document. */
export const tryPoolEvents = z
  .string()
  .describe(
    'Events. `attempt`: a member is asked, and again with the same `number` when it failed or began to answer: `{"number", "member", "name", "model", "asked_ms", "outcome", "status", "reason", "failed_ms", "first_word_ms"}`; times count from the start of the call, `outcome` is null, `ok` or the kind of failure, `reason` has the provider\'s words. `chunk`: `{"text"}` or `{"reasoning"}`, a piece of the answer. Last comes `end` with `{"member", "model", "finish_reason"}`, or `error` with `{"status", "code", "message", "retry_after_ms"}`, also after some of the answer; both have `{"request_id", "tokens": {"prompt", "completion", "estimated"}, "cost", "attempts", "first_byte_ms", "ms"}`, where `cost` is null if no price is known, and `attempts` counts the requests to members. Comments keep the connection alive.',
  );
