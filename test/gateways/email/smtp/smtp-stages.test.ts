// Nine steps of handing over a mail, and six ways in which each can fail: all that fails before the final dot was
// certainly not sent, all that fails after it without a reply is not known, and nothing is ever sent twice here.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { afterDotMs } from "#gateways/email/smtp/connection.ts";
import { smtp } from "#gateways/email/smtp/smtp.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { hostWith, wellFormed } from "../../conformance-samples.ts";
import { cert } from "../certificate.ts";
import { loopbackSettings, mailingTools, sampleMail } from "../mailing.ts";
import { openScriptedSmtp, type SmtpStage, stages } from "../scripted-smtp.ts";

const faults = {
  reset: "reset",
  silence: "silence",
  "421": "421 4.3.2 Closing",
  "451": "451 4.3.0 Later",
  "550": "550 5.0.0 No",
  junk: "HTTP/1.1 400 Bad Request",
} as const;
type FaultName = keyof typeof faults;

const unreachable = "deferred unreachable";
const refused = "deferred refused";
const session: Record<FaultName, string> = {
  reset: unreachable,
  silence: unreachable,
  "421": unreachable,
  "451": unreachable,
  "550": refused,
  junk: unreachable,
};
/** About this one mail; only a plain no to the sender is about the gateway. */
const envelope: typeof session = {
  reset: "deferred",
  silence: "deferred",
  "421": "deferred",
  "451": "deferred",
  "550": refused,
  junk: "deferred",
};

/** The table of docs/guarantees: what each fault at each step comes to. */
const documented: Record<SmtpStage, Record<FaultName, string>> = {
  connect: session,
  banner: session,
  EHLO: session,
  STARTTLS: session,
  AUTH: session,
  MAIL: envelope,
  RCPT: { ...envelope, "550": "rejected" },
  DATA: envelope,
  dot: {
    reset: "unknown",
    silence: "unknown",
    "421": "deferred",
    "451": "deferred",
    "550": "rejected",
    junk: "unknown",
  },
};

const outbounds = mailingTools().outbound;
after(() => outbounds.close());

const shown = (outcome: Outcome) =>
  outcome.kind === "deferred" && outcome.gatewayFault
    ? `${outcome.kind} ${outcome.gatewayFault}`
    : outcome.kind;
const password = "kernel-panic-42";

for (const extensions of [["PIPELINING"], []]) {
  describe(extensions.length > 0 ? "commands sent together" : "commands sent one by one", () => {
    for (const stage of stages) {
      for (const [name, fault] of Object.entries(faults) as [FaultName, string][]) {
        test(`${name} at ${stage}: ${documented[stage][name]}`, async (context) => {
          const server = await openScriptedSmtp({
            security: "starttls",
            extensions,
            script: (at, nth) => (at === stage && (nth === 1 || at === "EHLO") ? fault : null),
          });
          context.after(() => server.close());
          const own = loopbackSettings(server.port, {
            security: "starttls",
            ca: cert,
            username: "ada",
            password,
          });
          const { signal, stop: _, ...tools } = mailingTools({ outbound: outbounds });
          const session = await smtp.open(own, hostWith(tools));
          context.after(() => session.close());
          const sent = session.send(sampleMail(), signal);
          if (name === "silence") {
            await server.reached(stage);
            // Our side may still be busy with what the server has already seen.
            for (let turns = 0; turns < 10; turns += 1) await tools.clock.settle();
            const waitMs = stage === "dot" ? afterDotMs : tools.timeoutMs;
            await tools.clock.advance(waitMs - 1);
            assert.equal(await Promise.race([sent, "waiting"]), "waiting");
            await tools.clock.advance(1);
          }
          const outcome = await sent;
          wellFormed(outcome, [password, Buffer.from(password).toString("base64")]);
          assert.equal(shown(outcome), documented[stage][name], JSON.stringify(outcome));
          assert.equal(server.handed.length, stage === "dot" ? 1 : 0);
          assert.equal(server.connections(), 1, "nothing was tried again behind the lane's back");

          // The server is well again: the next mail goes through, in any state of the connection.
          server.script(() => null);
          const next = await session.send(sampleMail({}, { id: "msg_02test" }), signal);
          assert.deepEqual(next, { kind: "accepted", reference: "msg_02test@example.com" });
          assert.equal(server.handed.length, stage === "dot" ? 2 : 1);
        });
      }
    }
  });
}
