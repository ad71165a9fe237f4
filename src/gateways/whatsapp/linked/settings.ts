// The settings of a linked device. Its credentials come from linking and are not entered.

import { z } from "zod";
import { timeoutField } from "#gateways/http-settings.ts";
import type { ToBridge } from "./protocol.ts";
import { proxyField } from "./proxy.ts";

export const linkedSettings = z.strictObject({
  accept_risk: z
    .literal(true, "Must be true: see the risks in docs/whatsapp-linked.md.")
    .describe(
      "States that you know that WhatsApp forbids unofficial clients and may ban the number for good. Linking requires it.",
    ),
  device_name: z
    .string()
    .regex(/^[A-Za-z0-9 ._-]{1,40}$/, "Must be 1 to 40 letters, digits, spaces, dots, dashes or underscores.")
    .default("Trunkline")
    .describe("The name of the device in the phone's list of linked devices."),
  proxy: proxyField,
  new_chats_per_day: z
    .union([z.literal("ramp"), z.int().min(0).max(10_000), z.null()])
    .default("ramp")
    .describe(
      "Most people a day to whom the number writes for the first time. `ramp`: 10 on the day of linking, growing to 100 after 14 days. Null: no bound.",
    ),
  list_as: z
    .enum(["text", "poll"])
    .default("text")
    .describe(
      "How a list is shown, because WhatsApp shows no real ones from linked devices. `text`: a numbered text, which is answered with a number. `poll`: a poll with one choice. A list that a poll cannot hold in full goes as a text.",
    ),
  check_number: z
    .boolean()
    .default(true)
    .describe(
      "Whether a number is looked up on WhatsApp before the first message to it, and again after a month. Without the look-up a number must be spelled as WhatsApp knows it, which differs in Brazil, Mexico and Argentina.",
    ),
  typing: z
    .boolean()
    .default(false)
    .describe("Whether people see the device typing for 1 to 4 seconds before a text."),
  mark_read: z
    .boolean()
    .default(false)
    .describe("Whether people see that their messages were read, once they are stored."),
  wa_version: z
    .string()
    .regex(/^\d{1,3}\.\d{1,5}\.\d{1,12}$/, "Must look like 2.3000.1043857760.")
    .nullable()
    .default(null)
    .describe("The version of WhatsApp Web that the device reports; null for the library's own."),
  verification: z
    .enum(["strict", "library"])
    .default("strict")
    .describe(
      "`strict`: checks WhatsApp's signatures of its server, of the link and of people's keys. `library`: as far as the library does, which takes any of them.",
    ),
  timeout_ms: timeoutField,
});

type Opening = ToBridge & { type: "open" };
export type LinkedSettings = z.output<typeof linkedSettings>;

/** The part of the settings that the bridge needs. */
export const openingOf = (settings: LinkedSettings): Omit<Opening, "type" | "values"> => ({
  deviceName: settings.device_name,
  proxy: settings.proxy,
  version: settings.wa_version?.split(".").map(Number) ?? null,
  manners: {
    checkNumber: settings.check_number,
    typing: settings.typing,
    markRead: settings.mark_read,
  },
});
