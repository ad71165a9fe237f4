// The domains that an account's mail is signed for: GET and POST …/accounts/{account}/sending-domains; GET and DELETE
// …/{domain}; POST …/{domain}/check, /rotate and /activate. No reply shows a private key.

import { checkSendingDomain } from "#configure/check-sending-domain.ts";
import {
  activateDomainKeys,
  createSendingDomain,
  deleteSendingDomain,
  rotateDomainKeys,
  rotateInput,
  sendingDomainInput,
} from "#configure/sending-domain.ts";
import { idParam } from "#contract/envelope.ts";
import {
  domainCheckReply,
  type SendingDomainData,
  sendingDomainReply,
  sendingDomainsReply,
} from "#contract/manage/sending-domains.ts";
import { problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import type { Finding } from "#gateways/email/deliverability/domain-check.ts";
import { recordsOf } from "#gateways/email/deliverability/domain-records.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { manageRoutes } from "#http/routes/manage/manage-routes.ts";
import { type DomainWithKeys, readSendingDomains } from "#store/email/sending-domains.ts";

const domainParams = { domain: idParam("The domain's id.") };
const path = "/api/manage/v1/accounts/{account}/sending-domains";
const about = { tag: "Sending domains", scope: "account" } as const;

type DomainCall = Pick<ManageAccountCall, "core" | "account" | "params">;

function dataOf({ domain, keys }: DomainWithKeys): SendingDomainData {
  return {
    id: domain.id,
    domain: domain.domain,
    keys: keys.map(({ id, selector, algorithm, public_key, state, created_at, updated_at }) => ({
      id,
      selector,
      algorithm,
      public_key,
      state,
      created_at: isoTime(created_at),
      updated_at: isoTime(updated_at),
    })),
    records: recordsOf(domain.domain, keys),
    created_at: isoTime(domain.created_at),
    updated_at: isoTime(domain.updated_at),
  };
}

/** The account's domain in the path. Throws the problem `not_found`. */
async function findOwn({ core, account, params: { domain = "" } }: DomainCall): Promise<DomainWithKeys> {
  const [found] = await core.database.run(readSendingDomains, { accountId: account.id, id: domain });
  return orNotFound(found);
}

async function domainAnswer(call: DomainCall, message: string) {
  return { message, data: dataOf(await findOwn(call)) };
}

export const sendingDomainRoutes = manageRoutes({
  tag: about.tag,
  operations: ["SendingDomain", "SendingDomains"],
  nouns: ["sending domain", "sending domains"],
  path,
  param: ["domain", domainParams.domain],
  replies: { one: sendingDomainReply, many: sendingDomainsReply },
  list: {
    summary: "List the account's sending domains",
    run: async ({ core, account }) => {
      const found = await core.database.run(readSendingDomains, { accountId: account.id, id: null });
      return { data: found.map(dataOf), next_cursor: null };
    },
  },
  create: {
    summary: "Create a sending domain",
    description:
      "The domain gets an RSA key and an Ed25519 key, which do not sign yet. Publish the records of the reply, then check the domain. Its keys also sign mail from its subdomains, unless a subdomain has keys of its own.",
    body: sendingDomainInput.meta({ id: "CreateSendingDomainRequest" }),
    run: ({ core, account }, input) => createSendingDomain(core, account.id, input),
  },
  get: {
    summary: "Get a sending domain",
    description: "The reply has the DNS records to publish.",
    run: async (call, domain) => dataOf(await findOwn({ ...call, params: { domain } })),
  },
  delete: {
    summary: "Delete a sending domain",
    description: "The domain's keys are deleted for good, and its mail is no longer signed.",
    run: ({ core, account }, id) => deleteSendingDomain(core, account.id, id),
  },
});

const findingOf = ({ result, name, found, message, advice }: Finding) => {
  return { result, name, found, message, advice };
};

export const checkSendingDomainRoute = endpoint({
  ...about,
  method: "POST",
  path: `${path}/{domain}/check`,
  name: "checkSendingDomain",
  summary: "Check a sending domain's DNS records",
  description:
    "The reply has the results for SPF, DKIM and DMARC, with what was found and what to do. Keys whose records are right sign from now on, and the keys before them are retired.",
  params: domainParams,
  replies: { 200: domainCheckReply },
})(async (call) => {
  const done = orNotFound(await checkSendingDomain(call.core, await findOwn(call)));
  const found = await findOwn(call);
  const { spf, dkim, dmarc } = done.findings;
  const data = {
    domain: dataOf(found),
    spf: findingOf(spf),
    dkim: dkim.map((result) => ({ key: result.keyId, ...findingOf(result) })),
    dmarc: findingOf(dmarc),
    activated: done.activated,
  };
  return { message: "The sending domain has been checked.", data };
});

export const rotateSendingDomainKeysRoute = endpoint({
  ...about,
  method: "POST",
  path: `${path}/{domain}/rotate`,
  name: "rotateSendingDomainKeys",
  summary: "Rotate the keys of a sending domain",
  description:
    "The domain gets new keys. The current keys sign until the new ones are activated: publish the new records beside the old ones, then check the domain.",
  params: domainParams,
  body: rotateInput.meta({ id: "RotateSendingDomainKeysRequest" }),
  replies: { 200: sendingDomainReply },
  problems: ["conflict"],
})(async (call) => {
  const found = await findOwn(call);
  const outcome = await rotateDomainKeys(call.core, found.domain, call.input);
  if (outcome === "not_found") return problem("not_found");
  if (outcome === "pending")
    return problem("conflict", {
      message: "New keys already wait for their records. To replace them, send `replace: true`.",
    });
  return await domainAnswer(call, "The sending domain has new keys.");
});

export const activateSendingDomainKeysRoute = endpoint({
  ...about,
  method: "POST",
  path: `${path}/{domain}/activate`,
  name: "activateSendingDomainKeys",
  summary: "Activate the new keys of a sending domain without a check",
  description:
    "Use this when this server cannot see the DNS records. Mail whose signature has no record looks forged to some receivers.",
  params: domainParams,
  replies: { 200: sendingDomainReply },
  problems: ["conflict"],
})(async (call) => {
  const found = await findOwn(call);
  const activated = orNotFound(await activateDomainKeys(call.core, found.domain, null));
  if (activated.length === 0) return problem("conflict", { message: "No key waits for activation." });
  return await domainAnswer(call, "The new keys sign from now on.");
});
