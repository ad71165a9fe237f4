// Named API keys of an account, with scopes and an expiry: their fields, and the management API's replies with them.

import { z } from "zod";
import {
  extended,
  idCursor,
  instant,
  limit,
  page,
  reply,
  revision,
  seenRevision,
} from "#contract/envelope.ts";
import { gatewayFields } from "#contract/manage/gateways.ts";
import { nameText } from "#contract/name.ts";
import { patchSchema, shown } from "#contract/resource-schema.ts";

const scopes = ["send:sms", "send:whatsapp", "send:email", "read", "read:own"] as const;
/** The rights of a key. */
export type KeyScope = (typeof scopes)[number];

/** The permissions of a key. */
export const namedKeyRules = z.strictObject({
  scopes: z
    .array(z.enum(scopes))
    .min(1)
    .max(scopes.length)
    .refine((list) => new Set(list).size === list.length, "must not name a scope twice")
    .meta({ uniqueItems: true })
    .describe(
      "What it may do, at least one: `send:sms`, `send:whatsapp` and `send:email` send, cancel, move and resolve messages of that channel; `read` looks up all messages and the account; `read:own` looks up, and with a scope to send cancels, only messages of the key's `gateways`.",
    ),
  gateways: z
    .array(gatewayFields.shape.identifier)
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe("The gateways it may send through, by their identifiers; null for all of the account."),
  requests_per_minute: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe(
      "Maximum requests a minute, in addition to the account's own limit, counted in each process; null for no limit.",
    ),
});

export const namedKeyFields = z
  .strictObject({
    name: nameText(1, 100).describe("The key's name; unique in the account."),
    ...namedKeyRules.shape,
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe("When it expires (ISO 8601); null if it does not."),
  })
  .describe("A key of the channel endpoints with rights of its own.");

export type NamedKeyFields = z.output<typeof namedKeyFields>;

/** The PATCH body of a key. */
export const namedKeyChanges = z.strictObject({
  ...patchSchema(namedKeyFields).shape,
  revision: seenRevision,
});

const key = z
  .object({
    id: z.string(),
    ...shown(namedKeyFields).shape,
    hint: z.string().describe("The first and last characters of the key. Only its hash is stored."),
    expires_at: instant.nullable(),
    revoked_at: instant.nullable(),
    last_used_at: instant
      .nullable()
      .describe("When a request last used the key, to the minute; null if none has."),
    previous_works_until: instant
      .nullable()
      .describe("Until when the text before the last rotation works too; null if it does not."),
    revision,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "NamedKey" });

export const namedKeyReply = reply("NamedKeyReply", key);

const text = z.string().describe("The key, which no other reply shows.");

export const newNamedKeyReply = reply("NewNamedKeyReply", extended("NewNamedKey", key, { key: text }));

export const namedKeysQuery = z.strictObject({ limit, cursor: idCursor });

/** A page of keys, including revoked ones, newest first. */
export const namedKeysReply = page("NamedKeyPage", key);

export const rotateNamedKeyRequest = z
  .strictObject({
    old_works_hours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .describe("How many hours the previous text keeps working; with 0 it stops at once."),
  })
  .meta({ id: "RotateNamedKeyRequest" });
