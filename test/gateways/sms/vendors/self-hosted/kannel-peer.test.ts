// The kind `kannel` with a real Kannel between us and an SMSC: a text goes all the way out, its receipt and an answer come all
// the way back.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freePort } from "../../../../faults/server.ts";
import { harness } from "../../../../harness.ts";
import { loopback } from "../../../email/mailing.ts";
import { openSmsc, password, textOf } from "../../smpp/smsc.ts";

const isMissing = ["bearerbox", "smsbox"].some(
  (program) => spawnSync(program, ["--version"]).error !== undefined,
);
const skip = isMissing ? "Kannel is not installed: apt-get install kannel" : false;
const token = "a token of sixteen or more";
const sendsmsPassword = "a sendsms password";
const page = new URL("../../../../../docs/sms-vendors.md", import.meta.url);

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It never was: ${what}.`);
}

/** The groups that the page of vendors shows, with our address and password, and what is added to the group `smsbox`. */
const documented = (callback: string) =>
  (/## Kannel[\s\S]*?```\n([\s\S]*?)```/.exec(readFileSync(page, "utf8"))?.[1] ?? "")
    .replace('password = "…"', `password = "${sendsmsPassword}"`)
    .replace(/https:.*?token=…/, callback);

for (const recode of ["", "mo-recode = true"]) {
  const name = `texts, receipts and answers through a real Kannel as documented${recode && `, with ${recode}`}`;
  test(name, { skip }, (context) => throughKannel(context, recode));
}

async function throughKannel(context: TestContext, recode: string): Promise<void> {
  const smsc = await openSmsc({
    onSubmit: (pdu, answer, session) => {
      answer({ message_id: "1001" });
      session.deliver_sm(
        {
          esm_class: 4,
          source_addr: String(pdu.destination_addr),
          destination_addr: String(pdu.source_addr),
          short_message:
            "id:1001 sub:001 dlvrd:001 submit date:2611231200 done date:2611231201 stat:DELIVRD err:000 text:",
        },
        () => {},
      );
    },
  });
  context.after(() => smsc.close());
  const [admin, boxes, sendsms, own] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const folder = mkdtempSync(join(tmpdir(), "trunkline-kannel-"));
  const configuration = join(folder, "kannel.conf");
  const callback = `http://127.0.0.1:${own}/callbacks/kannel?token=${encodeURIComponent(token)}`;
  writeFileSync(
    configuration,
    `group = core
admin-port = ${admin}
admin-password = "${token}"
admin-interface = 127.0.0.1
smsbox-port = ${boxes}
smsbox-interface = 127.0.0.1
box-allow-ip = 127.0.0.1
box-deny-ip = *.*.*.*
log-level = 2
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = one
host = 127.0.0.1
port = ${smsc.port}
smsc-username = acme
smsc-password = ${password}
system-type = VMA
transceiver-mode = true

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${sendsms}
sendsms-interface = 127.0.0.1
log-level = 2
${recode}

${documented(callback)}`,
  );
  const boxesRunning: ChildProcess[] = [];
  const start = (program: string) =>
    boxesRunning.push(spawn(program, [configuration], { cwd: folder, stdio: "ignore" }));
  const outbound = loopback();
  const it = await harness({
    allow: "127.0.0.0/8",
    respond: (request) => outbound.request(request),
    settings: { publicUrl: `http://127.0.0.1:${own}` },
  });
  context.after(async () => {
    for (const box of boxesRunning.toReversed()) box.kill("SIGKILL");
    await it.close();
    await outbound.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await it.account();
  await it.system.app.listen({ host: "127.0.0.1", port: own });
  start("bearerbox");
  await until(() => smsc.bound.length === 1, "Kannel is bound to the SMSC");
  start("smsbox");
  const url = `http://127.0.0.1:${sendsms}`;
  await until(async () => {
    const probe = await outbound.request({ method: "GET", url: `${url}/`, timeoutMs: 1_000 });
    return probe.kind === "answer";
  }, "smsbox listens");
  await it.gateway({
    identifier: "kannel",
    kind: "kannel",
    default: true,
    settings: {
      base_url: url,
      username: "trunkline",
      password: sendsmsPassword,
      from: "13013",
      callback_token: token,
    },
  });
  for (const text of ["Grüße [€] @home", "Привет 🎉"]) {
    const [id] = await it.accepted([{ number: "+4915112345678", message: text }]);
    assert.ok(id);
    await until(async () => {
      await it.settle();
      return (await it.message(id)).status === "delivered";
    }, `${text} is delivered`);
    assert.equal(textOf(smsc.submitted.at(-1)!), text);
  }
  // Three parts of 153 characters at most: Kannel cuts what its max-messages does not allow, and says nothing of it.
  const long = `${"0123456789 ".repeat(36)} the END`.slice(-403);
  const [id] = await it.accepted([{ number: "+4915112345678", message: long }]);
  assert.ok(id);
  await until(async () => {
    await it.settle();
    return (await it.message(id)).status === "delivered" && smsc.submitted.length === 5;
  }, "the long text is delivered");
  assert.equal(smsc.submitted.slice(2).map(textOf).join(""), long);

  const answers = ["Thank you", "Grüße [€] @home", "Привет 😀 ä", "naïve ûber ñ ÿ", "语"];
  for (const [index, text] of answers.entries()) {
    smsc.bound[0]?.deliver_sm(
      {
        source_addr: "4915112345678",
        source_addr_ton: 1,
        destination_addr: "13013",
        ...(index === 0
          ? { short_message: text }
          : { data_coding: 8, short_message: Buffer.from(text, "utf16le").swap16() }),
      },
      () => {},
    );
  }
  const received = async () => {
    const { data } = JSON.parse((await it.get("/api/received/sms")).body);
    return data as { from: string; message: string }[];
  };
  await until(async () => (await received()).length === answers.length, "the answers are there");
  assert.deepEqual((await received()).map(({ message }) => message).sort(), answers.toSorted());
  assert.ok((await received()).every(({ from }) => from === "+4915112345678"));
  // An answer to Kannel's call would be sent to the person.
  assert.equal(smsc.submitted.length, 5);
}
