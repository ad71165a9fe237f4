// The management API's schemas for the preview of a send.

import { z } from "zod";
import { anyFields, instant, reply } from "#contract/envelope.ts";
import { suppressionReason } from "./consent.ts";
import { sendMessagesRequest } from "./messages.ts";

const maxContacts = 100;

/** The body of a send, with no more contacts than a person would look at. */
export const previewMessagesRequest = sendMessagesRequest
  .extend({
    contact: z.array(anyFields).min(1).max(maxContacts).describe(`As in a send; at most ${maxContacts}.`),
  })
  .meta({ id: "PreviewAccountMessagesRequest" });

const fault = z
  .object({ path: z.string().describe("The field, as the errors of a send name it."), message: z.string() })
  .meta({ id: "PreviewFault" });

const previewedContact = z
  .object({
    recipient: z
      .string()
      .nullable()
      .describe("The normalised recipient. Null, like the fields below, if the contact has errors."),
    gateway: z.string().nullable().describe("The identifier of the gateway that would send the message."),
    gateway_state: z
      .enum(["active", "paused", "stopped", "off", "not_linked"])
      .nullable()
      .describe("In any state other than `active`, the message waits."),
    due_at: instant.nullable().describe("The earliest time at which the message would be sent."),
    moved: z
      .enum(["clock_change", "past", "hours"])
      .nullable()
      .describe(
        "Why that is not the requested time. `clock_change`: that time does not occur on its day. `past`: it is over. `hours`: the gateway does not send then.",
      ),
    segments: z.int().nullable().describe("Of an SMS."),
    encoding: z.enum(["gsm7", "ucs2"]).nullable().describe("Of an SMS."),
    cost: z.int().nullable().describe("The credit that the message would cost."),
    suppressed: suppressionReason
      .nullable()
      .describe("Why the recipient is suppressed, if so: the message would end unsent."),
    faults: z.array(fault),
  })
  .meta({ id: "PreviewedContact" });
export type PreviewedContact = z.output<typeof previewedContact>;

export const previewMessagesReply = reply(
  "PreviewAccountMessagesReply",
  z.object({
    contact: z.array(previewedContact).describe("One entry per contact of the request, in the same order."),
    faults: z.array(fault).describe("Errors of the request as a whole."),
    cost: z.int().describe("The credit that all contacts without errors would cost."),
    remaining: z.int().nullable().describe("The channel's remaining credit. Null if it is unlimited."),
  }),
);
