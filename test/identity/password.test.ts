// Passwords: the published form, the same work for an unknown user as for a known one, and a queue that says no.

import assert from "node:assert/strict";
import crypto, { argon2Sync } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import test from "node:test";
import { createPasswordHasher, type PasswordHasher, passwordIssue } from "#identity/password.ts";
import { noPassword } from "#store/identity/users.ts";
import { seededRandom } from "../harness.ts";
import { testPasswordCost } from "../password-cost.ts";

/** As tests of everything else have it. */
const make = () => createPasswordHasher(seededRandom(3), testPasswordCost);

async function hashOf(password: string, hasher = make()): Promise<string> {
  const phc = await hasher.hash(password);
  assert.ok(phc !== "busy");
  return phc;
}

test("a hash is argon2id in PHC form, with 19 MiB, 2 passes and 1 lane, as anybody else computes it", async () => {
  const hasher = createPasswordHasher(seededRandom(3));
  const phc = await hashOf("correct horse battery", hasher);
  const [, algorithm, version, parameters, salt = "", tag = ""] = phc.split("$");
  assert.deepEqual([algorithm, version, parameters], ["argon2id", "v=19", "m=19456,t=2,p=1"]);
  const nonce = Buffer.from(salt, "base64");
  assert.equal(nonce.length, 16);
  const message = Buffer.from("correct horse battery");
  const expected = argon2Sync("argon2id", {
    message,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  assert.equal(tag, expected.toString("base64").replace(/=+$/, ""));
  assert.equal(await hasher.verify("correct horse battery", phc), true);
  assert.equal(await hasher.verify("correct horse batterie", phc), false);
});

test("an unknown user costs what a new hash costs", async (t) => {
  const argon2 = t.mock.method(crypto, "argon2");
  syncBuiltinESMExports();
  t.after(() => {
    argon2.mock.restore();
    syncBuiltinESMExports();
  });
  const costs = async (hasher: PasswordHasher) => {
    argon2.mock.resetCalls();
    await hasher.hash("correct horse battery");
    for (const stored of [null, noPassword]) assert.equal(await hasher.verify("x", stored), false);
    return argon2.mock.calls.map(({ arguments: [, { memory, passes, parallelism, tagLength }] }) => ({
      memory,
      passes,
      parallelism,
      tagLength,
    }));
  };
  const full = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
  assert.deepEqual(await costs(createPasswordHasher(seededRandom(3))), [full, full, full]);
  const small = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  assert.deepEqual(await costs(make()), [small, small, small]);
});

test("the right password is right, anything near it is not", async () => {
  const phc = await hashOf("Grüße an alle hier");
  const { verify } = make();
  assert.equal(await verify("Grüße an alle hier", phc), true);
  assert.equal(await verify("Grüße an alle hier".normalize("NFD"), phc), true, "typed on another keyboard");
  for (const wrong of ["grüße an alle hier", "Grüße an alle hier ", "Grüße an alle hie", ""])
    assert.equal(await verify(wrong, phc), false);
});

test("the same password hashes differently each time", async () => {
  const { hash } = make();
  assert.notEqual(await hash("correct horse battery"), await hash("correct horse battery"));
});

test("the stored hash is no password", async () => {
  const phc = await hashOf("correct horse battery");
  const { verify } = make();
  assert.equal(await verify(phc, phc), false);
  assert.equal(await verify(phc.split("$").at(-1)!, phc), false);
});

test("hashes with other parameters still work", async () => {
  const nonce = Buffer.alloc(16, 1);
  const tag = argon2Sync("argon2id", {
    message: Buffer.from("old"),
    nonce,
    parallelism: 2,
    tagLength: 24,
    memory: 64,
    passes: 1,
  });
  const phc = `$argon2id$v=19$m=64,t=1,p=2$${nonce.toString("base64").replace(/=+$/, "")}$${tag.toString("base64")}`;
  assert.equal(await make().verify("old", phc), true);
  assert.equal(await make().verify("new", phc), false);
});

test("without a user no password is right, not even the empty one", async () => {
  const { verify } = make();
  for (const password of ["", "unknown", "correct horse battery"])
    assert.equal(await verify(password, null), false);
});

test("what is stored in another form is a fault, not a no", async () => {
  await assert.rejects(make().verify("x", "plain text") as Promise<boolean>, /not in the expected PHC form/);
});

test("two at once, twenty wait, the rest hear that it is busy; then it goes on", async () => {
  const { verify, hash } = make();
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => verify("x", null)));
  assert.equal(outcomes.filter((outcome) => outcome === false).length, 22);
  assert.equal(outcomes.filter((outcome) => outcome === "busy").length, 18);
  assert.notEqual(await hash("correct horse battery"), "busy");
});

test("a flood of unknown clients holds up no known one", async () => {
  const random = seededRandom(3);
  let answered = 0;
  /** How many strangers had been answered when each known caller's work began: a hash begins with its salt. */
  const before: number[] = [];
  const bytes: typeof random.bytes = (count) => {
    before.push(answered);
    return random.bytes(count);
  };
  const { verify, hash } = createPasswordHasher({ ...random, bytes }, testPasswordCost);
  const flood = Array.from({ length: 40 }, async () => {
    const outcome = await verify("x", null, "anonymous");
    if (outcome !== "busy") answered += 1;
    return outcome;
  });
  const known = [hash("correct horse battery"), hash("battery horse correct")];
  const outcomes = await Promise.all([...flood, ...known]);
  assert.equal(
    outcomes.filter((outcome) => outcome === "busy").length,
    18,
    "two at once, and twenty that wait",
  );
  assert.equal(before.length, 2, "both who are known");
  // Theirs are the next two places: those of the two strangers who were at work when they came.
  assert.ok(Math.max(...before) <= 2, `strangers before them: ${before}`);
});

test("a fault gives its place in the queue back", async () => {
  const { verify } = make();
  await Promise.allSettled(Array.from({ length: 10 }, () => verify("x", "broken")));
  assert.equal(await verify("x", null), false);
});

test("the rule: 12 to 200 characters, not the address, not the obvious", () => {
  const email = "Ann@acme.test";
  for (const good of [
    "correct horse",
    "x1y2z3x1y2z3",
    "my admin wrote tests",
    "dragon-9f2kx81p",
    "welcome to the jungle",
    "🔑 is twelve 1",
    `${"a".repeat(197)}bcd`,
  ])
    assert.equal(passwordIssue(good, email), null, good);
  for (const bad of ["", "short", "elevenchars", `${"abcd".repeat(50)}e`, "🔑".repeat(11)])
    assert.match(passwordIssue(bad, email) ?? "", /12 to 200/);
  for (const same of ["ann@acme.test", "ANN@ACME.TEST", " Ann@acme.test "])
    assert.match(passwordIssue(same, email) ?? "", /email/);
  for (const easy of ["Password12345", "aaaaaaaaaaaaaaa", "ababababababab"])
    assert.match(passwordIssue(easy, email) ?? "", /guess/);
});
