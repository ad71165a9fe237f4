// Files of people: stored with their key sealed, fetched from WhatsApp's server of files, decrypted while they are read, and
// broken off at the end when they are not what was sent.

import assert from "node:assert/strict";
import { createCipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { adapters } from "#gateways/registry.ts";
import { whatsappLinkedWith } from "#gateways/whatsapp/linked/linked.ts";
import { storedFile } from "#gateways/whatsapp/linked/received-file.ts";
import { storeReport } from "#messaging/feedback/store-report.ts";
import { openFile } from "#messaging/received-file.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { findInboundFile } from "#store/feedback/inbound.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { harness } from "../../../harness.ts";

/** As a sender encrypts it. */
function encrypted(key: Buffer, purpose: string, plain: Buffer): Buffer {
  const keys = Buffer.from(hkdfSync("sha256", key, Buffer.alloc(32), purpose, 112));
  const [iv, cipherKey, macKey] = [keys.subarray(0, 16), keys.subarray(16, 48), keys.subarray(48, 80)];
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  const mac = createHmac("sha256", macKey).update(iv).update(ciphertext).digest().subarray(0, 10);
  return Buffer.concat([ciphertext, mac]);
}

async function open(context: TestContext) {
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    response.writeHead(file === undefined ? 410 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const folder = new URL("./", import.meta.url);
  const bridge = { module: () => folder, folder, files: `http://127.0.0.1:${port}` };
  const adapter = { ...whatsappLinkedWith(bridge), kind: "whatsapp-linked-files" };
  const registry = adapters as GatewayAdapter[];
  registry.push(adapter);
  const it = await harness();
  context.after(async () => {
    await it.close();
    registry.splice(registry.indexOf(adapter), 1);
    server.close();
  });
  const account = (await it.account()).id;
  const settings = { accept_risk: true };
  const { kind } = adapter;
  await it.gateway({ identifier: "phone", channel: "whatsapp", kind, settings, active: false });
  const gateway = await it.system.database.run(findGatewayByIdentifier, "phone");
  assert.ok(gateway);
  let count = 0;
  /** Stores a message with the file; its id. */
  const receive = async (file: Parameters<typeof storedFile>[0]): Promise<string> => {
    count += 1;
    const from = { reference: `chat:${count}`, from: "+4915112345678", to: "+4915100000000" };
    const inbound = [{ ...from, message: "", media: [], file: storedFile(file) }];
    await storeReport({ ...it.system.core, publicUrl: null }, gateway, { inbound });
    const reply = await it.get("/api/received/whatsapp");
    return reply.json().data[0].id;
  };
  const read = async (id: string) => {
    const opened = await openFile(it.system.core, { id: account }, id, new LightAbortController());
    if (opened.kind !== "opened") return opened.kind;
    const pieces: Uint8Array[] = [];
    for (let piece = await opened.next(); piece !== null; piece = await opened.next()) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), contentType: opened.contentType, filename: opened.filename };
  };
  return { it, account, files, receive, read };
}

const fileOf = (path: string, key: Buffer) => ({
  kind: "document" as const,
  path,
  key: key.toString("base64"),
  contentType: "application/pdf",
  filename: "invoice.pdf",
});

test("a file is decrypted while it is read, and its key is stored sealed", async (context) => {
  const { it, account, files, receive, read } = await open(context);
  const key = randomBytes(32);
  const plain = randomBytes(200_003);
  files.set("/v/t62/1?oh=a&oe=b", encrypted(key, "WhatsApp Document Keys", plain));
  const id = await receive(fileOf("/v/t62/1?oh=a&oe=b", key));
  const file = await read(id);
  assert.ok(typeof file === "object");
  assert.ok(file.bytes.equals(plain));
  assert.deepEqual([file.contentType, file.filename], ["application/pdf", "invoice.pdf"]);
  const stored = await it.system.database.run(findInboundFile, { accountId: account, id });
  assert.ok(stored?.file.includes("invoice.pdf") && !stored.file.includes(key.toString("base64")));
  assert.ok(!it.log.text().includes(key.toString("base64")));
});

test("a file that was changed breaks off before its end, and one that is gone is gone", async (context) => {
  const { files, receive, read } = await open(context);
  const key = randomBytes(32);
  const changed = encrypted(key, "WhatsApp Document Keys", randomBytes(5_000));
  changed[100] = (changed[100] ?? 0) ^ 1;
  files.set("/changed", changed);
  await assert.rejects(read(await receive(fileOf("/changed", key))), /not the one that was sent/);
  files.set("/short", Buffer.from("short"));
  await assert.rejects(read(await receive(fileOf("/short", key))), /not the one that was sent/);
  assert.equal(await read(await receive(fileOf("/deleted", key))), "gone");
});
