// Which reports on a mail gateway's mails become its notice: five in a row that blame the sender.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Receipt } from "#gateways/callback.ts";
import { countRefusals } from "#messaging/feedback/refusals-in-row.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../../log.ts";
import { openStore, type Store } from "../../store/conformance.ts";
import { now } from "../../store/rows.ts";
import { makeSentMails } from "../../store/sent-mails.ts";

const blocked = "550 5.7.1 Service unavailable; client host [192.0.2.1] blocked using an RBL";
const reports: Record<string, Partial<Receipt>> = {
  blocked: { status: "bounced", code: "5.7.1", reason: blocked },
  // A vendor says "hard", and passes on a reply that blames the sender.
  "blocked, says the vendor": { status: "bounced", bounce: "hard", code: "5.7.1", reason: blocked },
  gone: { status: "bounced", bounce: "hard", code: "5.1.1", reason: "550 5.1.1 No such user" },
  full: { status: "bounced", bounce: "soft", code: "5.2.2", reason: "552 5.2.2 Mailbox full" },
  deferred: { status: "bounced", code: "4.7.1", reason: "451 4.7.1 Greylisted" },
  delivered: { status: "delivered" },
  sent: { status: "sent" },
};

const five = (kind: string) => Array.from({ length: 5 }, () => kind);
const four = (kind: string) => five(kind).slice(1);
const cases: [name: string, kinds: string[], isNoticed: boolean, sameMail?: boolean][] = [
  ["five refusals", five("blocked"), true],
  ["five refusals that a vendor calls hard", five("blocked, says the vendor"), true],
  ["four refusals", four("blocked"), false],
  ["five reports on one mail", five("blocked"), false, true],
  [
    "mailboxes that are full, delays and acceptances between them",
    [...four("blocked"), "full", "deferred", "sent", "blocked"],
    true,
  ],
  ["a delivery between them", [...four("blocked"), "delivered", "blocked"], false],
  ["an address that does not exist between them", [...four("blocked"), "gone", "blocked"], false],
  ["addresses that do not exist", five("gone"), false],
  ["full mailboxes", five("full"), false],
  ["delays", five("deferred"), false],
];

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store?.close());

for (const [name, kinds, isNoticed, sameMail = false] of cases)
  test(`${name}: ${isNoticed ? "a" : "no"} notice`, async () => {
    const { gatewayId } = await makeSentMails(store, { recipients: ["ada@example.com"] });
    const log = memoryLog();
    const deps = { clock: movableClock(now), database: store.database, log };
    for (const [at, kind] of kinds.entries())
      await countRefusals(deps, { id: gatewayId, identifier: "mail" }, [
        { status: "sent", reference: `r-${sameMail ? 0 : at}`, ...reports[kind] } as Receipt,
      ]);
    const rows = await store.query<{ notice: string }>(
      "select notice from gateway_account_updates where gateway_id = ?",
      gatewayId,
    );
    assert.equal(rows.length, isNoticed ? 1 : 0);
    if (isNoticed) {
      assert.equal(
        rows[0]?.notice,
        `5 mails in a row were refused because of their sender, not their recipients: ${blocked}`,
      );
      assert.equal(log.text().match(/gateway\.sender_refused/g)?.length, 1);
    }
  });
