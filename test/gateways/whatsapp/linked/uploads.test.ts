// Files of messages: fetched over real HTTP, judged, encrypted and uploaded once for a request; what is uploaded is what a
// recipient decrypts.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { BridgeChannel } from "#gateways/whatsapp/linked/bridge-channel.ts";
import { openLinkedFile, storedFile } from "#gateways/whatsapp/linked/received-file.ts";
import { FileUploads } from "#gateways/whatsapp/linked/uploads.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import { seededRandom } from "../../../harness.ts";
import { ProxyServer } from "../../../proxy-server.ts";
import { hostWith, sampleMessage } from "../../conformance-samples.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");

async function open(
  context: TestContext,
  { auth = "acc/ess", proxy = null }: { auth?: string | null; proxy?: string | null } = {},
) {
  const fetched: string[] = [];
  const remotePorts: number[] = [];
  const uploaded = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const url = request.url ?? "";
    remotePorts.push(request.socket.remotePort ?? 0);
    if (request.method === "POST") {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const directPath = `/v/${uploaded.size}`;
        uploaded.set(directPath, Buffer.concat(pieces));
        fetched.push(`POST ${url.replace(/token=.*|\/[\w-]{43}/g, "")}`);
        response.end(
          JSON.stringify({ url: `https://mmg.whatsapp.net${directPath}`, direct_path: directPath }),
        );
      });
      return;
    }
    const file = uploaded.get(url);
    if (file !== undefined) return void response.end(file);
    fetched.push(url);
    if (url === "/down") response.writeHead(503).end();
    else response.end(url.endsWith(".png") ? png : "<html>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const allow = readAllowList("127.0.0.0/8");
  const outbound = createOutbound({ allow });
  const upstreams = createStreamingClient({ allow });
  context.after(async () => {
    server.close();
    server.closeAllConnections();
    await outbound.close();
  });
  const clock = movableClock();
  const fileBytes = new Semaphore(64 * 1024 * 1024);
  const host = hostWith({ clock, random: seededRandom(7), outbound, fileBytes, timeoutMs: 5_000 });
  const hosts = ["mmg.whatsapp.net"];
  const bridge = {
    ask: async () => ({ type: "upload_access", n: 1, auth, hosts: auth === null ? [] : hosts }),
  } as unknown as BridgeChannel;
  const uploads = new FileUploads(host, bridge, { origin, proxy });
  const fileOf = (media: "image" | "document" | "audio", path: string, requestId = "req_1") => {
    const content = { kind: "media", media, url: path.startsWith("/") ? origin + path : path } as const;
    const message = { ...sampleMessage(), requestId, content: { ...content, filename: null, text: "" } };
    return uploads.fileOf(message, new AbortController().signal);
  };
  const read = async (path: string, mediaKey: Uint8Array): Promise<Buffer> => {
    const key = Buffer.from(mediaKey).toString("base64");
    const stored = storedFile({ kind: "image", path, key, contentType: null, filename: null });
    const signal = new LightAbortController();
    const opened = await openLinkedFile(
      stored,
      { origin, proxy },
      {
        outbound,
        upstreams,
        clock,
        timeoutMs: 5_000,
        signal,
      },
    );
    assert.ok(opened.kind === "opened");
    const pieces: Uint8Array[] = [];
    for (let piece = await opened.next(); piece !== null; piece = await opened.next()) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  return { fetched, uploaded, fileOf, read, remotePorts, port };
}

test("a file is fetched and uploaded once for a request, and recipients decrypt it", async (context) => {
  const { fetched, uploaded, fileOf, read } = await open(context);
  const first = await fileOf("image", "/a.png");
  assert.ok("file" in first);
  const { file } = first;
  assert.deepEqual([file.mimetype, file.fileLength, file.filename], ["image/png", png.length, "a.png"]);
  assert.ok(!uploaded.get(file.directPath)?.includes("PNG"));
  assert.deepEqual(await read(file.directPath, file.mediaKey), png);
  const second = await fileOf("image", "/a.png");
  assert.ok("file" in second && second.file.directPath === file.directPath);
  assert.deepEqual(fetched, ["/a.png", "POST /mms/image?auth=acc%2Fess&"]);
  const other = await fileOf("image", "/a.png", "req_2");
  assert.ok("file" in other && !Buffer.from(other.file.mediaKey).equals(file.mediaKey));
});

test("a file that is not what it is called is refused, and any document is taken", async (context) => {
  const { fileOf } = await open(context);
  const codeOf = (result: Awaited<ReturnType<typeof fileOf>>) =>
    "kind" in result ? [result.kind, "code" in result ? result.code : null] : [result.file.mimetype];
  assert.deepEqual(codeOf(await fileOf("image", "/page")), ["rejected", "media_type_mismatch"]);
  assert.deepEqual(codeOf(await fileOf("audio", "/a.png")), ["rejected", "media_type_mismatch"]);
  assert.deepEqual(codeOf(await fileOf("image", "/down")), ["deferred", "media_unreachable"]);
  assert.deepEqual(codeOf(await fileOf("image", "http://10.0.0.1/a.png")), ["rejected", "url_not_allowed"]);
  assert.deepEqual(codeOf(await fileOf("document", "/page")), ["application/octet-stream"]);
});

test("without an access nothing is uploaded, and the message is tried again", async (context) => {
  const { fileOf, uploaded } = await open(context, { auth: null });
  const result = await fileOf("image", "/a.png");
  assert.ok("kind" in result && result.kind === "deferred");
  assert.deepEqual([result.code, uploaded.size], ["media_not_uploaded", 0]);
});

for (const scheme of ["http", "socks5"] as const)
  test(`files go up and come down through the device's ${scheme} proxy, and those of callers do not`, async (context) => {
    const proxy = await ProxyServer.open(context);
    const url = proxy.url(scheme);
    const { fetched, uploaded, fileOf, read, remotePorts, port } = await open(context, { proxy: url });
    const sent = await fileOf("image", "/a.png");
    assert.ok("file" in sent, JSON.stringify(sent));
    assert.deepEqual(fetched.length, 2);
    const [path = ""] = uploaded.keys();
    assert.deepEqual(await read(path, sent.file.mediaKey), png);
    const byProxy = remotePorts.map((remote) => proxy.localPorts.has(remote));
    assert.deepEqual(byProxy, [false, true, true]);
    assert.deepEqual(proxy.targets, [`127.0.0.1:${port}`, `127.0.0.1:${port}`]);
    const other = await open(context, { proxy: url.replace("secret", "guessed") });
    const refused = await other.fileOf("image", "/b.png");
    assert.equal("kind" in refused && refused.kind, "deferred");
    assert.doesNotMatch(JSON.stringify(refused), /guessed/);
  });
