// The variables of OpenTelemetry, and the service with a collector.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openTelemetryVariables, readTraceSettings } from "#command-line/open-telemetry.ts";
import { openCollector } from "../runtime/tracing/collector.ts";
import { commands } from "./commands.ts";

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";
const own = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

test("where spans go: the own variable as it is, the shared one with a path; nowhere without, or when they are off", () => {
  const urlOf = (from: Record<string, string>) => {
    const read = readTraceSettings(from);
    assert.ok("settings" in read, JSON.stringify(read));
    return read.settings?.url ?? null;
  };
  assert.equal(urlOf({}), null);
  assert.equal(urlOf({ [endpoint]: " " }), null);
  assert.equal(urlOf({ [endpoint]: "http://collector:4318" }), "http://collector:4318/v1/traces");
  assert.equal(urlOf({ [endpoint]: "https://c/otlp//" }), "https://c/otlp/v1/traces");
  assert.equal(urlOf({ [endpoint]: "http://a", [own]: "http://b/in" }), "http://b/in");
  assert.equal(urlOf({ [endpoint]: "http://a", OTEL_SDK_DISABLED: "True" }), null);
  assert.equal(urlOf({ [endpoint]: "http://a", OTEL_TRACES_EXPORTER: "none" }), null);
});

test("everything that is wrong is said at once, and never with its value", () => {
  const read = readTraceSettings({
    [own]: "ftp://user:secret@collector",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_TRACES_SAMPLER: "jaeger_remote",
    OTEL_TRACES_SAMPLER_ARG: "2",
  });
  assert.ok("errors" in read);
  assert.deepEqual(
    read.errors.map((error) => error.split(" ")[0]),
    [own, "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"],
  );
  assert.doesNotMatch(read.errors.join(), /secret/);
  for (const name of [endpoint, "OTEL_SDK_DISABLED"]) assert.ok(openTelemetryVariables[name]);
});

test("a value that is not valid is an error that names its variable", () => {
  const wrong = {
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization: Bearer s3cret",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=a%0As3cret",
    OTEL_EXPORTER_OTLP_TIMEOUT: "10s",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "9999999999",
    OTEL_EXPORTER_OTLP_COMPRESSION: "zstd",
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/nowhere/collector.pem",
    OTEL_TRACES_EXPORTER: "console",
    OTEL_RESOURCE_ATTRIBUTES: "team",
  };
  for (const [name, value] of Object.entries(wrong)) {
    const read = readTraceSettings({ [endpoint]: "http://a", [name]: value });
    assert.ok("errors" in read, name);
    assert.equal(read.errors.length, 1, name);
    assert.ok(read.errors[0]?.startsWith(`${name} must `), name);
    assert.doesNotMatch(read.errors.join(), /s3cret|nowhere/);
    assert.deepEqual(readTraceSettings({ [name]: value }), { settings: null }, "no spans are wanted");
  }
  const half = readTraceSettings({
    [endpoint]: "http://a",
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: import.meta.filename,
  });
  assert.ok("errors" in half);
  assert.match(half.errors.join(), /^OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and .* must both be set\.$/);
  const noFile = readTraceSettings({
    [endpoint]: "http://a",
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: import.meta.filename,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: "/nowhere/client.key",
  });
  assert.ok("errors" in noFile);
  assert.deepEqual(noFile.errors, [
    "OTEL_EXPORTER_OTLP_CLIENT_KEY must be the path of a file that can be read.",
  ]);
  const right = {
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20KEY=, x-tenant=a,",
    OTEL_EXPORTER_OTLP_TIMEOUT: "5000",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_CERTIFICATE: import.meta.filename,
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: import.meta.filename,
    OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: import.meta.filename,
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,team=ai%2Cml",
  };
  const read = readTraceSettings({ [endpoint]: "http://a", ...right });
  assert.ok("settings" in read && read.settings !== null, JSON.stringify(read));
  const { headers, timeoutMs, gzip, tls, resource } = read.settings;
  assert.deepEqual(
    { headers, timeoutMs, gzip, tls, resource },
    {
      headers: { authorization: "Bearer KEY=", "x-tenant": "a" },
      timeoutMs: 5_000,
      gzip: true,
      tls: { ca: import.meta.filename, cert: import.meta.filename, key: import.meta.filename },
      resource: { "deployment.environment.name": "test", team: "ai,ml" },
    },
  );
  const own = readTraceSettings({
    [endpoint]: "http://a",
    ...right,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "X-Tenant=b",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "7000",
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "none",
    OTEL_SERVICE_NAME: "eu",
  });
  assert.ok("settings" in own && own.settings !== null);
  assert.deepEqual(
    [
      own.settings.headers,
      own.settings.timeoutMs,
      own.settings.gzip,
      own.settings.resource?.["service.name"],
    ],
    [{ authorization: "Bearer KEY=", "x-tenant": "b" }, 7_000, false, "eu"],
  );
});

test("the service sends its spans before it ends, with the operator's headers and names", async () => {
  const collector = await openCollector();
  const { callWith, run, serve } = commands();
  try {
    const refused = await callWith({ [endpoint]: "nowhere", TRUNKLINE_PORT: "x" }, "wrong", "serve");
    assert.equal(refused.code, 1);
    assert.match(refused.error, /TRUNKLINE_PORT must be[^\n]*\n.*OTEL_EXPORTER_OTLP_ENDPOINT must be/);
    const service = await serve("traced", {
      [endpoint]: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=c0llector",
      OTEL_SERVICE_NAME: "gateway-eu",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    // It prints its keys after it says that it listens.
    const keyIn = (text: string) => /^ {4}(tlp_\S+)/m.exec(text)?.[1];
    while (keyIn(service.printed()) === undefined) await new Promise((resolve) => setImmediate(resolve));
    const poolKey = keyIn(service.printed());
    const asked = await fetch(`${service.base}/api/ai/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${poolKey}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "a private question" }] }),
    });
    assert.equal(asked.status, 200);
    await service.stop("SIGTERM");
    assert.deepEqual(collector.spans.map(({ name }) => name).toSorted(), ["chat default", "chat echo"]);
    assert.equal(collector.posts[0]?.headers["x-collector-key"], "c0llector");
    const [resource] = collector.resources;
    assert.equal(resource?.["service.name"], "gateway-eu");
    assert.equal(resource?.["deployment.environment.name"], "test");
    assert.doesNotMatch(service.printed(), /c0llector|opentelemetry/i);
    assert.equal((await run("traced", "version")).error, "");
  } finally {
    await collector.close();
  }
});
