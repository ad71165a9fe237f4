// Settings of all providers' email gateways: the sender, and what is added to mails.

import { z } from "zod";
import { isPlainAddress, wireAddress } from "#contract/address.ts";

/** One plain address, as settings contain it. */
const addressField = z
  .string()
  .refine(isPlainAddress, { error: "Must be one plain email address, such as news@example.com." });

const displayName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u, "Must be one line without control characters.");

/** Spread these into the settings of an email gateway. */
export const emailFields = {
  from: addressField.describe("The sender's address; callers can change the name, never the address."),
  from_name: displayName.optional().describe("The sender's name where the caller gives none."),
  tracking: z
    .strictObject({
      opens: z.boolean().default(false).describe("Adds a pixel to HTML mails, and counts when it is loaded."),
      clicks: z
        .boolean()
        .default(false)
        .describe("Leads links of HTML mails through this server, and counts them."),
    })
    .default({ opens: false, clicks: false })
    .describe("What is learned of a mail after it was delivered. Off unless switched on."),
  unsubscribe: z
    .boolean()
    .default(false)
    .describe("Adds the one-click unsubscribe headers of RFC 8058 to every mail of this gateway."),
  return_path_domain: z
    .string()
    .refine((domain) => isPlainAddress(`b@${domain}`), {
      error: "Must be a domain, such as bounces.example.com.",
    })
    .transform((domain) => wireAddress(`b@${domain}`)!.slice(2))
    .optional()
    .describe(
      "A domain whose MX leads to `TRUNKLINE_BOUNCE_SMTP_PORT`: mails are returned to an address of their own there.",
    ),
};

/** The parsed `emailFields`. */
export interface EmailSettings {
  from: string;
  from_name?: string | undefined;
  tracking: { opens: boolean; clicks: boolean };
  unsubscribe: boolean;
  return_path_domain?: string | undefined;
}

/** What composing a mail and checking its sending domain need from a gateway. */
export interface EmailSender extends EmailSettings {
  /** The SMTP server of the gateway; null if it sends through its provider's API. */
  host: string | null;
}

/** The sender of a gateway that has `emailFields` in its settings. */
export function emailSender(settings: EmailSettings, host: string | null = null): EmailSender {
  const { from, from_name, tracking, unsubscribe, return_path_domain } = settings;
  return { from, from_name, tracking, unsubscribe, return_path_domain, host };
}
