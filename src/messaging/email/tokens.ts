// The tokens in a mail's pixel, links, unsubscribe header and return path, by which a request or a bounce is matched to
// its message. Each token is authenticated for one purpose, so it cannot be guessed, derived from another token, or
// given another target.

import { timingSafeEqual } from "node:crypto";
import type { Sealer } from "#store/seal.ts";

/** `bounce`: part of the return path, to which mail servers send bounces (VERP). */
type TokenPurpose = "open" | "click" | "unsubscribe" | "bounce";

/** The paths of token URLs below the public URL. */
export const tokenPaths = { open: "/t/o/", click: "/t/c/", unsubscribe: "/u/" } as const;

/** Crockford's base32, as ids are written: it survives mail servers that change the case of a local part. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** 26 digits: 130 bits of the MAC. An id has as many after its prefix. */
const digits = 26;
const version = "1";
const shape = /^1([0-7][0-9a-hjkmnp-tv-z]{25})([0-9a-hjkmnp-tv-z]{26})([A-Za-z0-9_-]*)$/;
/** A link with a longer target is not tracked: mail programs cut long URLs. */
export const maxTargetLength = 2_000;
/** Base64 of the longest payload, and the rest. */
const maxTokenLength = 1 + 2 * digits + Math.ceil((maxTargetLength * 4) / 3) + 4;

/** 130 bits of the MAC in digits. */
function digitsOf(mac: Buffer): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of mac) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5 && text.length < digits) {
      bits -= 5;
      text += alphabet[(value >>> bits) & 31];
    }
  }
  return text;
}

const macOf = (sealer: Sealer, purpose: TokenPurpose, id: string, payload: string) =>
  digitsOf(sealer.mac(`mail ${purpose}`, `${id} ${payload}`));

/** `payload`: ASCII that the token carries. It is public, and authenticated. */
function write(sealer: Sealer, purpose: TokenPurpose, messageId: string, payload = ""): string {
  const id = messageId.slice("msg_".length);
  return `${version}${id}${macOf(sealer, purpose, id, payload)}${Buffer.from(payload).toString("base64url")}`;
}

/** Null if the token is not valid for this purpose. */
function read(
  sealer: Sealer,
  purpose: TokenPurpose,
  token: string,
): { messageId: string; payload: string } | null {
  if (token.length > maxTokenLength) return null;
  const [, id, mac, encoded] = shape.exec(token) ?? [];
  if (id === undefined || mac === undefined || encoded === undefined) return null;
  const bytes = Buffer.from(encoded, "base64url");
  // Only the canonical base64 encoding is accepted, so a token has one text.
  if (bytes.toString("base64url") !== encoded) return null;
  const payload = bytes.toString("latin1");
  const expected = macOf(sealer, purpose, id, payload);
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return null;
  return { messageId: `msg_${id}`, payload };
}

/** For the URL of a message's pixel. */
export const openToken = (sealer: Sealer, messageId: string) => write(sealer, "open", messageId);
export const readOpenToken = (sealer: Sealer, token: string) =>
  read(sealer, "open", token)?.messageId ?? null;

/**
 * A link target as a browser requests it, in ASCII; null if it is not an absolute http(s) URL, or too long for a token. The result is safe
 * in a header.
 */
export function clickTarget(target: string): string | null {
  if (target.length > maxTargetLength || !/^\s*https?:/i.test(target) || !URL.canParse(target)) return null;
  const { href, protocol } = new URL(target);
  if (protocol !== "http:" && protocol !== "https:") return null;
  return href.length <= maxTargetLength && /^[\x21-\x7e]+$/.test(href) ? href : null;
}

/** For the URL of a tracked link; `target` is a result of `clickTarget`. */
export const clickToken = (sealer: Sealer, messageId: string, target: string) =>
  write(sealer, "click", messageId, target);

export function readClickToken(sealer: Sealer, token: string): { messageId: string; target: string } | null {
  const content = read(sealer, "click", token);
  if (content === null) return null;
  const target = clickTarget(content.payload);
  return target === null ? null : { messageId: content.messageId, target };
}

/** The content of an unsubscribe token. It does not need the message, because an opt-out has to work after retention. */
export interface Subscription {
  messageId: string;
  accountId: string;
  /** In the form that messages and the suppression list use. */
  recipient: string;
}

export const unsubscribeToken = (sealer: Sealer, { messageId, accountId, recipient }: Subscription) =>
  write(sealer, "unsubscribe", messageId, `${accountId} ${recipient}`);

export function readUnsubscribeToken(sealer: Sealer, token: string): Subscription | null {
  const content = read(sealer, "unsubscribe", token);
  if (content === null) return null;
  const { messageId, payload } = content;
  const space = payload.indexOf(" ");
  return { messageId, accountId: payload.slice(0, space), recipient: payload.slice(space + 1) };
}

const localPart = /^b\+(1[0-9a-z]{52})$/;

/** The return path of a message. Its local part has 55 characters; 64 are allowed. */
export const returnPathOf = (sealer: Sealer, messageId: string, domain: string) =>
  `b+${write(sealer, "bounce", messageId)}@${domain}`;

/** The message with this return path, in any letter case; null if it is not one of ours. */
export function readReturnPath(sealer: Sealer, address: string): string | null {
  if (address.length > 320) return null;
  const at = address.lastIndexOf("@");
  const [, token] = localPart.exec(address.slice(0, Math.max(at, 0)).toLowerCase()) ?? [];
  return token === undefined ? null : (read(sealer, "bounce", token)?.messageId ?? null);
}
