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
  /** Null if it holds no connection. */
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
  const counter = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  gauge(
    "trunkline_build_info",
    "1; the version that runs, and the Node that it runs on.",
    "version",
    "node",
  ).set({ version, node: process.versions.node }, 1);
  const accepted = counter("trunkline_messages_accepted_total", "Messages accepted and stored.", "channel");
  const refused = counter(
    "trunkline_sends_refused_total",
    "Send requests that were refused.",
    "channel",
    "why",
  );
  const outcomes = counter(
    "trunkline_outcomes_total",
    "Transmissions by gateway and outcome.",
    "gateway",
    "outcome",
  );
  const receipts = counter("trunkline_receipts_total", "Delivery reports received.", "gateway");
  const unknownWords = counter(
    "trunkline_receipt_words_unknown_total",
    "Delivery reports with a status that the gateway's adapter does not know.",
    "gateway",
  );
  const ignored = counter(
    "trunkline_callback_updates_ignored_total",
    "Updates in callbacks that were skipped: about another number, or of an unknown kind.",
    "gateway",
    "why",
  );
  const unreadable = counter(
    "trunkline_reports_unreadable_total",
    "Returned mails that could not be read, because that took too long or broke the thread.",
  );
  const waiting = gauge(
    "trunkline_messages_waiting",
    "Messages that are due and wait (counted up to 300,000 a gateway).",
    "gateway",
  );
  const oldest = gauge(
    "trunkline_oldest_waiting_seconds",
    "Age of the oldest message that is due and waits.",
    "gateway",
  );
  const paused = gauge("trunkline_gateway_paused", "1 while a gateway's lane is paused.", "gateway");
  const connected = gauge(
    "trunkline_gateway_connected",
    "1 while the connection of a gateway that holds one is open.",
    "gateway",
  );
  const tries = counter(
    "trunkline_webhook_tries_total",
    "Tries of webhook deliveries by outcome.",
    "outcome",
  );
  const deliveries = gauge(
    "trunkline_webhook_deliveries_waiting",
    "Webhook deliveries that wait for their next try (counted up to 100,000).",
  );
  const outboxEntries = gauge(
    "trunkline_webhook_events_waiting",
    "Events that are not yet handed to the webhook endpoints (counted up to 100,000).",
  );
  const completions = counter(
    "trunkline_completions_total",
    "Calls of pool keys, by the status that the caller saw (499: they went away).",
    "status",
  );
  const usageDropped = counter(
    "trunkline_usage_dropped_total",
    "Usage records dropped because the storage was away for too long.",
  );
  const spans = spansDropped && {
    read: spansDropped,
    counter: counter(
      "trunkline_trace_spans_dropped_total",
      "Spans that were made and did not reach the collector.",
    ),
  };
  const contentsDropped = counter(
    "trunkline_content_log_dropped_total",
    "Contents of AI calls that content logs should have and that were dropped: the storage was away or too slow.",
  );
  /** Counted since the last scrape: prom-client finds a counter by hashing its labels, 2 µs of each call. */
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
