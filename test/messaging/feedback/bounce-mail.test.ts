// Mails that come back: from a real mail client through the port into the store, and back out as states and suppression.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { readReport } from "#gateways/email/reports/delivery-report.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import { returnPathOf } from "#messaging/email/tokens.ts";
import { type BounceMail, createBounceMail } from "#messaging/feedback/bounce-mail.ts";
import { createIds } from "#runtime/ids.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { openSmtpListener, type SmtpListener } from "#runtime/net/smtp-listener.ts";
import { type Database, StorageError } from "#store/database.ts";
import { createSealer } from "#store/seal.ts";
import { onChanges } from "../../changes.ts";
import { samples } from "../../gateways/email/report-samples.ts";
import { seededRandom, someEngines } from "../../harness.ts";
import { memoryLog } from "../../log.ts";
import { openStore, type Store } from "../../store/conformance.ts";
import { messageRow, now, timeline } from "../../store/rows.ts";
import { listed, makeSentMails } from "../../store/sent-mails.ts";

const sealer = createSealer("a master key that is only used in tests", seededRandom());

for (const engine of someEngines(import.meta.filename)) {
  describe(`returned mails on ${engine}`, () => {
    let store: Store;
    let returned: BounceMail;
    let port: SmtpListener;
    let broken = false;
    let announced = 0;
    const inThread: ReadReport = async (raw) => ({ kind: "read", report: readReport(raw) });
    let reading: ReadReport = inThread;
    const clock: MovableClock = movableClock(now + 60_000);
    const newId = createIds(clock, seededRandom(5));

    before(async () => {
      store = await openStore(engine);
      const database = {
        ...store.database,
        run: async (operation: never, input: never) => {
          if (broken) throw new StorageError("unavailable", "away");
          return await store.database.run(operation, input);
        },
      } as unknown as Database;
      const reports = () => {
        announced += 1;
      };
      onChanges(store.database, { counts: reports });
      returned = createBounceMail({
        database,
        clock,
        log: memoryLog(),
        sealer,
        readReport: (raw) => reading(raw),
      });
      port = await openSmtpListener({ host: "127.0.0.1", port: 0, clock, log: memoryLog(), ...returned });
    });
    after(async () => {
      await port?.close();
      await store?.close();
    });

    /** A sent mail with a real id, and the address of its bounces. */
    async function sent(recipient: string) {
      const id = newId("msg");
      const mails = await makeSentMails(store, { recipients: [recipient], ids: [id] });
      return { ...mails, id, path: returnPathOf(sealer, id, "b.example.com") };
    }

    async function bring(to: string, raw: Buffer): Promise<string> {
      const client = new SMTPConnection({ host: "127.0.0.1", port: port.port, ignoreTLS: true });
      try {
        await new Promise<void>((resolve, reject) => {
          client.once("error", reject);
          client.connect(() => resolve());
        });
        return await new Promise((resolve) => {
          client.send({ from: "", to: [to] }, raw, (error, info) =>
            resolve(
              String(
                error
                  ? (error as { responseCode?: number }).responseCode
                  : (info as { response: string }).response,
              ),
            ),
          );
        });
      } finally {
        client.close();
      }
    }

    test("a bounce settles and suppresses before it is answered, however often it is brought", async () => {
      const { id, path, accountId } = await sent("absent@gmail.com");
      // Its case is the least that servers change.
      for (const to of [path, path.toUpperCase(), path]) assert.match(await bring(to, samples.gmail), /^250/);
      const { status, error_code } = await messageRow(store, id);
      assert.deepEqual([status, error_code], ["bounced", "5.1.1"]);
      assert.deepEqual(await timeline(store, id), ["sending", "sent", "bounced"]);
      const [entry] = await listed(store, accountId);
      assert.deepEqual([entry?.recipient, entry?.reason], ["absent@gmail.com", "bounce"]);
      assert.ok(announced > 0);
    });

    test("the address decides which message it is, with any report", async () => {
      const mine = await sent("mine@example.com");
      const other = await sent("other@example.com");
      const forged = Buffer.from(
        samples.gmail.toString("latin1").replaceAll(/msg_\w{26}/g, other.id),
        "latin1",
      );
      assert.match(await bring(mine.path, forged), /^250/);
      assert.equal((await messageRow(store, mine.id)).status, "bounced");
      assert.equal((await messageRow(store, other.id)).status, "sent");
    });

    test("delays are a line, complaints suppress, and what is no report is taken and forgotten", async () => {
      const { id, path, accountId } = await sent("slow@example.com");
      for (const sample of [samples.outOfOffice, samples.person, samples.challenge, Buffer.from("\0")])
        assert.match(await bring(path, sample), /^250/);
      assert.deepEqual(await timeline(store, id), ["sending", "sent"]);
      for (let i = 0; i < 2; i++) await bring(path, samples.postfixDelayed);
      await bring(path, samples.abuse);
      assert.deepEqual(await timeline(store, id), ["sending", "sent", "deferred", "complained"]);
      assert.equal((await listed(store, accountId))[0]?.reason, "complaint");
    });

    test("an address that is not ours is refused; one of a mail that is gone is taken", async () => {
      const { path } = await sent("a@example.com");
      const changed = path.replace(/.(?=@)/, (last) => (last === "0" ? "1" : "0"));
      for (const to of [changed, "postmaster@b.example.com", "b+@b.example.com", "victim@example.com"])
        assert.equal(await bring(to, samples.gmail), "550", to);
      assert.match(await bring(returnPathOf(sealer, newId("msg"), "b.example.com"), samples.gmail), /^250/);
    });

    test("a mail that cannot be read is taken and changes nothing; one that waits for too many is brought again", async () => {
      const { id, path } = await sent("odd@example.com");
      reading = async () => ({ kind: "unreadable" });
      assert.match(await bring(path, samples.gmail), /^250/);
      reading = async () => ({ kind: "busy" });
      assert.equal(await bring(path, samples.gmail), "451");
      assert.equal((await messageRow(store, id)).status, "sent");
      reading = inThread;
      assert.match(await bring(path, samples.gmail), /^250/);
      assert.equal((await messageRow(store, id)).status, "bounced");
    });

    test("while storage is away a report is not taken, so that its server brings it again", async () => {
      const { id, path } = await sent("again@example.com");
      broken = true;
      assert.equal(await bring(path, samples.exchange), "451");
      broken = false;
      assert.equal((await messageRow(store, id)).status, "sent");
      assert.match(await bring(path, samples.exchange), /^250/);
      assert.equal((await messageRow(store, id)).status, "bounced");
    });
  });
}
