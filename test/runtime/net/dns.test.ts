// Asks a DNS server of this test's own over UDP: what is there, what is not, and what no server answers are three answers.

import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { after, before, test } from "node:test";
import { createDns } from "#runtime/net/dns.ts";
import type { Dns } from "#runtime/runtime.ts";

const types = { A: 1, MX: 15, TXT: 16, AAAA: 28 } as const;
type Records = Partial<Record<keyof typeof types, Buffer[]>>;

const nameOf = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
const strings = (...texts: string[]) =>
  Buffer.concat(texts.map((text) => Buffer.from([text.length, ...Buffer.from(text)])));
const mail = (preference: number, host: string) =>
  Buffer.concat([Buffer.from([0, preference]), nameOf(host)]);

const long = "x".repeat(255);
const world: Record<string, Records | number> = {
  "split.test": { TXT: [strings("v=DKIM1; p=", long, "end"), strings("other")] },
  "mail.test": { MX: [mail(20, "b.test"), mail(10, "a.test")], A: [Buffer.from([192, 0, 2, 1])] },
  "both.test": {
    A: [Buffer.from([192, 0, 2, 1])],
    AAAA: [Buffer.from([0x20, 1, 13, 184, ...Array(11).fill(0), 1])],
  },
  "six.test": { AAAA: [Buffer.from([0x20, 1, 13, 184, ...Array(11).fill(0), 2])] },
  // Response codes: SERVFAIL, NXDOMAIN, REFUSED.
  "broken.test": 2,
  "missing.test": 3,
  "refused.test": 5,
};

function reply(question: Buffer): Buffer {
  let end = 12;
  const labels: string[] = [];
  while (question[end] !== 0) {
    labels.push(question.toString("latin1", end + 1, end + 1 + question[end]!));
    end += 1 + question[end]!;
  }
  const type = question.readUInt16BE(end + 1);
  const known = world[labels.join(".").toLowerCase()] ?? 3;
  const kind = Object.entries(types).find(([, code]) => code === type)?.[0] as keyof typeof types;
  const records = typeof known === "number" ? [] : (known[kind] ?? []);
  const head = Buffer.alloc(12);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (typeof known === "number" ? known : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  const answers = records.map((data) => {
    const fixed = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, 0]);
    fixed.writeUInt16BE(data.length, 10);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([head, question.subarray(12, end + 5), ...answers]);
}

let server: Socket;
let dns: Dns;
before(async () => {
  server = createSocket("udp4");
  server.on("message", (question, from) => server.send(reply(question), from.port, from.address));
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
  dns = createDns({ servers: [`127.0.0.1:${server.address().port}`] });
});
after(() => server.close());

test("the strings of a TXT record are put together, records are kept apart", async () => {
  assert.deepEqual(await dns.txt("split.test"), {
    kind: "found",
    values: [`v=DKIM1; p=${long}end`, "other"],
  });
});

test("mail servers come in the order of preference, addresses of both kinds", async () => {
  assert.deepEqual(await dns.mx("mail.test"), { kind: "found", values: ["a.test", "b.test"] });
  assert.deepEqual(await dns.addresses("both.test"), { kind: "found", values: ["192.0.2.1", "2001:db8::1"] });
  assert.deepEqual(await dns.addresses("six.test"), { kind: "found", values: ["2001:db8::2"] });
  assert.deepEqual(await dns.addresses("mail.test"), { kind: "found", values: ["192.0.2.1"] });
});

test("a name that does not exist, or has other records alone, has none", async () => {
  for (const name of ["missing.test", "mail.test"]) assert.deepEqual(await dns.txt(name), { kind: "none" });
  assert.deepEqual(await dns.addresses("split.test"), { kind: "none" });
});

test("a server at fault is no answer, and neither is a name that cannot be asked for", async () => {
  const broken = await dns.txt("broken.test");
  assert.ok(broken.kind === "failed" && /at fault/.test(broken.reason));
  const refused = await dns.addresses("refused.test");
  assert.ok(refused.kind === "failed" && /refused/.test(refused.reason));
  for (const name of ["a..b", `${"a".repeat(70)}.test`, "x y.test\0"])
    assert.notEqual((await dns.txt(name)).kind, "found", name);
});
