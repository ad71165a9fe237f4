// Files of messages over real HTTP: fetched, judged, uploaded once, or left to Meta by link.

import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import type { MediaContent } from "#gateways/message.ts";
import { whatsappCloud } from "#gateways/whatsapp/cloud/cloud.ts";
import { MediaStore } from "#gateways/whatsapp/cloud/media.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import { hostWith, sampleMessage, sendOnce, toolsWith } from "../../conformance-samples.ts";
import { type GraphSimulator, graphSimulator } from "../graph-simulator.ts";
import { parsedSettings } from "./cloud-example.ts";

const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
const pages: Record<string, (response: ServerResponse) => void> = {
  "/a.png": (response) => response.end(png),
  "/same.png": (response) => response.end(png),
  "/page.png": (response) => response.end("<html>"),
  "/a.csv": (response) => response.end("a,b"),
  "/huge.png": (response) => response.end(Buffer.alloc(5 * 1024 * 1024 + 1, png)),
  "/moved": (response) => response.writeHead(302, { location: "/a.png" }).end(),
  "/loop": (response) => response.writeHead(302, { location: "/loop" }).end(),
  "/inside": (response) => response.writeHead(302, { location: "http://10.0.0.1/a.png" }).end(),
  "/down": (response) => response.writeHead(503).end(),
  "/empty": (response) => response.end(),
};
let fetched: string[] = [];
const server = createServer(({ url = "" }, response) => {
  fetched.push(url);
  const page = pages[url];
  if (page === undefined) response.writeHead(404).end();
  else page(response);
});
let files = "";
let graph: GraphSimulator;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  files = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  await graph?.close();
  graph = await graphSimulator();
  fetched = [];
});
after(async () => {
  await outbound.close();
  await graph.close();
  server.closeAllConnections();
  server.close();
});

const contentOf = (path: string, change: Partial<MediaContent> = {}): MediaContent => ({
  kind: "media",
  media: "image",
  text: "Hi",
  url: `${files}${path}`,
  filename: null,
  ...change,
});

function storeOf(settings: object = {}) {
  const clock = movableClock();
  const fileBytes = new Semaphore(64 * 1024 * 1024);
  const host = { outbound, clock, timeoutMs: 10_000, fileBytes };
  const store = new MediaStore(parsedSettings({ base_url: graph.url, ...settings }), host);
  const { signal } = new AbortController();
  const messageOf = (content: MediaContent, requestId: string) => ({
    ...sampleMessage(),
    requestId,
    content,
  });
  return {
    clock,
    fileBytes,
    source: (content: MediaContent, requestId = "req_1") =>
      store.sourceOf(messageOf(content, requestId), signal),
    renewed: (content: MediaContent, refusedId: string) =>
      store.renewed(messageOf(content, "req_1"), refusedId, signal),
  };
}

test("a hundred messages at once share one fetch and one upload", async () => {
  const { source } = storeOf();
  const sources = await Promise.all(Array.from({ length: 100 }, () => source(contentOf("/a.png"))));
  assert.deepEqual([...new Set(sources.map((each) => JSON.stringify(each)))], ['{"id":"9000000000"}']);
  assert.deepEqual([fetched, graph.uploads.length], [["/a.png"], 1]);
  assert.deepEqual(graph.uploads[0]?.bytes, png);
});

test("each request fetches a URL anew, and content that was uploaded in the last day is not uploaded again", async () => {
  const { source, clock } = storeOf();
  await source(contentOf("/a.png"));
  await source(contentOf("/same.png"));
  await source(contentOf("/a.png"), "req_2");
  assert.deepEqual([fetched, graph.uploads.length], [["/a.png", "/same.png", "/a.png"], 1]);
  await clock.advance(24 * 3_600_000);
  assert.deepEqual([await source(contentOf("/a.png")), graph.uploads.length], [{ id: "9000000001" }, 2]);
});

test("a request keeps its file while its messages go out, and fetches it again ten minutes after the last of them", async () => {
  const { source, clock } = storeOf();
  for (let i = 0; i < 4; i++) {
    await source(contentOf("/a.png"));
    await clock.advance(9 * 60_000);
  }
  assert.equal(fetched.length, 1);
  await clock.advance(60_000);
  await source(contentOf("/a.png"));
  assert.equal(fetched.length, 2);
});

test("the messages of a request share a failure for five seconds", async () => {
  const { source, clock } = storeOf();
  for (const path of ["/down", "/none"]) for (let i = 0; i < 3; i++) await source(contentOf(path));
  assert.deepEqual(fetched, ["/down", "/none"]);
  await clock.advance(5000);
  await source(contentOf("/down"));
  assert.equal(fetched.length, 3);
});

test("an upload that Meta forgot is made again once, for all messages that meet the refusal", async () => {
  const { source, renewed } = storeOf();
  const content = contentOf("/a.png");
  assert.deepEqual(await source(content), { id: "9000000000" });
  const again = await Promise.all(Array.from({ length: 10 }, () => renewed(content, "9000000000")));
  assert.deepEqual(again, Array(10).fill({ id: "9000000001" }));
  assert.deepEqual([fetched.length, graph.uploads.length], [2, 2]);
  assert.equal(await renewed(content, "9000000001"), null);
  assert.deepEqual(await source(contentOf("/same.png")), { id: "9000000001" });
});

test("files wait until the budget of bytes has room for them", async () => {
  const { source, fileBytes } = storeOf();
  const other = Promise.withResolvers<void>();
  void fileBytes.run(() => other.promise, 60 * 1024 * 1024);
  const waiting = source(contentOf("/a.png"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(fetched, []);
  other.resolve();
  assert.deepEqual(await waiting, { id: "9000000000" });
});

const outcomes: [path: string, kind: string, code: string][] = [
  ["/page.png", "rejected", "media_type_mismatch"],
  ["/huge.png", "rejected", "media_too_large"],
  ["/loop", "rejected", "media_unreachable"],
  ["/none", "rejected", "media_unreachable"],
  ["/empty", "rejected", "media_unreachable"],
  ["/inside", "rejected", "url_not_allowed"],
  ["/down", "deferred", "media_unreachable"],
];
for (const [path, kind, code] of outcomes) {
  test(`the file ${path} is ${kind} with ${code}, and nothing reaches Meta`, async () => {
    const outcome = await storeOf().source(contentOf(path));
    assert.ok("kind" in outcome && "code" in outcome);
    assert.deepEqual([outcome.kind, outcome.code, graph.calls], [kind, code, []]);
  });
}

test("a redirect is followed", async () => {
  assert.deepEqual(await storeOf().source(contentOf("/moved")), { id: "9000000000" });
});

test("a document that the upload refuses is sent as a link, or is rejected where the settings say so", async () => {
  const csv = contentOf("/a.csv#part", { media: "document" });
  assert.deepEqual(await storeOf().source(csv), { link: `${files}/a.csv` });
  const refused = await storeOf({ media_by: "upload" }).source(csv);
  assert.equal("code" in refused && refused.code, "media_type_not_supported");
});

test("by link nothing is fetched, and a forbidden address is still refused", async () => {
  const { source } = storeOf({ media_by: "link" });
  assert.deepEqual(await source(contentOf("/a.png")), { link: `${files}/a.png` });
  const inside = await source(contentOf("", { url: "http://10.0.0.1/a.png" }));
  assert.deepEqual(["code" in inside && inside.code, fetched], ["url_not_allowed", []]);
});

test("an upload that failed or whose answer was lost is deferred, and the next message uploads again", async () => {
  const { source, clock } = storeOf();
  graph.failUpload({ status: 400, code: 130429 }, null);
  for (const count of [0, 1]) {
    await clock.advance(5000);
    const outcome = await source(contentOf("/a.png"));
    assert.deepEqual(["kind" in outcome && outcome.kind, graph.uploads.length], ["deferred", count]);
  }
  await clock.advance(5000);
  assert.deepEqual(await source(contentOf("/a.png")), { id: "9000000001" });
});

test("a message whose upload Meta refuses is sent with another one, and ends when that is refused too", async () => {
  const settings = parsedSettings({ base_url: graph.url });
  const refusal = { status: 400, code: 131053 };
  const unknownId = {
    status: 400,
    code: 100,
    details: "image.id is not a valid whatsapp business account media attachment ID",
  };
  const session = await whatsappCloud.open(settings, hostWith({ outbound }));
  const { signal } = new AbortController();
  const send = (requestId: string) =>
    session.send({ ...sampleMessage(), requestId, content: contentOf("/a.png") }, signal);
  for (const [i, refused] of [refusal, unknownId].entries()) {
    graph.failNext(refused);
    assert.equal((await send(`req_${i}`)).kind, "accepted");
    assert.equal(graph.uploads.length, i + 2);
  }
  graph.failNext(refusal, refusal);
  const ended = await send("req_2");
  assert.deepEqual(["code" in ended && ended.code, graph.taken.length], ["131053", 2]);
});

test("the message names the upload, with a caption except for audio, and a long caption is refused", async () => {
  pages["/a.mp3"] = (response) => response.end("ID3 sound");
  const send = (content: MediaContent) =>
    sendOnce(
      whatsappCloud,
      { ...sampleMessage(), content },
      parsedSettings({ base_url: graph.url }),
      toolsWith({ outbound }),
    );
  assert.equal((await send(contentOf("/a.png"))).kind, "accepted");
  assert.equal((await send(contentOf("/a.mp3", { media: "audio" }))).kind, "accepted");
  assert.deepEqual(
    graph.taken.map(({ body }) => body[String(body.type)]),
    [{ id: "9000000000", caption: "Hi" }, { id: "9000000001" }],
  );
  const long = await send(contentOf("/a.png", { text: "x".repeat(1025) }));
  assert.equal("code" in long && long.code, "message_too_long");
});
