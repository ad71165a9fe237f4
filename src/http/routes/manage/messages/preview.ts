// POST /api/manage/v1/accounts/{account}/messages/preview: shows what a send would do.

import { type Account, planExpired } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import { creditOf } from "#accounts/credit.ts";
import { missingLink, stateOf } from "#attention/gateway-state.ts";
import type { Issue } from "#contract/issue.ts";
import {
  type PreviewedContact,
  previewMessagesReply,
  previewMessagesRequest,
} from "#contract/manage/preview.ts";
import { problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { paceNow } from "#http/routes/manage/gateways/figures.ts";
import { findOwn } from "#http/routes/manage/gateways/gateways.ts";
import { localTime } from "#runtime/time-zones.ts";
import { listSuppressions } from "#store/feedback/suppressions.ts";
import type { GatewayWithLane } from "#store/gateways/actions.ts";
import type { NewMessage } from "#store/messages/send.ts";
import { maxBytes, readSend } from "./send.ts";

/** The gateways of messages, as they are now. */
interface Chosen {
  found: GatewayWithLane;
  state: PreviewedContact["gateway_state"];
}

async function gatewaysOf(
  call: ManageAccountCall,
  account: Account,
  messages: readonly (NewMessage | null)[],
): Promise<ReadonlyMap<string, Chosen>> {
  const ids = new Set(messages.map((message) => message?.gateway_id));
  const own = account.gateways.filter(({ id }) => ids.has(id));
  const chosen = await Promise.all(
    own.map(async ({ id, identifier }): Promise<[string, Chosen][]> => {
      const found = await findOwn(call, identifier);
      if (found === null) return [];
      const { state } = stateOf(found);
      const isUnlinked =
        state === "active" &&
        (await missingLink({ ...call.core, publicUrl: call.settings.publicUrl }, found.gateway)) !== null;
      return [[id, { found, state: isUnlinked ? "not_linked" : state }]];
    }),
  );
  return new Map(chosen.flat());
}

/** The earliest time at which a message is sent, and why it differs from the requested time. */
function timeOf(
  { due_at, schedule_at, scheduled_for }: NewMessage,
  chosen: Chosen | undefined,
  zone: string,
): Pick<PreviewedContact, "due_at" | "moved"> {
  const opensAt = chosen === undefined ? null : paceNow(chosen.found, due_at, zone).opens_at;
  if (opensAt !== null) return { due_at: opensAt, moved: "hours" };
  const at = isoTime(due_at);
  if (schedule_at === null || scheduled_for === null) return { due_at: at, moved: null };
  if (scheduled_for < due_at) return { due_at: at, moved: "past" };
  const isSkipped = localTime(scheduled_for, zone) !== schedule_at;
  return { due_at: at, moved: isSkipped ? "clock_change" : null };
}

const faultOf = ({ path, message }: Issue) => ({ path: path.join("."), message });

const isOf = ({ path }: Issue, at: number) => path[0] === "contact" && path[1] === at;

const nothing = {
  recipient: null,
  gateway: null,
  gateway_state: null,
  due_at: null,
  moved: null,
  segments: null,
  encoding: null,
  cost: null,
  suppressed: null,
};

export const previewAccountMessagesRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/messages/preview",
  name: "previewAccountMessages",
  tag: "Account messages",
  summary: "Preview a send",
  description:
    "The same body as a send, of at most 100 contacts, by the same rules: what would become of each of them, and what refuses it. Nothing is stored, charged or sent.",
  scope: "account",
  body: previewMessagesRequest,
  changesNothing: true,
  maxBytes,
  replies: { 200: previewMessagesReply },
  problems: ["conflict"],
})(async (call) => {
  const { core, account: row, input } = call;
  const account = accountFromRow(row);
  if (planExpired(account, core.clock.now()))
    return problem("conflict", { message: "The account's plan has ended. Nothing can be sent." });
  const { channel } = input;
  const upload = channel === "email" ? core.acceptance.openUpload(account) : null;
  const { contacts, issues } = await readSend(call, account, input, { upload, keepsFiles: false });
  const preview = await core.acceptance.preview({ account, channel, send: { contacts, issues } });
  const recipients = [...new Set(preview.messages.flatMap((message) => message?.recipient ?? []))];
  const [gateways, credit, suppressions] = await Promise.all([
    gatewaysOf(call, account, preview.messages),
    creditOf(core, account),
    core.database.run(listSuppressions, {
      accountId: account.id,
      channels: [channel],
      recipients,
      after: null,
      limit: recipients.length,
    }),
  ]);
  const reasons = new Map(suppressions.map(({ recipient, reason }) => [recipient, reason]));
  const shown = preview.messages.map((message, at): PreviewedContact => {
    const faults = preview.issues.filter((issue) => isOf(issue, at)).map(faultOf);
    if (message === null) return { ...nothing, faults };
    const { recipient, gateway_id, segments, encoding, cost } = message;
    const chosen = gateways.get(gateway_id);
    return {
      recipient,
      gateway: chosen?.found.gateway.identifier ?? null,
      gateway_state: chosen?.state ?? null,
      ...timeOf(message, chosen, account.timeZone),
      segments,
      encoding,
      cost,
      suppressed: reasons.get(recipient) ?? null,
      faults,
    };
  });
  const faults = preview.issues.filter((issue) => contacts.every((_contact, at) => !isOf(issue, at)));
  return {
    message: "Nothing was sent. This would happen.",
    data: {
      contact: shown,
      faults: faults.map(faultOf),
      cost: shown.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
      remaining: credit[channel]?.remaining ?? null,
    },
  };
});
