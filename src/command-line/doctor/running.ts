// The doctor's checks of the running service, through its API: its storage and accounts, whether it reaches its gateways and pool members,
// and whether callbacks can reach it.

import { type Api, ApiError } from "#command-line/api.ts";
import { plain } from "#command-line/terminal.ts";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import { version } from "#runtime/program.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** Checks are bounded: the first accounts, and of each the first gateways and members of their lists. */
const maxAccounts = 50;
const maxGateways = 50;
/** The service checks 30 members a minute for one caller, because each check is a request to the provider. */
const maxMembers = 20;
const reachMs = 10_000;

async function first<Row>(rows: AsyncGenerator<Row>, count: number): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) {
    found.push(row);
    if (found.length === count) break;
  }
  return found;
}

interface Installation {
  version: string;
  engine: string;
  public_url: string | null;
  held: { messages: number } | null;
}

async function checkProcess(api: Api): Promise<{ findings: Finding[]; installation: Installation }> {
  const { data } = await api.ask<{ data: Installation }>("GET", "/api/manage/v1/installation");
  const findings: Finding[] = [
    data.version === version
      ? ok("service", `Version ${version} runs on ${data.engine}.`)
      : warning(
          "service",
          `Version ${data.version} runs, and this command is version ${version}.`,
          "Restart the service to run the installed version.",
        ),
  ];
  try {
    await api.ask("GET", "/health/ready");
    findings.push(ok("storage", "The service reads and writes it."));
  } catch (error) {
    findings.push(
      fault(
        "storage",
        `The service is not ready: ${(error as Error).message}`,
        "Look at its log for `storage`.",
      ),
    );
  }
  if (data.held !== null)
    findings.push(
      warning(
        "restore",
        `${data.held.messages} messages of a restored backup are held.`,
        "Compare with the providers' logs, then: trunkline release, or cancel them in the dashboard.",
      ),
    );
  return { findings, installation: data };
}

/** Whether a body is that of our `/health/live`. */
function isLiveness(text: string): boolean {
  try {
    return (JSON.parse(text) as { status?: unknown } | null)?.status === "live";
  } catch {
    return false;
  }
}

/** Tested from this machine: a firewall may still block the outside world. */
async function checkCallbacks(publicUrl: string | null): Promise<Finding> {
  if (publicUrl === null)
    return warning(
      "callbacks",
      "There is no public address, so providers cannot report deliveries.",
      "Put the address that the world reaches into TRUNKLINE_PUBLIC_URL.",
    );
  const advice = "Compare TRUNKLINE_PUBLIC_URL with DNS and with the proxy before the service.";
  try {
    const answer = await requestApi(
      { url: publicUrl },
      { method: "GET", path: "/health/live", silenceMs: reachMs },
    );
    const text = await textOf(answer.body);
    if (answer.status !== 200 || !isLiveness(text))
      return fault("callbacks", `${publicUrl} answers ${answer.status}, and not as Trunkline does.`, advice);
  } catch (error) {
    return fault("callbacks", `${publicUrl} cannot be reached: ${(error as Error).message}.`, advice);
  }
  return publicUrl.startsWith("https:")
    ? ok("callbacks", `${publicUrl} leads here, seen from this machine.`)
    : warning("callbacks", `${publicUrl} is not encrypted.`, "Put a proxy with TLS before the service.");
}

interface Account {
  id: string;
  name: string;
}

interface Attention {
  kind: string;
  severity: string;
  subject: { id: string; name: string } | null;
  reason: string | null;
}

/** Such as `sms-main: gateway paused, unauthorized`. `subject`: the name of the gateway, the domain or the like, or null if it has none. */
export const attentionWords = (kind: string, subject: string | null, reason: string | null): string =>
  `${subject === null ? "" : `${subject}: `}${kind.replaceAll("_", " ")}${reason === null ? "" : `, ${reason}`}`;

/** Things that need a person, as in the dashboard's overview. */
async function checkAttention(api: Api, account: Account): Promise<Finding[]> {
  const path = `/api/manage/v1/accounts/${account.id}/overview`;
  const { data } = await api.ask<{ data: { attention: Attention[] } }>("GET", path);
  return data.attention
    .filter(({ kind }) => kind !== "no_public_url" && kind !== "held")
    .map(({ kind, severity, subject, reason }) => ({
      what: `account ${account.name}`,
      state: severity === "error" ? "error" : "warning",
      detail: plain(attentionWords(kind, subject?.name ?? null, reason)),
      advice: "The dashboard's overview of the account leads to it.",
    }));
}

interface Gateway {
  identifier: string;
  kind: string;
  test: boolean;
  active: boolean;
  receipts_unmatched_since: string | null;
  provider: { notice: { text: string; at: string } | null } | null;
}

interface Check {
  findings: { what: string; state: string; detail: string }[];
}

async function checkGateway(api: Api, account: Account, gateway: Gateway): Promise<Finding[]> {
  const what = `gateway ${gateway.identifier}`;
  const path = `/api/manage/v1/accounts/${account.id}/gateways/${gateway.identifier}/check`;
  try {
    const { findings } = (await api.ask<{ data: Check }>("GET", path)).data;
    return findings.map(({ what: part, state, detail }) =>
      state === "ok"
        ? ok(what, plain(detail))
        : {
            what,
            state: state === "error" ? "error" : "warning",
            detail: plain(`${part}: ${detail}`),
            advice: "Compare its settings with what the provider shows, and the firewall of this machine.",
          },
    );
  } catch (error) {
    // Kinds without an address, such as phones: the overview says whether one is linked.
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

async function checkGateways(api: Api, account: Account): Promise<Finding[]> {
  const rows = api.rows<Gateway>(`/api/manage/v1/accounts/${account.id}/gateways`);
  const real = (await first(rows, maxGateways)).filter(({ test, active }) => !test && active);
  const unmatched = real.filter(({ receipts_unmatched_since: since }) => since !== null);
  return [
    ...unmatched.map(({ identifier, receipts_unmatched_since: since }) =>
      warning(
        `gateway ${identifier}`,
        `Since ${since} the provider's receipts name no message of the gateway.`,
        "Compare the format of ids in the provider's answers and in its receipts, and check whether others send with the same credentials.",
      ),
    ),
    ...real.flatMap(({ identifier, provider }) =>
      provider?.notice == null
        ? []
        : [
            warning(
              `gateway ${identifier}`,
              `${plain(provider.notice.text)} (${provider.notice.at})`,
              "The provider reported this of the gateway itself. The gateway's page shows what it sends.",
            ),
          ],
    ),
    ...(await Promise.all(real.map((gateway) => checkGateway(api, account, gateway)))).flat(),
  ];
}

interface Pool {
  id: string;
  name: string;
  members: { id: string; name: string; kind: string; active: boolean; unpriced_models: string[] }[];
}

interface PoolUsage {
  /** The id of the pool, where usage is grouped by pools. */
  group: string;
  unpriced: number;
}

/** Names in a finding; further ones are counted. */
const maxNamed = 10;

/**
 * What is missing in a pool's prices; null if nothing is. `models`: those without a known price, with their members; `calls`: of the last
 * 30 days without a price.
 */
export function pricesFinding(pool: string, models: readonly string[], calls: number): Finding | null {
  if (models.length === 0 && calls === 0) return null;
  const more = models.length > maxNamed ? ` and ${models.length - maxNamed} more` : "";
  const named =
    models.length === 0
      ? "All models have a price now."
      : `No price is known of ${models.slice(0, maxNamed).join(", ")}${more}.`;
  const counted =
    calls === 0 ? "" : ` ${calls} ${calls === 1 ? "call" : "calls"} of the last 30 days had no price.`;
  return warning(
    `pool ${pool}`,
    plain(`${named}${counted}`),
    models.length === 0
      ? "The usage of these days costs more than it shows."
      : "Set `prices` of the member: a budget of cost refuses these models, or cannot count their calls.",
  );
}

async function checkPrices(api: Api, account: Account): Promise<Finding[]> {
  const path = `/api/manage/v1/accounts/${account.id}`;
  const { data: usage } = await api.ask<{ data: PoolUsage[] }>("GET", `${path}/ai-usage?by=pool`);
  const findings: Finding[] = [];
  for await (const pool of api.rows<Pool>(`${path}/pools`)) {
    const models = pool.members.flatMap(({ active, name, unpriced_models }) =>
      active ? unpriced_models.map((model) => `${model} (member ${name})`) : [],
    );
    const calls = usage.find(({ group }) => group === pool.id)?.unpriced ?? 0;
    const finding = pricesFinding(pool.name, models, calls);
    if (finding !== null) findings.push(finding);
  }
  return findings;
}

async function checkMembers(api: Api, account: Account, limit: number): Promise<Finding[]> {
  const path = `/api/manage/v1/accounts/${account.id}/pools`;
  const findings: Finding[] = [];
  for await (const pool of api.rows<Pool>(path)) {
    for (const member of pool.members) {
      if (!member.active || member.kind === "sandbox") continue;
      if (findings.length === limit) return findings;
      const what = `member ${pool.name}/${member.name}`;
      const asked = { member: member.id };
      const { data } = await api.ask<{ data: { ok: boolean; ms: number; reason: string | null } }>(
        "POST",
        `${path}/${pool.id}/members/check`,
        asked,
      );
      findings.push(
        data.ok
          ? ok(what, `It accepts the key, in ${Math.round(data.ms)} ms.`)
          : fault(
              what,
              plain(data.reason ?? "It did not answer."),
              "Compare its key and address with the provider's console.",
            ),
      );
    }
  }
  return findings;
}

/** All checks of the running service. */
export async function checkRunning(api: Api): Promise<Finding[]> {
  const { findings, installation } = await checkProcess(api);
  findings.push(await checkCallbacks(installation.public_url));
  let members = 0;
  for (const account of await first(api.rows<Account>("/api/manage/v1/accounts"), maxAccounts)) {
    const asked = await checkMembers(api, account, maxMembers - members);
    members += asked.length;
    findings.push(
      ...(await checkAttention(api, account)),
      ...(await checkGateways(api, account)),
      ...asked,
      ...(await checkPrices(api, account)),
    );
  }
  return findings;
}
