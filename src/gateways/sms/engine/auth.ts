// How requests of SMS vendors authenticate the account.

import type { Draft } from "./request.ts";

/** Authenticates requests of one account. */
export interface Auth {
  /** All headers of the request. `now`: epoch ms; `transmission` differs from request to request. */
  headers(draft: Draft, moment: { now: number; transmission: string }): Record<string, string>;
  /** How the secrets are spelled in requests, where that is not how the settings spell them. */
  secrets: readonly string[];
}

/** A header that is the same in every request. */
export function header(name: string, value: string, secrets: readonly string[] = []): Auth {
  return { headers: (draft) => ({ ...draft.headers, [name]: value }), secrets };
}

export const bearer = (token: string): Auth => header("authorization", `Bearer ${token}`);

/** HTTP Basic (RFC 7617). */
export function basic(user: string, password: string): Auth {
  const pair = Buffer.from(`${user}:${password}`).toString("base64");
  return header("authorization", `Basic ${pair}`, [pair]);
}
