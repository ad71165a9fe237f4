// Metrics of calls to pools, in Prometheus' text format. Kept here and not in prom-client, which hashes the labels of a series at each use:
// a call has seven uses, 2 µs each.

/** A call that has ended. */
export interface MeasuredCall {
  /** The account's id. */
  account: string;
  pool: string;
  /** The member that answered; null if none did. */
  member: string | null;
  model: string | null;
  /** The status that the caller received; 499 if they disconnected. */
  status: number;
  /** Until the first byte to the caller; null if there was none. */
  firstOutputMs: number | null;
  ms: number;
  inputTokens: number;
  outputTokens: number;
  /** In millionths of the account's currency unit. */
  cost: number;
  attempts: readonly { member: string; model: string; outcome: string }[];
}

/** The state of a member, as seen by this process. */
export interface MemberLoad {
  account: string;
  pool: string;
  member: string;
  state: string;
}

/** Upper bounds of the buckets, seconds: from a cached answer to a model that thinks for minutes. */
const bounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320] as const;
/**
 * Members and models of an account that have series of their own. Customers name pools and models, and Prometheus requests every series
 * that ever existed: one customer that changed its models for each call made a page of 96 MB.
 */
const maxOfAccount = 200;
/** A member and model without a call for this many scrapes (four hours at 15 s) makes room for another one. */
const idleReadings = 1_000;

type Labels = Readonly<Record<string, string>>;

/** Counts per bucket (not cumulative); the last one is above all bounds. */
class Histogram {
  readonly #counts = new Array<number>(bounds.length + 1).fill(0);
  #sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  lines(name: string, labels: Labels): string[] {
    const lines: string[] = [];
    let below = 0;
    for (const [at, count] of this.#counts.entries()) {
      below += count;
      lines.push(`${name}_bucket${labelText({ ...labels, le: String(bounds[at] ?? "+Inf") })} ${below}`);
    }
    lines.push(`${name}_sum${labelText(labels)} ${this.#sum}`, `${name}_count${labelText(labels)} ${below}`);
    return lines;
  }
}

/** The counts of calls to one model of one member. */
class Series {
  readonly labels: Labels;
  /** The scrape before which its last call was. */
  reading = 0;
  first: Histogram | null = null;
  readonly whole = new Map<string, Histogram>();
  readonly tokens = { input: 0, output: 0 };
  cost = 0;
  readonly attempts = new Map<string, number>();

  constructor(labels: Labels) {
    this.labels = labels;
  }
}

/** The shared series of an account beyond its limit. */
const others = { pool: "other", member: "other", model: "other" };

export class CallMetrics {
  /** By account, and within it by pool, member and model. Names contain no blanks, so keys are unique. */
  readonly #accounts = new Map<string, Map<string, Series>>();
  readonly #idleReadings: number;
  #reading = 0;
  #dropped = 0;

  constructor(idle = idleReadings) {
    this.#idleReadings = idle;
  }

  record(call: MeasuredCall): void {
    const { account, pool, status, attempts, firstOutputMs, cost } = call;
    const series = this.#series(account, pool, call.member ?? "", call.model ?? "");
    const outcome = outcomeOf(status);
    let whole = series.whole.get(outcome);
    if (whole === undefined) {
      whole = new Histogram();
      series.whole.set(outcome, whole);
    }
    whole.observe(call.ms / 1000);
    if (firstOutputMs !== null) {
      series.first ??= new Histogram();
      series.first.observe(firstOutputMs / 1000);
    }
    series.tokens.input += call.inputTokens;
    series.tokens.output += call.outputTokens;
    series.cost += cost;
    for (const { member, model, outcome: of } of attempts) {
      const counts = this.#series(account, pool, member, model).attempts;
      counts.set(of, (counts.get(of) ?? 0) + 1);
    }
  }

  #series(account: string, pool: string, member: string, model: string): Series {
    let all = this.#accounts.get(account);
    if (all === undefined) {
      all = new Map();
      this.#accounts.set(account, all);
    }
    const key = `${pool} ${member} ${model}`;
    let series = all.get(key);
    if (series === undefined) {
      if (all.size >= maxOfAccount) this.#forgetIdle(all);
      if (all.size >= maxOfAccount) {
        this.#dropped += 1;
        const other = all.get("other") ?? new Series({ account, ...others });
        // Not counted towards the limit: there is only one.
        all.set("other", other);
        return other;
      }
      series = new Series({ account, pool, member, model });
      all.set(key, series);
    }
    series.reading = this.#reading;
    return series;
  }

  #forgetIdle(all: Map<string, Series>): void {
    for (const [key, { reading }] of all)
      if (key !== "other" && reading < this.#reading - this.#idleReadings) all.delete(key);
  }

  /** `members`: all that are in use now. Series of deleted pools are dropped. */
  text(members: readonly MemberLoad[]): string {
    this.#reading += 1;
    if (members.length > 0) this.#forgetGone(members);
    const all = [...this.#accounts.values()].flatMap((series) => [...series.values()]);
    const histogram = (name: string, help: string, of: (series: Series, name: string) => string[]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...all.flatMap((series) => of(series, name)),
    ];
    const counter = (name: string, help: string, of: (series: Series) => [Labels, number][]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} counter`,
      ...all.flatMap((series) => of(series).map(([labels, value]) => `${name}${labelText(labels)} ${value}`)),
    ];
    const lines = [
      ...histogram(
        "trunkline_ai_first_output_seconds",
        "Time until the first byte of an answer went to the caller.",
        ({ first, labels }, name) => first?.lines(name, labels) ?? [],
      ),
      ...histogram(
        "trunkline_ai_call_seconds",
        "Time of whole calls, by outcome.",
        ({ whole, labels }, name) =>
          [...whole].flatMap(([outcome, of]) => of.lines(name, { ...labels, outcome })),
      ),
      ...counter(
        "trunkline_ai_tokens_total",
        "Tokens of calls, reported or estimated.",
        ({ tokens, labels }) =>
          (["input", "output"] as const)
            .filter((type) => tokens[type] > 0)
            .map((type) => [{ ...labels, type }, tokens[type]]),
      ),
      ...counter(
        "trunkline_ai_cost_total",
        "Cost of calls, in the currency of the members' prices.",
        ({ cost, labels }) => (cost > 0 ? [[labels, cost / 1e6]] : []),
      ),
      ...counter("trunkline_ai_attempts_total", "Attempts at members, by outcome.", ({ attempts, labels }) =>
        [...attempts].map(([outcome, count]): [Labels, number] => [{ ...labels, outcome }, count]),
      ),
      "# HELP trunkline_metrics_series_dropped_total Calls and attempts counted as other, because their account has as many series as it may.",
      "# TYPE trunkline_metrics_series_dropped_total counter",
      `trunkline_metrics_series_dropped_total ${this.#dropped}`,
      "# HELP trunkline_ai_member_state 1 for the state that a member of a pool is in.",
      "# TYPE trunkline_ai_member_state gauge",
      ...members.map(
        ({ account, pool, member, state }) =>
          `trunkline_ai_member_state${labelText({ account, pool, member, state })} 1`,
      ),
    ];
    return `${lines.join("\n")}\n`;
  }

  #forgetGone(members: readonly MemberLoad[]): void {
    const used = new Set(members.map(({ account, pool }) => `${account} ${pool}`));
    for (const [account, all] of this.#accounts) {
      for (const [key, { labels }] of all)
        if (key !== "other" && !used.has(`${account} ${labels.pool}`)) all.delete(key);
      if (all.size === 0) this.#accounts.delete(account);
    }
  }
}

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
