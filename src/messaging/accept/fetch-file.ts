// Fetches a file of a request from the address that the caller gave, under the guard of outbound requests. Its bytes go on as they arrive, so
// that no file is whole in memory.

import { ByteCollector } from "#runtime/byte-collector.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { type BodyReader, isBodyError, type UpstreamResult } from "#runtime/net/streaming-client.ts";
import type { Clock, Runtime } from "#runtime/runtime.ts";
import type { IncomingFile } from "./attachment-upload.ts";

const connectMs = 10_000;
const headersMs = 15_000;
const patienceMs = 10_000;
const maxRedirects = 3;
const redirects = [301, 302, 303, 307, 308];
/** Bytes that are stored at once, so that a server that sends single bytes causes no work for each. */
const writeBytes = 64 * 1024;

const notAllowed = "its address is not allowed";
const tooLate = "it did not arrive in time";

interface FetchTools {
  upstreams: Runtime["upstreams"];
  clock: Pick<Clock, "monotonic">;
  /** The client has disconnected. */
  signal: LightAbortSignal;
  maxBytes: number;
  /** When the file must be complete, monotonic ms. */
  until: number;
}

/**
 * Writes the file at the URL to `file`, and does not close it. Returns null, or why there is no file as a clause that names no address, so
 * that it reveals nothing about internal networks. Each redirect is checked by the guard. Rejects with a `StorageError`.
 */
export async function fetchFile(url: string, file: IncomingFile, tools: FetchTools): Promise<string | null> {
  let target = url;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const opened = await open(target, tools);
    if (opened.kind === "failed") return failures[opened.why];
    const { status, headers, body } = opened;
    if (status === 200) return await pass(body, headers, file, tools);
    body.cancel();
    if (!redirects.includes(status)) return `its server answered ${status}`;
    const { location = "" } = headers;
    const next = location === "" ? null : URL.parse(location, target);
    if (next === null) return "its server redirects to no address";
    if (target.startsWith("https:") && next.protocol !== "https:") return notAllowed;
    target = next.href;
  }
  return `its server redirects more than ${maxRedirects} times`;
}

const failures: Readonly<Record<Extract<UpstreamResult, { kind: "failed" }>["why"], string>> = {
  not_allowed: notAllowed,
  unreachable: "its server cannot be reached",
  connect_timeout: "its server cannot be reached",
  headers_timeout: tooLate,
  cut: "its server did not answer",
  aborted: tooLate,
};

async function open(url: string, { upstreams, clock, signal, until }: FetchTools): Promise<UpstreamResult> {
  const left = until - clock.monotonic();
  if (left <= 0) return { kind: "failed", why: "headers_timeout", reason: "", reused: false };
  return await upstreams.open({
    method: "GET",
    url,
    headers: { "user-agent": "Trunkline", accept: "*/*", "accept-encoding": "identity" },
    body: null,
    connectMs: Math.min(connectMs, left),
    headersMs: Math.min(headersMs, left),
    signal,
  });
}

/** Passes the body on until it ends, is too long or comes too late. */
async function pass(
  body: BodyReader,
  headers: Record<string, string>,
  file: IncomingFile,
  { clock, maxBytes, until }: FetchTools,
): Promise<string | null> {
  const tooLong = `it is longer than ${Math.floor(maxBytes / 1024)} KiB`;
  try {
    const { "content-length": announced = "", "content-encoding": encoding = "identity" } = headers;
    if (Number(announced) > maxBytes) return tooLong;
    if (encoding.toLowerCase() !== "identity") return "its server sends it compressed";
    const collected = new ByteCollector();
    let length = 0;
    for (;;) {
      const left = until - clock.monotonic();
      if (left <= 0) return tooLate;
      const piece = await body.read(Math.min(patienceMs, left));
      if (isBodyError(piece)) return piece.why === "cut" ? "it broke off" : tooLate;
      length += piece?.length ?? 0;
      if (length > maxBytes) return tooLong;
      if (piece !== null) collected.add(piece);
      if (collected.length > 0 && (piece === null || collected.length >= writeBytes))
        await file.write(collected.take());
      if (piece === null) return length === 0 ? "it is empty" : null;
    }
  } finally {
    // After the end it does nothing.
    body.cancel();
  }
}
