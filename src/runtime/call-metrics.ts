// Measurements of calls to pools, in Prometheus' text format. Kept here and not in prom-client, which hashes the labels of a
// series at each use: a call has seven uses, 2 µs each.

/** A call that has ended. */
export interface MeasuredCall {
  /** The account's id. */
  account: string;
  pool: string;
  /** The member that answered. Null when none did. */
  member: string | null;
  model: string | null;
  /** What the caller saw; 499: they disconnected. */
  status: number;
  /** Until the first byte to the caller; null: there was none. */
  firstOutputMs: number | null;
  ms: number;
  inputTokens: number;
  outputTokens: number;
  /** In millionths of the account's currency unit. */
  cost: number;
  attempts: readonly { member: string; model: string; outcome: string }[];
}

/** How a member is, as this process sees it. */
export interface MemberLoad {
  account: string;
  pool: string;
  member: string;
  state: string;
}

/** Upper bounds of the buckets, seconds: from a cached answer to a model that thinks for minutes. */
const bounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320] as const;
/** Accounts, pools and models come and go, and Prometheus asks for every series that ever was. */
const maxSeries = 10_000;

type Labels = Readonly<Record<string, string>>;

interface Histogram {
  labels: Labels;
  /** Counts below each bound that are not below the one before; the last one: above all. */
  counts: number[];
  sum: number;
}

class Histograms {
  readonly #series = new Map<string, Histogram>();

  observe(key: string, labels: () => Labels, seconds: number): void {
    let histogram = this.#series.get(key);
    if (histogram === undefined) {
      if (this.#series.size >= maxSeries) return;
      histogram = { labels: labels(), counts: new Array(bounds.length + 1).fill(0), sum: 0 };
      this.#series.set(key, histogram);
    }
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1;
    histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
    histogram.sum += seconds;
  }

  lines(name: string, help: string): string[] {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const { labels, counts, sum } of this.#series.values()) {
      let below = 0;
      for (const [at, count] of counts.entries()) {
        below += count;
        lines.push(`${name}_bucket${labelText({ ...labels, le: String(bounds[at] ?? "+Inf") })} ${below}`);
      }
      lines.push(`${name}_sum${labelText(labels)} ${sum}`, `${name}_count${labelText(labels)} ${below}`);
    }
    return lines;
  }
}

class Counters {
  readonly #series = new Map<string, { labels: Labels; value: number }>();

  add(key: string, labels: () => Labels, amount: number): void {
    const series = this.#series.get(key);
    if (series !== undefined) series.value += amount;
    else if (this.#series.size < maxSeries) this.#series.set(key, { labels: labels(), value: amount });
  }

  lines(name: string, help: string): string[] {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} counter`];
    for (const { labels, value } of this.#series.values()) lines.push(`${name}${labelText(labels)} ${value}`);
    return lines;
  }
}

export class CallMetrics {
  readonly #first = new Histograms();
  readonly #whole = new Histograms();
  readonly #tokens = new Counters();
  readonly #cost = new Counters();
  readonly #attempts = new Counters();

  record(call: MeasuredCall): void {
    const { account, pool, status, attempts, firstOutputMs, cost } = call;
    const member = call.member ?? "";
    const model = call.model ?? "";
    const outcome = outcomeOf(status);
    // Names have no blanks, so that no two calls share a key.
    const key = `${account} ${pool} ${member} ${model}`;
    const labels = () => ({ account, pool, member, model });
    this.#whole.observe(`${key} ${outcome}`, () => ({ ...labels(), outcome }), call.ms / 1000);
    if (firstOutputMs !== null) this.#first.observe(key, labels, firstOutputMs / 1000);
    if (call.inputTokens > 0)
      this.#tokens.add(`${key} input`, () => ({ ...labels(), type: "input" }), call.inputTokens);
    if (call.outputTokens > 0)
      this.#tokens.add(`${key} output`, () => ({ ...labels(), type: "output" }), call.outputTokens);
    if (cost > 0) this.#cost.add(key, labels, cost / 1e6);
    for (const attempt of attempts) {
      const of = () => ({ account, pool, ...labelsOf(attempt) });
      this.#attempts.add(`${account} ${pool} ${attempt.member} ${attempt.model} ${attempt.outcome}`, of, 1);
    }
  }

  /** `members`: all that are in use now. */
  text(members: readonly MemberLoad[]): string {
    const lines = [
      ...this.#first.lines(
        "trunkline_ai_first_output_seconds",
        "Time until the first byte of an answer went to the caller.",
      ),
      ...this.#whole.lines("trunkline_ai_call_seconds", "Time of whole calls, by outcome."),
      ...this.#tokens.lines("trunkline_ai_tokens_total", "Tokens of calls, reported or estimated."),
      ...this.#cost.lines(
        "trunkline_ai_cost_total",
        "Cost of calls, in the currency of the members' prices.",
      ),
      ...this.#attempts.lines("trunkline_ai_attempts_total", "Attempts at members, by outcome."),
      "# HELP trunkline_ai_member_state 1 for the state that a member of a pool is in.",
      "# TYPE trunkline_ai_member_state gauge",
      ...members.map(
        ({ account, pool, member, state }) =>
          `trunkline_ai_member_state${labelText({ account, pool, member, state })} 1`,
      ),
    ];
    return `${lines.join("\n")}\n`;
  }
}

const labelsOf = ({ member, model, outcome }: MeasuredCall["attempts"][number]): Labels => ({
  member,
  model,
  outcome,
});

/** `aborted`: the caller disconnected. `refused`: the caller's own fault, or a limit. */
function outcomeOf(status: number): string {
  if (status < 400) return "ok";
  if (status === 499) return "aborted";
  return status < 500 ? "refused" : "failed";
}

const labelText = (labels: Labels) =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",")}}`;

const escaped = (value: string) =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
