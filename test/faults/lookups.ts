// What an installation says about itself through its own API: messages with their timelines, inbound messages,
// balances and ledgers. The evidence that the checkers hold against what clients and the provider know.

import { Pool } from "undici";
import type { Inbound, Ledger, LedgerEntry, Row, Taken } from "./evidence.ts";
import { markerIn } from "./marker.ts";
import type { Sender } from "./recorder.ts";

interface ApiRecord {
  id: string;
  request_id: string;
  message: string;
  status: string;
  gateway_identifier: string | null;
  segments: number;
  error: { code: string; message: string } | null;
  provider_reference: string | null;
  /** Only in the record of a single message. */
  events: { at: string; type: string; detail: string | null }[];
}

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export interface Lookups {
  /** How many of the pending states still have messages. */
  pending(sender: Sender): Promise<number>;
  rows(sender: Sender): Promise<Row[]>;
  inbound(sender: Sender): Promise<Inbound[]>;
  ledger(sender: Sender): Promise<Ledger>;
  /** The credit left, as the account itself sees it. */
  remaining(sender: Sender): Promise<number>;
  /** Starts to link a phone; returns the code. */
  linkCode(sender: Sender, gateway: string): Promise<string>;
  /** What a message went through, and what the provider took of it; nothing for another account's. */
  history(sender: Sender, id: string, taken: readonly Taken[]): Promise<string[]>;
  close(): Promise<void>;
}

const connections = 8;

/** `operator`: a management token. */
export function openLookups(base: string, operator: string): Lookups {
  const pool = new Pool(base, { connections, headersTimeout: 30_000, bodyTimeout: 30_000 });

  async function get<T>(path: string, headers: Record<string, string>): Promise<T> {
    const answer = await pool.request({ method: "GET", path, headers });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }

  const asOwner = <T>(sender: Sender, path: string) => get<T>(path, { "api-key": sender.apiKey });
  const asOperator = <T>(path: string) => get<T>(path, { authorization: `Bearer ${operator}` });

  /** All pages; `read` gets the query of each. */
  async function all<T>(read: (query: string) => Promise<Page<T>>): Promise<T[]> {
    const found: T[] = [];
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page<T> = await read(`limit=200${from}`);
      found.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  }

  async function pending(sender: Sender): Promise<number> {
    const counts = ["queued", "scheduled", "sending"].map(async (status) => {
      const path = `/api/get/${channelOf(sender)}?limit=1&status=${status}`;
      return (await asOwner<Page<unknown>>(sender, path)).data.length;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  async function rows(sender: Sender): Promise<Row[]> {
    const listed = await all((query) =>
      asOwner<Page<ApiRecord>>(sender, `/api/get/${channelOf(sender)}?${query}`),
    );
    const one = async ({ id }: ApiRecord) => {
      const { data } = await asOwner<{ data: ApiRecord }>(sender, `/api/get/${channelOf(sender)}/${id}`);
      return rowOf(sender, data);
    };
    const found: Row[] = [];
    for (let from = 0; from < listed.length; from += connections) {
      found.push(...(await Promise.all(listed.slice(from, from + connections).map(one))));
    }
    return found;
  }

  async function inbound(sender: Sender): Promise<Inbound[]> {
    const records = await all((query) =>
      asOwner<Page<{ id: string; message: string; gateway_identifier: string }>>(
        sender,
        `/api/received/sms?${query}`,
      ),
    );
    return records.map(({ id, message, gateway_identifier }) => ({
      id,
      marker: markerIn(message),
      account: sender.account,
      gateway: gateway_identifier,
    }));
  }

  /** The account's path in the management API. */
  async function pathOf(account: string): Promise<string> {
    const found = await all((query) =>
      asOperator<Page<{ id: string; name: string }>>(`/api/manage/v1/accounts?search=${account}&${query}`),
    );
    const id = found.find(({ name }) => name === account)?.id;
    if (id === undefined) throw new Error(`the management API knows no account ${account}`);
    return `/api/manage/v1/accounts/${id}`;
  }

  async function linkCode({ account }: Sender, gateway: string): Promise<string> {
    const path = `${await pathOf(account)}/gateways/${gateway}/link`;
    const headers = { authorization: `Bearer ${operator}`, "content-type": "application/json" };
    // The phone may have lost the answer that linked it.
    const body = { method: "qr", replace: true };
    const answer = await pool.request({ method: "POST", path, headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== 202) throw new Error(`POST ${path}: ${answer.statusCode} ${text}`);
    return (JSON.parse(text) as { data: { code: { text: string } } }).data.code.text;
  }

  async function ledger(sender: Sender): Promise<Ledger> {
    const { account } = sender;
    const channel = channelOf(sender);
    const credit = `${await pathOf(account)}/credit`;
    const { data } = await asOperator<{ data: Credit }>(credit);
    const entries = await all((query) =>
      asOperator<Page<LedgerEntry>>(`${credit}/entries?channel=${channel}&${query}`),
    );
    return { account, remaining: data[channel].remaining, entries };
  }

  async function remaining(sender: Sender): Promise<number> {
    const { data } = await asOwner<{ data: { credit: Credit } }>(sender, "/api/account");
    return data.credit[channelOf(sender)].remaining;
  }

  async function history(sender: Sender, id: string, taken: readonly Taken[]): Promise<string[]> {
    try {
      const { data } = await asOwner<{ data: ApiRecord }>(sender, `/api/get/${channelOf(sender)}/${id}`);
      const marker = markerIn(data.message);
      return [
        `${id} ${data.status} at ${data.gateway_identifier}, reference ${data.provider_reference}`,
        ...data.events.map(({ at, type, detail }) => `  ${at} ${type}: ${detail}`),
        ...taken
          .filter((entry) => entry.marker === marker)
          .map(
            (entry) =>
              `  ${new Date(entry.at).toISOString()} taken by the provider as ${entry.id} (${entry.answer})`,
          ),
      ];
    } catch {
      return []; // the other account's
    }
  }

  return { pending, rows, inbound, ledger, remaining, linkCode, history, close: () => pool.destroy() };
}

type Credit = Record<"sms" | "whatsapp", { remaining: number }>;

const channelOf = ({ channel }: Sender): keyof Credit => channel ?? "sms";

function rowOf(sender: Sender, record: ApiRecord): Row {
  return {
    id: record.id,
    request: record.request_id,
    marker: markerIn(record.message),
    account: sender.account,
    gateway: record.gateway_identifier ?? "",
    status: record.status,
    reference: record.provider_reference,
    // A WhatsApp message has none, and costs one.
    segments: record.segments ?? 1,
    error: record.error?.code ?? null,
    timeline: record.events.map(({ at, type }) => ({ at, type })),
  };
}
