// The well-behaved client, in a process of its own so that the attacker's work does not show in its figures: asks
// GET /health/live and sends one SMS, each at fixed times. What is late counts from when it was due, so a stall of the
// server shows in every request that fell into it.

import { Agent, request } from "node:http";

export interface ProbeOrder {
  base: string;
  apiKey: string;
  everyMs: number;
}

export interface Figures {
  count: number;
  /** Answers other than 200, and none at all (`0`). */
  others: Record<string, number>;
  p50: number;
  p99: number;
  max: number;
}

export interface ProbeResult {
  live: Figures;
  sends: Figures;
}

/** A request that is still open when the probe stops counts as having taken until then, and at most this long. */
const patienceMs = 60_000;

function measure(order: ProbeOrder, path: string, body: string | null) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(order.base);
  const times: number[] = [];
  const others: Record<string, number> = {};
  const open = new Set<() => void>();
  const ask = (due: number) => {
    let over = false;
    const end = (outcome: number) => {
      if (over) return;
      over = true;
      open.delete(giveUp);
      times.push(performance.now() - due);
      if (outcome !== 200) others[outcome] = (others[outcome] ?? 0) + 1;
    };
    const giveUp = () => {
      end(0);
      sent.destroy();
    };
    open.add(giveUp);
    const headers = { "Api-key": order.apiKey, "Content-Type": "application/json" };
    const method = body === null ? "GET" : "POST";
    const sent = request({ host: hostname, port, path, method, headers, agent }, (answer) => {
      answer.resume();
      answer.on("end", () => end(answer.statusCode ?? 0)).on("close", () => end(0));
    });
    sent.on("error", () => end(0));
    sent.end(body ?? undefined);
  };
  let due = performance.now();
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += order.everyMs) ask(due);
  }, order.everyMs / 2);
  return async (): Promise<Figures> => {
    clearInterval(timer);
    const deadline = performance.now() + patienceMs;
    while (open.size > 0 && performance.now() < deadline) await new Promise((later) => setTimeout(later, 10));
    for (const giveUp of [...open]) giveUp();
    agent.destroy();
    times.sort((one, other) => one - other);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    return { count: times.length, others, p50: at(0.5), p99: at(0.99), max: times.at(-1) ?? 0 };
  };
}

const message = JSON.stringify({ contact: [{ number: "+15550000001", message: "A single send" }] });
let stop: (() => Promise<ProbeResult>) | null = null;

process.on("disconnect", () => process.exit(0));
process.on("message", async (order: { start?: ProbeOrder; stop?: number }) => {
  if (order.start) {
    const live = measure(order.start, "/health/live", null);
    const sends = measure(order.start, "/api/sms/send", message);
    stop = async () => ({ live: await live(), sends: await sends() });
  } else if (order.stop !== undefined && stop !== null) {
    const result = await stop();
    process.send?.({ answer: order.stop, result });
  }
});
process.send?.({ ready: true });
