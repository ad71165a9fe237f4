// Browsers in which a user has signed in before. Such a browser has a cookie, the device token, with which its next
// sign-in is not subject to the limits that unknown browsers share, so that an attacker who guesses passwords for a known
// address cannot lock the user out. The token does not replace the password: an attacker who has it gets ten guesses a minute.
//
// Its text is `{time}.{password mark}.{MAC}`: the time of creation, a keyed digest of the stored password hash, and a MAC
// over both and the user's email address. It contains no secret and is not stored. It is invalid for another address,
// after a change of the password, and in another installation.

import { timingSafeEqual } from "node:crypto";
import type { Sealer } from "#store/seal.ts";

/** How long a browser stays known after its last sign-in, ms. */
export const deviceTtlMs = 90 * 86_400_000;

/** The user of a device token: the address in lower case and the stored password hash. */
interface DeviceUser {
  email: string;
  password: string;
}

interface Device {
  /** Identifies the token, to count its attempts. */
  id: string;
  /** A keyed digest of the password hash that was stored when the token was created. */
  passwordMark: string;
}

/** 132 bits cannot be guessed, and a cookie should be short. */
const markLength = 22;
const shape = /^([0-9a-z]{1,11})\.([\w-]{22})\.([\w-]{43})$/;

function markOf(sealer: Sealer, user: DeviceUser): string {
  return sealer.mac("device password", user.password).toString("base64url").slice(0, markLength);
}

function macOf(sealer: Sealer, time: string, mark: string, email: string): Buffer {
  return sealer.mac("device", `${time} ${mark} ${email}`);
}

/** A token that makes a browser known for this user, from `now` (epoch ms) on. */
export function createDeviceToken(sealer: Sealer, user: DeviceUser, now: number): string {
  const time = now.toString(36);
  const mark = markOf(sealer, user);
  return `${time}.${mark}.${macOf(sealer, time, mark, user.email).toString("base64url")}`;
}

/**
 * Reads a token that this installation created for this address in the last 90 days; null for any other text. It does not
 * read the storage, so a flood of forged tokens costs little. `hasCurrentPassword` checks the password.
 */
export function readDeviceToken(
  sealer: Sealer,
  text: string | null,
  email: string,
  now: number,
): Device | null {
  const found = text === null ? null : shape.exec(text);
  if (found === null) return null;
  const [, time = "", mark = "", mac = ""] = found;
  const actualMac = Buffer.from(mac, "base64url");
  const expectedMac = macOf(sealer, time, mark, email);
  if (actualMac.length !== expectedMac.length || !timingSafeEqual(actualMac, expectedMac)) return null;
  const age = now - Number.parseInt(time, 36);
  return age >= 0 && age < deviceTtlMs ? { id: mac, passwordMark: mark } : null;
}

/** Whether the user still has the password with which the browser signed in. */
export function hasCurrentPassword(sealer: Sealer, device: Device, user: DeviceUser): boolean {
  return timingSafeEqual(Buffer.from(device.passwordMark), Buffer.from(markOf(sealer, user)));
}
