// The scopes of a management token, for people.

import { type TokenScope, words } from "#ui/api/schema.ts";
import type { Schema } from "#ui/schema-form/model.ts";

type AreaOf<S> = S extends `${infer Area}:${string}` ? Area : never;

const verbs = { read: "Read", write: "Change", send: "Send" } as const;
const areas = {
  accounts: "accounts",
  keys: "API keys",
  messages: "messages",
  gateways: "gateways",
  domains: "sending domains",
  suppressions: "suppressions",
  hooks: "incoming hooks",
  webhooks: "webhooks",
  pools: "AI pools",
  prompts: "prompts and answers of AI calls",
  audit: "the audit log",
  installation: "the installation",
  users: "users and tokens",
} as const satisfies Record<AreaOf<TokenScope>, string>;

function wordsOf(scope: TokenScope): string {
  // Users are people, whom a token with scopes can never change.
  if (scope === "users:write") return "Make and revoke tokens";
  const [area, verb] = scope.split(":") as [keyof typeof areas, keyof typeof verbs];
  return `${verbs[verb]} ${areas[area]}`;
}

/** The rights of a token. */
export const scopesText = (scopes: readonly TokenScope[]): string => scopes.map(wordsOf).join(", ");

/** The form of what a token may do, and until when. */
export const tokenSchema: Schema = {
  properties: {
    scopes: {
      type: ["array", "null"],
      description: "Permission to change includes permission to read. Changing messages includes sending.",
      all: "Everything its role allows",
      items: {
        enum: words.TokenScope,
        words: Object.fromEntries(words.TokenScope.map((scope) => [scope, wordsOf(scope)])),
      },
    },
    expires_at: {
      type: ["string", "null"],
      format: "date-time",
      description: "When it expires; leave empty for never.",
    },
  },
};
