// The 24 hours after a person's last message. Only within them does Meta allow free-form messages
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages#customer-service-windows). After them,
// the settings may send a template in place of a text.

import type { OutgoingMessage, TextContent } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { GatewayHost } from "#gateways/session.ts";
import { isLonger, type Part } from "./request.ts";
import type { CloudSettings } from "./settings.ts";

const windowMs = 86_400_000;
const maxBodyChars = 1024;

/** Whether the person's last message is known to be older than a day, or none is known. Rejects with `SessionLost`. */
export async function isWindowClosed(
  { recipient }: Pick<OutgoingMessage, "recipient">,
  { lastHeard, clock }: Pick<GatewayHost, "lastHeard" | "clock">,
): Promise<boolean> {
  const heardAt = await lastHeard(recipient);
  return heardAt === null || clock.now() - heardAt >= windowMs;
}

/** The template of the settings with the text in it, or why no template can contain it. */
export function templatePart({ text }: TextContent, { template }: CloudSettings): { part: Part } | Outcome {
  if (template === undefined) return outsideWindow("The gateway has no template for it.");
  // Meta refuses line breaks, tabs and long runs of spaces in parameters.
  const line = text.replace(/\s+/g, " ").trim();
  const texts = template.parameters.map((value) => value.split("{{message}}").join(line));
  if (texts.some((value) => isLonger(value, maxBodyChars))) {
    const reason = `A value of a template has ${maxBodyChars} characters at most.`;
    return { kind: "rejected", code: "message_too_long", reason };
  }
  const parameters = texts.map((value) => ({ type: "text", text: value }));
  const components = parameters.length === 0 ? [] : [{ type: "body", parameters }];
  const { name, language } = template;
  return { part: { type: "template", template: { name, language: { code: language }, components } } };
}

export function outsideWindow(why: string): Outcome {
  const reason = `The person did not write to this number within 24 hours. ${why}`;
  return { kind: "rejected", code: "outside_window", reason };
}
