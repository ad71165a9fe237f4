// Scopes of management tokens. Null means everything that the role allows.

import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";

type Scopes = readonly TokenScope[] | null;

/** Whether these scopes include one. */
export function allows(scopes: Scopes, needed: TokenScope): boolean {
  if (scopes === null || scopes.includes(needed)) return true;
  const [area] = needed.split(":");
  return scopes.some((held) => held === `${area}:write`);
}

/** Whether `held` allows everything that `asked` allows. */
export function includesAll(held: Scopes, asked: Scopes): boolean {
  if (held === null) return true;
  return asked?.every((scope) => allows(held, scope)) ?? false;
}

/** The scopes in the form of a row. */
export const storedScopes = (scopes: Scopes): string | null =>
  scopes === null ? null : JSON.stringify(scopes);

/** The scopes of a row. */
export const readScopes = (stored: string | null): TokenScope[] | null =>
  stored === null ? null : JSON.parse(stored);
