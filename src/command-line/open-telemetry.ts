// The OpenTelemetry variables that Trunkline supports, named as in its specification.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/

import { accessSync, constants } from "node:fs";
import { type SamplerName, samplerNames, type TraceSettings } from "#runtime/tracing/tracing.ts";

interface Variable {
  description: string;
  form: string;
  /** The default; null without one. */
  preset: string | null;
  example: string;
}

const variable = (description: string, form: string, preset: string | null, example: string): Variable => ({
  description,
  form,
  preset,
  example,
});

/** For the reference page. */
export const openTelemetryVariables: Readonly<Record<string, Variable>> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    "Base URL of an OTLP/HTTP collector; spans go to `/v1/traces` below it, as JSON. Without it and the next one: no spans.",
    "http or https URL",
    null,
    "http://localhost:4318",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(
    "The whole URL that spans go to, instead of the one above.",
    "http or https URL",
    null,
    "http://localhost:4318/v1/traces",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    "Headers for the collector, such as its key. `OTEL_EXPORTER_OTLP_TRACES_HEADERS` adds to them.",
    "`name=value`, comma-separated, values percent-encoded",
    null,
    "authorization=Bearer%20KEY",
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: variable(
    "How long the collector may take for one batch of spans, including retries, ms.",
    "whole number",
    "10000",
    "10000",
  ),
  OTEL_EXPORTER_OTLP_COMPRESSION: variable("How batches are compressed.", "`none` or `gzip`", "none", "gzip"),
  OTEL_EXPORTER_OTLP_CERTIFICATE: variable(
    "Path of the certificates (PEM) to trust for the collector instead of the public authorities.",
    "text",
    null,
    "/etc/trunkline/collector.pem",
  ),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: variable(
    "Path of Trunkline's own certificate (PEM), for a collector that asks for one (mutual TLS). It needs the next one.",
    "text",
    null,
    "/etc/trunkline/client.pem",
  ),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: variable(
    "Path of the private key of that certificate (PEM), without a passphrase.",
    "text",
    null,
    "/etc/trunkline/client-key.pem",
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(
    "Either is taken, and spans go as JSON; `grpc` is refused.",
    "`http/json` or `http/protobuf`",
    "http/json",
    "http/json",
  ),
  OTEL_SERVICE_NAME: variable("The `service.name` of spans.", "text", "trunkline", "gateway-eu"),
  OTEL_RESOURCE_ATTRIBUTES: variable(
    "More attributes of the resource.",
    "`name=value`, comma-separated, values percent-encoded",
    null,
    "deployment.environment.name=production",
  ),
  OTEL_TRACES_SAMPLER: variable(
    "Which calls leave spans; with `parentbased_…` a caller's `traceparent` decides.",
    samplerNames.map((name) => `\`${name}\``).join(", "),
    "parentbased_always_on",
    "parentbased_traceidratio",
  ),
  OTEL_TRACES_SAMPLER_ARG: variable("The share of a `…traceidratio` sampler.", "0 to 1", "1", "0.1"),
  OTEL_TRACES_EXPORTER: variable(
    "`none`: no spans, also with an endpoint.",
    "`otlp` or `none`",
    "otlp",
    "none",
  ),
  OTEL_SDK_DISABLED: variable("No spans, also with an endpoint.", "`true` or `false`", "false", "true"),
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads them and reports all errors at once. `settings` is null if no spans are wanted. */
export function readTraceSettings(
  from: Environment,
): { settings: TraceSettings | null } | { errors: string[] } {
  const setTo = (name: string): string | null => from[name]?.trim() || null;
  const own = setTo("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const shared = setTo("OTEL_EXPORTER_OTLP_ENDPOINT");
  const isOff =
    setTo("OTEL_SDK_DISABLED")?.toLowerCase() === "true" || setTo("OTEL_TRACES_EXPORTER") === "none";
  if (isOff || (own ?? shared) === null) return { settings: null };
  const errors: string[] = [];
  const url = own === null ? urlOf(shared ?? "", "v1/traces") : urlOf(own, null);
  if (url === null)
    errors.push(`OTEL_EXPORTER_OTLP_${own === null ? "" : "TRACES_"}ENDPOINT must be an http or https URL.`);
  for (const [name, check] of checks) {
    const text = setTo(name);
    const wrong = text === null ? null : check(text);
    if (wrong !== null) errors.push(`${name} must ${wrong}.`);
  }
  const ofTraces = (name: string) =>
    setTo(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? setTo(`OTEL_EXPORTER_OTLP_${name}`);
  const tls = { cert: ofTraces("CLIENT_CERTIFICATE"), key: ofTraces("CLIENT_KEY") };
  if ((tls.cert === null) !== (tls.key === null))
    errors.push("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY must both be set.");
  const sampler = setTo("OTEL_TRACES_SAMPLER")?.toLowerCase() ?? "parentbased_always_on";
  if (!isSampler(sampler)) errors.push(`OTEL_TRACES_SAMPLER must be one of ${samplerNames.join(", ")}.`);
  const share = setTo("OTEL_TRACES_SAMPLER_ARG");
  const ratio = share === null ? 1 : Number(share);
  if (!(ratio >= 0 && ratio <= 1)) errors.push("OTEL_TRACES_SAMPLER_ARG must be between 0 and 1.");
  if (errors.length > 0 || url === null || !isSampler(sampler)) return { errors };
  const name = setTo("OTEL_SERVICE_NAME");
  return {
    settings: {
      url,
      sampler,
      ratio,
      headers: {
        ...pairsIn(setTo("OTEL_EXPORTER_OTLP_HEADERS"), lowerCase),
        ...pairsIn(setTo("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), lowerCase),
      },
      timeoutMs: Number(ofTraces("TIMEOUT") ?? 10_000),
      gzip: ofTraces("COMPRESSION") === "gzip",
      tls: present({ ca: ofTraces("CERTIFICATE"), ...tls }),
      resource: {
        ...pairsIn(setTo("OTEL_RESOURCE_ATTRIBUTES"), decodeURIComponent),
        ...(name === null ? {} : { "service.name": name }),
      },
    },
  };
}

const lowerCase = (name: string) => name.toLowerCase();

/** Those that are set. */
const present = (values: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null));

/** The pairs of a text that `pairs` accepts. */
const pairsIn = (text: string | null, nameOf: (name: string) => string): Record<string, string> =>
  Object.fromEntries(
    (text ?? "")
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => {
        const at = pair.indexOf("=");
        return [nameOf(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())];
      }),
  );

/** An invalid value would lose spans silently. Describes the valid values; null if the value is valid. */
type Check = (text: string) => string | null;

const oneOf =
  (names: readonly string[], note = ""): Check =>
  (text) =>
    names.includes(text) ? null : `be ${names.join(" or ")}${note}`;

/** A timer has 31 bits. */
const timeout: Check = (text) =>
  /^[0-9]{1,10}$/.test(text) && Number(text) > 0 && Number(text) < 2 ** 31
    ? null
    : "be a whole number of milliseconds above 0";

const readableFile: Check = (path) => {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch {
    return "be the path of a file that can be read";
  }
};

/** `name=value`, comma-separated; `isName`: whether a name is valid. */
const pairs =
  (isName: RegExp): Check =>
  (text) =>
    text.split(",").every((pair) => pair.trim() === "" || isPair(pair, isName))
      ? null
      : "be name=value, comma-separated, with percent-encoded values";

function isPair(pair: string, isName: RegExp): boolean {
  const at = pair.indexOf("=");
  if (at === -1 || !isName.test(pair.slice(0, at).trim())) return false;
  try {
    return !/[^\t\x20-\x7e\x80-\u{10ffff}]/u.test(decodeURIComponent(pair.slice(at + 1)));
  } catch {
    return false;
  }
}

const forBoth = (name: string, check: Check): [string, Check][] => [
  [`OTEL_EXPORTER_OTLP_TRACES_${name}`, check],
  [`OTEL_EXPORTER_OTLP_${name}`, check],
];

const checks: readonly [string, Check][] = [
  ...forBoth("PROTOCOL", oneOf(["http/json", "http/protobuf"], ": spans go over HTTP")),
  ...forBoth("HEADERS", pairs(/^[\w!#$%&'*+.^`|~-]+$/)),
  ...forBoth("TIMEOUT", timeout),
  ...forBoth("COMPRESSION", oneOf(["none", "gzip"])),
  ...forBoth("CERTIFICATE", readableFile),
  ...forBoth("CLIENT_CERTIFICATE", readableFile),
  ...forBoth("CLIENT_KEY", readableFile),
  ["OTEL_TRACES_EXPORTER", oneOf(["otlp", "none"])],
  ["OTEL_RESOURCE_ATTRIBUTES", pairs(/^(?:[^\s=%]|%[0-7][0-9A-Fa-f])+$/)],
];

const isSampler = (name: string): name is SamplerName => (samplerNames as readonly string[]).includes(name);

/** The URL with `path` appended; null if it is not an HTTP URL. */
function urlOf(text: string, path: string | null): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  if (path !== null) url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/${path}`;
  return url.href;
}
