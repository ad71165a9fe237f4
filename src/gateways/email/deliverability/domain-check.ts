// Checks the DNS records of a sending domain: which servers may send (SPF), whether its signatures can be verified (DKIM), and what happens
// to mail that fails (DMARC). Every finding describes what was found and what to do.

import type { Clock, Dns, DnsAnswer } from "#runtime/runtime.ts";
import { dkimName, dkimValue, dmarcName, firstDmarc, type PublishedKey } from "./domain-records.ts";
import { readSpf, type SpfPolicy } from "./spf.ts";

export interface Finding {
  /** `doubtful`: it may be right; `advice` says what to look at. `unknown`: DNS did not answer. */
  result: "ok" | "missing" | "wrong" | "doubtful" | "unknown";
  /** The name that was looked up. */
  name: string;
  /** The existing records. */
  found: string[];
  message: string;
  /** What to do; null if nothing. */
  advice: string | null;
}

export interface DomainFindings {
  spf: Finding;
  /** One for each key that is not retired. */
  dkim: (Finding & { keyId: string })[];
  dmarc: Finding;
}

/** An email gateway of the account: its sender's domain, and its server if it has one. */
export interface MailRoute {
  identifier: string;
  /** The domain of its `from`. */
  domain: string;
  /** The SMTP server; null if it sends through its provider's API. */
  host: string | null;
}

/** Limits of one check, since the domain's owner controls its records. */
const maxQueries = 100;
const maxCheckMs = 20_000;

export async function checkDomain(
  { dns, clock }: { dns: Dns; clock: Clock },
  domain: string,
  keys: readonly PublishedKey[],
  routes: readonly MailRoute[],
): Promise<DomainFindings> {
  const bounded = boundedDns(dns, clock);
  const below = routes.filter((route) => isWithin(route.domain, domain));
  const [spf, dmarc, ...dkim] = await Promise.all([
    checkSpf(bounded, domain, below),
    checkDmarc(bounded, domain, below),
    ...keys
      .filter(({ state }) => state !== "retired")
      .map(async (key) => ({ keyId: key.id, ...(await checkKey(bounded, domain, key)) })),
  ]);
  return { spf, dkim, dmarc };
}

const isWithin = (name: string, domain: string) => name === domain || name.endsWith(`.${domain}`);

function boundedDns(dns: Dns, clock: Clock): Dns {
  const until = clock.monotonic() + maxCheckMs;
  let queries = 0;
  const bounded = (ask: (name: string) => Promise<DnsAnswer>) => async (name: string) => {
    queries += 1;
    if (queries <= maxQueries && clock.monotonic() < until) return await ask(name);
    return { kind: "failed", reason: "The check needed too many DNS lookups, or took too long." } as const;
  };
  return { txt: bounded(dns.txt), addresses: bounded(dns.addresses), mx: bounded(dns.mx) };
}

const unknown = (name: string, reason: string): Finding => ({
  result: "unknown",
  name,
  found: [],
  message: reason,
  advice: "Check again in a few minutes.",
});

/** `name=value; …` of a DKIM or DMARC record, by lower-case names. */
function tagsOf(record: string): Map<string, string> {
  const tags = record.split(";").map((tag) => tag.trim());
  return new Map(
    tags.map((tag) => {
      const equals = tag.indexOf("=");
      return [tag.slice(0, Math.max(equals, 0)).trim().toLowerCase(), tag.slice(equals + 1).trim()];
    }),
  );
}

async function checkKey(dns: Dns, domain: string, key: PublishedKey): Promise<Finding> {
  const name = dkimName(key.selector, domain);
  const answer = await dns.txt(name);
  if (answer.kind === "failed") return unknown(name, answer.reason);
  const found = answer.kind === "found" ? answer.values : [];
  const publish = `Publish a TXT record at ${name} with this value: ${dkimValue(key)}`;
  const finding = (result: Finding["result"], message: string, advice: string | null) => {
    return { result, name, found, message, advice };
  };
  const [record] = found;
  if (record === undefined) return finding("missing", "There is no record for this key.", publish);
  if (found.length > 1)
    return finding("wrong", "There is more than one TXT record at this name.", `Leave one. ${publish}`);
  const tags = tagsOf(record);
  const replace = `Replace it. ${publish}`;
  const bytes = tags.get("p")?.replace(/\s+/g, "");
  if ((tags.get("v") ?? "DKIM1") !== "DKIM1" || bytes === undefined)
    return finding("wrong", "The record is not a DKIM record.", replace);
  if (bytes === "") return finding("wrong", "The record says that the key was revoked.", replace);
  if (bytes !== key.public_key) {
    // The most frequent mistake of DNS panels with long values.
    const cut = key.public_key.startsWith(bytes);
    return finding(
      "wrong",
      cut ? "The key in the record is cut off." : "The record has another key.",
      cut ? `Give the value whole, or in the strings that are shown with the domain. ${publish}` : replace,
    );
  }
  const kind = (tags.get("k") ?? "rsa").toLowerCase();
  if (`${kind}-sha256` !== key.algorithm)
    return finding("wrong", `The record says that the key is of the kind ${kind}.`, replace);
  const allows = (tag: string, value: string) => {
    const list = tags
      .get(tag)
      ?.split(":")
      .map((word) => word.trim().toLowerCase());
    return list === undefined || list.includes(value) || list.includes("*");
  };
  if (!allows("h", "sha256") || !allows("s", "email"))
    return finding("wrong", "The record does not allow the key to sign mail with SHA-256.", replace);
  if (tags.get("t")?.split(":").includes("y"))
    return finding(
      "doubtful",
      "The record is right, but says that it is a test: receivers may ignore signatures.",
      `Remove t=y. ${publish}`,
    );
  return finding("ok", "The record is there, with this key.", null);
}

const listed = (names: readonly string[]) => [...new Set(names)].join(", ");

async function checkSpf(dns: Dns, domain: string, routes: readonly MailRoute[]): Promise<Finding> {
  const senders = routes.filter((route) => route.domain === domain);
  const hosts = [...new Set(senders.flatMap(({ host }) => (host === null ? [] : [host])))];
  const reading = await readSpf(dns, domain);
  const ask =
    hosts.length === 0
      ? "Ask your mail provider which SPF record it needs, such as v=spf1 include:spf.provider.example ~all."
      : `Ask the operator of ${listed(hosts)} which SPF record it needs. If it delivers to receivers itself: v=spf1 ${hosts.map((host) => `a:${host}`).join(" ")} ~all`;
  switch (reading.kind) {
    case "failed":
      return unknown(domain, reading.reason);
    case "none":
      return {
        result: "missing",
        name: domain,
        found: [],
        message: "There is no SPF policy.",
        advice: `Publish a TXT record at ${domain}. ${ask}`,
      };
    case "many":
      return {
        result: "wrong",
        name: domain,
        found: reading.records,
        message: "There is more than one SPF policy, so receivers ignore all of them.",
        advice: "Join them in one record.",
      };
    case "found":
      return await judgeSpf(dns, domain, reading.policy, hosts, ask);
  }
}

async function judgeSpf(
  dns: Dns,
  domain: string,
  policy: SpfPolicy,
  hosts: readonly string[],
  ask: string,
): Promise<Finding> {
  const finding = (result: Finding["result"], message: string, advice: string | null) => {
    return { result, name: domain, found: [policy.record], message, advice };
  };
  if (policy.faults.length > 0)
    return finding(
      "wrong",
      `Receivers ignore this policy. ${policy.faults.join(" ")}`,
      "Correct the record.",
    );
  if (policy.otherwise === "+")
    return finding(
      "wrong",
      "The policy lets every server send in the domain's name.",
      "End it with ~all, not +all.",
    );
  const count = `${policy.lookups} of 10 DNS lookups`;
  if (policy.unanswered.length > 0)
    return finding(
      "unknown",
      `Not all of it could be read. ${policy.unanswered.join(" ")}`,
      "Check again in a few minutes.",
    );
  const elsewhere: string[] = [];
  for (const host of hosts) {
    const answer = await dns.addresses(host);
    const verdicts = answer.kind === "found" ? answer.values.map(policy.allows) : [];
    if (!verdicts.some((verdict) => verdict !== false)) elsewhere.push(host);
  }
  if (elsewhere.length > 0)
    return finding(
      "doubtful",
      `There is a policy (${count}), which does not name the addresses of ${listed(elsewhere)}.`,
      `That is right if the server hands mail on to others that the policy names, as most providers' do. ${ask}`,
    );
  if (policy.otherwise === null || policy.otherwise === "?")
    return finding(
      "doubtful",
      `There is a policy (${count}), which says nothing about servers that it does not name.`,
      "End it with ~all.",
    );
  const named = hosts.length === 0 ? "" : ` It allows ${listed(hosts)}.`;
  const theirs =
    hosts.length === 0
      ? "Providers with an API send from their own servers; see that the policy has what yours asks for."
      : null;
  return finding("ok", `There is a policy (${count}).${named}`, theirs);
}

/** The record of the domain, otherwise of the nearest parent domain that has one (the tree walk of RFC 9989). */
async function findDmarc(
  dns: Dns,
  domain: string,
): Promise<
  { kind: "found"; at: string; records: string[] } | { kind: "none" } | { kind: "failed"; reason: string }
> {
  const labels = domain.split(".");
  // Of more than eight labels, those between the whole name and the last seven are skipped.
  const starts = labels.slice(0, -1).map((_, at) => at);
  for (const start of starts.filter((at) => at === 0 || labels.length - at <= 7)) {
    const at = labels.slice(start).join(".");
    const answer = await dns.txt(dmarcName(at));
    if (answer.kind === "failed") return answer;
    const records =
      answer.kind === "found" ? answer.values.filter((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text)) : [];
    if (records.length > 0) return { kind: "found", at, records };
  }
  return { kind: "none" };
}

async function checkDmarc(dns: Dns, domain: string, routes: readonly MailRoute[]): Promise<Finding> {
  const answer = await findDmarc(dns, domain);
  if (answer.kind === "failed") return unknown(dmarcName(domain), answer.reason);
  const first = `Publish a TXT record at ${dmarcName(domain)} with this value, and an address whose mail you read: ${firstDmarc(domain)}. When the reports show only your own mail, go on to p=quarantine, then to p=reject.`;
  if (answer.kind === "none")
    return {
      result: "missing",
      name: dmarcName(domain),
      found: [],
      message: "There is no DMARC policy. Large receivers require one of large senders.",
      advice: first,
    };
  const name = dmarcName(answer.at);
  const finding = (result: Finding["result"], message: string, advice: string | null) => {
    return { result, name, found: answer.records, message, advice };
  };
  if (answer.records.length > 1)
    return finding(
      "wrong",
      "There is more than one DMARC policy, so receivers ignore all of them.",
      "Leave one.",
    );
  const tags = tagsOf(answer.records[0]!);
  const above = answer.at !== domain;
  const policy = (above ? (tags.get("sp") ?? tags.get("p")) : tags.get("p"))?.toLowerCase();
  if (policy === undefined || !["none", "quarantine", "reject"].includes(policy))
    return finding(
      "wrong",
      "The policy does not say none, quarantine or reject.",
      `Begin it with v=DMARC1; p=none. ${first}`,
    );
  const from = above ? ` It is the one of ${answer.at}.` : "";
  const otherRoutes = routes.filter((route) => route.domain !== domain);
  if (tags.get("adkim")?.toLowerCase() === "s" && otherRoutes.length > 0)
    return finding(
      "doubtful",
      `The policy is ${policy}.${from} It requires signatures of exactly the sender's domain (adkim=s).`,
      `Make sending domains of ${listed(otherRoutes.map((route) => route.domain))} too, or remove adkim=s.`,
    );
  const reports = tags.has("rua")
    ? ""
    : " No reports are sent: add rua=mailto: with an address whose mail you read.";
  if (policy === "none")
    return finding(
      "ok",
      `The policy is p=none: mail that fails is delivered all the same.${from}`,
      `When the reports show only your own mail, go on to p=quarantine, then to p=reject.${reports}`,
    );
  return finding(
    "ok",
    `The policy is ${policy}: mail that fails is ${policy === "reject" ? "refused" : "put aside"}. Signatures of ${domain} are aligned with its senders.${from}`,
    reports === "" ? null : reports.trim(),
  );
}
