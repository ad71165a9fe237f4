// Browsers that a user has signed in with before. Such a browser keeps a cookie that lets its next sign-in past the
// limits that strangers share, so that nobody can lock a user out by guessing at a known address. The cookie signs
// nobody in: without the password it is worth ten guesses a minute.
//
// Its text is `{time}.{password's mark}.{MAC}`: when it was made, a keyed digest of the stored password hash, and a MAC
// over both and the user's e-mail address. It holds no secret, and is kept nowhere here. Another user's address, a
// changed password and another installation's key all make it worthless.

import { timingSafeEqual } from "node:crypto";
import type { Sealer } from "#store/seal.ts";

/** How long a browser is known after its last sign-in. */
export const deviceTtlMs = 90 * 86_400_000;

/** The user that a browser is remembered for: the address in lower case and the stored password hash. */
export interface DeviceUser {
  email: string;
  password: string;
}

export interface Device {
  /** Names this cookie, for counting its attempts. */
  id: string;
  /** Tells which password was in force when it was made. */
  passwordMark: string;
}

/** 132 bits are far beyond guessing, and a cookie should be short. */
const markLength = 22;
const shape = /^([0-9a-z]{1,11})\.([\w-]{22})\.([\w-]{43})$/;

function markOf(sealer: Sealer, user: DeviceUser): string {
  return sealer.mac("device password", user.password).toString("base64url").slice(0, markLength);
}

function macOf(sealer: Sealer, time: string, mark: string, email: string): Buffer {
  return sealer.mac("device", `${time} ${mark} ${email}`);
}

/** The text that makes a browser known for this user, from `now` (epoch ms) on. */
export function createDeviceToken(sealer: Sealer, user: DeviceUser, now: number): string {
  const time = now.toString(36);
  const mark = markOf(sealer, user);
  return `${time}.${mark}.${macOf(sealer, time, mark, user.email).toString("base64url")}`;
}

/**
 * What a text says that was made here for this address within the last 90 days; null: anything else. It asks no
 * storage, so a flood of made-up cookies costs none. Whether the password is still the same, `isDeviceOf` says.
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
  const given = Buffer.from(mac, "base64url");
  const wanted = macOf(sealer, time, mark, email);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  const age = now - Number.parseInt(time, 36);
  return age >= 0 && age < deviceTtlMs ? { id: mac, passwordMark: mark } : null;
}

/** Whether the user's password is still the one that was in force when the browser signed in. */
export function hasCurrentPassword(sealer: Sealer, device: Device, user: DeviceUser): boolean {
  return timingSafeEqual(Buffer.from(device.passwordMark), Buffer.from(markOf(sealer, user)));
}
