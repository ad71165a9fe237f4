// The provisioning file: its schema, and reading it with `${NAME}` substituted from the environment. Every error is reported, with its
// position; values are never repeated in errors, since they may be secrets.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { accountInput } from "#configure/account.ts";
import { managementTokenInput } from "#configure/management-token.ts";
import { sendingDomainInput } from "#configure/sending-domain.ts";
import { webhookInput } from "#configure/webhook.ts";
import { faultWords } from "#contract/fault-words.ts";
import { hookFields } from "#contract/hooks/hooks.ts";
import { keyText } from "#contract/key-text.ts";
import { maxHooks, maxPools } from "#contract/limits.ts";
import { gatewayFields } from "#contract/manage/gateways.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";
import { isName, notAName } from "#contract/name.ts";
import { domainOf } from "#gateways/email/deliverability/domain-records.ts";
import { maxSendingDomains } from "#store/email/sending-domains.ts";
import { readYaml } from "./yaml.ts";

export const provisionFile = z.strictObject({
  accounts: z
    .array(
      accountInput.extend({
        api_key: keyText()
          .refine(isName, notAName)
          .optional()
          .describe(
            "The account's API key, at least 20 characters that are hard to guess. Without it, one is generated and printed once.",
          ),
        gateways: z.array(gatewayFields).default([]).describe("Its gateways."),
        sending_domains: z
          .array(sendingDomainInput)
          .max(maxSendingDomains)
          .default([])
          .describe("The domains that its mail is signed for."),
        webhooks: z.array(webhookInput).default([]).describe("Its webhook endpoints, identified by URL."),
        hooks: z.array(hookFields).max(maxHooks).default([]).describe("Its hooks, identified by name."),
        pools: z.array(poolInput).max(maxPools).default([]).describe("Its pools of AI providers."),
      }),
    )
    .default([])
    .describe("The accounts that this file names."),
  management_tokens: z
    .array(managementTokenInput)
    .default([])
    .describe("Programs that may use the management API."),
});
export type ProvisionFile = z.output<typeof provisionFile>;

/** Reads a file; `environment` substitutes `${NAME}` inside its texts. */
export function readProvisionFile(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): { file: ProvisionFile } | { errors: string[] } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return {
      errors: [`The provisioning file cannot be read: ${(error as NodeJS.ErrnoException).code ?? "error"}.`],
    };
  }
  const raw = readYaml(text);
  if ("line" in raw)
    return {
      errors: [`The provisioning file is not YAML or JSON${raw.line === null ? "" : ` (line ${raw.line})`}.`],
    };
  const errors: string[] = [];
  const filled = fillVariables(raw.value ?? {}, environment, errors);
  const checked = checkProvisionFile(filled);
  if (errors.length === 0) return checked;
  return { errors: "errors" in checked ? [...errors, ...checked.errors] : errors };
}

/** The file that a value of YAML or JSON is, or all of its errors. */
export function checkProvisionFile(value: unknown): { file: ProvisionFile } | { errors: string[] } {
  const errors: string[] = [];
  const result = provisionFile.safeParse(value, faultWords);
  if (!result.success) {
    for (const issue of result.error.issues)
      errors.push(`${issue.path.join(".") || "file"}: ${issue.message}`);
  } else {
    for (const twice of repeated(result.data.accounts.map(({ name }) => name)))
      errors.push(`accounts: ${twice} is given twice`);
    const keys = result.data.accounts.flatMap(({ api_key, name }) =>
      api_key === undefined ? [] : [{ api_key, name }],
    );
    for (const { name } of keys.filter(
      ({ api_key }, i) => keys.findIndex((one) => one.api_key === api_key) < i,
    ))
      errors.push(`accounts: ${name} has the api_key of another account`);
    const identifiers = result.data.accounts.flatMap(({ gateways }) =>
      gateways.map(({ identifier }) => identifier),
    );
    for (const twice of repeated(identifiers)) errors.push(`gateways: ${twice} is given twice`);
    for (const { name, webhooks } of result.data.accounts) {
      // A URL may contain a secret in its query, so it is not repeated.
      if (repeated(webhooks.map(({ url }) => url)).length > 0)
        errors.push(`accounts: ${name}: webhooks: a url is given twice`);
    }
    for (const { name, sending_domains } of result.data.accounts) {
      for (const twice of repeated(sending_domains.map(({ domain }) => domainOf(domain) ?? domain)))
        errors.push(`accounts: ${name}: sending_domains: ${twice} is given twice`);
    }
    errors.push(...repeatedInHooks(result.data.accounts), ...repeatedInPools(result.data.accounts));
    for (const twice of repeated(result.data.management_tokens.map(({ name }) => name)))
      errors.push(`management_tokens: ${twice} is given twice`);
  }
  return errors.length > 0 || !result.success ? { errors } : { file: result.data };
}

/** Duplicate names of an account's hooks, and hooks with the same key. */
function repeatedInHooks(accounts: ProvisionFile["accounts"]): string[] {
  const errors = accounts.flatMap(({ name, hooks }) =>
    repeated(hooks.map((hook) => hook.name)).map(
      (twice) => `accounts: ${name}: hooks: ${twice} is given twice`,
    ),
  );
  const keyed = accounts.flatMap(({ name, hooks }) =>
    hooks.flatMap((hook) =>
      hook.key === undefined ? [] : [{ key: hook.key, where: `accounts: ${name}: hooks: ${hook.name}` }],
    ),
  );
  const first = new Map(keyed.toReversed().map(({ key, where }) => [key, where]));
  for (const { key, where } of keyed)
    if (first.get(key) !== where) errors.push(`${where} has the key of another one`);
  return errors;
}

/** Duplicate names of pools, members and keys, and keys with the same text. */
function repeatedInPools(accounts: ProvisionFile["accounts"]): string[] {
  const errors: string[] = [];
  const keys: { key: string; where: string }[] = [];
  for (const { name, pools } of accounts) {
    const where = `accounts: ${name}: pools`;
    for (const twice of repeated(pools.map((pool) => pool.name)))
      errors.push(`${where}: ${twice} is given twice`);
    for (const pool of pools) {
      for (const list of ["members", "keys"] as const) {
        for (const twice of repeated(pool[list].map((one) => one.name)))
          errors.push(`${where}: ${pool.name}: ${list}: ${twice} is given twice`);
      }
      for (const { key, name: keyName } of pool.keys)
        if (key !== undefined) keys.push({ key, where: `${where}: ${pool.name}: keys: ${keyName}` });
    }
  }
  // The key itself is not repeated.
  for (const { where } of keys.filter(({ key }, at) => keys.findIndex((one) => one.key === key) < at))
    errors.push(`${where} has the key of another one`);
  return errors;
}

/** The value with every `${NAME}` in its texts replaced. A variable that is not set is an error. */
export function fillVariables(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  errors: string[],
): unknown {
  if (typeof value === "string") {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name];
      const error = `The environment variable ${name} is not set.`;
      if (found === undefined && !errors.includes(error)) errors.push(error);
      return found ?? "";
    });
  }
  if (Array.isArray(value)) return value.map((item) => fillVariables(item, environment, errors));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fillVariables(item, environment, errors)]),
    );
  }
  return value;
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}
