// The phones that fetch their messages: which phone sent a request, what it receives and what it reports. No process owns a phone: the
// state is in the database, and each request is one transaction under the phone's row.

import type { Core } from "#core/core.ts";
import { retryRuleOf, rulesIn } from "#gateways/rules.ts";
import { priorityOrder } from "#queue/priority.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import { retryDelay } from "#runtime/waiting/retry.ts";
import { endUnreported, findUnreported, pullItems } from "#store/phones/phone-items.ts";
import { storePhoneReports } from "#store/phones/phone-reports.ts";
import {
  describePhone,
  disconnectPhone,
  findPhoneBy,
  findSilentPhones,
  type PhoneDescription,
  readPhone,
  registerPhone,
  stopForSim,
} from "#store/phones/phones.ts";
import type { PhonesTable } from "#store/schema/phones.ts";
import { type Line, linesOf, offlineMs, phoneLine } from "./lines.ts";
import { type PhoneEventName, type PhoneStream, PhoneStreams } from "./streams.ts";
import {
  appVersion,
  type DeviceDescription,
  readReports,
  type SimCard,
  settingsOf,
  webhooksOf,
  wireItem,
} from "./wire.ts";

type PhonesDeps = Pick<
  Core,
  "clock" | "crashPoint" | "database" | "log" | "metrics" | "newId" | "random" | "sealer"
> & {
  publicUrl: string | null;
  /** Interval of the search for silent phones, ms. */
  sweepMs: number;
};

/** A phone that has authenticated with its token. */
export interface LinkedPhone {
  phone: PhonesTable;
  tokenHash: string;
}

/** `seen_at` is stored at this interval by requests that store nothing else, ms. */
const seenEveryMs = 5_000;
/** Number of failures after which a message waits longer each time. */
const countedDelays = 3;

/** The stored form of a phone's secret. */
export const phoneDigest = (sealer: Core["sealer"], text: string) => sealer.digest(`phone ${text}`);

/** The key with which a phone signs its callbacks; each link has a different one. */
export function signingKeyOf(sealer: Core["sealer"], { gateway_id, token_hash }: PhonesTable): string {
  return sealer.mac("phone callbacks", `${gateway_id} ${token_hash}`).toString("base64url");
}

export class Phones {
  readonly #deps: PhonesDeps;
  readonly streams: PhoneStreams;
  /** What each connected phone last fetched of each kind of configuration, since this process started. */
  readonly #fetched = new Map<string, Map<"settings" | "webhooks", string>>();
  readonly #stopping = new AbortController();
  readonly #sweeps: Interval;
  #turn = 0;

  constructor(deps: PhonesDeps) {
    this.#deps = deps;
    this.streams = new PhoneStreams(deps);
    this.#sweeps = new Interval({
      clock: deps.clock,
      log: deps.log,
      signal: this.#stopping.signal,
      ms: deps.sweepMs,
      turn: () => this.sweep(),
      failure: {
        event: "phone.sweep_failed",
        message: "Silent phones could not be found; the next turn tries again.",
      },
    });
  }

  /** Starts to detect phones that become silent. */
  start(): void {
    this.#sweeps.start();
  }

  /** Ends all streams. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.streams.stop();
    await this.#sweeps.ended();
  }

  /** The phone with this token. Null for an unknown token. `userAgent`: of the request. */
  async authenticate(token: string, userAgent: string | undefined): Promise<LinkedPhone | null> {
    const { clock, database, sealer } = this.#deps;
    const tokenHash = phoneDigest(sealer, token);
    const phone = await database.run(findPhoneBy, { secret: "token", hash: tokenHash });
    if (phone === null) return null;
    const version = appVersion(userAgent) ?? phone.app_version;
    const seenLately = (phone.seen_at ?? 0) > clock.now() - seenEveryMs;
    if (!seenLately || version !== phone.app_version)
      await this.#describe({ phone, tokenHash }, { app_version: version });
    return { phone: { ...phone, app_version: version }, tokenHash };
  }

  /**
   * Links the phone that presents a code, or an enrolment token, to its gateway. Null if it is not valid. `login` is what the app shows.
   */
  async register(
    shown: { secret: "code" | "enrolment"; text: string },
    device: DeviceDescription,
    userAgent: string | undefined,
  ): Promise<{ id: string; token: string; login: string } | null> {
    const { clock, database, newId, random, sealer, log } = this.#deps;
    const token = Buffer.from(random.bytes(24)).toString("base64url");
    const phone: PhoneDescription = {
      name: device.name,
      app_version: appVersion(userAgent),
      sims: JSON.stringify(device.sims ?? []),
      uses_push: device.usesPush ? 1 : 0,
    };
    const linked = await database.run(registerPhone, {
      secret: shown.secret,
      hash: phoneDigest(sealer, shown.text),
      tokenHash: phoneDigest(sealer, token),
      at: clock.now(),
      eventId: newId("gs"),
      phone,
    });
    if (linked === null) return null;
    const { gateway_id: id } = linked;
    // A phone that was linked before has lost its token.
    this.streams.end(id);
    this.#fetched.delete(id);
    // A spread may have been waiting for it.
    const gateway = (await linesOf(this.#deps, linked)).find((line) => line.gateway.id === id)?.gateway;
    log.info({ event: "phone.linked", gateway: gateway?.identifier, phone: id }, "A phone was linked.");
    return { id, token, login: gateway?.identifier ?? id };
  }

  /**
   * What the phone reports about itself at each start. If its SIM has changed, its gateways are stopped. False if the link was revoked in
   * the meantime.
   */
  async describe(linked: LinkedPhone, device: DeviceDescription): Promise<boolean> {
    const { phone } = linked;
    const known = JSON.parse(phone.sims) as SimCard[];
    const sims = device.sims !== null && device.sims.length > 0 ? device.sims : known;
    const description = { uses_push: device.usesPush ? 1 : 0, sims: JSON.stringify(sims) } as const;
    if (!(await this.#describe(linked, description))) return false;
    const changed = sims.filter(({ number, iccid }) => {
      const before = known.find((sim) => sim.number === number)?.iccid ?? null;
      return before !== null && iccid !== null && before !== iccid;
    });
    if (changed.length > 0) await this.#stopForSims(phone, changed);
    return true;
  }

  async #stopForSims(phone: PhonesTable, changed: readonly SimCard[]): Promise<void> {
    const { clock, database, log, newId } = this.#deps;
    const numbers = changed.map(({ number }) => number);
    const lines = (await linesOf(this.#deps, phone)).filter(
      ({ settings: { sim } }) => sim === "any" || numbers.includes(sim),
    );
    const reason = `SIM ${numbers.join(" and ")} of the phone is another one than before.`;
    for (const { gateway } of lines)
      log.warn({ event: "phone.sim_changed", gateway: gateway.identifier, reason }, "A SIM changed.");
    await database.run(stopForSim, {
      gatewayIds: lines.map(({ gateway }) => gateway.id),
      at: clock.now(),
      reason,
      eventId: newId("gp"),
    });
  }

  /** The phone's list: what it has received but not reported, and what may be handed over now. Null if the link was revoked. */
  async pull(
    { phone, tokenHash }: LinkedPhone,
    newestFirst: boolean,
  ): Promise<ReturnType<typeof wireItem>[] | null> {
    const { clock, crashPoint, database, newId, random } = this.#deps;
    const lines = await linesOf(this.#deps, phone);
    const now = clock.now();
    // A phone that gets no notification when something is due polls rarely.
    const catchesUp = !this.streams.isConnected(phone.gateway_id);
    this.#turn += 1;
    crashPoint("stamp.before");
    const items = await database.run(pullItems, {
      phoneId: phone.gateway_id,
      tokenHash,
      lines: lines.map((line) => phoneLine(line, { now, random: random.random(), catchesUp })),
      priorities: [...priorityOrder(this.#turn)],
      at: now,
      eventId: newId("gp"),
      newestFirst,
    });
    crashPoint("stamp.after");
    if (items === null) return null;
    this.streams.changed(phone.gateway_id);
    const settingsById = new Map(lines.map(({ gateway, settings }) => [gateway.id, settings]));
    return items.map((item) => wireItem(item, settingsById.get(item.gateway_id)));
  }

  /** Stores what the phone reports. `malformed`: it is not a list. Elements that cannot be read are skipped. */
  async report(
    { phone, tokenHash }: LinkedPhone,
    body: unknown,
  ): Promise<"stored" | "malformed" | "revoked"> {
    const { clock, crashPoint, database, log, newId, random } = this.#deps;
    const read = readReports(body);
    if (read === null) return "malformed";
    const { gateway_id: id } = phone;
    if (read.unread > 0)
      log.info(
        { event: "phone.reports_unread", phone: id, reports: read.unread },
        "Reports of a phone were skipped.",
      );
    // A phone without a readable gateway has the default rules.
    const lines = await linesOf(this.#deps, phone);
    const rules = lines[0]?.rules ?? rulesIn({ rules: "{}" });
    const now = clock.now();
    crashPoint("settle.before");
    const stored = await database.run(storePhoneReports, {
      phoneId: id,
      tokenHash,
      reports: read.reports,
      at: now,
      steadyAt: clock.steady(),
      gapsMs: Object.fromEntries(lines.map((line) => [line.gateway.id, phoneLine(line, { now }).gapMs])),
      eventId: newId("gp"),
      delaysMs: Array.from({ length: countedDelays }, (_, i) =>
        retryDelay(retryRuleOf(rules), i + 1, "above_first", random.random()),
      ),
      retryForMs: rules.retry.for_ms,
    });
    crashPoint("settle.after");
    if (!stored) return "revoked";
    this.streams.changed(id);
    return "stored";
  }

  /** The settings that the phone should use. */
  async settings({ phone }: LinkedPhone): Promise<ReturnType<typeof settingsOf>> {
    const { pingS } = await this.#configuration(phone);
    const { publicUrl, sealer } = this.#deps;
    const settings = settingsOf({
      signingKey: signingKeyOf(sealer, phone),
      pingS,
      // An installation on a private network has no address that is known on the internet.
      needsInternet: publicUrl?.startsWith("https://") ?? false,
    });
    this.#noteFetched(phone.gateway_id, "settings", settings);
    return settings;
  }

  /** Where the phone posts what it receives; nothing if there is no public URL. */
  async webhooks({ phone }: LinkedPhone): Promise<ReturnType<typeof webhooksOf>> {
    const { pingS, url } = await this.#configuration(phone);
    const hooks = url === null ? [] : webhooksOf({ id: phone.gateway_id, url, pings: pingS !== null });
    this.#noteFetched(phone.gateway_id, "webhooks", hooks);
    return hooks;
  }

  /** A connection that notifies the phone when to poll. */
  events(linked: LinkedPhone): PhoneStream {
    const { phone } = linked;
    const fetched = this.#fetched.get(phone.gateway_id);
    // After some ways of registering, the app fetches neither by itself.
    const first: PhoneEventName[] = [];
    if (!fetched?.has("webhooks")) first.push("WebhooksUpdated");
    if (!fetched?.has("settings")) first.push("SettingsUpdated");
    return this.streams.open(linked, first);
  }

  /** Gateways were changed, here or elsewhere: what phones fetched may be stale. */
  gatewaysChanged(): void {
    this.streams.gatewaysChanged();
    for (const id of [...this.#fetched.keys()]) {
      if (!this.streams.isConnected(id)) this.#fetched.delete(id);
      else
        void this.#tellStale(id).catch((error) =>
          this.#deps.log.warn(
            { event: "phone.settings_unread", phone: id, error },
            "The settings of a phone could not be compared; it fetches them within a day.",
          ),
        );
    }
  }

  async #tellStale(id: string): Promise<void> {
    const phone = await this.#deps.database.run(readPhone, id);
    const before = new Map(this.#fetched.get(id));
    if (phone === null || phone.token_hash === null) return;
    const linked = { phone, tokenHash: phone.token_hash };
    await this.settings(linked);
    await this.webhooks(linked);
    const now = this.#fetched.get(id);
    if (now?.get("settings") !== before.get("settings")) this.streams.tell(id, "SettingsUpdated");
    if (now?.get("webhooks") !== before.get("webhooks")) this.streams.tell(id, "WebhooksUpdated");
  }

  #noteFetched(id: string, kind: "settings" | "webhooks", value: unknown): void {
    const fetched = this.#fetched.get(id) ?? new Map();
    fetched.set(kind, JSON.stringify(value));
    this.#fetched.set(id, fetched);
  }

  async #configuration(phone: PhonesTable): Promise<{ pingS: number | null; url: string | null }> {
    const lines: Line[] = await linesOf(this.#deps, phone);
    const owner = lines.find(({ gateway }) => gateway.id === phone.gateway_id);
    const { publicUrl } = this.#deps;
    const url =
      publicUrl === null || !owner
        ? null
        : `${publicUrl}/callbacks/${encodeURIComponent(owner.gateway.identifier)}`;
    return { pingS: owner?.settings.ping_s ?? null, url };
  }

  async #describe(
    { phone, tokenHash }: LinkedPhone,
    description: Parameters<typeof describePhone.run>[1]["description"],
  ): Promise<boolean> {
    const { clock, database } = this.#deps;
    return await database.run(describePhone, {
      id: phone.gateway_id,
      tokenHash,
      at: clock.now(),
      description,
    });
  }

  /**
   * Counts phones as offline that were silent for too long, and pauses their gateways. Ends the wait for items that no phone reported in
   * time.
   */
  async sweep(): Promise<void> {
    const { clock, database, log, newId } = this.#deps;
    const at = clock.now();
    const before = at - offlineMs;
    for (const phone of await database.run(findSilentPhones, before)) {
      const { gateway_id: id } = phone;
      const gatewayIds = (await linesOf(this.#deps, phone)).map(({ gateway }) => gateway.id);
      const reason = `The phone last reported at ${new Date(phone.seen_at ?? 0).toISOString()}.`;
      if (
        !(await database.run(disconnectPhone, { id, gatewayIds, before, at, reason, eventId: newId("gp") }))
      )
        continue;
      log.warn({ event: "phone.offline", phone: id, reason }, "A phone is offline.");
    }
    for (const phoneId of await database.run(findUnreported, at)) {
      if ((await database.run(endUnreported, { phoneId, at })) === 0) continue;
      this.streams.changed(phoneId);
    }
  }
}
