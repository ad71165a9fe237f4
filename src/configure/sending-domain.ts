// Sending domains and their DKIM keys, for the management API and the provisioning file. New keys are pending until their
// records are in DNS. Private keys are sealed, bound to their row, and never returned.

import { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import type { Core } from "#core/core.ts";
import { domainOf } from "#gateways/email/deliverability/domain-records.ts";
import { privateKeyRule, publishedKey, readPrivateKey } from "#gateways/email/mime/dkim-key.ts";
import { newPrivateKey } from "#runtime/key-pair.ts";
import {
  activateKeys,
  addPendingKeys,
  createSendingDomain as createRow,
  findSendingDomain,
  maxSendingDomains,
  privateKeyContext,
  putActiveKeys,
  removeSendingDomain,
} from "#store/email/sending-domains.ts";
import { type Overtaken, retryOvertaken } from "#store/revision.ts";
import type { DkimKeysTable, SendingDomainsTable } from "#store/schema/email.ts";
import { changedElsewhere, taken } from "./changes.ts";
import type { ConfigureDeps } from "./resource.ts";

/** How long a retired key is listed: receivers still verify mail that it signed for days. */
const retiredMs = 30 * 86_400_000;

const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

const domainKeyInput = z.strictObject({
  selector: z
    .string()
    .max(100)
    .regex(new RegExp(`^${label}(?:\\.${label})*$`), "must be a name in DNS, such as mail2026")
    .describe("The name of its DNS record: `{selector}._domainkey.{domain}`."),
  private_key: z
    .string()
    .max(10_000)
    .refine((pem) => readPrivateKey(pem) !== null, { error: privateKeyRule })
    .meta({ secret: true })
    .describe(
      "The private key in PEM without a passphrase: RSA of 2048 to 4096 bits, or Ed25519. Never shown again.",
    ),
});

export const sendingDomainInput = z.strictObject({
  domain: z
    .string()
    .refine((text) => domainOf(text) !== null, { error: "must be a domain, such as example.com" })
    .describe(
      "The domain of the senders' addresses; it signs for the domains below it as well. Unique in the account.",
    ),
  keys: z
    .array(domainKeyInput)
    .max(2)
    .refine(atMostOneOfEachAlgorithm, { error: "must be at most one RSA key and one Ed25519 key" })
    .default([])
    .describe(
      "Keys that are in DNS already, to be carried over: they sign at once. Without any, an RSA and an Ed25519 key are made, which wait for their records.",
    ),
});
type SendingDomainInput = z.output<typeof sendingDomainInput>;

export const rotateInput = z.strictObject({
  replace: z
    .boolean()
    .default(false)
    .describe("Whether new keys replace others that still wait for their records."),
});

function atMostOneOfEachAlgorithm(keys: readonly z.output<typeof domainKeyInput>[]): boolean {
  const algorithms = keys.map(({ private_key }) => readPrivateKey(private_key)?.algorithm);
  const selectors = keys.map(({ selector }) => selector.toLowerCase());
  return new Set(algorithms).size === keys.length && new Set(selectors).size === keys.length;
}

type DomainDeps = ConfigureDeps & Pick<Core, "random">;

type CreateDomainResult = { kind: "saved"; id: string } | { kind: "invalid"; issues: Issue[] };

const tooMany: Issue = {
  path: ["domain"],
  message: `is one too many: an account has ${maxSendingDomains} sending domains at most`,
};

/** Creates a domain with the keys of the input, which are active immediately, or with two new keys, which are pending. */
export async function createSendingDomain(
  deps: DomainDeps,
  accountId: string,
  input: SendingDomainInput,
): Promise<CreateDomainResult> {
  return (await create(deps, accountId, input)) ?? taken("domain");
}

/** Null if the account has the domain. */
async function create(
  deps: DomainDeps,
  accountId: string,
  input: SendingDomainInput,
): Promise<CreateDomainResult | null> {
  const now = deps.clock.now();
  const domain: SendingDomainsTable = {
    id: deps.newId("dom"),
    account_id: accountId,
    domain: domainOf(input.domain)!,
    created_at: now,
    updated_at: now,
  };
  const existingKeys = importedKeys(deps, domain, input.keys);
  const keys = existingKeys.length > 0 ? existingKeys : await newKeys(deps, domain);
  const outcome = await deps.database.run(createRow, { domain, keys });
  if (outcome === "taken") return null;
  if (outcome === "too_many") return { kind: "invalid", issues: [tooMany] };
  return { kind: "saved", id: domain.id };
}

/** Creates the account's domain, or adds the keys of the provisioning file to it. */
export async function upsertSendingDomain(
  deps: DomainDeps,
  accountId: string,
  input: SendingDomainInput,
): Promise<CreateDomainResult> {
  const result = await retryOvertaken(() => createOrAddKeys(deps, accountId, input));
  return result.kind === "overtaken" ? changedElsewhere("domain") : result;
}

async function createOrAddKeys(
  deps: DomainDeps,
  accountId: string,
  input: SendingDomainInput,
): Promise<CreateDomainResult | Overtaken> {
  const domain = domainOf(input.domain)!;
  const existing = await deps.database.run(findSendingDomain, { accountId, domain });
  if (existing === null) return (await create(deps, accountId, input)) ?? "overtaken";
  const keys = importedKeys(deps, existing.domain, input.keys).filter(
    (key) =>
      !existing.keys.some(
        ({ state, selector, public_key }) =>
          state === "active" && selector === key.selector && public_key === key.public_key,
      ),
  );
  const domainRef = { accountId, domainId: existing.domain.id, at: deps.clock.now() };
  if (keys.length > 0) {
    if (!(await deps.database.run(putActiveKeys, { ...domainRef, keys }))) return "overtaken";
  }
  return { kind: "saved", id: existing.domain.id };
}

/** Creates a new pair of keys, pending until its records are in DNS; the active pair continues to sign. */
export async function rotateDomainKeys(
  deps: DomainDeps,
  domain: SendingDomainsTable,
  { replace }: z.output<typeof rotateInput>,
): Promise<"added" | "pending" | "not_found"> {
  const keys = await newKeys(deps, domain);
  const at = deps.clock.now();
  const domainRef = { accountId: domain.account_id, domainId: domain.id, at };
  return await deps.database.run(addPendingKeys, {
    ...domainRef,
    keys,
    replace,
    deleteRetiredBefore: at - retiredMs,
  });
}

/**
 * Activates pending keys, all of them or those with these ids, and retires the keys that they replace. Returns the ids of the activated
 * keys; null if the domain does not exist.
 */
export async function activateDomainKeys(
  deps: ConfigureDeps,
  domain: Pick<SendingDomainsTable, "id" | "account_id">,
  ids: string[] | null,
): Promise<string[] | null> {
  const domainRef = { accountId: domain.account_id, domainId: domain.id, at: deps.clock.now() };
  return await deps.database.run(activateKeys, { ...domainRef, ids });
}

/** Removes a domain with its keys. False if the account has no such domain. */
export async function deleteSendingDomain(
  deps: ConfigureDeps,
  accountId: string,
  domainId: string,
): Promise<boolean> {
  return await deps.database.run(removeSendingDomain, { accountId, domainId });
}

/** One key of each algorithm: Ed25519 is short and fast, and receivers without it verify RSA. */
async function newKeys(deps: DomainDeps, domain: SendingDomainsTable): Promise<DkimKeysTable[]> {
  // Never the selector of an earlier key: resolvers cache its record for hours.
  const name = Array.from(deps.random.bytes(6), (byte) => letters[byte % letters.length]).join("");
  const kinds = ["rsa", "ed25519"] as const;
  const pems = await Promise.all(kinds.map(newPrivateKey));
  return pems.map((pem, at) => keyRow(deps, domain, `tl-${name}-${kinds[at]}`, pem, "pending"));
}

/** Without letters that look similar. */
const letters = "23456789abcdefghjkmnpqrstvwxyz";

function importedKeys(
  deps: DomainDeps,
  domain: SendingDomainsTable,
  keys: SendingDomainInput["keys"],
): DkimKeysTable[] {
  return keys.map(({ selector, private_key }) =>
    keyRow(deps, domain, selector.toLowerCase(), private_key, "active"),
  );
}

function keyRow(
  { newId, sealer, clock }: DomainDeps,
  domain: SendingDomainsTable,
  selector: string,
  pem: string,
  state: "pending" | "active",
): DkimKeysTable {
  const read = readPrivateKey(pem);
  if (read === null) throw new Error("A key that was checked is not readable.");
  const id = newId("dkim");
  const now = clock.now();
  return {
    id,
    domain_id: domain.id,
    account_id: domain.account_id,
    selector,
    algorithm: read.algorithm,
    public_key: publishedKey(read),
    private_key: sealer.seal(pem, privateKeyContext(id)),
    state,
    created_at: now,
    updated_at: now,
  };
}
