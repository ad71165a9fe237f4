// What the scopes of a management token allow. Null stands for all that the role of its holder may.

import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";

type Scopes = readonly TokenScope[] | null;

/** Whether these scopes include one. */
export function allows(scopes: Scopes, needed: TokenScope): boolean {
  if (scopes === null || scopes.includes(needed)) return true;
  const [area] = needed.split(":");
  return scopes.some((held) => held === `${area}:write`);
}

/** Whether everything that `asked` allows is allowed by `held` too. */
export function includesAll(held: Scopes, asked: Scopes): boolean {
  if (held === null) return true;
  return asked?.every((scope) => allows(held, scope)) ?? false;
}

/** The scopes as a row holds them. */
export const storedScopes = (scopes: Scopes): string | null =>
  scopes === null ? null : JSON.stringify(scopes);

/** The scopes of a row. */
export const readScopes = (stored: string | null): TokenScope[] | null =>
  stored === null ? null : JSON.parse(stored);
