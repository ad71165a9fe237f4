// A system and who asks its management API: an operator's token, and others as a test needs them.

import assert from "node:assert/strict";
import { type Harness, type HarnessOptions, harness } from "../../../harness.ts";
import type { Injected } from "../../../inject.ts";
import { bearer, type Method, manage, signedIn, tokenFor, userFor } from "../../managing.ts";

/** Asks as a user; the path comes after `/api/manage/v1`. */
export type Ask = (method: Method, path: string, body?: object) => Promise<Injected>;

export interface Managed {
  it: Harness;
  operator: Ask;
  /** A program with a new token for this account. */
  member(accountId: string): Promise<Ask>;
  /** A person who signed in, and may manage this account. */
  person(email: string, accountId: string): Promise<Ask>;
  close(): Promise<void>;
}

export async function managed(options: HarnessOptions = {}): Promise<Managed> {
  const it = await harness(options);
  const asking =
    (headers: Record<string, string>): Ask =>
    (method, path, body) =>
      manage(it, method, path, { headers, ...(body === undefined ? {} : { body }) });
  return {
    it,
    operator: asking(bearer(await tokenFor(it))),
    member: async (accountId) => asking(bearer(await tokenFor(it, accountId))),
    person: async (email, accountId) => {
      await userFor(it, email, accountId);
      return asking((await signedIn(it, email)).headers);
    },
    close: it.close,
  };
}

/** Moves the clock until the answer is there. */
export async function answeredInTime<T>(it: Harness, asked: Promise<T>): Promise<T> {
  let isAnswered = false;
  const answered = asked.finally(() => {
    isAnswered = true;
  });
  for (await it.settle(); !isAnswered; await it.settle()) await it.advance(1_000);
  return await answered;
}

/** What a creation replies, whose `Location` leads to the same thing. */
export async function createdBy<T extends object = Record<string, never>>(
  ask: Ask,
  path: string,
  body: object,
): Promise<T> {
  const reply = await ask("POST", path, body);
  const { location } = reply.headers;
  if (reply.statusCode !== 201 || location === undefined)
    throw new Error(`${reply.statusCode} ${reply.body}`);
  const shown = dataOf<object>(await ask("GET", String(location).replace("/api/manage/v1", "")));
  const data = dataOf<T>(reply);
  for (const [name, value] of Object.entries(shown)) {
    const inCreation = data[name as keyof T];
    if (isHintOf(value, inCreation)) continue;
    assert.deepEqual(inCreation, value, name);
  }
  return data;
}

/** Whether a text that a creation shows once is shown by its ends later. */
const isHintOf = (value: unknown, text: unknown) =>
  typeof text === "string" &&
  (value as { hint?: unknown } | null)?.hint === `${text.slice(0, 4)}…${text.slice(-4)}`;

/** A deletion succeeds without a body. */
export function isDeleted(reply: Injected): void {
  const { "content-type": type, "content-length": length } = reply.headers;
  assert.deepEqual([reply.statusCode, reply.body, type, length], [204, "", undefined, undefined]);
}

/** The data of an answer that must be good. */
export function dataOf<T = Record<string, never>>(reply: Injected): T {
  if (![200, 201].includes(reply.statusCode)) throw new Error(`${reply.statusCode} ${reply.body}`);
  return reply.json().data as T;
}
