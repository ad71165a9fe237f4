// The scopes of management tokens: areas of the management API, each to read or to write.

import { z } from "zod";

/** The areas, in the order of the documents. */
export const scopeAreas = [
  "accounts",
  "keys",
  "messages",
  "gateways",
  "domains",
  "suppressions",
  "hooks",
  "webhooks",
  "pools",
  "prompts",
  "audit",
  "installation",
  "users",
] as const;
export type ScopeArea = (typeof scopeAreas)[number];

/** Areas without writes: the audit log, and the contents of the pools' content logs. */
const readOnly = ["audit", "prompts"] as const satisfies readonly ScopeArea[];
type ReadOnlyArea = (typeof readOnly)[number];
export const isReadOnly = (area: ScopeArea): area is ReadOnlyArea =>
  (readOnly as readonly ScopeArea[]).includes(area);

/** A write scope includes the read scope; `messages:write` includes `messages:send`. */
export type TokenScope = `${ScopeArea}:read` | `${Exclude<ScopeArea, ReadOnlyArea>}:write` | "messages:send";

export const tokenScopes: readonly TokenScope[] = scopeAreas.flatMap((area): TokenScope[] => [
  `${area}:read`,
  ...(area === "messages" ? (["messages:send"] as const) : []),
  ...(isReadOnly(area) ? [] : ([`${area}:write`] as const)),
]);

const scope = z.enum(tokenScopes).meta({ id: "TokenScope" });

/** The scopes of a token as replies have them. */
export const shownTokenScopes = z
  .array(scope)
  .nullable()
  .describe("The token's permissions; null for all of its role.");

const scopesOf = (one: z.ZodType<TokenScope>) =>
  z
    .array(one)
    .min(1)
    .max(tokenScopes.length)
    .refine((list) => new Set(list).size === list.length, "must not name a scope twice")
    .meta({ uniqueItems: true })
    .nullable()
    .default(null)
    .describe(
      "Its permissions, at least one scope: `…:read`, `…:write`, which includes reading, or `messages:send`; null for all of its role.",
    );

/** The scopes of a new token. */
export const newTokenScopes = scopesOf(scope);

/** Those of a token of the provisioning file, whose documentation names no components. */
export const provisionedTokenScopes = scopesOf(z.enum(tokenScopes));
