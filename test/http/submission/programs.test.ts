// Mail programs that this machine has, as people run them: Python's smtplib over STARTTLS and TLS, and swaks.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cert } from "../../gateways/email/certificate.ts";
import { settled, submitting } from "./submitting.ts";

/** What a program printed; throws if it failed. */
function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.once("error", reject);
    child.once("close", (status) => (status === 0 ? resolve(output) : reject(new Error(output))));
  });
}

const missing = (program: string, option: string) =>
  spawnSync(program, [option]).status === 0 ? false : `${program} is not here`;

const script = `
import smtplib, ssl, sys
from email.message import EmailMessage
port, way, key, ca = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
mail = EmailMessage()
mail["From"], mail["To"], mail["Bcc"], mail["Subject"] = "App <app@example.com>", "ada@example.net", "dan@example.net", "Grüße"
mail.set_content("Hallo Ä")
mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="ü.pdf")
context = ssl.create_default_context(cafile=ca)
with smtplib.SMTP_SSL("localhost", port, context=context) if way == "tls" else smtplib.SMTP("localhost", port) as server:
    if way == "starttls":
        server.starttls(context=context)
    try:
        server.login("any", "tl_wrong")
        sys.exit("A wrong key signed in.")
    except smtplib.SMTPAuthenticationError as error:
        assert error.smtp_code == 535, error
    server.login("any", key)
    for _ in range(2):
        server.send_message(mail)
`;

for (const way of ["starttls", "tls"] as const)
  test(`Python's smtplib over ${way}`, { skip: missing("python3", "--version") }, async (context) => {
    const own = await submitting(context, { implicitTls: way === "tls" });
    const folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const ca = join(folder, "ca.pem");
    writeFileSync(ca, cert);
    await run("python3", ["-c", script, String(own.port.port), way, own.key, ca]);
    const { data } = (await own.it.get("/api/get/email")).json();
    assert.equal(data.length, 2);
    for (const { id } of data) {
      const record = await settled(own, id);
      assert.deepEqual(
        [record.status, record.subject, record.message.trimEnd(), record.attachments[0]?.filename],
        ["sent", "Grüße", "Hallo Ä", "ü.pdf"],
      );
      assert.deepEqual(
        record.recipients.map(({ email, field }) => `${field} ${email}`),
        ["to ada@example.net", "bcc dan@example.net"],
      );
    }
  });

test("swaks, with PIPELINING too", { skip: missing("swaks", "--version") }, async (context) => {
  const own = await submitting(context);
  const common = ["--server", `127.0.0.1:${own.port.port}`, "--from", "app@example.com"];
  for (const more of [
    ["--auth", "PLAIN"],
    ["--auth", "LOGIN", "--pipeline"],
  ]) {
    const to = ["--to", "ada@example.net,bob@example.net", "--auth-user", "any", "--auth-password", own.key];
    assert.match(await run("swaks", [...common, ...more, ...to]), /250 2\.0\.0 Accepted as msg_\w+/);
  }
  await assert.rejects(run("swaks", [...common, "--to", "ada@example.net"]), /530 5\.7\.0/);
});
