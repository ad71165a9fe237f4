// Mails that applications send by SMTP. The password is an API key, and each mail is a send of one contact, accepted by the same rules, rates
// and limits as one over HTTP.

import { type Account, planExpired } from "#accounts/account.ts";
import { isPlainAddress } from "#contract/address.ts";
import { maxRecipients } from "#contract/messages/mail/parts.ts";
import { LineEnds } from "#gateways/email/mail-text/head.ts";
import { hasScope, rateWait } from "#http/auth/api-key.ts";
import { invalidKey, parseKey } from "#http/auth/api-key-text.ts";
import type { SharedLimits } from "#http/auth/shared-limits.ts";
import { BodyShare } from "#http/body/budget.ts";
import type { HttpCore } from "#http/call.ts";
import type { AcceptResult } from "#messaging/accept/accept.ts";
import { WrittenMailFile } from "#messaging/accept/written-file.ts";
import { readWrittenMail, refusalOf, WrittenMailRefusal } from "#messaging/accept/written-mail.ts";
import { SmtpRefusal, type SubmissionDesk, type SubmittedMail } from "#runtime/net/smtp/submission-port.ts";
import { hashSecret } from "#runtime/secret.ts";
import { StorageError } from "#store/database.ts";

/** Idempotency keys of mails; those of other endpoints are apart. */
const path = "smtp";

export { maxRecipients };

/** Who signed in: the key, which is looked up again for each mail, so that one that is removed ends at once. */
interface Sender {
  key: string;
  client: string;
}

type DeskCore = Pick<HttpCore, "acceptance" | "authenticator" | "clock" | "database" | "log" | "newId">;

export function createSubmissionDesk(core: DeskCore, limits: SharedLimits): SubmissionDesk<Sender> {
  const { credentialThrottle, bodies } = limits;
  return {
    async signIn(client, password) {
      const key = parseKey(password);
      if (key === null || key === invalidKey) throw wrongKey();
      const hash = hashSecret(key);
      const wait = credentialThrottle.wait(client, "smtp", hash);
      if (wait > 0) throw tooManyWrongKeys(wait);
      const account = await accountOf(core, key);
      credentialThrottle.record(client, "smtp", hash, account !== null);
      if (account === null) throw wrongKey();
      return { key, client };
    },
    async admit({ key }) {
      const account = await senderOf(core, key);
      const wait = rateWait(limits, account);
      if (wait > 0)
        throw new SmtpRefusal(451, "4.7.1", `Too many mails; try again in ${Math.ceil(wait / 1000)} s`);
    },
    faultOf: (address) =>
      isPlainAddress(address)
        ? null
        : /[^\0-\x7f]/.test(address.slice(0, address.lastIndexOf("@")))
          ? new SmtpRefusal(553, "5.6.7", "The part before the @ must be ASCII")
          : new SmtpRefusal(553, "5.1.3", "This is not a plain address"),
    inspect: () => new LineEnds(),
    memory: () => {
      const share = new BodyShare(bodies);
      share.markAuthenticated();
      return share;
    },
    async take({ key }, mail) {
      const account = await senderOf(core, key);
      try {
        return await accept(core, account, mail);
      } catch (error) {
        if (error instanceof WrittenMailRefusal) throw inSmtp(error);
        if (error instanceof StorageError && error.fault !== "failed") throw storageAway();
        throw error;
      }
    },
  };
}

const wrongKey = () => new SmtpRefusal(535, "5.7.8", "The password must be a valid API key");
const storageAway = () =>
  new SmtpRefusal(451, "4.3.0", "The storage is not available at the moment; try again later");
const tooManyWrongKeys = (wait: number) =>
  new SmtpRefusal(454, "4.7.0", `Too many wrong keys; try again in ${Math.ceil(wait / 1000)} s`);

/** The account of a key; null if there is none. */
async function accountOf({ authenticator }: DeskCore, key: string): Promise<Account | null> {
  try {
    return await authenticator.authenticate(key);
  } catch (error) {
    if (error instanceof StorageError)
      throw new SmtpRefusal(454, "4.7.0", "The key cannot be checked at the moment; try again later");
    throw error;
  }
}

/** The account of a key that may send email now. */
async function senderOf(core: DeskCore, key: string): Promise<Account> {
  const account = await accountOf(core, key);
  if (account === null) throw wrongKey();
  if (planExpired(account, core.clock.now()))
    throw new SmtpRefusal(550, "5.7.1", "The subscription of the account has expired");
  if (!hasScope(account, "send:email"))
    throw new SmtpRefusal(550, "5.7.1", "The API key may not send by email");
  return account;
}

async function accept(core: DeskCore, account: Account, mail: SubmittedMail): Promise<string> {
  const now = core.clock.now();
  const { draft, raw, idempotencyKey, meaning } = readWrittenMail(account, { ...mail, now });
  const file = new WrittenMailFile(core, account, raw, meaning);
  try {
    await file.stage();
    const result = await core.acceptance.send({
      account,
      requestId: core.newId("req"),
      channel: "email",
      send: { contacts: [draft], issues: [] },
      upload: file,
      idempotency: idempotencyKey === null ? null : { path, key: idempotencyKey },
    });
    return answerTo(result);
  } finally {
    await file.discard();
  }
}

/** The words of the 250 for a mail that was accepted. */
function answerTo(result: AcceptResult): string {
  switch (result.kind) {
    case "accepted":
      return `2.0.0 Accepted as ${result.ids[0]}`;
    case "replayed":
      return `2.0.0 Accepted before as ${result.ids[0]}`;
    case "invalid":
      throw inSmtp(refusalOf(result.issues[0]!));
    case "mismatch":
      throw new SmtpRefusal(550, "5.6.0", "This idempotency key was used for a different mail");
    case "in_progress":
      throw new SmtpRefusal(
        451,
        "4.3.0",
        "A mail with this idempotency key is being accepted; try again later",
      );
    case "insufficient_credit":
      throw new SmtpRefusal(
        552,
        "5.2.2",
        `This mail needs ${result.needed} credits, and ${result.remaining} remain`,
      );
    case "unavailable":
      throw storageAway();
    case "commit_unknown":
      throw new SmtpRefusal(
        451,
        "4.3.0",
        "The mail may have been accepted; an idempotency key makes a retry safe",
      );
  }
}

/** Codes by what the status is about: a size, a policy, or the mail itself. */
function inSmtp({ status, message }: WrittenMailRefusal): SmtpRefusal {
  return new SmtpRefusal(status === "5.3.4" ? 552 : status === "5.7.1" ? 550 : 554, status, message);
}
