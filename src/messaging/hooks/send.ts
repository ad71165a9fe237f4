// A body that came to a hook: its messages are accepted as a send is, and the body is kept for the preview.

import type { Account } from "#accounts/account.ts";
import type { HookFields } from "#contract/hooks/hooks.ts";
import type { Core } from "#core/core.ts";
import type { AcceptResult, SendRequest } from "#messaging/accept/accept.ts";
import type { Acceptance } from "#messaging/accept/acceptance.ts";
import { messageChannels } from "#messaging/channels.ts";
import { type HookRow, lastBodyContext, noteHookBody } from "#store/hooks/hooks.ts";
import { keptBody } from "./kept-body.ts";
import { hookContacts, hookTexts } from "./message.ts";

const maxOutcomeLength = 300;

interface HookSend extends Pick<SendRequest, "requestId" | "idempotency"> {
  name: string;
  fields: Omit<HookFields, "key" | "name">;
  account: Account;
}

interface SentHook {
  result: AcceptResult;
  /** What the hook shows about its last body: `accepted`, or why not; null if the result says nothing about the body. */
  outcome: string | null;
}

/** Accepts the messages that a body makes of a hook: all of them, or none. */
export async function sendHook(
  acceptance: Pick<Acceptance, "issuesOf" | "send">,
  { name, fields, account, requestId, idempotency }: HookSend,
  body: unknown,
): Promise<SentHook> {
  const texts = hookTexts(fields, body);
  const blank = texts.message === "" ? "message" : texts.subject === "" ? "subject" : null;
  const lacks = texts.missing.length > 0 && (fields.missing === null || blank !== null);
  if (lacks || blank !== null) {
    const message = lacks ? `has no value for ${texts.missing.join(", ")}` : `makes a blank ${blank}`;
    return {
      result: { kind: "invalid", issues: [{ path: ["body"], message }] },
      outcome: `The body ${message}.`,
    };
  }
  const { channel } = fields;
  const contact = hookContacts(fields, texts, name);
  const send = messageChannels[channel].sending.read({ contact }, { maxContacts: contact.length });
  const sent = { account, requestId, channel, send, upload: null, idempotency };
  const result: AcceptResult =
    send.issues.length > 0
      ? { kind: "invalid", issues: await acceptance.issuesOf(sent) }
      : await acceptance.send(sent);
  return { result, outcome: outcomeOf(result) };
}

function outcomeOf(result: AcceptResult): string | null {
  switch (result.kind) {
    case "accepted":
    case "replayed":
      return "accepted";
    case "invalid":
      return result.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join(" ");
    case "insufficient_credit":
      return "The credit is not enough.";
    default:
      return null;
  }
}

/** Keeps the body for the preview, with its outcome. */
export async function noteBody(
  { clock, database, sealer }: Pick<Core, "clock" | "database" | "sealer">,
  hook: HookRow,
  body: unknown,
  outcome: string,
): Promise<void> {
  const kept = keptBody(body);
  await database.run(noteHookBody, {
    accountId: hook.account_id,
    id: hook.id,
    body: kept === null ? null : sealer.seal(kept, lastBodyContext(hook.id)),
    outcome: outcome.slice(0, maxOutcomeLength).toWellFormed(),
    at: clock.now(),
  });
}
