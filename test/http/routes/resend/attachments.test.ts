// Files of an email by their address, as Resend's package for Node sends them: fetched once, under the guard of outbound requests.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Resend } from "resend";
import { type Harness, harness } from "../../../harness.ts";
import { packageClient, postEmail } from "./resend-peer.ts";

const pdf = "%PDF-1.4\n%%EOF\n";
const email = { from: "Acme <news@acme.example>", to: "ada@example.com", subject: "Hi", text: "Hi" };

describe("attachments by address", () => {
  let it: Harness;
  let key: string;
  let client: Resend;
  let origin: string;
  let asked = 0;
  const plain = (response: ServerResponse): unknown => response.end(pdf);
  let answer = plain;
  const server = createServer((_request, response) => {
    asked += 1;
    answer(response);
  });
  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    it = await harness({ allow: "127.0.0.1" });
    ({ key } = await it.account({ attachments: { max_files: 4, max_bytes: 100_000 } }));
    await it.gateway({ identifier: "mail", channel: "email", default: true });
    client = await packageClient(it, key);
  });
  after(async () => {
    await it?.close();
    server.closeAllConnections();
    server.close();
  });

  /** Name and size of each file of the newest email. */
  async function newestFiles() {
    const [newest] = (await it.get("/api/get/email?limit=1")).json().data;
    const { attachments } = (await it.get(`/api/get/email/${newest.id}`)).json().data;
    return attachments.map((file: { filename: string; size: number }) => [file.filename, file.size]);
  }

  test("they are fetched beside others, in the order of the list, with a name from the address if none is given", async () => {
    const { error } = await client.emails.send({
      ...email,
      attachments: [
        { path: `${origin}/a%20b.pdf?x=1` },
        { filename: "note.txt", content: Buffer.from("Hi") },
        { path: `${origin}/c`, filename: "c.pdf" },
      ],
    });
    assert.equal(error, null);
    assert.deepEqual(await newestFiles(), [
      ["a b.pdf", pdf.length],
      ["note.txt", 2],
      ["c.pdf", pdf.length],
    ]);
  });

  test("a repeat with its idempotency key asks no server, and another address is another request", async () => {
    const send = (path: string) =>
      client.emails.send({ ...email, attachments: [{ path }] }, { idempotencyKey: "once" });
    const first = await send(`${origin}/a.pdf`);
    const before = asked;
    answer = (response) => response.writeHead(500).end();
    const again = await send(`${origin}/a.pdf`);
    const other = await send(`${origin}/b.pdf`);
    answer = plain;
    assert.equal(again.data!.id, first.data!.id);
    assert.equal(other.error!.name, "invalid_idempotent_request");
    assert.equal(asked, before);
  });

  const bad: [what: string, path: () => string, says: RegExp, answer?: typeof plain][] = [
    [
      "a file that is not there",
      () => `${origin}/a.pdf`,
      /"a\.pdf".*answered 404/,
      (r) => r.writeHead(404).end(),
    ],
    [
      "one that is too large by its length",
      () => `${origin}/a.pdf`,
      /longer than 97 KiB/,
      (r) => r.end(Buffer.alloc(100_001)),
    ],
    [
      "one that is too large without a length",
      () => `${origin}/a.pdf`,
      /longer than 97 KiB/,
      (r) => {
        r.write(pdf);
        r.end(Buffer.alloc(200_000));
      },
    ],
    ["one of another type", () => `${origin}/a.pdf`, /must be a file of type/, (r) => r.end("<html>")],
    ["a name of another type", () => `${origin}/a.exe`, /must be a file of type/],
    [
      "a redirect into the network",
      () => `${origin}/a.pdf`,
      /address is not allowed/,
      (r) => r.writeHead(302, { location: "http://192.168.0.1/a.pdf" }).end(),
    ],
    ["a private address", () => "http://10.0.0.1/a.pdf", /attachments\.0 .*10\.0\.0\.1 is/],
    ["a loopback name with another port", () => "http://[::1]:1/a.pdf", /::1 is/],
    ["a path of this machine", () => "/tmp/a.pdf", /not a valid URL/],
    ["file:", () => "file:///etc/passwd", /only http and https/],
    ["ftp:", () => "ftp://files.test/a.pdf", /only http and https/],
    ["a URL with a password", () => "https://a:b@files.test/a.pdf", /user name or password/],
    ["a URL of 5,000 characters", () => `https://files.test/${"a".repeat(5000)}`, /4000/],
  ];
  for (const [what, path, says, respond] of bad)
    test(`${what} is refused by name`, async () => {
      answer = respond ?? plain;
      const { error } = await client.emails.send({ ...email, attachments: [{ path: path() }] });
      answer = plain;
      assert.deepEqual([error!.statusCode, error!.name], [422, "invalid_attachment"]);
      assert.match(error!.message, says);
    });

  test("both content and path, more files than allowed, and a batch are refused before any server is asked", async () => {
    const before = asked;
    const path = `${origin}/a.pdf`;
    const lists = [[{ path, filename: "a.pdf", content: "SGk=" }], Array(5).fill({ path }), [{ path: 1 }]];
    for (const attachments of lists) {
      const reply = await postEmail(it, key, { ...email, attachments });
      assert.deepEqual([reply.statusCode, reply.json().name], [422, "invalid_attachment"], reply.body);
    }
    assert.equal(asked, before);
  });

  test("a server that stalls ends when the client leaves, and files of other accounts are fetched meanwhile", async () => {
    const reached = Promise.withResolvers<ServerResponse>();
    answer = (response) => void response.write("first", () => reached.resolve(response));
    const leaving = new AbortController();
    const url = `http://127.0.0.1:${(it.system.app.server.address() as AddressInfo).port}/api/resend/emails`;
    const stalled = fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...email, attachments: [{ path: `${origin}/slow.pdf` }] }),
      signal: leaving.signal,
    });
    const slow = await reached.promise;
    answer = plain;
    const { error } = await client.emails.send({ ...email, attachments: [{ path: `${origin}/a.pdf` }] });
    assert.equal(error, null);
    leaving.abort();
    await assert.rejects(stalled);
    if (!slow.destroyed) await once(slow, "close");
  });
});
