// The Prometheus metrics. The only file that uses prom-client.

import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { CallMetrics, type MeasuredCall, type MemberLoad } from "./call-metrics.ts";
import { version } from "./program.ts";

export interface GatewayLoad {
  gateway: string;
  /** Messages that are due and not sent. */
  waiting: number;
  /** Age of the oldest of them, seconds. */
  oldestSeconds: number;
  paused: boolean;
  /** Null: it holds no connection. */
  connected: boolean | null;
}

interface WebhookLoad {
  /** Events in the outbox. */
  entries: number;
  /** Deliveries that wait for their next attempt. */
  deliveries: number;
}

export interface Metrics {
  accepted(channel: string, messages: number): void;
  refused(channel: string, why: string): void;
  /** One attempt of a message, by its outcome. */
  outcome(gateway: string, kind: string): void;
  receipts(gateway: string, count: number): void;
  /** Reports with a status that the gateway's adapter does not know. */
  unknownWords(gateway: string, count: number): void;
  /** Updates in callbacks that were skipped. */
  callbackIgnored(gateway: string, why: string, count: number): void;
  /** A bounce mail could not be parsed. */
  reportUnreadable(): void;
  /** One attempt of a webhook delivery, by its outcome. */
  webhookTry(outcome: string): void;
  /** A call of a pool key has ended. */
  completion(call: MeasuredCall): void;
  /** Records of usage that were dropped because the storage did not take them. */
  usageDropped(count: number): void;
  /** Contents of calls that were dropped, likewise. */
  contentsDropped(count: number): void;
  /** The Prometheus text; the load is read at that moment. */
  text(): Promise<string>;
}

export function createMetrics(
  readLoad: () => Promise<GatewayLoad[]>,
  readWebhooks: () => Promise<WebhookLoad> = async () => ({ entries: 0, deliveries: 0 }),
  readMembers: () => readonly MemberLoad[] = () => [],
  spansDropped?: () => number,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: "trunkline_build_info",
    help: "1; the version that runs, and the Node that it runs on.",
    labelNames: ["version", "node"],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  const accepted = new Counter({
    name: "trunkline_messages_accepted_total",
    help: "Messages accepted and stored.",
    labelNames: ["channel"],
    registers,
  });
  const refused = new Counter({
    name: "trunkline_sends_refused_total",
    help: "Send requests that were refused.",
    labelNames: ["channel", "why"],
    registers,
  });
  const outcomes = new Counter({
    name: "trunkline_outcomes_total",
    help: "Transmissions by gateway and outcome.",
    labelNames: ["gateway", "outcome"],
    registers,
  });
  const receipts = new Counter({
    name: "trunkline_receipts_total",
    help: "Delivery reports received.",
    labelNames: ["gateway"],
    registers,
  });
  const unknownWords = new Counter({
    name: "trunkline_receipt_words_unknown_total",
    help: "Delivery reports with a status that the gateway's adapter does not know.",
    labelNames: ["gateway"],
    registers,
  });
  const ignored = new Counter({
    name: "trunkline_callback_updates_ignored_total",
    help: "Updates in callbacks that were skipped: about another number, or of an unknown kind.",
    labelNames: ["gateway", "why"],
    registers,
  });
  const unreadable = new Counter({
    name: "trunkline_reports_unreadable_total",
    help: "Returned mails that could not be read, because that took too long or broke the thread.",
    registers,
  });
  const waiting = new Gauge({
    name: "trunkline_messages_waiting",
    help: "Messages that are due and wait (counted up to 300,000 a gateway).",
    labelNames: ["gateway"],
    registers,
  });
  const oldest = new Gauge({
    name: "trunkline_oldest_waiting_seconds",
    help: "Age of the oldest message that is due and waits.",
    labelNames: ["gateway"],
    registers,
  });
  const paused = new Gauge({
    name: "trunkline_gateway_paused",
    help: "1 while a gateway's lane is paused.",
    labelNames: ["gateway"],
    registers,
  });
  const connected = new Gauge({
    name: "trunkline_gateway_connected",
    help: "1 while the connection of a gateway that holds one is open.",
    labelNames: ["gateway"],
    registers,
  });
  const tries = new Counter({
    name: "trunkline_webhook_tries_total",
    help: "Tries of webhook deliveries by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const deliveries = new Gauge({
    name: "trunkline_webhook_deliveries_waiting",
    help: "Webhook deliveries that wait for their next try (counted up to 100,000).",
    registers,
  });
  const outboxEntries = new Gauge({
    name: "trunkline_webhook_events_waiting",
    help: "Events that are not yet handed to the webhook endpoints (counted up to 100,000).",
    registers,
  });
  const completions = new Counter({
    name: "trunkline_completions_total",
    help: "Calls of pool keys, by the status that the caller saw (499: they went away).",
    labelNames: ["status"],
    registers,
  });
  const usageDropped = new Counter({
    name: "trunkline_usage_dropped_total",
    help: "Usage records dropped because the storage was away for too long.",
    registers,
  });
  const spans = spansDropped && {
    read: spansDropped,
    counter: new Counter({
      name: "trunkline_trace_spans_dropped_total",
      help: "Spans that were made and did not reach the collector.",
      registers,
    }),
  };
  const contentsDropped = new Counter({
    name: "trunkline_content_log_dropped_total",
    help: "Contents of AI calls that content logs should have and that were dropped: the storage was away or too slow.",
    registers,
  });
  /** Counted since the text was last read: prom-client finds a counter by hashing its labels, 2 µs of each call. */
  const completionsSince = new Map<number, number>();
  const calls = new CallMetrics();
  return {
    completion: (call) => {
      calls.record(call);
      const { status } = call;
      completionsSince.set(status, (completionsSince.get(status) ?? 0) + 1);
    },
    usageDropped: (count) => usageDropped.inc(count),
    contentsDropped: (count) => contentsDropped.inc(count),
    accepted: (channel, messages) => accepted.inc({ channel }, messages),
    refused: (channel, why) => refused.inc({ channel, why }),
    outcome: (gateway, outcome) => outcomes.inc({ gateway, outcome }),
    reportUnreadable: () => unreadable.inc(),
    unknownWords: (gateway, count) => unknownWords.inc({ gateway }, count),
    callbackIgnored: (gateway, why, count) => ignored.inc({ gateway, why }, count),
    receipts: (gateway, count) => receipts.inc({ gateway }, count),
    webhookTry: (outcome) => tries.inc({ outcome }),
    text: async () => {
      for (const gauge of [waiting, oldest, paused, connected]) gauge.reset();
      for (const load of await readLoad()) {
        waiting.set({ gateway: load.gateway }, load.waiting);
        oldest.set({ gateway: load.gateway }, load.oldestSeconds);
        paused.set({ gateway: load.gateway }, load.paused ? 1 : 0);
        if (load.connected !== null) connected.set({ gateway: load.gateway }, load.connected ? 1 : 0);
      }
      spans?.counter.reset();
      spans?.counter.inc(spans.read());
      const webhooks = await readWebhooks();
      for (const [status, times] of completionsSince) completions.inc({ status: String(status) }, times);
      completionsSince.clear();
      deliveries.set(webhooks.deliveries);
      outboxEntries.set(webhooks.entries);
      return `${await registry.metrics()}${calls.text(readMembers())}`;
    },
  };
}
