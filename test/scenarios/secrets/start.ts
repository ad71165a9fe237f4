// How an installation is set up: settings and provisioning file, with secrets where they belong and where they do not.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readProvisionFile } from "#provision/file.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { readConfig } from "../../../src/config.ts";
import { planted, providers, settingsFor } from "./planted.ts";
import type { Story } from "./story.ts";

/** How the file names an environment variable. */
const fromEnvironment = (name: string) => ["$", "{", name, "}"].join("");

/** Which of the providers an account has a gateway for. */
export const gatewaysOf = (account: string) =>
  [...providers.keys()].filter((at) => at % 3 === ["acme", "beta", "gamma"].indexOf(account));

function provisioning(): object {
  const account = (name: string, api_key: string) => ({
    name,
    country: "DE",
    api_key,
    plan: { name: "basic", credit: { sms: 100_000 } },
    gateways: gatewaysOf(name).map((index) => ({
      identifier: providers[index],
      channel: "sms",
      kind: "http-api",
      settings: settingsFor(providers[index]!, index),
      retry: { first_ms: 1000, max_ms: 2000, for_ms: 10_000 },
      on_unknown: index % 2 === 0 ? "hold" : "resend",
    })),
    webhooks: [] as object[],
  });
  const acme = account("acme", fromEnvironment("KEY_IN_HEADER"));
  const { webhookUrlPath: path, webhookUrlQuery: query } = planted;
  for (const hook of ["hook200", "hook500", "hook302", "hook410"]) {
    acme.webhooks.push({
      url: `https://${hook}.customer.test/${path}/in?token=${query}`,
      secret: planted.webhookSecretBefore,
      events: ["*"],
    });
  }
  return {
    accounts: [acme, account("beta", planted.apiKeyInQuery), account("gamma", planted.apiKeyInBody)],
    management_tokens: [{ name: "terraform", token: planted.managementToken, role: "operator" }],
  };
}

/** Faults in settings and in the provisioning file, as an operator sees them. */
export async function start({ it, evidence, manage, known }: Story, folder: string): Promise<void> {
  const file = join(folder, "provision.yaml");
  const apply = async (text: string, environment: Record<string, string>) => {
    writeFileSync(file, text);
    evidence.inputs.push(text, JSON.stringify(environment));
    const read = readProvisionFile(file, environment);
    const faults = "errors" in read ? read.errors : (await it.system.provision(read.file)).errors;
    evidence.add("faults of the provisioning file", faults.join("\n"));
    return faults;
  };
  assert.deepEqual(
    await apply(JSON.stringify(provisioning()), { KEY_IN_HEADER: planted.apiKeyInHeader }),
    [],
  );
  const bad = {
    accounts: [
      {
        name: "delta",
        api_key: planted.shortKeyOfProvisioning,
        time_zone: fromEnvironment("WRONG"),
        country: fromEnvironment("WRONG"),
        webhooks: [
          { url: "https://a.test/", secret: planted.refusedWebhookSecret },
          { url: "https://a.test/", events: [fromEnvironment("WRONG")] },
        ],
        gateways: [
          {
            identifier: "d",
            channel: fromEnvironment("ENUM"),
            kind: fromEnvironment("WRONG"),
            pace: { per_second: fromEnvironment("WRONG"), hours: fromEnvironment("WRONG") },
          },
        ],
      },
    ],
    management_tokens: [
      { name: "bad", token: planted.shortKeyOfProvisioning, role: fromEnvironment("ENUM") },
    ],
  };
  const wrong = { WRONG: planted.secretInWrongField, ENUM: planted.secretInWrongEnum };
  assert.ok((await apply(JSON.stringify(bad), wrong)).length >= 5);
  const faulty = (gateway: object) =>
    apply(JSON.stringify({ accounts: [{ name: "delta", time_zone: "UTC", gateways: [gateway] }] }), wrong);
  const gateway = { identifier: "d", channel: "sms", kind: "http-api" };
  const url = `https://user:${planted.gatewayUrlPassword}@d.test/`;
  const body = { to: "{{to}}", text: "{{message}}" };
  assert.ok((await faulty({ ...gateway, kind: fromEnvironment("WRONG") })).length > 0);
  assert.ok((await faulty({ ...gateway, settings: { url, body } })).length > 0);
  assert.ok(
    (
      await faulty({
        ...gateway,
        settings: { url: `ftp://${fromEnvironment("WRONG")}`, method: fromEnvironment("ENUM"), from: 1 },
      })
    ).length > 0,
  );
  const taken = { accounts: [{ name: "delta", api_key: planted.apiKeyInBody }] };
  assert.ok((await apply(JSON.stringify(taken), {})).length > 0);
  assert.ok((await apply(`accounts:\n  - api_key: "${planted.secretInBrokenYaml}\n  - [`, {})).length > 0);

  const config = {
    TRUNKLINE_MASTER_KEY: planted.shortMasterKey,
    TRUNKLINE_DATABASE_URL: `mysql://user:${planted.databasePasswordOfBadUrl}@db/x`,
  };
  evidence.inputs.push(JSON.stringify(config));
  const read = readConfig(config);
  assert.ok("errors" in read && read.errors.length >= 2);
  evidence.add("faults of the settings", read.errors.join("\n"));
  const unreachable = `postgres://user:${planted.wrongDatabasePassword}@127.0.0.1:1/x`;
  evidence.inputs.push(unreachable);
  await assert.rejects(openPostgres({ url: unreachable, startMs: 0 }), (error: Error) => {
    it.log.error({ error, url: unreachable }, error.message);
    evidence.add("the error of a database that is not there", `${error.message}\n${error.stack}`);
    return true;
  });

  const accounts = (await manage("GET", "/accounts")).json().data as { id: string; name: string }[];
  for (const { id, name } of accounts) known.set(name, id);
  known.set("account", known.get("acme")!);
}
