// One session of `smpp` at a real SMSC over loopback, with a clock that the test moves.

import type { TestContext } from "node:test";
import type { InboundMessage, Receipt } from "#gateways/callback.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { SessionHost, SessionReport, SessionStatus } from "#gateways/session.ts";
import { smpp } from "#gateways/sms/smpp/smpp.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../../../log.ts";
import { textOf as content, hostWith, sampleMessage, wellFormed } from "../../conformance-samples.ts";
import { loopback } from "../../email/mailing.ts";
import { openSmsc, password, type SmscOptions, type SmscSession } from "./smsc.ts";

export const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Waits for what comes over sockets; no time of the clock passes. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let looks = 0; looks < 5_000; looks += 1) {
    if (condition()) return;
    await turn();
  }
  throw new Error(`It never was: ${what}.`);
}

interface OpenOptions {
  smsc?: SmscOptions;
  settings?: object;
  state?: Map<string, string>;
  expectBound?: boolean;
  /** Reports are stored when the test says so. */
  reportsWait?: boolean;
}

/** A session over loopback, with what it says of itself. */
export async function openSession(
  context: TestContext,
  {
    smsc: own = {},
    settings = {},
    state = new Map(),
    expectBound = true,
    reportsWait = false,
  }: OpenOptions = {},
) {
  const smsc = await openSmsc(own);
  const clock = movableClock();
  const outbound = loopback();
  const statuses: SessionStatus[] = [];
  const reports: SessionReport[] = [];
  const failures: string[] = [];
  const late: string[] = [];
  const log = memoryLog();
  const ending = new AbortController();
  const stored = Promise.withResolvers<void>();
  if (!reportsWait) stored.resolve();
  let drawn = 0;
  const host: SessionHost = hostWith({
    clock,
    outbound,
    log,
    signal: ending.signal,
    random: {
      bytes: (count) => {
        drawn += 1;
        return new Uint8Array(count).fill(drawn);
      },
      random: () => 0.5,
    },
    status: (status) => void statuses.push(status),
    fail: (reason) => void failures.push(reason),
    answeredLate: (messageId) => void late.push(messageId),
    report: async (report) => {
      await stored.promise;
      reports.push(report);
    },
    state: {
      load: async () => state,
      save: async (changes) => {
        for (const [name, value] of changes) {
          if (value === null) state.delete(name);
          else state.set(name, value);
        }
      },
    },
  });
  const parsed = smpp.settings.parse({
    system_id: "acme",
    password,
    host: "127.0.0.1",
    port: smsc.port,
    ...settings,
  });
  const session = await smpp.open(parsed, host);
  context.after(async () => {
    ending.abort();
    const closed = session.close();
    while (!(await Promise.race([closed.then(() => true), turn().then(() => false)])))
      await clock.advance(1_000);
    await smsc.close();
    await outbound.close();
  });
  if (expectBound) await until(() => statuses.at(-1)?.kind === "connected", "connected");
  return {
    smsc,
    clock,
    statuses,
    reports,
    failures,
    late,
    log,
    session,
    storeReports: () => stored.resolve(),
    async send(text = "hi", change: object = {}): Promise<Outcome> {
      const message = sampleMessage({ content: content(text), ...change });
      const outcome = await session.send(message, new AbortController().signal);
      wellFormed(outcome, [password]);
      return outcome;
    },
    /** Moves the clock until it has come about. */
    async later(condition: () => boolean, what: string, stepMs = 1_000): Promise<void> {
      for (let steps = 0; steps < 1_000; steps += 1) {
        if (condition()) return;
        await turn();
        await clock.advance(stepMs);
      }
      throw new Error(`It never was: ${what}.`);
    },
  };
}

interface Reporting {
  reports: readonly SessionReport[];
}

export const receiptsOf = ({ reports }: Reporting): Receipt[] =>
  reports.flatMap(({ receipts = [] }) => receipts);
export const inboundOf = ({ reports }: Reporting): InboundMessage[] =>
  reports.flatMap(({ inbound = [] }) => inbound);

/** Delivers a PDU and resolves with the status of its answer. */
export const deliver = (session: SmscSession | undefined, fields: object): Promise<number> =>
  new Promise((resolve, reject) => {
    if (session === undefined) reject(new Error("There is no such session."));
    session?.deliver_sm(fields, ({ command_status }) => resolve(command_status));
  });
