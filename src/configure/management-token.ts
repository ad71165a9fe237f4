// Management tokens of the provisioning file, which contains their text.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { provisionedTokenScopes } from "#contract/manage/keys/token-scopes.ts";
import { nameText } from "#contract/name.ts";
import { maxTokenLength, tokenRow } from "#identity/management-token.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { saveManagementToken } from "#store/identity/tokens.ts";
import type { ConfigureDeps } from "./resource.ts";

export const managementTokenInput = z
  .strictObject({
    name: nameText(1, 100).describe("What the token is called; unique in the installation."),
    token: z
      .string()
      .min(32, "must have at least 32 characters")
      .max(maxTokenLength)
      .regex(/^[\x21-\x7e]*$/, "must be ASCII without spaces")
      .describe("The token, at least 32 characters: `Authorization: Bearer` and this."),
    role: z
      .enum(["operator", "member"])
      .describe("`operator` manages the whole installation, `member` one account."),
    account: nameText(1, 100).nullish().describe("A member's account, by its name; operators have none."),
    scopes: provisionedTokenScopes,
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe("When it stops working (ISO 8601). Null if it never does."),
  })
  .describe("A program's way into the management API.");
type ManagementTokenInput = z.output<typeof managementTokenInput>;

type UpsertManagementTokenResult = { kind: "saved"; id: string } | { kind: "invalid"; issues: Issue[] };

/** The issues of a token, with paths inside it. `newAccounts`: names of accounts that the same file creates. */
export async function managementTokenIssues(
  deps: Pick<ConfigureDeps, "database">,
  input: ManagementTokenInput,
  newAccounts: readonly string[] = [],
): Promise<Issue[]> {
  const account = input.account ?? null;
  if ((input.role === "member") !== (account !== null))
    return [{ path: ["account"], message: "is needed for a member, and only for one" }];
  if (account === null || newAccounts.includes(account)) return [];
  const known = await deps.database.run(findAccountByName, account);
  return known === null ? [{ path: ["account"], message: "is not the name of an account" }] : [];
}

/** Creates the token with this name, or replaces it; a revoked token becomes valid again. */
export async function upsertManagementToken(
  deps: Pick<ConfigureDeps, "database" | "clock" | "newId">,
  input: ManagementTokenInput,
): Promise<UpsertManagementTokenResult> {
  const issues = await managementTokenIssues(deps, input);
  if (issues.length > 0) return { kind: "invalid", issues };
  const account = input.account == null ? null : await deps.database.run(findAccountByName, input.account);
  const details = {
    name: input.name,
    role: input.role,
    accountId: account?.id ?? null,
    scopes: input.scopes,
    expiresAt: input.expires_at === null ? null : Date.parse(input.expires_at),
    at: deps.clock.now(),
  };
  const row = tokenRow(deps.newId("tok"), input.token, details);
  const id = await deps.database.run(saveManagementToken, row);
  if (id === null)
    return { kind: "invalid", issues: [{ path: ["token"], message: "is used under another name" }] };
  return { kind: "saved", id };
}
