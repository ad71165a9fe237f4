// JSON lines, one event each. Secrets are not logged in the first place; this file is the second line of defence: values under telling
// names, and credentials inside any text, become `[redacted]`. Characters that control a terminal or change the visual order of text are
// written as `\u` escapes.

import { pino } from "pino";
import type { Log } from "#runtime/runtime.ts";
import { escapeControls } from "./escape-controls.ts";
import { sourceStack } from "./source-stack.ts";
import { standardOutput } from "./standard-output.ts";
import { textOfLines } from "./text.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

interface LogOptions {
  level: LogLevel;
  /** Lines for people instead of JSON. */
  text?: boolean;
  /** How long the lines of `record` are buffered, ms. Default: 100. */
  gatherMs?: number;
  /** Receives each line with its line feed. Default: standard output (`standard-output.ts`). */
  destination?: { write(line: string): void };
}

const redacted = "[redacted]";
const maxDepth = 8;
const maxItems = 100;
const maxTextLength = 10_000;

/** Compared without case, hyphens and underscores. */
const secretNames = new Set(["settings", "credentials", "setcookie"]);
const secretEndings =
  /(?:apikey|authorization|password|passwd|passphrase|token|secret|privatekey|masterkey|cookie|signature)$/;

/** Credentials inside any text: `?api_key=x`, `Bearer x`, `scheme://user:x@host`. */
const inText: readonly (readonly [RegExp, string])[] = [
  [/((?:api(?:[_-]|%5f|%2d)?key|token|secret|password|signature)(?:=|%3d))[^&#\s"'<>]+/gi, `$1${redacted}`],
  [/(\bauthorization["']?\s?[:=]\s?["']?)[^\r\n"']+/gi, `$1${redacted}`],
  [/\b(Bearer)\s[\w.~+/=-]{6,}/gi, `$1 ${redacted}`],
  [/(:\/\/)[^\s/?#"'@]{1,1000}@/g, `$1${redacted}@`],
];

/** Buffered lines of `record`, which are written before the next line of another kind. */
interface Gathered {
  waiting: string;
  flush(): void;
  write(line: string): void;
}

/** How long a line of `record` is buffered, ms, and how many characters at most. A crash loses these lines. */
const defaultGatherMs = 100;
const maxGathered = 16_384;

export function createLog(options: LogOptions): Log {
  const inForm = (lines: string) => (options.text ? textOfLines(lines) : lines);
  const output = options.destination ?? standardOutput({ lost: (count) => inForm(lostLine(count)) });
  const destination = { write: (lines: string) => output.write(inForm(lines)) };
  const lines: Gathered = {
    waiting: "",
    flush: () => {},
    write(line) {
      lines.flush();
      destination.write(escapeControls(line));
    },
  };
  const root = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // `scrub` has turned errors into plain objects, under every key.
      serializers: { err: (value) => value },
    },
    lines,
  );
  return wrap(root, recorder(root, destination, lines, options.gatherMs ?? defaultGatherMs));
}

/** Logged after lines were dropped because standard output was blocked. */
const lostLine = (count: number) =>
  `${JSON.stringify({
    level: "warn",
    time: new Date(Date.now()).toISOString(),
    event: "log.lines_lost",
    count,
    msg: "Lines were left out of the log: standard output took none for too long.",
  })}\n`;

/** Buffers the lines of `record`, because a write for each would cost more than a request's own work. */
function recorder(
  root: pino.Logger,
  destination: { write(line: string): void },
  lines: Gathered,
  gatherMs: number,
): Log["record"] {
  let timer: NodeJS.Timeout | null = null;
  let atExit = false;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (lines.waiting !== "") destination.write(lines.waiting);
    lines.waiting = "";
  };
  lines.flush = flush;
  return (fields, message) => {
    if (!root.isLevelEnabled("info")) return;
    const line = JSON.stringify({
      level: "info",
      time: new Date(Date.now()).toISOString(),
      ...fields,
      msg: message,
    });
    lines.waiting += `${escapeControls(line)}\n`;
    if (gatherMs === 0 || lines.waiting.length >= maxGathered) flush();
    else if (timer === null) {
      timer = setTimeout(flush, gatherMs).unref();
      if (!atExit) process.once("exit", flush);
      atExit = true;
    }
  };
}

function wrap(logger: pino.Logger, record: Log["record"]): Log {
  const at = (level: "debug" | "info" | "warn" | "error") => (fields: object, message: string) => {
    if (logger.isLevelEnabled(level)) logger[level](scrubFields(fields), scrubText(message));
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    record,
    child: (fields) => wrap(logger.child(scrubFields(fields)), record),
  };
}

function scrubFields(fields: object): Record<string, unknown> {
  if (fields instanceof Error) return { err: scrub(fields, []) };
  const scrubbed = scrub(fields, []) as Record<string, unknown>;
  // Our own columns: a field of the same name would appear twice in the line.
  for (const name of ["level", "time", "msg"]) {
    if (!Object.hasOwn(scrubbed, name)) continue;
    scrubbed[`${name}_`] = scrubbed[name];
    delete scrubbed[name];
  }
  return scrubbed;
}

/** A copy that is safe to write. `above` are the enclosing objects, to stop at cycles. */
function scrub(value: unknown, above: readonly object[]): unknown {
  if (typeof value === "string") return scrubText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) {
    // No `cause`, and no own properties: clients attach requests and answers there.
    return {
      type: value.name,
      message: scrubText(value.message),
      stack: scrubText(sourceStack(value.stack ?? "")),
    };
  }
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (above.includes(value)) return "[circular]";
  if (above.length >= maxDepth) return "[deep]";
  const around = [...above, value];
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => scrub(item, around));
    return value.length > maxItems ? [...items, `[${value.length - maxItems} more]`] : items;
  }
  // URL, Date, Temporal.
  if ("toJSON" in value && typeof value.toJSON === "function") return scrub(value.toJSON(), around);
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (isSecretName(name)) copy[name] = redacted;
    else if (squeeze(name).endsWith("headers")) copy[name] = hideAll(inner);
    else copy[name] = scrub(inner, around);
  }
  return copy;
}

function hideAll(headers: unknown): unknown {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) return redacted;
  return Object.fromEntries(Object.keys(headers).map((name) => [name, redacted]));
}

function isSecretName(name: string): boolean {
  const squeezed = squeeze(name);
  return secretNames.has(squeezed) || secretEndings.test(squeezed);
}

const squeeze = (name: string) => name.toLowerCase().replace(/[-_\s]/g, "");

function scrubText(text: string): string {
  let clean = text.length > maxTextLength ? `${text.slice(0, maxTextLength)} [cut]` : text;
  for (const [pattern, replacement] of inText) clean = clean.replace(pattern, replacement);
  return clean;
}
