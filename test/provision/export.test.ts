// The export: a file that holds what there is and no secret, and that makes an equal installation.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import test from "node:test";
import fc from "fast-check";
import { applyProvision } from "#provision/apply.ts";
import { compareProvision } from "#provision/compare.ts";
import { type Exported, exportProvision } from "#provision/export.ts";
import { checkProvisionFile, fillVariables } from "#provision/file.ts";
import { hashSecret } from "#runtime/secret.ts";
import { type Configuring, openConfiguring } from "../configure/deps.ts";

const pem = { type: "pkcs8", format: "pem" } as const;
const private_key = generateKeyPairSync("ed25519").privateKey.export(pem).toString();
/** A text that nothing else has. */
const secretOf = (words: string) => `s3cr3t-${Buffer.from(words).toString("hex")}-0123456789abcdef0123456789`;

async function withInstallation<T>(use: (open: Configuring) => Promise<T>): Promise<T> {
  const open = await openConfiguring();
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

function fileOf(value: unknown) {
  const read = checkProvisionFile(value);
  assert.ok("file" in read, "errors" in read ? read.errors.join("\n") : "");
  return read.file;
}

async function apply(open: Configuring, value: unknown): Promise<void> {
  assert.deepEqual((await applyProvision(open.deps, fileOf(value))).errors, []);
}

/** The exported file with the values of its variables; `keys`: the texts of keys, of which an installation has the hashes. */
function filled({ file, variables }: Exported, keys: readonly string[]): unknown {
  const texts = new Map(keys.map((key) => [hashSecret(key), key]));
  const environment = Object.fromEntries(
    variables.map(({ name, secret }) => [name, "text" in secret ? secret.text : texts.get(secret.hash)]),
  );
  const errors: string[] = [];
  const value = fillVariables(file, environment, errors);
  assert.deepEqual(errors, []);
  return value;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a variable, which a member of an account may write.
const looksLikeVariable = "${ACME_API_KEY} and $HOME";
const text = fc.constantFrom("plain", looksLikeVariable, "{{title}}", "null", "1e3", "a: b # c");
const flag = fc.boolean();
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });

interface Drawn {
  kinds: number[];
  flags: boolean[];
  words: string;
  limit: number | null;
}
const drawn: fc.Arbitrary<Drawn> = fc.record({
  kinds: fc.uniqueArray(fc.nat(5), { maxLength: 6 }),
  flags: fc.array(flag, { minLength: 8, maxLength: 8 }),
  words: text,
  limit: maybe(fc.integer({ min: 1, max: 900 })),
});

const gatewaysOf = (name: string, { kinds, flags: [on, second], limit }: Drawn) => {
  const id = (suffix: string) => `g${Buffer.from(name).toString("hex")}-${suffix}`;
  const all = [
    { identifier: id("box"), channel: "sms", kind: "sandbox", default: on, active: second },
    {
      identifier: id("twilio"),
      channel: "sms",
      kind: "twilio",
      settings: {
        account_sid: `AC${"0".repeat(32)}`,
        auth_token: secretOf(`${name} twilio`),
        from: "+15550100",
      },
      pace: { per_second: limit },
    },
    {
      identifier: id("http"),
      channel: "sms",
      kind: "http-api",
      settings: {
        url: "https://sms.example.com/v1",
        headers: { authorization: secretOf(`${name} http`), to: "{{to}}" },
        body: { to: "{{to}}", text: "{{message}}", note: looksLikeVariable },
      },
    },
    {
      identifier: id("mail"),
      channel: "email",
      kind: "smtp",
      settings: {
        host: "mail.example.com",
        from: "a@example.com",
        ...(on ? { username: "a", password: secretOf(`${name} mail`) } : {}),
      },
    },
    { identifier: id("b-sim"), channel: "sms", kind: "android", settings: { ping_s: on ? null : 900 } },
    { identifier: id("a-sim"), channel: "sms", kind: "android", settings: { phone: id("b-sim"), sim: 2 } },
  ];
  const complete = kinds.includes(5) ? [...new Set([...kinds, 4])] : kinds;
  return complete.map((kind) => all[kind]!);
};

function accountOf(name: string, chosen: Drawn) {
  const [a, b, c, d, e, f, g, h] = chosen.flags;
  const { words, limit } = chosen;
  return {
    name,
    api_key: secretOf(`${name} api key`),
    ...(a ? { time_zone: "Europe/Berlin", country: "DE", rate_limit: { requests_per_minute: 9 } } : {}),
    plan: {
      name: words,
      credit: { sms: limit, email: b ? 0 : null },
      ...(b ? { renews: "monthly", expires_at: "2031-01-01T01:00:00+01:00" } : {}),
    },
    lateness_ms: 60_000 + (limit ?? 0),
    ...(c ? { ai_budget: { cost_per_month: 5 }, attachments: { max_files: 0 } } : {}),
    gateways: gatewaysOf(name, chosen),
    sending_domains: d ? [{ domain: "example.com", keys: [{ selector: "m", private_key }] }] : [],
    webhooks: e
      ? [
          {
            url: `https://hook.test/?key=${secretOf(`${name} url`)}`,
            events: ["*"],
            active: f,
            name: g ? words : null,
          },
          { url: "https://hook.test", secret: `whsec_${Buffer.alloc(24, name).toString("base64")}` },
        ]
      : [],
    hooks: f
      ? [
          {
            name: "alerts",
            key: secretOf(`${name} hook`),
            channel: "sms",
            to: ["+15550000001"],
            message: words,
            missing: g ? null : "-",
          },
        ]
      : [],
    pools: g
      ? [
          {
            name: "default",
            members: [
              {
                name: "one",
                kind: "openai-compatible",
                models: ["m"],
                settings: { base_url: "https://ai.example.com/v1", api_key: secretOf(`${name} member`) },
              },
              { name: "box", kind: "sandbox", models: ["echo"], aliases: h ? { fast: "echo" } : {} },
            ],
            keys: [
              { name: words, key: secretOf(`${name} pool key`), budget: { cost_per_month: limit } },
              { name: "b", key: secretOf(`${name} other key`), expires_at: "2031-01-01T00:00:00Z" },
            ],
          },
        ]
      : [],
  };
}

const files = fc
  .record({
    // Two of them have the same variables.
    names: fc.uniqueArray(fc.constantFrom("acme", "a-b", "a b", "trunkline", "Ünï", "7"), { maxLength: 3 }),
    drawn: fc.array(drawn, { minLength: 3, maxLength: 3 }),
    token: flag,
  })
  .map(({ names, drawn: all, token }) => ({
    accounts: names.map((name, at) => accountOf(name, all[at]!)),
    management_tokens: token
      ? [
          { name: "ci", token: secretOf("ci"), role: "operator", scopes: ["messages:read"] },
          ...(names[0] === undefined
            ? []
            : [{ name: "of one", token: secretOf("one"), role: "member", account: names[0] }]),
        ]
      : [],
  }));

const secretsIn = (value: unknown) => [
  ...new Set(JSON.stringify(value).match(/s3cr3t-[0-9a-f]+-0123456789abcdef0123456789/g) ?? []),
];

test("an export has no secret, changes nothing where it comes from, and makes an installation with the same export", async () => {
  await fc.assert(
    fc.asyncProperty(files, async (file) => {
      const keys = secretsIn(file);
      const [first, value] = await withInstallation(async (open) => {
        await apply(open, file);
        const exported = await exportProvision(open.deps);
        const whole = filled(exported, keys);
        assert.deepEqual(await compareProvision(open.deps, fileOf(whole)), { errors: [], changes: [] });
        return [exported, whole] as const;
      });
      assert.deepEqual(secretsIn(first.file), []);
      assert.ok(!JSON.stringify(first.file).includes("BEGIN PRIVATE KEY"));
      const names = first.variables.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length);
      for (const name of names) assert.match(name, /^(?!TRUNKLINE_)[A-Z_][A-Z0-9_]*$/);
      await withInstallation(async (open) => {
        await apply(open, value);
        assert.deepEqual(await exportProvision(open.deps), first);
      });
    }),
    { numRuns: 10 },
  );
});
