// The form of a named key: the API's schema with labels of its scopes and the gateways of the account.

import type { Gateway, NamedKey } from "#ui/api/schema.ts";
import type { Schema } from "#ui/schema-form/model.ts";

type Scope = NamedKey["scopes"][number];

const scopeWords = {
  "send:sms": "Send SMS",
  "send:whatsapp": "Send WhatsApp messages",
  "send:email": "Send email",
  read: "Look up all messages and the account",
  "read:own": "Look up messages of its gateways",
} as const satisfies Record<Scope, string>;

/** The rights of a key, for people. */
export const wordsOf = (scopes: readonly Scope[]): string =>
  scopes.map((scope) => scopeWords[scope] ?? scope).join(", ");

/** `form`: the API's; `stored`: gateways of the key, one of which may have been deleted since. */
export function keySchema(
  form: Schema,
  gateways: readonly Pick<Gateway, "identifier" | "channel">[],
  stored: readonly string[] | null,
): Schema {
  const { scopes = {}, gateways: list = {} } = form.properties ?? {};
  const channels = new Map(gateways.map(({ identifier, channel }) => [identifier, channel]));
  const identifiers = [...new Set([...channels.keys(), ...(stored ?? [])])];
  const words = Object.fromEntries(
    identifiers.map((each) => [each, `${each} (${channels.get(each) ?? "no longer exists"})`]),
  );
  return {
    ...form,
    properties: {
      ...form.properties,
      scopes: { ...scopes, items: { ...scopes.items, words: scopeWords } },
      gateways: {
        ...list,
        all: "All gateways of the account",
        items: { type: "string", enum: identifiers, words },
      },
    },
  };
}
