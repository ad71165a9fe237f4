// `trunkline send`, `get` and `tail`: messages of an account, from a terminal or a script.

import { channels } from "#contract/messages/channel.ts";
import { systemClock } from "#runtime/clock.ts";
import { systemRandom } from "#runtime/random.ts";
import { type AccessOptions, chosenAccount, managementOf, managementOrKey } from "./access.ts";
import { type Api, ApiError } from "./api.ts";
import { channelOf } from "./channel.ts";
import { coloured, plain, print, type Result, type Terminal } from "./terminal.ts";

interface SendOptions extends AccessOptions {
  subject?: string;
  gateway?: string;
  at?: string;
}

interface Sent {
  data: { request_id: string; contact: { id: string; status: string }[] };
}

/**
 * How often, and after which pause (ms), a send whose answer was lost is repeated. Its idempotency key makes the repetitions the same send.
 */
const maxSends = 4;
const repeatMs = 500;

/** Whether a repetition may learn more: no answer came, or the first send of the key is still being processed. */
const isOpen = (error: unknown) => !(error instanceof ApiError) || error.code === "idempotency_in_progress";

async function sendOnce(send: () => Promise<Sent>): Promise<Sent> {
  const clock = systemClock();
  for (let count = 1; ; count++) {
    try {
      return await send();
    } catch (error) {
      if (!isOpen(error) || count === maxSends) throw error;
      await clock.sleep(count * repeatMs);
    }
  }
}

/** Sends one message. */
export async function send(
  terminal: Terminal,
  word: string,
  to: string,
  text: string,
  options: SendOptions,
): Promise<Result> {
  const channel = channelOf(word);
  const contact = {
    ...(channel === "email" ? { email: to, subject: options.subject ?? "" } : { number: to }),
    message: text,
    ...(options.gateway === undefined ? {} : { gateway_identifier: options.gateway }),
    ...(options.at === undefined ? {} : { schedule_at: options.at }),
  };
  const access = await managementOrKey(terminal, options, "API_KEY");
  const key = { "idempotency-key": Buffer.from(systemRandom().bytes(16)).toString("hex") };
  const answer = await sendOnce(async () => {
    if ("keyed" in access)
      return await access.keyed.ask("POST", `/api/${channel}/send`, { contact: [contact] }, key);
    const { id } = await chosenAccount(access.management, options);
    const path = `/api/manage/v1/accounts/${id}/messages`;
    return await access.management.ask("POST", path, { channel, contact: [contact] }, key);
  });
  const { id = "", status = "" } = answer.data.contact[0] ?? {};
  return { text: `${id} is ${status}. Look it up: trunkline get ${id}`, data: { id, status } };
}

interface Message {
  id: string;
  channel: string;
  /** For SMS and WhatsApp. */
  number?: string;
  email?: string;
  status: string;
  gateway_identifier: string | null;
  created_at: string;
  error: { code: string; message: string } | null;
  events?: { at: string; type: string; detail: string | null }[];
}

/** The message as an account's key finds it: the key's API is divided by channel. */
async function underKey(keyed: Api, id: string): Promise<Message> {
  for (const channel of channels) {
    try {
      return (await keyed.ask<{ data: Message }>("GET", `/api/get/${channel}/${encodeURIComponent(id)}`))
        .data;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
  throw new Error(`There is no message ${id}.`);
}

interface Found {
  kind: string;
  id: string;
  account: { id: string };
}

async function underManagement(api: Api, id: string): Promise<Message> {
  const asked = new URLSearchParams({ q: id });
  const { data } = await api.ask<{ data: Found[] }>("GET", `/api/manage/v1/find?${asked}`);
  const found = data.find((record) => record.kind === "message" && record.id === id);
  if (found === undefined) throw new Error(`There is no message ${id}.`);
  const path = `/api/manage/v1/accounts/${found.account.id}/messages/${id}`;
  return (await api.ask<{ data: { record: Message } }>("GET", path)).data.record;
}

/** Looks a message up, with its events. */
export async function get(terminal: Terminal, id: string, options: AccessOptions): Promise<Result> {
  const access = await managementOrKey(terminal, options, "API_KEY");
  const message =
    "keyed" in access ? await underKey(access.keyed, id) : await underManagement(access.management, id);
  const events = (message.events ?? []).map(({ at, type, detail }) =>
    plain(`  ${at}  ${type}${detail === null ? "" : `  ${detail}`}`),
  );
  return { text: [lineOf(message), ...events].join("\n"), data: message };
}

function lineOf(message: Message): string {
  const { created_at, id, channel, number, email, status, gateway_identifier, error } = message;
  const words = [created_at, id, channel, plain(number ?? email ?? ""), coloured(status)];
  if (gateway_identifier !== null) words.push(`by ${gateway_identifier}`);
  if (error !== null) words.push(plain(`(${error.code}: ${error.message})`));
  return words.join("  ");
}

/** Changes are noticed among this many of the newest messages. */
const watched = 100;
/** While messages flow, the list is read once in this many ms. */
const pauseMs = 1_000;

interface TailOptions extends AccessOptions {
  channel?: string;
  json?: boolean;
}

/** Prints each message of an account when it is accepted and whenever its status changes, until interrupted. */
export async function tail(terminal: Terminal, options: TailOptions): Promise<void> {
  const api = await managementOf(terminal, options);
  const clock = systemClock();
  const { id } = await chosenAccount(api, options);
  const query = new URLSearchParams({
    limit: String(watched),
    ...(options.channel === undefined ? {} : { channel: options.channel }),
  });
  let seen: Map<string, string> | null = null;
  const look = async () => {
    const { data } = await api.ask<{ data: Message[] }>(
      "GET",
      `/api/manage/v1/accounts/${id}/messages?${query}`,
    );
    for (const message of data.toReversed()) {
      if (seen === null || seen.get(message.id) === message.status) continue;
      if (options.json) terminal.output.write(`${JSON.stringify(message)}\n`);
      else print(terminal, lineOf(message));
    }
    seen = new Map(data.map((message) => [message.id, message.status]));
  };
  // The service ends each stream after an hour, and when it stops.
  for (;;) {
    let lookedAt = Number.NEGATIVE_INFINITY;
    for await (const { event, data } of api.events("GET", `/api/manage/v1/accounts/${id}/events`)) {
      if (event === "changed" && !(JSON.parse(data) as { topics: string[] }).topics.includes("messages"))
        continue;
      await clock.sleep(Math.max(0, lookedAt + pauseMs - clock.monotonic()));
      lookedAt = clock.monotonic();
      await look();
    }
    await clock.sleep(pauseMs);
  }
}
