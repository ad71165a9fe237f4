// The environment: defaults, every form, all errors at once, and never a value in an error.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { asFile, readConfig, variables } from "../src/config.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-config-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function read(environment: Record<string, string>) {
  const result = readConfig(environment);
  assert.ok("config" in result, JSON.stringify(result));
  return result.config;
}

function errors(environment: Record<string, string>): string[] {
  const result = readConfig(environment);
  return "errors" in result ? result.errors : [];
}

test("without any variable everything has its default", () => {
  assert.deepEqual(read({ PATH: "/bin", HOME: "/" }), {
    HOST: "127.0.0.1",
    PORT: 8080,
    DATA_DIR: "./data",
    POSTGRES_CONNECTIONS: 6,
    OUTBOUND_ALLOW: "",
    TRUSTED_PROXIES: [],
    MAX_CONTACTS: 10_000,
    MAX_ANSWER_BYTES: 16_777_216,
    MAX_BODY_BYTES: 33_554_432,
    MAX_UPLOAD_BYTES: 134_217_728,
    MAX_KEYLESS_BODY_BYTES: 2_097_152,
    MAX_CONNECTIONS: 10_000,
    SMTP_MAX_BYTES: 26_214_400,
    SMTP_WITHOUT_TLS: false,
    LINKED_DEVICES: 20,
    LINKED_DEVICES_PER_ACCOUNT: 5,
    DATABASE_SCHEMA: "trunkline",
    DASHBOARD: true,
    SHOW_API_KEYS: true,
    LOG_REQUESTS: 1,
    LOG_FORMAT: "auto",
    LOG_LEVEL: "info",
    TAKEOVER_MS: 45_000,
    STOP_DELAY_MS: 0,
    KEEP_WEBHOOK_DAYS: 30,
    KEEP_USAGE_DAYS: 90,
    KEEP_DEFERRED_DAYS: 7,
  });
});

test("every variable is read in its form; an empty one is as if it were not there", () => {
  const config = read({
    TRUNKLINE_HOST: "::",
    TRUNKLINE_PORT: "0",
    TRUNKLINE_DATABASE_URL: "postgresql://db/x",
    TRUNKLINE_PUBLIC_URL: "https://sms.example.com//",
    TRUNKLINE_MASTER_KEY: "k".repeat(32),
    TRUNKLINE_TRUSTED_PROXIES: " 10.0.0.2, ,fd00::/8",
    TRUNKLINE_SHOW_API_KEYS: "false",
    TRUNKLINE_LOG_LEVEL: "silent",
    TRUNKLINE_METRICS_TOKEN: "",
    TRUNKLINE_MAX_CONTACTS: "1000000",
    TRUNKLINE_KEEP_MESSAGES_DAYS: "365",
    TRUNKLINE_KEEP_WEBHOOK_DAYS: "1",
    TRUNKLINE_TEST_POSTGRES: "for tests, of no concern here",
  });
  assert.equal(config.PORT, 0);
  assert.equal(config.PUBLIC_URL, "https://sms.example.com");
  assert.deepEqual(config.TRUSTED_PROXIES, ["10.0.0.2", "fd00::/8"]);
  assert.equal(config.SHOW_API_KEYS, false);
  assert.equal(config.METRICS_TOKEN, undefined);
  assert.equal(config.MAX_CONTACTS, 1_000_000);
  assert.deepEqual(
    [config.KEEP_MESSAGES_DAYS, config.KEEP_WEBHOOK_DAYS, config.KEEP_AUDIT_DAYS],
    [365, 1, undefined],
  );
  assert.deepEqual(errors({ TRUNKLINE_KEEP_MESSAGES_DAYS: "0", TRUNKLINE_KEEP_AUDIT_DAYS: "all" }), [
    "TRUNKLINE_KEEP_MESSAGES_DAYS must be between 1 and 36500.",
    "TRUNKLINE_KEEP_AUDIT_DAYS must be a whole number.",
  ]);
});

test("wrong values are all reported at once, each by its name, without being repeated", () => {
  const wrong: Record<string, string> = {
    PORT: "canary80",
    DATABASE_SCHEMA: 'canary"; drop schema public; --',
    DATABASE_URL: "mysql://canary@db",
    PUBLIC_URL: "ftp://canary",
    MASTER_KEY: "canary",
    METRICS_TOKEN: "canary",
    MAX_CONTACTS: "0",
    MAX_BODY_BYTES: "1023",
    DASHBOARD: "canary",
    SHOW_API_KEYS: "canary",
    LOG_LEVEL: "canary",
    TAKEOVER_MS: "999999999999",
    STOP_DELAY_MS: "60001",
  };
  const found = errors(
    Object.fromEntries(Object.entries(wrong).map(([name, value]) => [`TRUNKLINE_${name}`, value])),
  );
  for (const name of Object.keys(wrong)) {
    assert.ok(
      found.some((error) => error.startsWith(`TRUNKLINE_${name} must`)),
      `${name}: ${found}`,
    );
  }
  assert.equal(found.length, Object.keys(wrong).length);
  assert.ok(!found.join().includes("canary"));
});

test("a value that the caller judges is reported with the others", () => {
  const checks = { OUTBOUND_ALLOW: (text: string) => (text === "10.0.0.0/8" ? null : "needs a CIDR block.") };
  const wrong = readConfig({ TRUNKLINE_OUTBOUND_ALLOW: "inside", TRUNKLINE_PORT: "x" }, checks);
  assert.ok("errors" in wrong);
  assert.equal(wrong.errors.length, 2);
  assert.equal(wrong.errors[1], "TRUNKLINE_OUTBOUND_ALLOW: needs a CIDR block.");
  assert.ok("config" in readConfig({ TRUNKLINE_OUTBOUND_ALLOW: "10.0.0.0/8" }, checks));
});

test("a schema of PostgreSQL has a plain name, and none of the server's own", () => {
  for (const name of ["public", "trunkline_2", "a".repeat(63)])
    assert.equal(read({ TRUNKLINE_DATABASE_SCHEMA: name }).DATABASE_SCHEMA, name);
  for (const name of [
    "Trunkline",
    "2nd",
    "pg_temp",
    "pg_",
    "information_schema",
    "a-b",
    "a b",
    "a,b",
    "ä",
    "a".repeat(64),
  ])
    assert.equal(errors({ TRUNKLINE_DATABASE_SCHEMA: name }).length, 1, name);
});

test("numbers at their bounds", () => {
  for (const [name, good, bad] of [
    ["PORT", "65535", "65536"],
    ["PORT", "0", "-1"],
    ["PORT", "08080", "80.5"],
    ["MAX_CONTACTS", "1", "1000001"],
    ["POSTGRES_CONNECTIONS", "2", "501"],
    ["TAKEOVER_MS", "1000", "999"],
    ["STOP_DELAY_MS", "60000", "-1"],
  ] as const) {
    assert.deepEqual(errors({ [`TRUNKLINE_${name}`]: good }), []);
    assert.equal(errors({ [`TRUNKLINE_${name}`]: bad }).length, 1, `${name} ${bad}`);
  }
});

test("a misspelled variable is a fault, not a silence", () => {
  assert.deepEqual(errors({ TRUNKLINE_PROT: "80" }), ["TRUNKLINE_PROT is not a setting of this version."]);
  assert.deepEqual(errors({ TRUNKLINE_PORT_FILE: "/x" }), [
    "TRUNKLINE_PORT_FILE is not a setting of this version.",
  ]);
});

test("secrets may stand in files: their text is trimmed, both at once is a fault, so is a missing one", () => {
  const path = join(folder, "secret");
  writeFileSync(path, `postgres://${"s".repeat(40)}\n`);
  for (const name of asFile) {
    assert.equal(read({ [`TRUNKLINE_${name}_FILE`]: path })[name], `postgres://${"s".repeat(40)}`);
    const both = { [`TRUNKLINE_${name}_FILE`]: path, [`TRUNKLINE_${name}`]: `postgres://${"t".repeat(40)}` };
    assert.deepEqual(errors(both), [`TRUNKLINE_${name} and TRUNKLINE_${name}_FILE are both set.`]);
    assert.deepEqual(errors({ [`TRUNKLINE_${name}_FILE`]: join(folder, "none") }), [
      `TRUNKLINE_${name}_FILE cannot be read: ENOENT.`,
    ]);
  }
  writeFileSync(path, "short");
  assert.deepEqual(errors({ TRUNKLINE_MASTER_KEY_FILE: path }), [
    "TRUNKLINE_MASTER_KEY must have at least 32 characters.",
  ]);
});

test("every variable says what it is for", () => {
  for (const [name, schema] of Object.entries(variables)) {
    assert.match(schema.meta()?.description ?? "", /^[A-Z].*\.$/, name);
  }
});

test("LOG_REQUESTS is a switch or a rate", () => {
  const read = (value: string) => {
    const result = readConfig({ TRUNKLINE_LOG_REQUESTS: value });
    return "errors" in result ? null : result.config.LOG_REQUESTS;
  };
  assert.deepEqual(["true", "false", "100"].map(read), [1, 0, 100]);
  assert.deepEqual(["0", "-1", "yes", "1.5", "1000000"].map(read), [null, null, null, null, null]);
});
