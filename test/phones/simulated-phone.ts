// A phone with the app, as its protocol was recorded (versions 1.53 to 1.75): what it sends, keeps and forgets. It remembers every
// message by its id, sends none twice, and reports the whole of what it knows. Networks that fail, radios, restarts and
// reinstallations are the test's to choose.

import { createHmac } from "node:crypto";
import type { PhoneStream } from "#phones/streams.ts";
import type { Harness } from "../harness.ts";
import { type Injected, type InjectOptions, inject } from "../inject.ts";

/** What the radio makes of a message: the states that it goes through, or the text of its failure. */
export type Radio = (item: KnownItem) => ("Sent" | "Delivered")[] | { error: string };

/** What became of a request: `refused`: it never arrived; `lost`: it arrived, and its answer did not. */
export type Network = (method: string, path: string) => "through" | "refused" | "lost";

export interface KnownItem {
  id: string;
  number: string;
  text: string;
  sim: number | null;
  validUntil: number;
  createdAt: string;
  state: "Pending" | "Processed" | "Sent" | "Delivered" | "Failed" | "Cancelled";
  error: string | null;
  states: Record<string, string>;
}

/** What went over the air. */
export interface Transmission {
  phone: string;
  id: string;
  number: string;
  text: string;
  sim: number | null;
}

export interface SimCard {
  slotIndex: number;
  simNumber: number;
  phoneNumber?: string;
  carrierName?: string;
  iccid?: string;
}

interface WireItem {
  id: string;
  textMessage: { text: string };
  phoneNumbers: string[];
  simNumber?: number;
  withDeliveryReport: boolean;
  validUntil: string;
  priority: number;
  state?: string;
  createdAt: string;
}

interface Stored {
  registration: { id: string; token: string; login: string } | null;
  items: Map<string, KnownItem>;
  webhooks: { id: string; url: string; event: string }[];
  settings: Record<string, Record<string, unknown>>;
}

const offline = new Error("The phone has no network.");

export class SimulatedPhone {
  readonly name: string;
  readonly #it: () => Harness;
  readonly #air: Transmission[];
  version = "1.70.3";
  /** How far its clock is ahead. */
  clockAheadMs = 0;
  sims: SimCard[];
  radio: Radio = () => ["Sent", "Delivered"];
  network: Network = () => "through";
  /** What is on its disk: it survives a restart, and not a reinstallation. */
  stored: Stored = { registration: null, items: new Map(), webhooks: [], settings: {} };
  /** Ids whose state has still to be reported, in the order of the changes. */
  reports: string[] = [];
  events: string[] = [];
  #streams: PhoneStream[] = [];
  #hooks = 0;

  readonly #ask: (request: InjectOptions) => Promise<Injected>;

  /**
   * `it` is asked each time: another process may serve the next request. `air`: what all phones of a test transmit. `ask`: how its requests
   * reach the service.
   */
  constructor(
    name: string,
    it: () => Harness,
    air: Transmission[],
    ask: (request: InjectOptions) => Promise<Injected> = (request) => inject(it().system.app, request),
  ) {
    this.#ask = ask;
    this.name = name;
    this.#it = it;
    this.#air = air;
    this.sims = [{ slotIndex: 0, simNumber: 1, phoneNumber: "********1820", iccid: "***************4417" }];
  }

  /** Tab "By code": at once, before the permissions, so without SIMs. */
  async registerByCode(code: string): Promise<number> {
    return await this.#register(`Code ${code}`, []);
  }

  /** Tab "Sign up". */
  async signUp(privateToken: string): Promise<number> {
    return await this.#register(`Bearer ${privateToken}`, this.sims);
  }

  async #register(authorization: string, simCards: SimCard[]): Promise<number> {
    const reply = await this.#request("POST", "/device", { name: "Google/husky", simCards }, authorization);
    if (reply.statusCode === 201) this.stored.registration = reply.json();
    return reply.statusCode;
  }

  /** What the app does at each start. `privateToken`: what it is set up with. */
  async start(privateToken: string | null = null): Promise<void> {
    const { registration } = this.stored;
    if (registration === null) throw new Error("The phone is not registered.");
    const [patched] = await Promise.allSettled([
      this.#request("PATCH", "/device", { id: registration.id, simCards: this.sims }),
      this.pull(),
      this.fetchWebhooks(),
      this.fetchSettings(),
    ]);
    if (patched.status === "fulfilled" && patched.value.statusCode === 401 && privateToken !== null)
      await this.signUp(privateToken);
    await this.connect();
  }

  /**
   * Opens the stream of events, and asks once when it is open. Without HTTP, which can be injected with whole answers alone;
   * `streams.test.ts` reads the stream from a socket.
   */
  async connect(): Promise<void> {
    const { phones } = this.#it().system.core;
    const linked = await phones.authenticate(this.stored.registration?.token ?? "", "okhttp/4.10.0");
    if (linked === null) throw new Error("The stream answered 401.");
    const stream = phones.events(linked);
    this.#streams.push(stream);
    void this.#read(stream);
    await this.cycle();
  }

  async #read(stream: PhoneStream): Promise<void> {
    for (let text = await stream.next(); text !== null; text = await stream.next()) {
      // The app drops events without data.
      for (const frame of text.split("\n\n")) {
        const name = /^event: (\w+)\ndata: /.exec(frame)?.[1];
        if (name !== undefined) void this.#onEvent(name).catch(() => {});
      }
    }
  }

  async #onEvent(name: string): Promise<void> {
    this.events.push(name);
    if (name === "MessageEnqueued") await this.cycle();
    if (name === "WebhooksUpdated") await this.fetchWebhooks();
    if (name === "SettingsUpdated") await this.fetchSettings();
  }

  disconnect(): void {
    for (const stream of this.#streams) stream.cancel();
    this.#streams = [];
  }

  /** The process dies; what it has not reported is asked for by the next list alone. */
  crash(): void {
    this.disconnect();
    this.reports = [];
  }

  /** The app is installed anew. */
  reinstall(): void {
    this.crash();
    this.stored = { registration: null, items: new Map(), webhooks: [], settings: {} };
  }

  /** Asks, sends what is new, and reports. */
  async cycle(): Promise<void> {
    await this.pull();
    this.transmit();
    await this.report();
  }

  /** `GET /message`: unseen items are stored; known ones are reported again. */
  async pull(): Promise<WireItem[]> {
    const order = this.stored.settings.messages?.processing_order === "FIFO" ? "fifo" : "lifo";
    const reply = await this.#request("GET", `/message?order=${order}`);
    if (reply.statusCode !== 200) throw new Error(`The list answered ${reply.statusCode}.`);
    if (!String(reply.headers["content-type"]).startsWith("application/json"))
      throw new Error("The app cannot decode the list.");
    const items: WireItem[] = reply.json();
    for (const item of items) this.#store(item);
    return items;
  }

  #store(item: WireItem): void {
    if (item.state !== undefined && item.state !== "Pending") return;
    for (const date of [item.validUntil, item.createdAt]) {
      // Another number of digits fails the whole list.
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(date))
        throw new Error(`The app cannot read ${date}.`);
    }
    if (item.id.length > 36 || item.id.includes("|"))
      throw new Error(`The app cannot use the id ${item.id}.`);
    if (this.stored.items.has(item.id)) {
      this.reports.push(item.id);
      return;
    }
    this.stored.items.set(item.id, {
      id: item.id,
      number: item.phoneNumbers[0] ?? "",
      text: item.textMessage.text,
      sim: item.simNumber ?? null,
      validUntil: Date.parse(item.validUntil),
      createdAt: item.createdAt,
      state: "Pending",
      error: null,
      states: { Pending: this.#date() },
    });
  }

  /** Sends what waits on the phone. */
  transmit(): void {
    for (const item of this.stored.items.values()) {
      if (item.state !== "Pending") continue;
      if (item.validUntil < this.#now()) {
        this.#become(item, "Failed", "TTL expired");
        continue;
      }
      if (item.sim !== null && !this.sims.some(({ simNumber }) => simNumber === item.sim)) {
        this.#become(item, "Failed", `Can't send message: SIM ${item.sim} not found`);
        continue;
      }
      const made = this.radio(item);
      this.#become(item, "Processed");
      if (!Array.isArray(made)) {
        this.#become(item, "Failed", made.error);
        continue;
      }
      const { id, number, text, sim } = item;
      this.#air.push({ phone: this.name, id, number, text, sim });
      for (const state of made) this.#become(item, state);
    }
  }

  #become(item: KnownItem, state: KnownItem["state"], error: string | null = null): void {
    item.state = state;
    item.error = error;
    item.states[state] = this.#date();
    this.reports.push(item.id);
  }

  /** Reports each change, by the state at this moment. What does not get through is kept, as often as the app tries. */
  async report(): Promise<void> {
    const ids = this.reports;
    this.reports = [];
    for (const id of ids) {
      try {
        const reply = await this.#request("PATCH", "/message", [this.snapshot(id)]);
        if (reply.statusCode !== 204) this.reports.push(id);
      } catch {
        this.reports.push(id);
      }
    }
  }

  /** The body of one report. */
  snapshot(id: string): object {
    const item = this.stored.items.get(id);
    if (!item) throw new Error(`The phone does not know ${id}.`);
    const { state, error, number, states } = item;
    return {
      id,
      state,
      recipients: [{ phoneNumber: number, state, ...(error !== null && { error }) }],
      states: { ...states },
    };
  }

  async patch(body: unknown): Promise<number> {
    return (await this.#request("PATCH", "/message", body as object)).statusCode;
  }

  async fetchWebhooks(): Promise<void> {
    const reply = await this.#request("GET", "/webhooks");
    if (reply.statusCode === 200) this.stored.webhooks = reply.json();
  }

  async fetchSettings(): Promise<void> {
    const reply = await this.#request("GET", "/settings");
    if (reply.statusCode !== 200) return;
    const settings: Record<string, Record<string, unknown> | null> = reply.json();
    for (const [section, values] of Object.entries(settings)) {
      if (values === null) throw new Error(`The app fails at the section ${section}.`);
      this.stored.settings[section] = values;
    }
  }

  /** A person's SMS comes in, and is posted to the webhook. `id`: of the envelope; a repetition has the same one. */
  async receive(
    sms: { sender: string; message: string; sim?: number; at?: string; messageId?: string },
    id = `hook${++this.#hooks}`,
  ): Promise<number> {
    const { sender, message, sim = 1, at = this.#date(), messageId = "5d0e1b7c" } = sms;
    return await this.post(
      "sms:received",
      {
        messageId,
        sender,
        recipient: "+4930901820",
        simNumber: sim,
        phoneNumber: sender,
        message,
        receivedAt: at,
      },
      id,
    );
  }

  /** Posts an event to the webhook that is registered for it. */
  async post(event: string, payload: object, id: string, key?: string): Promise<number> {
    const hook = this.stored.webhooks.find((webhook) => webhook.event === event);
    if (hook === undefined) throw new Error(`No webhook is registered for ${event}.`);
    const deviceId = this.stored.registration?.id ?? "";
    const body = JSON.stringify({ id, webhookId: hook.id, event, deviceId, payload });
    const timestamp = String(Math.floor(this.#now() / 1000));
    const signingKey = key ?? String(this.stored.settings.webhooks?.signing_key ?? "none");
    const signature = createHmac("sha256", signingKey).update(body).update(timestamp).digest("hex");
    const reply = await this.#ask({
      method: "POST",
      url: new URL(hook.url).pathname,
      payload: body,
      headers: {
        "content-type": "application/json",
        "user-agent": `me.capcom.smsgateway/${this.version}`,
        "x-timestamp": timestamp,
        "x-signature": signature,
      },
    });
    return reply.statusCode;
  }

  #now(): number {
    return this.#it().clock.now() + this.clockAheadMs;
  }

  #bearer(): { authorization: string } {
    return { authorization: `Bearer ${this.stored.registration?.token ?? "none"}` };
  }

  async #request(
    method: "GET" | "POST" | "PATCH",
    path: string,
    body?: object,
    authorization = this.#bearer().authorization,
  ): Promise<Injected> {
    const fate = this.network(method, path);
    if (fate === "refused") throw offline;
    const reply = await this.#ask({
      method,
      url: `/api/mobile/v1${path}`,
      ...(body !== undefined && { payload: JSON.stringify(body) }),
      headers: {
        authorization,
        accept: "application/json",
        "accept-encoding": "gzip",
        "user-agent": `me.capcom.smsgateway/${this.version}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
    });
    if (fate === "lost") throw offline;
    return reply;
  }

  /** As the app writes dates: in the phone's zone. */
  #date(): string {
    return new Date(this.#now() + 3_600_000).toISOString().replace("Z", "+01:00");
  }
}
