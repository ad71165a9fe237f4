// The kind `kannel` with a real Kannel between us and an SMSC: a text goes all the way out, its receipt and an answer come all
// the way back.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../../../faults/server.ts";
import { harness } from "../../../../harness.ts";
import { loopback } from "../../../email/mailing.ts";
import { openSmsc, password, textOf } from "../../smpp/smsc.ts";

const isMissing = ["bearerbox", "smsbox"].some(
  (program) => spawnSync(program, ["--version"]).error !== undefined,
);
const skip = isMissing ? "Kannel is not installed: apt-get install kannel" : false;
const token = "a token of sixteen or more";

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It never was: ${what}.`);
}

test("a text, its receipt and an answer through a real Kannel", { skip }, async (context) => {
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

group = sendsms-user
username = trunk
password = "a sendsms password"
max-messages = 5
concatenation = true

group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "${callback}&id=%I&from=%p&to=%P&text=%b"
`,
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
      username: "trunk",
      password: "a sendsms password",
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
  smsc.bound[0]?.deliver_sm(
    {
      source_addr: "4915112345678",
      source_addr_ton: 1,
      destination_addr: "13013",
      short_message: "Thank you",
    },
    () => {},
  );
  await until(
    async () => (await it.get("/api/received/sms")).body.includes("Thank you"),
    "the answer is there",
  );
  const { data } = JSON.parse((await it.get("/api/received/sms")).body) as {
    data: { from: string; message: string }[];
  };
  assert.partialDeepStrictEqual(data, [{ from: "+4915112345678", message: "Thank you" }]);
  // An answer to Kannel's call would be sent to the person.
  assert.equal(smsc.submitted.length, 2);
});
