// Passwords: argon2id (RFC 9106) in PHC form (https://github.com/P-H-C/phc-string-format), with OWASP's minimum parameters. Hashes are
// queued: 100 concurrent sign-ins must not take 2 GB and every core away from the sending of messages. Measured: 45 to 55 ms a hash.

import { type Argon2Parameters, argon2, timingSafeEqual } from "node:crypto";
import type { Random } from "#runtime/runtime.ts";
import { noPassword } from "#store/identity/users.ts";
import { isObviousPassword } from "./obvious-password.ts";

/** The cost of new hashes. A stored hash contains its own. */
export interface PasswordCost {
  memoryKib: number;
  passes: number;
  lanes: number;
}

/** OWASP's minimum. */
const defaultCost: PasswordCost = { memoryKib: 19_456, passes: 2, lanes: 1 };
const saltBytes = 16;
const tagBytes = 32;

/** Concurrent hashes; libuv has four threads, and storage and DNS need some of them. */
const maxConcurrent = 2;
const maxWaiting = 20;

/** The end of the hash that is verified for an unknown user: the same work, and no password matches (no password produced it). */
const dummySaltAndTag = "Tm9ib2R5IGhhcyB0aGlzIQ$VGhpcyBpcyBubyBoYXNoIG9mIGFueSBwYXNzd29yZCE";

export interface PasswordHasher {
  /** The PHC string of a password. */
  hash(password: string): Promise<string | HashingBusy>;
  /**
   * Whether the password matches this PHC string; null (an unknown user) and `noPassword` take as long and never match. Calls for
   * `anonymous` wait in a separate queue with lower priority; `hash` uses the queue of `trusted`.
   */
  verify(password: string, stored: string | null, priority?: HashPriority): Promise<boolean | HashingBusy>;
}

/** `trusted`: in a session, or in a browser with a device token. A flood of anonymous sign-ins delays neither. */
type HashPriority = "trusted" | "anonymous";

/** Too many hashes are waiting; the caller should try again later. */
export type HashingBusy = "busy";

/** Create one per process: its queue bounds the work. `cost`: smaller in tests; no setting changes it. */
export function createPasswordHasher(random: Random, cost = defaultCost): PasswordHasher {
  const prefix = `$argon2id$v=19$m=${cost.memoryKib},t=${cost.passes},p=${cost.lanes}`;
  let running = 0;
  const waiting: Record<HashPriority, (() => void)[]> = { trusted: [], anonymous: [] };

  async function inTurn<T>(priority: HashPriority, work: () => Promise<T>): Promise<T | HashingBusy> {
    if (running >= maxConcurrent) {
      const line = waiting[priority];
      if (line.length >= maxWaiting) return "busy";
      await new Promise<void>((resolve) => line.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The next waiting call gets the slot.
      const next = waiting.trusted.shift() ?? waiting.anonymous.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) =>
      inTurn("trusted", async () => {
        const salt = random.bytes(saltBytes);
        const tag = await derive(password, { ...cost, salt, tagBytes });
        return `${prefix}$${unpadded(salt)}$${unpadded(tag)}`;
      }),
    verify: (password, stored, priority = "trusted") =>
      inTurn(priority, async () => {
        const isHash = stored !== null && stored !== noPassword;
        const { tag, ...parameters } = parse(isHash ? stored : `${prefix}$${dummySaltAndTag}`);
        const derived = await derive(password, { ...parameters, tagBytes: tag.length });
        return timingSafeEqual(derived, tag) && isHash;
      }),
  };
}

interface HashParameters extends PasswordCost {
  salt: Uint8Array;
  tagBytes: number;
}

/** Keyboards differ in how they compose letters; NFC makes the texts equal. */
function derive(password: string, hash: HashParameters): Promise<Buffer> {
  const parameters: Argon2Parameters = {
    message: Buffer.from(password.normalize("NFC")),
    nonce: hash.salt,
    parallelism: hash.lanes,
    tagLength: hash.tagBytes,
    memory: hash.memoryKib,
    passes: hash.passes,
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

function parse(phc: string): Omit<HashParameters, "tagBytes"> & { tag: Buffer } {
  const found =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc);
  if (found === null) throw new Error("A stored password hash is not in the expected PHC form.");
  const [, memory, time, parallel, salt = "", tag = ""] = found;
  return {
    memoryKib: Number(memory),
    passes: Number(time),
    lanes: Number(parallel),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

const minPasswordLength = 12;
const maxPasswordLength = 200;

/** Why a password is refused, as the message of its field; null if it is accepted. `email` in any case of letters. */
export function passwordIssue(password: string, email: string): string | null {
  const { length } = [...password];
  if (length < minPasswordLength || length > maxPasswordLength)
    return `must have ${minPasswordLength} to ${maxPasswordLength} characters`;
  const plain = password.trim().toLowerCase();
  if (plain === email.toLowerCase()) return "must not be the email address";
  if (isObviousPassword(plain)) return "is too easy to guess";
  return null;
}
