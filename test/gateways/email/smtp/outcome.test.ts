// What replies and losses mean: the exceptions that keep one wrong password from rejecting a backlog, and the rule
// that after the final dot only a complete reply tells.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Disconnect,
  outcomeOfDisconnect,
  outcomeOfReply,
  readReply,
  type Stage,
} from "#gateways/email/smtp/outcome.ts";
import { seed, wellFormed } from "../../conformance-samples.ts";

const stages: readonly Stage[] = ["greeting", "hello", "starttls", "auth", "mail", "rcpt", "data", "dot"];

const brief = (stage: Stage, reply: string) => {
  const outcome = outcomeOfReply(stage, reply, []);
  wellFormed(outcome, []);
  if (outcome.kind === "rejected" && outcome.mayBeGatewayFault) return "unclear";
  return outcome.kind === "deferred" && outcome.gatewayFault
    ? `${outcome.kind} ${outcome.gatewayFault}`
    : outcome.kind;
};

test("replies: of one line and of several, with and without an enhanced code", () => {
  assert.deepEqual(readReply("550 5.1.1 No such user"), {
    status: 550,
    enhanced: "5.1.1",
    text: "No such user",
  });
  assert.deepEqual(readReply("550-5.1.1 No such\n550 5.1.1 user"), {
    status: 550,
    enhanced: "5.1.1",
    text: "No such user",
  });
  assert.deepEqual(readReply("550-No such\r\n550 user"), {
    status: 550,
    enhanced: null,
    text: "No such user",
  });
  assert.deepEqual(readReply("451"), { status: 451, enhanced: null, text: "" });
  assert.deepEqual(readReply("451 4.7.1"), { status: 451, enhanced: "4.7.1", text: "" });
  for (const junk of ["", "55", "5500 x", "HTTP/1.1 400 Bad", "150 x", "650 x", "550-a\n551 b", "550_x"]) {
    assert.equal(readReply(junk), null, junk);
  }
});

test("whose refusal it is, by code and by stage", () => {
  const table: [Stage, string, string][] = [
    // The recipient's, or it does not say.
    ["rcpt", "550 5.1.1 User unknown", "rejected"],
    ["rcpt", "550 No such user here", "unclear"],
    ["rcpt", "552 5.2.2 Mailbox full", "rejected"],
    ["rcpt", "553 5.1.3 Bad address", "rejected"],
    ["rcpt", "501 5.1.3 Bad address syntax", "rejected"],
    ["rcpt", "554 5.7.1 Rejected by policy", "unclear"],
    ["rcpt", "450 4.2.0 Greylisted", "deferred"],
    ["rcpt", "452 4.5.3 Too many recipients", "deferred"],
    ["rcpt", "421 4.7.0 Slow down", "deferred"],
    // The gateway's, although said at the recipient.
    ["rcpt", "554 5.7.1 <ada@example.net>: Relay access denied", "deferred refused"],
    ["rcpt", "550 relaying denied", "deferred refused"],
    ["rcpt", "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "deferred refused"],
    ["rcpt", "550 5.1.8 <news@example.com>: Sender address rejected: Domain not found", "deferred refused"],
    ["rcpt", "553 <news@example.com>: Sender address rejected: not owned by user ada", "deferred refused"],
    ["rcpt", "554 5.7.1 <host>: Client host rejected: Access denied", "deferred refused"],
    ["rcpt", "530 5.7.0 Must issue a STARTTLS command first", "deferred refused"],
    ["rcpt", "503 5.5.1 MAIL first", "deferred refused"],
    // The sender, and everything before it.
    ["mail", "550 5.7.1 Not allowed to send as this", "deferred refused"],
    ["mail", "530 5.7.0 Authentication required", "deferred refused"],
    ["mail", "552 5.3.4 Message too big", "rejected"],
    ["mail", "552 Message size exceeds fixed limit", "rejected"],
    ["mail", "451 4.3.0 Later", "deferred"],
    ["auth", "535 5.7.8 Bad credentials", "deferred refused"],
    ["auth", "454 4.7.0 Temporary failure", "deferred unreachable"],
    ["greeting", "554 No SMTP service here", "deferred refused"],
    ["greeting", "421 Too many connections", "deferred unreachable"],
    ["hello", "550 Go away", "deferred refused"],
    ["starttls", "502 Not implemented", "deferred refused"],
    ["data", "554 5.5.1 No valid recipients", "deferred refused"],
    ["data", "451 4.3.0 Later", "deferred"],
    // The content.
    ["dot", "554 5.7.1 Spam", "unclear"],
    ["dot", "552 5.3.4 Too big", "rejected"],
    ["dot", "500 Line too long (see RFC5321 4.5.3.1.6)", "rejected"],
    ["dot", "500 5.5.2 Line is too long", "rejected"],
    ["dot", "550 maximum allowed line length is 998 octets, got 5000", "rejected"],
    ["dot", "500 Command not known", "deferred refused"],
    ["hello", "500 Line too long", "deferred refused"],
    ["dot", "550 5.4.5 Daily sending quota exceeded", "deferred refused"],
    ["dot", "451 4.7.0 Later", "deferred"],
    ["dot", "421 4.3.2 Closing", "deferred"],
    ["dot", "354 Go ahead", "unknown"],
    ["dot", "", "unknown"],
    ["dot", "ok", "unknown"],
    ["rcpt", "354 Go ahead", "deferred"],
    ["greeting", "HTTP/1.1 400 Bad Request", "deferred unreachable"],
  ];
  for (const [stage, reply, expected] of table)
    assert.equal(brief(stage, reply), expected, `${stage}: ${reply}`);
});

test("the code is the enhanced one where there is one, and the words are the server's", () => {
  assert.deepEqual(outcomeOfReply("rcpt", "550-5.1.1 No such\r\n550 5.1.1 user", []), {
    kind: "rejected",
    code: "5.1.1",
    reason: "The mail server answered 550 5.1.1 to the recipient: No such user",
  });
  assert.deepEqual(outcomeOfReply("dot", "451", []), {
    kind: "deferred",
    code: "451",
    reason: "The mail server answered 451 to the content.",
  });
});

test("no secret in a reason, however the server spells it", () => {
  const pass = "kernel-panic-42";
  const secrets = [pass, Buffer.from(pass).toString("base64")];
  for (const stage of stages) {
    for (const text of [pass, pass.toUpperCase(), secrets[1]!, `${"-".repeat(190)}${pass}`]) {
      wellFormed(outcomeOfReply(stage, `535 5.7.8 ${text} is wrong`, secrets), secrets);
      wellFormed(outcomeOfReply(stage, `junk ${text}`, secrets), secrets);
      wellFormed(outcomeOfDisconnect({ kind: "tls", detail: text }, "session", secrets), secrets);
    }
  }
});

test("a disconnect: certain before the dot, in doubt after it; the lane waits only where no mail is concerned", () => {
  const losses: Disconnect[] = [
    { kind: "lost", detail: "ECONNRESET" },
    { kind: "silent" },
    { kind: "tls", detail: "CERT_HAS_EXPIRED" },
    { kind: "aborted" },
  ];
  for (const disconnect of losses) {
    const [session, envelope, after] = (["session", "envelope", "handed_over"] as const).map((phase) =>
      outcomeOfDisconnect(disconnect, phase, []),
    );
    for (const outcome of [session!, envelope!, after!]) wellFormed(outcome, []);
    assert.equal(after!.kind, "unknown");
    assert.ok(envelope!.kind === "deferred" && envelope!.gatewayFault === undefined);
    assert.ok(session!.kind === "deferred");
    assert.equal(session!.gatewayFault, disconnect.kind === "aborted" ? undefined : "unreachable");
  }
});

test("no reply throws, is accepted, or makes certain what is not", () => {
  const reply = fc.oneof(
    fc.string(),
    fc.tuple(fc.integer({ min: 0, max: 999 }), fc.string()).map(([status, text]) => `${status} ${text}`),
    fc
      .array(fc.constantFrom("550-", "550 ", "250 ", "5.1.1 ", "\r\n", "\n", "x"), { maxLength: 8 })
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(fc.constantFrom(...stages), reply, (stage, text) => {
      const outcome = outcomeOfReply(stage, text, []);
      wellFormed(outcome, []);
      assert.notEqual(outcome.kind, "accepted");
      const status = readReply(text)?.status ?? 0;
      if (stage === "dot") assert.equal(outcome.kind === "unknown", status < 400);
      else assert.notEqual(outcome.kind, "unknown");
      if (outcome.kind === "rejected") assert.ok(status >= 500);
    }),
    { numRuns: 2000, seed },
  );
});
