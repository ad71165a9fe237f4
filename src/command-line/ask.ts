// `trunkline ask`: asks a pool a question and prints the answer as it arrives.

import { escapeControls } from "#runtime/log/escape-controls.ts";
import { type AccessOptions, chosenAccount, managementOrKey, onlyOrDefault } from "./access.ts";
import type { Api } from "./api.ts";
import { plain, type Terminal } from "./terminal.ts";

interface AskOptions extends AccessOptions {
  pool?: string;
  model?: string;
}

/** A pool may take minutes to try all of its members; it sends comments meanwhile. */
const silenceMs = 120_000;

interface End {
  member?: string;
  model?: string;
  message?: string;
  tokens?: { prompt: number; completion: number };
  attempts?: number;
  ms?: number;
}

/** Asks and prints the answer, and prints to standard error which member answered. Throws if no member did. */
export async function ask(terminal: Terminal, question: string, options: AskOptions): Promise<void> {
  const access = await managementOrKey(terminal, options, "POOL_KEY");
  if ("keyed" in access) await askWithKey(terminal, access.keyed, question, options);
  else await askAsPerson(terminal, access.management, question, options);
}

/** A model's answer must not control the terminal; a program gets it unchanged. */
const write = ({ output }: Terminal, text: string) =>
  output.write(output.isTTY ? escapeControls(text) : text);

async function askAsPerson(
  terminal: Terminal,
  api: Api,
  question: string,
  options: AskOptions,
): Promise<void> {
  const { id } = await chosenAccount(api, options);
  const path = `/api/manage/v1/accounts/${id}/pools`;
  const pools = await Array.fromAsync(api.rows<{ id: string; name: string }>(path));
  const named = options.pool;
  const pool =
    named === undefined
      ? onlyOrDefault(pools)
      : pools.find((each) => each.name === named || each.id === named);
  if (pool === undefined) {
    const names = pools.map(({ name }) => name).join(", ") || "none";
    throw new Error(
      `${named === undefined ? "Name a pool with --pool" : `There is no pool ${named}`}. Pools: ${names}.`,
    );
  }
  const asked = { messages: [{ role: "user", content: question }], model: options.model ?? null };
  for await (const { event, data } of api.events("POST", `${path}/${pool.id}/try`, asked, silenceMs)) {
    const read = JSON.parse(data) as End & { text?: string };
    if (event === "chunk" && read.text !== undefined) write(terminal, read.text);
    if (event === "error") throw new Error(read.message ?? "The pool did not answer.");
    if (event === "end") {
      const { tokens, attempts = 1, ms = 0 } = read;
      const others = attempts > 1 ? `, after ${attempts - 1} failed` : "";
      const counted = tokens === undefined ? "" : `, ${tokens.prompt} + ${tokens.completion} tokens`;
      write(terminal, "\n");
      const summary = plain(`${read.member} (${read.model})${others}${counted}, ${Math.round(ms)} ms`);
      terminal.errors.write(`${summary}\n`);
    }
  }
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  error?: { message?: string };
}

async function askWithKey(
  terminal: Terminal,
  api: Api,
  question: string,
  { model }: AskOptions,
): Promise<void> {
  const asked = {
    messages: [{ role: "user", content: question }],
    stream: true,
    ...(model === undefined ? {} : { model }),
  };
  for await (const { data } of api.events("POST", "/api/ai/v1/chat/completions", asked, silenceMs)) {
    if (data === "[DONE]") break;
    const { choices, error } = JSON.parse(data) as Chunk;
    if (error !== undefined) throw new Error(error.message ?? "The pool did not answer.");
    const text = choices?.[0]?.delta?.content;
    if (typeof text === "string") write(terminal, text);
  }
  write(terminal, "\n");
}
