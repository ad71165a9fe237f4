// Bedrock on recorded traffic: the conformance suite; signatures as a server of AWS would check them, proved on a request
// that AWS's own client sent; and a real connection, over which answers, streams and broken streams come.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { askStream, askWhole } from "#ai/failover/attempt.ts";
import { textOf } from "#ai/stream/collect.ts";
import { bedrock } from "#providers/bedrock/bedrock.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";
import { timeouts } from "../../ai/wire.ts";
import { allow } from "../../runtime/asking.ts";
import { providerConformance } from "../conformance.ts";
import { requestOf } from "../conformance-cases.ts";
import { eventsOf } from "../sse.ts";
import { bedrockSuite } from "./bedrock-suite.ts";
import { frameOf } from "./frames.ts";

providerConformance(bedrock, bedrockSuite);

interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Whether the signature is the one that this secret makes over what was received. */
function isSigned({ method, url, headers, body }: Received, secret: string): boolean {
  const authorization = headers.authorization ?? "";
  const [, scope = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=\w+\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const hex = (text: string) => createHash("sha256").update(text).digest("hex");
  // What is escaped in the path as received is escaped once more.
  const path = url.replaceAll("%", "%25");
  const lines = names.split(";").map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = [method, path, "", lines.join(""), names, hex(body)].join("\n");
  const [date = "", region = "", service = ""] = scope.split("/");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), "aws4_request");
  const text = ["AWS4-HMAC-SHA256", String(headers["x-amz-date"]), scope, hex(canonical)].join("\n");
  return hmac(key, text).toString("hex") === signature;
}

/** A request of @aws-sdk/client-bedrock-runtime 3.1163.0, recorded with an example's key. */
const recorded: Received = {
  method: "POST",
  url: "/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A123456789012%3Ainference-profile%2Feu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
  headers: {
    "content-type": "application/json",
    "content-length": "95",
    "x-amz-user-agent": "aws-sdk-js/3.1163.0",
    host: "127.0.0.1:36925",
    "amz-sdk-invocation-id": "8a255f63-7034-4c06-b8f5-331c98f7b4c9",
    "amz-sdk-request": "attempt=1; max=3",
    "x-amz-date": "20261126T164629Z",
    "x-amz-security-token": "the-session/token+=",
    "x-amz-content-sha256": "5b8081ef7ec3b36d39dab3f7ebb7d53ed9da28e6ae8498b467e8b8611e089a5e",
    authorization:
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLEEXAMPLE/20261126/eu-central-1/bedrock/aws4_request, SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-user-agent, Signature=1a6f782dc2be8deb86b3a2681bd45542cff212a83b3089f247bb3e15b9af8e47",
  },
  body: '{"messages":[{"role":"user","content":[{"text":"Grüße"}]}],"inferenceConfig":{"maxTokens":7}}',
};
const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const profile =
  "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

test("the check of signatures accepts what AWS's client sent, and nothing that was changed", () => {
  assert.ok(isSigned(recorded, secret));
  assert.ok(!isSigned({ ...recorded, body: recorded.body.replace("7", "8") }, secret));
  assert.ok(!isSigned({ ...recorded, url: recorded.url.replace("%2F", "/") }, secret));
  assert.ok(!isSigned(recorded, `${secret}x`));
});

/** Sends a request over a real connection to a server that answers with `wire`. */
async function asked(
  wire: Buffer | string,
  own: { stream?: boolean; type?: string; settings?: object; model?: string } = {},
) {
  let received: Received | null = null;
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    received = { method, url, headers, body: Buffer.concat(await request.toArray()).toString() };
    response.writeHead(200, { "content-type": own.type ?? "application/json" }).end(wire);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstreams = createStreamingClient({ allow });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = bedrock.settings.parse({ ...(own.settings ?? bedrockSuite.settings), base_url });
  const body = { messages: [{ role: "user", content: "Grüße" }], max_tokens: 7 };
  const request = requestOf(body, own.model ?? profile, own.stream);
  const prepared = bedrock.chat(request, settings);
  assert.equal(prepared.kind, "request");
  const answer = (text: string) => bedrock.answer(text, request);
  const target = {
    read: ({ bytes }: { bytes: Buffer }) => answer(textOf(bytes)),
    answer,
    stream: () => bedrock.stream(request),
    failure: bedrock.failure,
    prepared,
    timeouts,
    fresh: false,
    extraHeaders: { traceparent: "t" },
  };
  const deps = { clock: movableClock(), upstreams };
  const { signal } = new AbortController();
  try {
    const attempted = own.stream
      ? await askStream(deps, target, 600_000, signal)
      : await askWhole(deps, target, 600_000, signal);
    const texts: string[] = [];
    let end: unknown = null;
    while (attempted.kind === "streaming" && end === null) {
      const read = await attempted.stream.next();
      if (read.kind === "chunks") texts.push(...read.chunks.map(({ text }) => text));
      else end = read.kind === "done" ? "done" : read.failure.error.code;
    }
    assert.ok(received);
    return { attempted, texts, end, received: received as Received };
  } finally {
    await upstreams.close();
    server.closeAllConnections();
    server.close();
  }
}

describe("over a connection", () => {
  const hello = JSON.stringify(bedrockSuite.answers[0]?.wire);

  test("a request is signed over what the server receives, and is the one that AWS's client sends", async () => {
    const { attempted, received } = await asked(hello);
    assert.equal(attempted.kind, "answer");
    assert.ok(isSigned(received, secret));
    assert.deepEqual([received.method, received.url], [recorded.method, recorded.url]);
    assert.deepEqual(JSON.parse(received.body), JSON.parse(recorded.body));
    assert.equal(received.headers["x-amz-security-token"], bedrockSuite.settings.session_token);
    assert.match(
      String(received.headers.authorization),
      /SignedHeaders=accept;content-type;host;x-amz-date;x-amz-security-token,/,
    );
  });

  test("a Bedrock API key is sent as it is", async () => {
    const settings = { region: "us-east-1", api_key: "ABSKexample" };
    const { received } = await asked(hello, { settings });
    assert.equal(received.headers.authorization, "Bearer ABSKexample");
    assert.equal(received.headers["x-amz-date"], undefined);
  });

  for (const { name, wire, chunks, end, model = bedrockSuite.model } of bedrockSuite.streams) {
    if (end !== "done") continue;
    test(`frames: ${name}`, async () => {
      const frames = Buffer.concat(eventsOf(wire).map(frameOf));
      const type = "application/vnd.amazon.eventstream";
      const whole = await asked(frames, { stream: true, type, model });
      assert.equal(whole.end, "done");
      assert.deepEqual(
        whole.texts.map((text) => JSON.parse(text) as object),
        chunks,
      );
      // One bit of the last frame's payload.
      const damaged = Buffer.from(frames);
      damaged[damaged.length - 6]! ^= 1;
      assert.equal((await asked(damaged, { stream: true, type, model })).end, "upstream_cut");
      const cut = frames.subarray(0, -1);
      assert.equal((await asked(cut, { stream: true, type, model })).end, "upstream_cut");
    });
  }
});

test("the list of models is asked for with the same key, where the address of it is known", () => {
  const settings = bedrock.settings.parse(bedrockSuite.settings);
  const check = bedrock.check(settings);
  assert.deepEqual([check?.awsKey?.accessKeyId, check?.awsKey?.service], ["AKIAIOSFODNN7EXAMPLE", "bedrock"]);
  const elsewhere = bedrock.settings.parse({ ...bedrockSuite.settings, base_url: "https://vpce.test" });
  assert.equal(bedrock.check(elsewhere), null);
  assert.deepEqual(bedrock.urls(elsewhere), ["https://vpce.test"]);
});
