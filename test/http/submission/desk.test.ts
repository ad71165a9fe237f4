// Who may send by SMTP and what they are answered: the key's rights and limits hold as over HTTP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, signedIn, simple, submit, submitting, talk } from "./submitting.ts";

test("only a key signs in, by PLAIN and LOGIN, with any user name", async (context) => {
  const own = await submitting(context);
  for (const method of ["PLAIN", "LOGIN"] as const) {
    assert.equal((await submit(own, { raw: simple, method })).code, 250, method);
    const wrong = await submit(own, { raw: simple, method, password: "tlk_wrong_wrong_wrong_wrong_wrong_1" });
    assert.match(wrong.text, /^535 5\.7\.8 /, method);
  }
  const none = await submit(own, { raw: simple, password: null });
  assert.match(none.text, /^530 5\.7\.0 Sign in first/);
  assert.equal(
    own.it.log.lines().some((line) => JSON.stringify(line).includes(own.key)),
    false,
  );
});

test("wrong keys are slowed down like those over HTTP, and a known key still passes", async (context) => {
  const own = await submitting(context);
  assert.equal((await submit(own, { raw: simple })).code, 250);
  const codes: string[] = [];
  for (let guess = 0; guess < 70; guess += 1) {
    const wire = await talk(own.port.port);
    await wire.say("EHLO guesser.test");
    codes.push((await wire.say(`AUTH PLAIN ${plain(`tlk_${String(guess).padStart(40, "0")}`)}`)).slice(0, 9));
    wire.end();
  }
  assert.deepEqual([codes[0], codes[69]], ["535 5.7.8", "454 4.7.0"]);
  assert.ok(codes.filter((code) => code === "535 5.7.8").length <= 61, codes.join());
  assert.equal((await submit(own, { raw: simple })).code, 250);
  const wire = await talk(own.port.port);
  await wire.say("EHLO guesser.test");
  assert.match(await wire.say("AUTH PLAIN AAAA"), /^501/);
  wire.end();
});

test("a connection ends after three wrong keys", async (context) => {
  const own = await submitting(context);
  const wire = await talk(own.port.port);
  await wire.say("EHLO client.test");
  for (const code of ["535", "535", "421"])
    assert.equal((await wire.say(`AUTH PLAIN ${plain("tlk_wrong")}`)).slice(0, 3), code);
  assert.equal(await wire.hear(), "");
});

test("scopes, rates, plan, credit and sender: each refusal has its code", async (context) => {
  const own = await submitting(context, {
    account: {
      rate_limit: { requests_per_minute: 3 },
      plan: { name: "basic", expires_at: null, credit: { email: 1 } },
    },
  });
  const answers: string[] = [];
  const wire = await signedIn(own);
  for (const from of ["a@example.com", "a@example.com", "a@other.test"]) {
    await wire.say(`MAIL FROM:<${from}>`);
    await wire.say("RCPT TO:<ada@example.net>");
    await wire.say("DATA");
    answers.push(await wire.say(Buffer.from(`${simple.replace("app@example.com", from)}.\r\n`)));
  }
  answers.push(await wire.say("MAIL FROM:<a@example.com>"));
  wire.end();
  for (const [index, expected] of [
    /^250 2\.0\.0 Accepted as /,
    /^552 5\.2\.2 This mail needs 1 credits, and 0 remain/,
    /^550 5\.7\.1 No email gateway of this account sends from other\.test/,
    /^451 4\.7\.1 Too many mails; try again in \d+ s/,
  ].entries())
    assert.match(answers[index] ?? "", expected);
});

test("a key that is replaced ends on a connection that is open", async (context) => {
  const own = await submitting(context);
  const wire = await signedIn(own);
  const { issueApiKey } = await import("#configure/account.ts");
  const { data } = (await own.it.get("/api/account")).json();
  assert.ok(data);
  const { findAccountByName } = await import("#store/accounts/accounts.ts");
  const row = await own.it.system.database.run(findAccountByName, "acme");
  await issueApiKey(own.it.system.core, row!.id);
  own.it.system.core.authenticator.invalidate();
  assert.match(await wire.say("MAIL FROM:<a@example.com>"), /^535 5\.7\.8 /);
  wire.end();
});

test("storage that is away is a temporary refusal, and the same mail is taken afterwards", async (context) => {
  const own = await submitting(context);
  assert.equal((await submit(own, { raw: simple })).code, 250);
  own.it.storageFault("unavailable");
  const refused = await submit(own, { raw: simple });
  assert.match(refused.text, /^451 4\.3\.0 The storage is not available/);
  own.it.storageFault(null);
  const answer = await submit(own, { raw: simple });
  assert.match(answer.text, /^250 2\.0\.0 Accepted as /);
});
