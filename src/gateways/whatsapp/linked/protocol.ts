// The messages between a session and the bridge about one device. The bridge processes untrusted input, so each of its messages is
// validated, and an invalid one ends it. The bridge imports only the types.

import { z } from "zod";

/** The contents to send, in the form that the bridge needs. */
export type BridgeContent =
  | { kind: "text"; text: string }
  /** A list as a poll with one choice. `text`: the option as people see it; `id` and `title` are the row's. */
  | { kind: "poll"; question: string; options: { id: string; title: string; text: string }[] }
  | {
      kind: "file";
      media: "image" | "video" | "audio" | "document";
      caption: string;
      /** In the form in which WhatsApp's file server stores it. */
      file: {
        url: string;
        directPath: string;
        mediaKey: Uint8Array;
        fileSha256: Uint8Array;
        fileEncSha256: Uint8Array;
        fileLength: number;
        mimetype: string;
        filename: string;
      };
    };

/** How the device behaves towards people. */
export interface Manners {
  /** Looks up whether a number is on WhatsApp before it writes to it. */
  checkNumber: boolean;
  /** Shows that it is typing before it sends a text. */
  typing: boolean;
  /** Tells people that their messages were read, once they are stored. */
  markRead: boolean;
}

export type ToBridge =
  /** The first message: what is stored of the device, and how it presents itself. */
  | {
      type: "open";
      values: readonly (readonly [key: string, value: string])[];
      deviceName: string;
      /** The URL of a proxy for all connections; null for none. */
      proxy: string | null;
      version: readonly number[] | null;
      manners: Manners;
    }
  /** Connects with the stored credentials, or with new ones to link a device. */
  | { type: "connect"; pair: { method: "qr" } | { method: "code"; number: string } | null }
  | { type: "stored" | "not_stored"; n: number }
  | {
      type: "send";
      n: number;
      /** WhatsApp's id of the message, which is ours to choose. */
      id: string;
      messageId: string;
      /** E.164, or `…@lid` of a person who hides their number. */
      number: string;
      content: BridgeContent;
      timeoutMs: number;
    }
  /** The message has been stored, so the bridge may discard its copy. */
  | { type: "taken"; key: string }
  /** Asks WhatsApp for access to upload a file. */
  | { type: "uploads"; n: number }
  | { type: "log_out"; n: number }
  | { type: "close"; n: number };

const n = z.int().min(0);
const text = (max: number) => z.string().max(max);
const id = text(200);

/** A file that WhatsApp stores, encrypted with a key of its own. */
const receivedFile = z.strictObject({
  kind: z.enum(["image", "video", "document", "audio", "sticker"]),
  /** On WhatsApp's file server. */
  path: z.string().regex(/^\/[\w./?=&%:~+-]{1,1500}$/),
  /** Base64 of 32 bytes. */
  key: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  contentType: text(200).nullable(),
  filename: text(300).nullable(),
});

/** A message from a person, without anything that the parent would have to decode. */
const receivedFacts = z.strictObject({
  id,
  chat: id,
  /** Digits; null if the sender hides their number. */
  number: text(20).nullable(),
  lid: text(60).nullable(),
  name: text(200).nullable(),
  type: text(40),
  text: z.string().max(70_000),
  reply: z
    .strictObject({ type: z.enum(["list", "button"]), id: text(300), title: text(300).nullable() })
    .nullable(),
  answers: id.nullable(),
  forwarded: z.boolean(),
  file: receivedFile.nullable(),
});
export type ReceivedFacts = z.output<typeof receivedFacts>;

/**
 * The outcome of a message. `acked`: WhatsApp's server answered; `error`: its refusal. `not_sent`: the message certainly did not leave.
 * `left`: it left, and no answer came.
 */
const sendResult = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("acked"),
    error: text(20).nullable(),
    /** E.164, or `…@lid`: how WhatsApp knows the recipient, if that differs. */
    knownAs: text(60).optional(),
  }),
  z.strictObject({
    kind: z.literal("not_sent"),
    why: z.enum([
      "closed",
      "not_on_whatsapp",
      "no_devices",
      "check_failed",
      "throttled",
      "not_stored",
      "failed",
    ]),
  }),
  z.strictObject({ kind: z.literal("left") }),
]);
export type SendResult = z.output<typeof sendResult>;

const identity = z.strictObject({
  number: text(20),
  name: text(200).nullable(),
  platform: text(60).nullable(),
});

export const fromBridge = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("opened"), library: text(60), linked: identity.nullable() }),
  /** The library cannot be used. */
  z.strictObject({
    type: z.literal("failed"),
    why: z.enum(["not_installed", "wrong_version", "unsafe"]),
    reason: text(300),
  }),
  z.strictObject({ type: z.literal("qr"), text: text(1_000), forMs: z.int() }),
  z.strictObject({ type: z.literal("code"), text: text(20), forMs: z.int() }),
  z.strictObject({ type: z.literal("connected"), identity }),
  /** The connection ended. `code`: the library's status code. `forMs`: how long a ban lasts. */
  z.strictObject({
    type: z.literal("disconnected"),
    code: z.int().nullable(),
    detail: text(100).nullable(),
    forMs: z.number().nullable(),
  }),
  z.strictObject({ type: z.literal("limits"), untilMs: z.number().nullable() }),
  z.strictObject({
    type: z.literal("save"),
    n,
    changes: z.array(z.tuple([text(600), z.string().nullable()])).max(5_000),
  }),
  z.strictObject({ type: z.literal("sent"), n, result: sendResult }),
  z.strictObject({
    type: z.literal("receipt"),
    n,
    id,
    messageId: id.nullable(),
    status: z.enum(["sent", "delivered", "read", "failed"]),
    code: text(20).nullable(),
  }),
  z.strictObject({ type: z.literal("received"), key: text(600).startsWith("inbox:"), facts: receivedFacts }),
  /** Null if WhatsApp gives none. */
  z.strictObject({
    type: z.literal("upload_access"),
    n,
    auth: text(2_000).nullable(),
    hosts: z.array(z.string().regex(/^(?:[a-z0-9-]{1,63}\.){1,6}whatsapp\.net$/)).max(10),
  }),
  z.strictObject({ type: z.literal("done"), n, ok: z.boolean() }),
]);
export type FromBridge = z.output<typeof fromBridge>;
