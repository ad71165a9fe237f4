// Passwords: argon2id (RFC 9106) in PHC form (https://github.com/P-H-C/phc-string-format), with OWASP's least
// parameters, and a queue in front, since 100 sign-ins at once must not take 2 GB and every core from the sending
// of messages. Measured: 45 to 55 ms a hash.

import { type Argon2Parameters, argon2, timingSafeEqual } from "node:crypto";
import type { Random } from "#runtime/runtime.ts";

const memoryKib = 19_456;
const passes = 2;
const lanes = 1;
const saltBytes = 16;
const tagBytes = 32;

/** Hashes at once; libuv has four threads, and storage and DNS want some. */
const most = 2;
const mostWaiting = 20;

/** What is compared with when there is nobody: the same work, and no password fits (it was made of no password). */
const nobody =
  "$argon2id$v=19$m=19456,t=2,p=1$Tm9ib2R5IGhhcyB0aGlzIQ$VGhpcyBpcyBubyBoYXNoIG9mIGFueSBwYXNzd29yZCE";

export interface PasswordHasher {
  /** The PHC string of a password. */
  hash(password: string): Promise<string | HashingBusy>;
  /**
   * Whether the password is the one of this PHC string; null, for nobody's, takes as long and is never right. By
   * default, and for `hash`, it is asked for somebody known: strangers wait in a line of their own, behind the others.
   */
  verify(password: string, stored: string | null, asker?: HashPriority): Promise<boolean | HashingBusy>;
}

/** `known`: in a session, or in a browser that has signed in before. A flood of strangers holds up neither. */
export type HashPriority = "known" | "stranger";

/** Too many hashes are waiting; come back. */
export type HashingBusy = "busy";

/** One per process: its queue is what bounds the work. */
export function createPasswordHasher(random: Random): PasswordHasher {
  let running = 0;
  const waiting: Record<HashPriority, (() => void)[]> = { known: [], stranger: [] };

  async function inTurn<T>(asker: HashPriority, work: () => Promise<T>): Promise<T | HashingBusy> {
    if (running >= most) {
      const line = waiting[asker];
      if (line.length >= mostWaiting) return "busy";
      await new Promise<void>((resolve) => line.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is free.
      const next = waiting.known.shift() ?? waiting.stranger.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) =>
      inTurn("known", async () => {
        const salt = random.bytes(saltBytes);
        const tag = await derive(password, { salt, memoryKib, passes, lanes, tagBytes });
        return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
      }),
    verify: (password, stored, asker = "known") =>
      inTurn(asker, async () => {
        const { tag, ...how } = parse(stored ?? nobody);
        const derived = await derive(password, { ...how, tagBytes: tag.length });
        return timingSafeEqual(derived, tag) && stored !== null;
      }),
  };
}

interface How {
  salt: Uint8Array;
  memoryKib: number;
  passes: number;
  lanes: number;
  tagBytes: number;
}

/** The same letters may come composed or not, by the keyboard; NFC makes them one. */
function derive(password: string, how: How): Promise<Buffer> {
  const parameters: Argon2Parameters = {
    message: Buffer.from(password.normalize("NFC")),
    nonce: how.salt,
    parallelism: how.lanes,
    tagLength: how.tagBytes,
    memory: how.memoryKib,
    passes: how.passes,
  };
  return new Promise((resolve, reject) => {
    argon2("argon2id", parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("base64")
    .replace(/(?<!=)=+$/, "");
}

function parse(phc: string): Omit<How, "tagBytes"> & { tag: Buffer } {
  const found =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc);
  if (found === null) throw new Error("A stored password is not in the form that is written here.");
  const [, memory, time, parallel, salt = "", tag = ""] = found;
  return {
    memoryKib: Number(memory),
    passes: Number(time),
    lanes: Number(parallel),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

export const minPasswordLength = 12;
export const maxPasswordLength = 200;

/** Why a password is not taken, in words for its field; null: it may be used. `email` in any case. */
export function passwordIssue(password: string, email: string): string | null {
  const { length } = [...password];
  if (length < minPasswordLength || length > maxPasswordLength)
    return `must have ${minPasswordLength} to ${maxPasswordLength} characters`;
  const plain = password.trim().toLowerCase();
  if (plain === email.toLowerCase()) return "must not be the e-mail address";
  if (new Set(plain).size < 4 || /^password/.test(plain)) return "is too easy to guess";
  return null;
}
