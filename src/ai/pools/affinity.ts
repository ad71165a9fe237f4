// Which member of a tier a conversation belongs to, so that its calls find the prompt that the provider has cached. The member is computed
// from the key and the members' ids and weights (weighted rendezvous hashing): processes agree without communicating, and a member that
// drops out moves only its own conversations.

import { hash } from "node:crypto";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { PoolRules } from "#contract/manage/pools/pools.ts";

/** The identity of a conversation; computed when it is first needed. */
export type Affinity = () => string;

/** UTF-16 units at the beginning of a conversation that identify it. Longer ones differ earlier, or share a cache anyway. */
const maxPrefix = 64 * 1024;

/** How a pool identifies the conversation of a request; null if the pool has no session affinity. */
export function affinityOf(
  { affinity }: Pick<PoolRules, "affinity">,
  api: Pick<ApiRequest, "estimated" | "headers">,
  body: Readonly<Record<string, unknown>>,
): Affinity | null {
  if (affinity === "none") return null;
  let key: string | null = null;
  return () => {
    key ??= hash("sha256", named(api, body) ?? prefixOf(api.estimated));
    return key;
  };
}

/** The name that the client provides: its prompt cache key, or the session of a coding agent. */
function named({ headers }: Pick<ApiRequest, "headers">, body: Readonly<Record<string, unknown>>) {
  const names = [body.prompt_cache_key, headers["session-id"], headers["x-claude-code-session-id"]];
  return names.find((name) => typeof name === "string" && name !== "") as string | undefined;
}

/** What stays the same throughout a conversation: its tools, and its messages up to the first user message. */
function prefixOf({ tools, messages }: ApiRequest["estimated"]): string {
  const texts: string[] = [];
  let left = maxPrefix;
  const take = (text: string) => {
    texts.push(text.slice(0, left));
    left -= text.length + 1;
  };
  const walk = (value: unknown): void => {
    if (left <= 0) return;
    if (typeof value === "string") take(value);
    else if (Array.isArray(value)) for (const item of value) walk(item);
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        // Clients move cache marks as the conversation grows.
        if (name === "cache_control") continue;
        take(name);
        walk(inner);
      }
    } else take(String(value));
  };
  walk(tools);
  for (const message of Array.isArray(messages) ? messages : []) {
    walk(message);
    if (isSpoken(message)) break;
  }
  return texts.join("\n");
}

/** A message of the user or the model; instructions precede it. */
const isSpoken = (message: unknown) =>
  typeof message === "object" &&
  message !== null &&
  "role" in message &&
  message.role !== "system" &&
  message.role !== "developer";

/** The members in the conversation's order of preference. Over many keys, each is first in proportion to its weight. */
export function ranked<Choice extends { member: { id: string; weight: number } }>(
  choices: readonly Choice[],
  key: string,
): Choice[] {
  const scored = choices.map((choice) => {
    const { id, weight } = choice.member;
    const drawn = (Number.parseInt(hash("sha256", `${key} ${id}`).slice(0, 12), 16) + 1) / 2 ** 48;
    return { choice, score: -Math.log(drawn) / weight };
  });
  return scored.sort((a, b) => a.score - b.score).map(({ choice }) => choice);
}
