// The provider as an SMSC: what it takes is in the journal before it answers, and its receipts come again until a bound
// connection has acknowledged them, as SMSCs do.

import type { Server } from "node:net";
import { type SmscPdu, type SmscSession, smppPackage, textOf } from "../gateways/sms/smpp/smsc.ts";
import { markerIn, pause } from "./marker.ts";
import { patience } from "./posting.ts";
import { type ProviderFault, type SimulatorSettings, type SimulatorStats, smsc } from "./simulator.ts";

/** How long an acknowledgement may take, ms: a frozen process gives none, and its connection stays. */
const answerMs = 3000;
const againMs = 250;

/** What the simulator's process shares with it. */
interface Provider {
  settings(): SimulatorSettings;
  stats: SimulatorStats;
  random(): number;
  chooseFault(text: string, marker: string | null): ProviderFault | null;
  /** Writes what was taken, and returns its id. */
  take(marker: string, gateway: string, answer: string): Promise<string>;
  reported(id: string): Promise<void>;
}

/** `command_status` of what is a definite no, and of a failure that says nothing of the next try. */
const refusals: Partial<Record<ProviderFault, number>> = {
  "400": 0x0b,
  "429": 0x58,
  "429-after": 0x14,
  "503": 0x58,
  "500-early": 0x08,
};

/** Listens on a port of its own, and resolves to it. */
export async function openSmsc(provider: Provider): Promise<number> {
  const bound = new Set<SmscSession>();
  const server: Server = smppPackage.createServer({}, (session) => {
    // One listener for each receipt that waits for its acknowledgement.
    session.socket.setMaxListeners(0);
    session.socket.on("close", () => bound.delete(session));
    session.on("error", () => {});
    session.on("bind_transceiver", (pdu) => {
      const isRight = pdu.password === smsc.password;
      if (isRight) bound.add(session);
      session.send(pdu.response({ command_status: isRight ? 0 : 0x0e }));
    });
    session.on("enquire_link", (pdu) => void session.send(pdu.response()));
    session.on("unbind", (pdu) => {
      bound.delete(session);
      session.send(pdu.response());
      session.socket.end();
    });
    session.on("submit_sm", (pdu) => void submit(provider, bound, session, pdu));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

async function submit(
  provider: Provider,
  bound: ReadonlySet<SmscSession>,
  session: SmscSession,
  pdu: SmscPdu,
): Promise<void> {
  const { stats, random } = provider;
  stats.requests += 1;
  const text = textOf(pdu);
  const marker = markerIn(text);
  const answer = (fields: object) => void session.send(pdu.response(fields));
  if (marker === null) return answer({ command_status: 0x0b });
  const fault = provider.chooseFault(text, marker);
  if (fault !== null) stats.faults[fault] = (stats.faults[fault] ?? 0) + 1;
  const { delayMs, callbacks } = provider.settings();
  if (delayMs > 0) await pause(delayMs * random());
  if (fault === "reset-early") return void session.socket.destroy();
  if (fault === "silence-early") return;
  const refusal = fault === null ? undefined : refusals[fault];
  if (refusal !== undefined) return answer({ command_status: refusal });

  const id = await provider.take(marker, smsc.gateway, fault ?? "ok");
  if (fault === "silence") return;
  if (fault === "garbage") return void session.socket.write(Buffer.from("000000020000000000000000", "hex"));
  if (fault !== null) return void session.socket.destroy();
  if (callbacks !== null && random() < callbacks.early) {
    // It overtakes the answer.
    void deliver(provider, bound, id);
    return answer({ message_id: id });
  }
  answer({ message_id: id });
  if (callbacks === null) return;
  void reportLater(provider, bound, id, callbacks);
}

async function reportLater(
  provider: Provider,
  bound: ReadonlySet<SmscSession>,
  id: string,
  { delayMs, twice }: NonNullable<SimulatorSettings["callbacks"]>,
): Promise<void> {
  provider.stats.reporting += 1;
  await pause(delayMs * provider.random());
  await deliver(provider, bound, id);
  if (provider.random() < twice) {
    await pause(delayMs * provider.random());
    await deliver(provider, bound, id);
  }
  provider.stats.reporting -= 1;
}

/** Hands over one receipt, again and again until it is acknowledged. */
async function deliver(provider: Provider, bound: ReadonlySet<SmscSession>, id: string): Promise<void> {
  const { stats } = provider;
  stats.reporting += 1;
  for (let turn = 0; turn < patience; turn += 1) {
    const open = [...bound];
    const session = open[turn % Math.max(1, open.length)];
    if (session !== undefined && (await isAcknowledged(session, id))) {
      stats.callbacks += 1;
      await provider.reported(id);
      stats.reporting -= 1;
      return;
    }
    await pause(againMs);
  }
  stats.callbacksLost += 1;
  stats.reporting -= 1;
}

function isAcknowledged(session: SmscSession, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      clearTimeout(timer);
      session.socket.off("close", lost);
      resolve(isTaken);
    };
    const lost = () => end(false);
    const timer = setTimeout(lost, answerMs);
    session.socket.once("close", lost);
    const short_message = `id:${id} sub:001 dlvrd:001 submit date:2611231200 done date:2611231201 stat:DELIVRD err:000 text:`;
    const fields = { esm_class: 4, source_addr: "4915100000000", destination_addr: "acme", short_message };
    session.deliver_sm(fields, ({ command_status }) => end(command_status === 0));
  });
}
