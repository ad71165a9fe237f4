// Entra ID instead of Azure's keys: an application's own secret is exchanged for an access token (the client credentials grant). Source:
// learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow and
// learn.microsoft.com/azure/ai-foundry/openai/how-to/managed-identity

import { z } from "zod";
import type { TokenGrant } from "#providers/token-grant.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField } from "#settings/url.ts";

/** Forms show such a field only for Azure. */
export const azureOnly = { only: { vendor: ["azure-openai"] } };

/** Its settings, which only Azure has. */
export const entraFields = {
  tenant_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,199}$/, "must be the id or a domain of a tenant")
    .optional()
    .meta(azureOnly)
    .describe(
      "Only for Azure: the tenant of Entra ID, its id or a domain, instead of an API key. The application needs the role Cognitive Services OpenAI User.",
    ),
  client_id: z
    .string()
    .regex(
      /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
      "must be the id of an application, a GUID",
    )
    .optional()
    .meta(azureOnly)
    .describe("Only for Azure: the application's (client) id, together with the tenant."),
  client_secret: secret()
    .optional()
    .meta(azureOnly)
    .describe("Only for Azure: the value of a secret of the application, together with the tenant."),
  token_url: baseUrlField()
    .optional()
    .meta(azureOnly)
    .describe(
      "Only for Azure: the URL of a proxy or a test double of Entra ID's token endpoint, to which the client secret is sent; default: `https://login.microsoftonline.com/TENANT_ID/oauth2/v2.0/token`.",
    ),
};

interface Entra {
  tenant_id?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  token_url?: string | undefined;
}

/** Problems with these settings, by field. `isAzure`: they are for Azure. `hasKey`: there is also a key. */
export function entraIssues(
  { tenant_id, client_id, client_secret, token_url }: Entra,
  { isAzure, hasKey }: { isAzure: boolean; hasKey: boolean },
): { path: string; message: string }[] {
  const fields = Object.entries({ tenant_id, client_id, client_secret, token_url });
  const set = fields.filter(([, value]) => value !== undefined);
  if (!isAzure) return set.map(([path]) => ({ path, message: "is Azure's alone" }));
  if (set.length === 0) return [];
  const missing = fields.filter(([path, value]) => path !== "token_url" && value === undefined);
  const issues = missing.map(([path]) => ({
    path,
    message: "is needed: tenant_id, client_id and client_secret belong together",
  }));
  if (hasKey) issues.push({ path: "tenant_id", message: "cannot be used together with a key" });
  return issues;
}

/** How to obtain the access token; null if these settings have a key instead, or neither. */
export function entraGrant({ tenant_id, client_id, client_secret, token_url }: Entra): TokenGrant | null {
  if (tenant_id === undefined || client_id === undefined || client_secret === undefined) return null;
  return {
    url: token_url ?? `https://login.microsoftonline.com/${tenant_id}/oauth2/v2.0/token`,
    issuer: "Entra ID",
    scope: "https://cognitiveservices.azure.com/.default",
    proof: { clientId: client_id, clientSecret: client_secret },
  };
}
