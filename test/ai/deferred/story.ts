// A sandbox's pool whose completions are deferred, and an endpoint that hears of them.

import { type Harness, type HarnessOptions, harness } from "../../harness.ts";
import { inject } from "../../inject.ts";
import { listen, posts, says } from "../../scenarios/receiver.ts";
import { keyText, makePool } from "../pooled.ts";

export const messages = [{ role: "user", content: "Write the report." }];
export const second = 1_000;
export const hour = 3_600_000;

export const defer = (it: Harness, model = "echo", headers: Record<string, string> = {}) =>
  inject(it.system.app, {
    method: "POST",
    url: "/api/ai/v1/chat/completions",
    headers: { authorization: `Bearer ${keyText}`, "x-trunkline-deliver": "webhook", ...headers },
    payload: { model, messages },
  });

/** Defers a request to any API. */
export const deferTo = (it: Harness, path: string, payload: object, headers: Record<string, string> = {}) =>
  inject(it.system.app, {
    method: "POST",
    url: `/api/ai/v1/${path}`,
    headers: { authorization: `Bearer ${keyText}`, "x-trunkline-deliver": "webhook", ...headers },
    payload: { max_tokens: 64, ...payload },
  });

export const at = (it: Harness, method: "GET" | "POST", path: string, key = keyText) =>
  inject(it.system.app, {
    method,
    url: `/api/ai/v1/deferred/${path}`,
    headers: { authorization: `Bearer ${key}` },
  });

export const lookUp = async (it: Harness, id: string) => (await at(it, "GET", id)).json();

export const events = (...its: Harness[]) =>
  its.flatMap((it) => posts(it)).map(({ id, type, data }) => ({ id, type, data: data as object }));

/** The sandbox in one pool, and an endpoint that hears of completions. */
export async function start(options: HarnessOptions = {}) {
  const it = await harness({ respond: () => says(200), ...options });
  const { id: accountId } = await it.account({ time_zone: "Europe/Berlin" });
  const pool = await makePool(it, {}, accountId);
  await listen(it, accountId, { events: ["completion.done"] });
  return { it, accountId, pool };
}
