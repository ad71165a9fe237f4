// Checks settings at their provider while a person waits at a form: requests the list of models, which costs no tokens. It does not affect
// the health of any member.

import { send } from "#ai/sending/send.ts";
import { collect, textOf } from "#ai/stream/collect.ts";
import type { MemberCheckData } from "#contract/manage/pools/check.ts";
import { modelNames } from "#providers/model-names.ts";
import type { Provider } from "#providers/provider.ts";
import { keyedSettings } from "#providers/several-keys.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";
import { withoutSecrets } from "#settings/redact.ts";

const limitMs = 10_000;
/** Routers list hundreds of models, each with its prices. */
const maxAnswerBytes = 8 * 1024 * 1024;
const maxReason = 1_000;

interface CheckDeps {
  clock: Clock;
  upstreams: StreamingClient;
}
type Checked = Pick<Provider, "check" | "failure">;

/** Calls the provider with each key, for at most 10 s each; the models are those of the first. `provider` masks secrets itself. */
export async function checkSettings(
  deps: CheckDeps,
  provider: Checked,
  settings: unknown,
  signal: LightAbortSignal,
): Promise<MemberCheckData> {
  const keyed = keyedSettings(settings);
  const checks = await Promise.all(keyed.map((one) => checkKey(deps, provider, one, signal)));
  const ms = Math.max(...checks.map((check) => check.ms));
  const at = checks.findIndex(({ ok }) => !ok);
  const failed = checks[at];
  if (failed === undefined) return { ...checks[0]!, ms };
  if (keyed.length === 1) return failed;
  return { ...failed, ms, reason: `Key ${at + 1} of ${keyed.length}: ${failed.reason}`.slice(0, maxReason) };
}

async function checkKey(
  { clock, upstreams }: CheckDeps,
  provider: Checked,
  settings: unknown,
  signal: LightAbortSignal,
): Promise<MemberCheckData> {
  const request = provider.check(settings, "all");
  if (request === null) return { ok: true, ms: 0, models: null, reason: null };
  const startedAt = clock.monotonic();
  const unwell = (reason: string): MemberCheckData => ({
    ok: false,
    ms: Math.round(clock.monotonic() - startedAt),
    models: null,
    reason: reason.slice(0, maxReason).toWellFormed(),
  });
  const way = { connectMs: limitMs, headersMs: limitMs, signal };
  const result = await send({ clock, upstreams }, request, way);
  if (result.kind === "failed") return unwell(result.reason);
  if (result.kind === "denied") return unwell(result.failure.detail ?? result.failure.error.message);
  const { status, headers, body, token } = result;
  const limitAt = startedAt + limitMs;
  const read = await collect(clock, body, maxAnswerBytes, limitMs, limitAt);
  if (read.kind === "too_long") return unwell("The provider's list of models is too long.");
  if (read.kind !== "bytes") return unwell(`The provider's answer was not complete: ${read.reason}.`);
  const text = withoutSecrets(textOf(read.bytes), token === undefined ? [] : [token]);
  if (status === 404 || status === 405)
    return unwell(
      `The provider answered ${status} for its list of models: the address may be wrong, or it has no such list.`,
    );
  if (status < 200 || status >= 300) {
    const { detail, error } = provider.failure(status, headers, text, clock.now());
    return unwell(`The provider answered ${status}: ${detail ?? error.message}`);
  }
  const models = modelNames(text);
  if (models === null) return unwell("The provider answered with something else than a list of models.");
  return { ok: true, ms: Math.round(clock.monotonic() - startedAt), models, reason: null };
}
