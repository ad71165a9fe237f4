// What a configuration of the LiteLLM proxy becomes here: one pool with members, aliases and fallbacks, one key, and a list of what has no
// counterpart. https://docs.litellm.ai/docs/proxy/config_settings

import { keyText } from "#contract/key-text.ts";
import { modelName } from "#contract/manage/pools/names.ts";
import { type Deployment, isEmpty, membersOf, tidied, withoutNulls } from "./litellm-members.ts";
import { type Fields, fieldsOf, listOf, targetOf, textOf, type Writer } from "./litellm-providers.ts";

/** Something of the file that is not carried over as it is. */
interface Note {
  /** Where it is, such as `model_list.2.litellm_params.tpm`. */
  path: string;
  reason: string;
}

export interface Imported {
  /** A pool of a provisioning file, with secrets as `${NAME}`. */
  pool: Record<string, unknown>;
  /** The variables that the pool refers to. */
  variables: string[];
  notes: Note[];
}

const noCounterpart = "It has no counterpart.";
const advice: Readonly<Record<string, string>> = {
  "general_settings.database_url":
    "Keys, teams and users in LiteLLM's database are not read. Make new keys, or choose their texts.",
  "litellm_settings.success_callback": "There are spans of OpenTelemetry and webhooks instead.",
  "litellm_settings.failure_callback": "There are spans of OpenTelemetry and webhooks instead.",
  "litellm_settings.callbacks": "There are spans of OpenTelemetry and webhooks instead.",
  "router_settings.context_window_fallbacks":
    "Give members `context_tokens`: a request that is too long for one goes to another.",
  "litellm_settings.context_window_fallbacks":
    "Give members `context_tokens`: a request that is too long for one goes to another.",
  "router_settings.redis_host": "Several processes share one PostgreSQL, and need no Redis.",
  "router_settings.redis_password": "Several processes share one PostgreSQL, and need no Redis.",
  "router_settings.redis_port": "Several processes share one PostgreSQL, and need no Redis.",
  "router_settings.allowed_fails": "Members that fail are left out by a breaker without settings.",
  "router_settings.cooldown_time": "Members that fail are left out by a breaker without settings.",
  environment_variables: "Put them into `.env`.",
};

const modes: Readonly<Record<string, string>> = {
  embedding: "embedding_models",
  image_generation: "image_models",
  audio_speech: "speech_models",
  audio_transcription: "transcription_models",
  moderation: "moderation_models",
  rerank: "rerank_models",
};
/** By the name, where `model_info.mode` is absent. */
const modeByName: readonly [RegExp, string][] = [
  [/embed/, "embedding"],
  [/dall-e|gpt-image|imagen/, "image_generation"],
  [/whisper|transcribe/, "audio_transcription"],
  [/(?:^|\W)tts/, "audio_speech"],
  [/moderation/, "moderation"],
  [/rerank/, "rerank"],
];

const numberOf = (value: unknown): number | null => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
};
/** A whole number from 1 on. */
const countOf = (value: unknown): number | null => {
  const number = numberOf(value);
  return number === null || number < 1 ? null : Math.round(number);
};
/** Seconds as ms, within the limits of the fields here; null if there are none. */
const millisecondsOf = (value: unknown): number | null => {
  const seconds = numberOf(value);
  return seconds === null || seconds <= 0
    ? null
    : Math.round(Math.min(3_600, Math.max(0.05, seconds)) * 1_000);
};

/** Reads the parsed file. `poolName`: of the pool that is made. */
export function importConfig(config: unknown, poolName: string): Imported {
  return new Import(fieldsOf(config)).result(poolName);
}

class Import {
  readonly #config: Fields;
  readonly #notes: Note[] = [];
  readonly #variables = new Set<string>();
  /** The variables that stand for secrets of the file, by their texts. */
  readonly #named = new Map<string, string>();

  readonly #weightScale: number;

  constructor(config: Fields) {
    this.#config = config;
    const weights = listOf(config.model_list).map((each) =>
      numberOf(fieldsOf(fieldsOf(each).litellm_params).weight),
    );
    this.#weightScale = weights.every((weight) => weight === null || Number.isInteger(weight)) ? 1 : 1_000;
  }

  result(poolName: string): Imported {
    const { litellm_settings, router_settings, general_settings } = this.#config;
    const settings = {
      litellm_settings: fieldsOf(litellm_settings),
      router_settings: fieldsOf(router_settings),
    };
    const deployments = this.#deployments();
    this.#aliases(settings.router_settings, deployments);
    const members = [
      ...membersOf(deployments, ""),
      ...membersOf(this.#fallbacks(settings, deployments), "-fallback"),
    ];
    const rules = this.#rules(settings);
    const key = this.#key(fieldsOf(general_settings), settings.litellm_settings);
    const {
      model_list,
      credential_list,
      litellm_settings: _l,
      router_settings: _r,
      general_settings: _g,
      ...rest
    } = this.#config;
    this.#rest("", rest, []);
    const pool = {
      name: poolName,
      // Only the deployments of a model answer for it, as in LiteLLM.
      strict_models: true,
      ...rules,
      members: members.map(tidied),
      keys: [key],
    };
    return { pool, variables: [...this.#variables], notes: this.#notes };
  }

  #note(path: string, reason: string): void {
    this.#notes.push({ path, reason });
  }

  /** Notes the fields that are not in `used`. */
  #rest(path: string, fields: Fields, used: readonly string[]): void {
    for (const name of Object.keys(fields)) {
      if (used.includes(name)) continue;
      const full = path === "" ? name : `${path}.${name}`;
      this.#note(full, advice[full] ?? noCounterpart);
    }
  }

  #variable(name: string): string {
    this.#variables.add(name);
    return `\${${name}}`;
  }

  #writer(path: string): Writer {
    const reference = (value: unknown): string | null => {
      const [, name] = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/.exec(textOf(value) ?? "") ?? [];
      return name === undefined ? null : this.#variable(name);
    };
    return {
      variable: (name) => this.#variable(name),
      plain: (value) => reference(value) ?? textOf(value),
      secret: (field, value, preset) => {
        const text = textOf(value);
        if (text === null) return preset === undefined ? null : this.#variable(preset);
        const found = reference(value);
        if (found !== null) return found;
        const name = this.#named.get(text) ?? `LITELLM_SECRET_${this.#named.size + 1}`;
        this.#named.set(text, name);
        this.#note(`${path}.${field}`, `Put it into the variable ${name}.`);
        return this.#variable(name);
      },
    };
  }

  #deployments(): Deployment[] {
    const credentials = new Map(
      listOf(this.#config.credential_list).map((each) => {
        const { credential_name, credential_values } = fieldsOf(each);
        return [textOf(credential_name), fieldsOf(credential_values)];
      }),
    );
    return listOf(this.#config.model_list).flatMap((each, at) => {
      const path = `model_list.${at}`;
      const { model_name, litellm_params, model_info, ...rest } = fieldsOf(each);
      const own = fieldsOf(litellm_params);
      const params = { ...credentials.get(textOf(own.litellm_credential_name)), ...own };
      const found = this.#deployment(path, textOf(model_name) ?? "", params, fieldsOf(model_info));
      this.#rest(path, rest, []);
      return found === null ? [] : [found];
    });
  }

  #deployment(path: string, group: string, params: Fields, info: Fields): Deployment | null {
    if (`${group}${textOf(params.model) ?? ""}`.includes("*")) {
      this.#note(path, "It is a wildcard. List the models that a member serves.");
      return null;
    }
    const writer = this.#writer(`${path}.litellm_params`);
    const target = targetOf(params, writer);
    if (typeof target === "string") {
      this.#note(path, target);
      return null;
    }
    const { used, kind, model, settings } = target;
    if (![group, model].every((name) => modelName.safeParse(name).success)) {
      this.#note(path, "Names of models have 1 to 200 printable ASCII characters without spaces.");
      return null;
    }
    const limited = ["rpm", "tpm"].filter((name) => numberOf(params[name]) !== null);
    for (const name of limited)
      this.#note(
        `${path}.litellm_params.${name}`,
        "It counts as a weight at most. Members have no limits; one that answers 429 rests.",
      );
    const read = ["model", "custom_llm_provider", "litellm_credential_name", "weight", "order", "timeout"];
    const prices = ["input_cost_per_token", "output_cost_per_token"];
    this.#rest(`${path}.litellm_params`, params, [...used, ...read, ...limited, "stream_timeout", ...prices]);
    this.#rest(`${path}.model_info`, info, ["id", "mode", "max_input_tokens", ...prices]);
    const priceOf = (name: string) => numberOf(params[name] ?? info[name]);
    const [input, output] = prices.map(priceOf);
    const mode = textOf(info.mode) ?? modeByName.find(([pattern]) => pattern.test(model))?.[1] ?? "chat";
    const perMillion = (cost: number) => Math.round(cost * 1e12) / 1e6;
    const timeouts = withoutNulls({
      total_ms: millisecondsOf(params.timeout),
      first_token_ms: millisecondsOf(params.stream_timeout),
    });
    return {
      group,
      kind: kind === "openai-compatible" ? String(settings.vendor) : kind,
      list: modes[mode] ?? "models",
      priority: Math.min(900, Math.max(1, Math.round(numberOf(params.order) ?? 1))),
      price:
        input == null || output == null ? null : { input: perMillion(input), output: perMillion(output) },
      target: {
        model,
        kind,
        settings,
        // As LiteLLM's default strategy uses them. Its shares may be fractions.
        weight: this.#weight(params),
        context_tokens: countOf(info.max_input_tokens),
        timeouts: isEmpty(timeouts) ? null : timeouts,
      },
    };
  }

  /** A whole number from 1 on, in thousandths where the file has fractions; null for the default. */
  #weight({ weight, rpm, tpm }: Fields): number | null {
    const own = numberOf(weight) ?? numberOf(rpm) ?? numberOf(tpm);
    if (own === null) return null;
    return Math.max(1, Math.min(1_000_000, Math.round(own * this.#weightScale)));
  }

  /** `model_group_alias`: other names of groups. */
  #aliases({ model_group_alias }: Fields, deployments: Deployment[]): void {
    for (const [alias, value] of Object.entries(fieldsOf(model_group_alias))) {
      const group = textOf(value) ?? textOf(fieldsOf(value).model);
      const same = deployments.filter((each) => each.group === group);
      if (same.length === 0 || !modelName.safeParse(alias).success)
        this.#note(`router_settings.model_group_alias.${alias}`, "The model is not in `model_list`.");
      else deployments.push(...same.map((each) => ({ ...each, group: alias })));
    }
  }

  /** The deployments of fallbacks, each under the name of the model that failed, after that model's own. */
  #fallbacks(settings: Record<string, Fields>, deployments: readonly Deployment[]): Deployment[] {
    const groups = [...new Set(deployments.map(({ group }) => group))];
    const last = Math.max(1, ...deployments.map(({ priority }) => priority));
    const of = new Map<string, string[]>();
    const general: string[] = [];
    for (const [section, fields] of Object.entries(settings)) {
      general.push(...listOf(fields.default_fallbacks).flatMap((name) => textOf(name) ?? []));
      for (const [at, each] of listOf(fields.fallbacks).entries())
        for (const [group, names] of Object.entries(fieldsOf(each))) {
          const path = `${section}.fallbacks.${at}.${group}`;
          const known = listOf(names).filter((name) => groups.includes(textOf(name) ?? "")) as string[];
          if (known.length < listOf(names).length)
            this.#note(path, "Some of it is not in `model_list`, or has parameters of its own.");
          if (group === "*") general.push(...known);
          else if (groups.includes(group)) of.set(group, [...(of.get(group) ?? []), ...known]);
          else this.#note(path, "The model is not in `model_list`.");
        }
    }
    return groups.flatMap((group) =>
      [...new Set(of.get(group) ?? general)]
        .filter((name) => name !== group)
        .flatMap((name, at) =>
          deployments
            .filter((each) => each.group === name)
            .map((each) => ({ ...each, group, priority: Math.min(1_000, last + 1 + at) })),
        ),
    );
  }

  #rules({ litellm_settings: own = {}, router_settings: router = {} }: Record<string, Fields>): Fields {
    const retries = numberOf(router.num_retries ?? own.num_retries);
    const timeout = millisecondsOf(router.timeout ?? own.request_timeout);
    const cacheTtl = numberOf(fieldsOf(own.cache_params).ttl);
    const isCached = own.cache === true && cacheTtl !== null && cacheTtl >= 1;
    const budget = this.#budget("litellm_settings", own);
    const strategy = textOf(router.routing_strategy) ?? "simple-shuffle";
    const shared = ["fallbacks", "default_fallbacks", "num_retries"];
    const budgets = ["max_budget", "budget_duration", "default_key_generate_params"];
    const cached = isCached ? ["cache", "cache_params"] : [];
    // `params: adapt` is the default.
    const ours = [...shared, "request_timeout", ...budgets, ...cached, "drop_params", "set_verbose"];
    this.#rest("litellm_settings", own, ours);
    const routed = strategy === "simple-shuffle" ? ["routing_strategy"] : [];
    this.#rest("router_settings", router, [...shared, "timeout", "model_group_alias", ...routed]);
    return withoutNulls({
      repeat: retries === null ? null : Math.min(3, Math.max(0, Math.round(retries))),
      timeouts: timeout === null ? null : { answer_ms: timeout },
      cache: isCached ? { ttl_s: Math.min(30 * 86_400, Math.round(cacheTtl)) } : null,
      budget,
    });
  }

  /** Costs have a limit per month alone. */
  #budget(path: string, { max_budget, budget_duration }: Fields): Fields | null {
    const cost = numberOf(max_budget);
    if (cost === null || cost <= 0) return null;
    if (/^(?:30d|31d|1mo)$/.test(textOf(budget_duration) ?? "")) {
      this.#note(
        `${path}.max_budget`,
        "Models without a known price are refused under it, unless `unpriced` is `allow`.",
      );
      return { cost_per_month: cost };
    }
    this.#note(`${path}.max_budget`, "Limits of cost are per calendar month.");
    return null;
  }

  /** The master key is the one that the file knows. It goes on as a key of the pool, without its rights over the proxy. */
  #key(general: Fields, settings: Fields): Fields {
    const path = "general_settings.master_key";
    const master = textOf(general.master_key);
    this.#rest("general_settings", general, ["master_key"]);
    const isReference = master?.startsWith("os.environ/") ?? false;
    const isWeak = master !== null && !isReference && !keyText().safeParse(master).success;
    if (isWeak)
      this.#note(path, "It is too short or too easy to guess. Choose another for TRUNKLINE_POOL_KEY.");
    else if (master !== null)
      this.#note(path, "It goes on as a key of the pool. For management, make a management token.");
    const key =
      master === null || isWeak
        ? this.#variable("TRUNKLINE_POOL_KEY")
        : this.#writer("general_settings").secret("master_key", master);
    const defaults = fieldsOf(settings.default_key_generate_params);
    const place = "litellm_settings.default_key_generate_params";
    const limits = withoutNulls({
      requests_per_minute: countOf(defaults.rpm_limit),
      tokens_per_minute: countOf(defaults.tpm_limit),
      concurrency: countOf(defaults.max_parallel_requests),
    });
    const models = listOf(defaults.models).filter((name) => modelName.safeParse(name).success);
    const used = [
      "rpm_limit",
      "tpm_limit",
      "max_parallel_requests",
      "models",
      "max_budget",
      "budget_duration",
    ];
    this.#rest(place, defaults, used);
    return withoutNulls({
      name: "litellm",
      key,
      models: models.length === 0 ? null : models,
      limits: isEmpty(limits) ? null : limits,
      budget: this.#budget(place, defaults),
    });
  }
}
