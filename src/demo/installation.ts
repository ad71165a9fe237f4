// What the demo is set up with: one shop that sends on three channels and asks two pools of AI models.

import { type ProvisionFile, provisionFile } from "#provision/file.ts";

/** The vendors of the demo are simulated, so these open nothing. */
const vendorSecret = "not-a-secret-of-anything";

const accountName = "harbour-coffee";
export const gateways = {
  sms: "twilio",
  campaigns: "campaigns",
  whatsapp: "whatsapp",
  email: "postmark",
} as const;
export const pools = { assistant: "assistant", search: "search" } as const;
export const models = {
  chat: "gpt-5-1-mini",
  second: "claude-haiku-4-5",
  embedding: "text-embedding-3-small",
} as const;
export const members = { chat: "openai", second: "anthropic", embedding: "openai" } as const;
/** Keys of the pools, by name: what they are for, and how often each asks. */
export const poolKeys = [
  { pool: pools.assistant, name: "support-inbox", share: 5 },
  { pool: pools.assistant, name: "website-chat", share: 8 },
  { pool: pools.assistant, name: "nightly-summaries", share: 1 },
  { pool: pools.search, name: "product-search", share: 6 },
] as const;

const webhook = (host: string, events: string[]) => ({
  url: `https://${host}/trunkline`,
  secret: `whsec_${Buffer.from(`${host} of the demo`.padEnd(32, ".")).toString("base64")}`,
  events,
});
/** Answers 200, and 503 since this morning. */
export const webhookHosts = { well: "api.harbour-coffee.example", failing: "crm.partner.example" } as const;

/** `apiKey` and `poolKey`: of the account, and the prefix of its pools' keys. */
export function demoProvision({ apiKey, poolKey }: { apiKey: string; poolKey: string }): ProvisionFile {
  const twilio = { account_sid: "ACdemo00000000000000000000000000", auth_token: vendorSecret };
  const shared = { limits: { requests_per_minute: 600, concurrency: 20 } };
  const keysOf = (pool: string) =>
    poolKeys
      .filter((key) => key.pool === pool)
      .map(({ name }) => ({ name, key: `${poolKey}${name}`, ...shared }));
  return provisionFile.parse({
    accounts: [
      {
        name: accountName,
        time_zone: "Europe/London",
        country: "GB",
        api_key: apiKey,
        plan: {
          name: "business",
          credit: { sms: 20_000, whatsapp: 10_000, email: 100_000 },
        },
        gateways: [
          {
            identifier: gateways.sms,
            channel: "sms",
            kind: "twilio",
            default: true,
            settings: { ...twilio, from: "HarbourCafe" },
          },
          {
            identifier: gateways.campaigns,
            channel: "sms",
            kind: "twilio",
            settings: { ...twilio, from: "+447700900100" },
          },
          {
            identifier: gateways.whatsapp,
            channel: "whatsapp",
            kind: "whatsapp-cloud",
            default: true,
            settings: { phone_number_id: "106540352242922", access_token: vendorSecret },
          },
          {
            identifier: gateways.email,
            channel: "email",
            kind: "postmark",
            default: true,
            settings: {
              server_token: vendorSecret,
              from: "hello@harbour-coffee.example",
              from_name: "Harbour Coffee",
            },
          },
        ],
        webhooks: [
          webhook(webhookHosts.well, ["message.received", "message.bounced", "message.failed"]),
          webhook(webhookHosts.failing, ["message.bounced", "message.failed", "message.read"]),
        ],
        pools: [
          {
            name: pools.assistant,
            members: [
              {
                name: members.chat,
                kind: "openai-compatible",
                models: [models.chat],
                settings: { base_url: "https://api.openai.com/v1", api_key: vendorSecret },
              },
              {
                name: members.second,
                kind: "anthropic",
                models: [models.second],
                priority: 2,
                settings: { api_key: vendorSecret },
              },
            ],
            keys: keysOf(pools.assistant),
          },
          {
            name: pools.search,
            members: [
              {
                name: members.embedding,
                kind: "openai-compatible",
                models: [],
                embedding_models: [models.embedding],
                settings: { base_url: "https://api.openai.com/v1", api_key: vendorSecret },
              },
            ],
            keys: keysOf(pools.search),
          },
        ],
      },
    ],
  });
}
