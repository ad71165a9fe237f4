// `trunkline import suppressions`: imports a list of suppressed recipients that another service exported.

import { readFileSync, statSync } from "node:fs";
import { type AccessOptions, chosenAccount, managementOf } from "#command-line/access.ts";
import { type Api, ApiError } from "#command-line/api.ts";
import { channelOf } from "#command-line/channel.ts";
import { plain, type Result, type Terminal } from "#command-line/terminal.ts";
import type { Channel } from "#contract/messages/channel.ts";
import { chooseColumn } from "./column.ts";

/** About a million rows. */
const maxBytes = 100 * 1024 * 1024;
/** Maximum number of recipients in one request. */
const batchSize = 1_000;
const shownRefusals = 10;

interface ImportOptions extends AccessOptions {
  column?: string;
  channel?: string;
  note?: string;
}

interface Refused {
  line: number;
  recipient: string;
  reason: string;
}

interface Entry {
  line: number;
  recipient: string;
}

async function rowsOf(file: string): Promise<string[][]> {
  if (statSync(file).size > maxBytes) throw new Error(`${file} has more than 100 MB. Divide it.`);
  const { default: papa } = await import("papaparse");
  const { data } = papa.parse<string[]>(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
  return data;
}

/** Which recipients of a batch an answer refuses, by index. */
function refusedIn(error: ApiError): Map<number, string> {
  const refused = new Map<number, string>();
  for (const [field, sentences] of Object.entries(error.fields)) {
    const [, at] = /^recipients\.(\d+)/.exec(field) ?? [];
    if (at !== undefined) refused.set(Number(at), sentences[0] ?? "is refused");
  }
  return refused;
}

/** Adds a batch; if the answer refuses some of it, adds the rest. */
async function addBatch(
  api: Api,
  path: string,
  body: { channel: Channel; note: string | null },
  batch: readonly Entry[],
) {
  const refused: Refused[] = [];
  let entries = batch;
  while (entries.length > 0) {
    try {
      const recipients = entries.map(({ recipient }) => recipient);
      const { data } = await api.ask<{ data: { added: number } }>("POST", path, { ...body, recipients });
      return { added: data.added, taken: entries.length, refused };
    } catch (error) {
      const places = error instanceof ApiError ? refusedIn(error) : new Map<number, string>();
      // Each round removes at least one, so the loop ends.
      if (places.size === 0) throw error;
      for (const [at, reason] of places) {
        const entry = entries[at];
        if (entry !== undefined) refused.push({ ...entry, reason });
      }
      entries = entries.filter((_, at) => !places.has(at));
    }
  }
  return { added: 0, taken: 0, refused };
}

/** Adds the recipients of a CSV file to the account's list. Those already on it are unchanged. */
export async function importSuppressions(
  terminal: Terminal,
  file: string,
  options: ImportOptions,
): Promise<Result> {
  const rows = await rowsOf(file);
  const column = chooseColumn(
    rows,
    options.column ?? null,
    options.channel === undefined ? null : channelOf(options.channel),
  );
  const entries = rows
    .map((row, at) => ({ line: at + 1, recipient: row[column.at]?.trim() ?? "" }))
    .slice(column.hasNames ? 1 : 0)
    .filter(({ recipient }) => recipient !== "");
  const api = await managementOf(terminal, options);
  const { id, name } = await chosenAccount(api, options);
  const path = `/api/manage/v1/accounts/${id}/suppressions`;
  const body = { channel: column.channel, note: options.note ?? null };
  let [added, taken] = [0, 0];
  const refused: Refused[] = [];
  for (let at = 0; at < entries.length; at += batchSize) {
    const done = await addBatch(api, path, body, entries.slice(at, at + batchSize));
    added += done.added;
    taken += done.taken;
    refused.push(...done.refused);
  }
  const from = column.name === "" ? `column ${column.at + 1}` : `the column ${column.name}`;
  const lines = refused
    .slice(0, shownRefusals)
    .map(({ line, recipient, reason }) => plain(`  line ${line}: ${recipient}: ${reason}`));
  const more = refused.length > shownRefusals ? [`  and ${refused.length - shownRefusals} more`] : [];
  return {
    text: [
      plain(
        `Account ${name}, ${column.channel}, from ${from}: ${added} added, ${taken - added} there already, ${refused.length} refused.`,
      ),
      ...lines,
      ...more,
    ].join("\n"),
    data: {
      account: name,
      channel: column.channel,
      column: column.name || column.at + 1,
      added,
      present: taken - added,
      refused,
    },
  };
}
