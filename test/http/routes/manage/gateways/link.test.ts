// The link between a gateway and a device through the management API: codes, states, events, and who sees what. The bridge is
// a stub in a process of its own, which says what the test tells it to.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import type { LinePeer } from "../../../../gateways/sessions/line-peer.ts";
import { Place } from "../../../../gateways/sessions/place.ts";
import { openStubPeer, stubbedLinked } from "../../../../gateways/whatsapp/linked/stubbed.ts";
import type { Harness, HarnessOptions } from "../../../../harness.ts";

interface Link {
  state: string;
  method: string | null;
  reason: string | null;
  qr: { text: string; svg: string; expires_at: string } | null;
  code: { text: string; expires_at: string } | null;
  device: { number: string | null; name: string | null; linked_at: string | null } | null;
  limited_until: string | null;
  library: string | null;
}

const number = "+4915100000000";

class Linking {
  readonly place: Place;
  readonly peer: LinePeer;

  #process: Harness;

  private constructor(place: Place, peer: LinePeer, process: Harness) {
    this.place = place;
    this.peer = peer;
    this.#process = process;
  }

  /** `linked`: a device is, from the beginning. */
  static async open(
    context: TestContext,
    {
      linked = false,
      settings = {},
      adapter = stubbedLinked,
    }: { linked?: boolean; settings?: HarnessOptions["settings"]; adapter?: GatewayAdapter } = {},
  ): Promise<Linking> {
    const peer = await openStubPeer({ unlinked: !linked });
    const place = await Place.open(context, adapter, peer, "sqlite");
    const linking = new Linking(place, peer, await place.start({ settings }));
    await linking.until(linked ? "open" : "unlinked");
    return linking;
  }

  async link(as = "operator"): Promise<Link> {
    const reply = await this.place.ask("GET", "/link", { as });
    assert.equal(reply.statusCode, 200, reply.body);
    return reply.json().data;
  }

  async until(state: string): Promise<Link> {
    await this.place.until(async () => (await this.link()).state === state, state);
    return await this.link();
  }

  /** Asks for something, and waits until the bridge connects. */
  async ask(method: "POST" | "DELETE", path: string, body?: object): Promise<Link> {
    const reply = await this.place.ask(method, `/link${path}`, body === undefined ? {} : { body });
    assert.equal(reply.statusCode, 202, reply.body);
    return reply.json().data;
  }

  async startPairing(body: object = { method: "qr" }): Promise<void> {
    await this.place.until(() => this.peer.sockets() === 0, "disconnected");
    await this.ask("POST", "", body);
    await this.place.untilLater(() => this.peer.sockets() === 1, "connected to link");
  }

  /** Stops Trunkline as a deployment does, and starts it again. */
  async restart(): Promise<void> {
    await this.place.finish(this.#process.close());
    this.#process = await this.place.start();
  }

  tell(message: object): void {
    this.peer.say({ tell: message });
  }

  async disconnect(code: number, more: object = {}): Promise<void> {
    this.tell({ type: "disconnected", code, detail: null, forMs: null, ...more });
    await this.place.until(() => this.peer.sockets() === 0, "disconnected");
  }
}

test("a device is linked by the QR code, which its asker alone sees, and not after its time", async (context) => {
  const it = await Linking.open(context);
  const { place, peer } = it;
  assert.equal((await it.ask("POST", "", { method: "qr" })).state, "connecting");
  await place.untilLater(() => peer.sockets() === 1, "connected to link");
  it.tell({ type: "qr", text: "https://wa.me/x#secret-1", forMs: 60_000 });
  const waiting = await it.until("waiting_for_scan");
  assert.equal(waiting.qr?.text, "https://wa.me/x#secret-1");
  assert.match(waiting.qr?.svg ?? "", /^<svg xmlns=/);
  assert.deepEqual([waiting.method, waiting.code, waiting.library], ["qr", null, "stub 1"]);
  const other = await it.link("another");
  assert.deepEqual([other.state, other.qr], ["waiting_for_scan", null]);
  assert.ok(!JSON.stringify(await place.shown()).includes("secret-1"));
  await place.pass(60_001);
  assert.equal((await it.link()).qr, null);
  it.tell({ type: "qr", text: "https://wa.me/x#secret-2", forMs: 20_000 });
  await place.until(async () => (await it.link()).qr?.text.endsWith("secret-2") === true, "the next code");
  peer.say({ paired: "key", number });
  const open = await it.until("open");
  assert.deepEqual([open.device?.number, open.device?.name, open.qr], [number, "Shop", null]);
  assert.ok(open.device?.linked_at);
  await place.untilLater(() => place.events("gateway.linked").length === 1, "the event");
  const [event] = place.eventData("gateway.linked");
  assert.deepEqual([event?.number, event?.name, event?.identifier], [number, "Shop", "link"]);
  assert.equal((await place.ask("POST", "/link", { body: { method: "qr" } })).statusCode, 409);
});

test("a member links a device of their account, and sees the code that no operator sees", async (context) => {
  const it = await Linking.open(context);
  const reply = await it.place.ask("POST", "/link", { body: { method: "qr" }, as: "member" });
  assert.equal(reply.statusCode, 202, reply.body);
  await it.place.untilLater(() => it.peer.sockets() === 1, "connected to link");
  it.tell({ type: "qr", text: "https://wa.me/x#secret", forMs: 60_000 });
  assert.equal((await it.until("waiting_for_scan")).qr, null);
  assert.equal((await it.link("member")).qr?.text, "https://wa.me/x#secret");
  assert.equal((await it.link("member of the same account")).qr, null);
});

test("without the library the link is refused with the command that installs it", async (context) => {
  const missing = "The WhatsApp library is not installed. Install it with trunkline install-whatsapp.";
  const it = await Linking.open(context, { adapter: { ...stubbedLinked, notInstalled: () => missing } });
  const reply = await it.place.ask("POST", "/link", { body: { method: "qr" } });
  assert.deepEqual([reply.statusCode, reply.json().message], [409, missing]);
  assert.equal((await it.link()).state, "unlinked");
});

test("a pairing code needs the number, and is shown to its asker", async (context) => {
  const it = await Linking.open(context);
  const without = await it.place.ask("POST", "/link", { body: { method: "code" } });
  assert.deepEqual(Object.keys(without.json().errors), ["number"]);
  await it.startPairing({ method: "code", number });
  it.tell({ type: "code", text: "ABCD-EFGH", forMs: 180_000 });
  assert.equal((await it.until("waiting_for_code")).code?.text, "ABCD-EFGH");
});

test("an unused code expires, and another one can be asked for", async (context) => {
  const it = await Linking.open(context);
  await it.startPairing();
  await it.disconnect(408);
  assert.match((await it.until("expired")).reason ?? "", /new code/);
  await it.startPairing();
  it.peer.say({ paired: "key", number });
  await it.until("open");
});

/** Child processes of this one. */
const children = () => process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;

test("the bridge runs while a device is linked or a code may be used, and not longer", async (context) => {
  const before = children();
  const it = await Linking.open(context);
  assert.equal(children(), before);
  await it.startPairing();
  assert.equal(children(), before + 1);
  await it.disconnect(408);
  await it.until("expired");
  await it.place.until(() => children() === before, "the process of an expired code is gone");
  await it.startPairing();
  it.tell({ type: "qr", text: "https://wa.me/x#unseen", forMs: 20_000 });
  await it.until("waiting_for_scan");
  await it.place.pass(5 * 60_000);
  assert.match((await it.until("expired")).reason ?? "", /in time/);
  await it.place.until(() => children() === before, "the process of a code without a scan is gone");
  await it.startPairing();
  it.peer.say({ paired: "key", number });
  await it.until("open");
  assert.equal(children(), before + 1);
  await it.ask("DELETE", "");
  await it.until("unlinked");
  await it.place.until(() => children() === before, "the process of an unlinked device is gone");
});

test("a stop while a code is shown says nothing of the link", async (context) => {
  const it = await Linking.open(context);
  await it.startPairing();
  it.tell({ type: "qr", text: "https://wa.me/x#shown", forMs: 60_000 });
  await it.until("waiting_for_scan");
  await it.restart();
  assert.match((await it.until("unlinked")).reason ?? "", /No device is linked/);
});

test("a stop during a ban does not shorten it", async (context) => {
  const it = await Linking.open(context, { linked: true });
  await it.disconnect(402, { detail: "101", forMs: 3_600_000 });
  const { limited_until } = await it.until("limited");
  await it.restart();
  await it.place.pass(60_000);
  const after = await it.until("limited");
  assert.equal(after.limited_until, limited_until);
  assert.equal(it.peer.sockets(), 0);
});

test("a device beyond the account's bound, or the installation's, is refused", async (context) => {
  const it = await Linking.open(context, { settings: { linkedDevices: { inAll: 20, ofAccount: 0 } } });
  const refused = await it.place.ask("POST", "/link", { body: { method: "qr" } });
  assert.equal(refused.statusCode, 409);
  assert.match(refused.json().message, /The account has 0 linked devices, which is the most/);
  const other = await Linking.open(context, { settings: { linkedDevices: { inAll: 0, ofAccount: 5 } } });
  const full = await other.place.ask("POST", "/link", { body: { method: "qr" } });
  assert.match(full.json().message, /This installation has 0 linked devices, which is the most/);
});

test("another number than before is unlinked at once, unless it is to be replaced", async (context) => {
  const it = await Linking.open(context);
  await it.startPairing();
  it.peer.say({ paired: "key 1", number });
  await it.until("open");
  await it.disconnect(401);
  await it.until("logged_out");
  await it.startPairing();
  it.peer.say({ paired: "key 2", number: "+4915199999999" });
  assert.equal((await it.until("wrong_number")).device, null);
  await it.startPairing({ method: "qr", replace: true });
  it.peer.say({ paired: "key 3", number: "+4915199999999" });
  assert.equal((await it.until("open")).device?.number, "+4915199999999");
});

test("unlinking tells the phone, deletes the keys and is an event", async (context) => {
  const it = await Linking.open(context, { linked: true });
  await it.ask("DELETE", "");
  // The clock does not move here: the bridge answers in real time, and on a busy machine the service would give it up.
  await it.place.until(async () => (await it.link()).state === "unlinked", "unlinked");
  assert.equal((await it.link()).reason, "The device was unlinked here.");
  await it.place.untilLater(() => it.place.events("gateway.unlinked").length === 1, "the event");
  assert.equal(it.place.eventData("gateway.unlinked")[0]?.reason, "removed");
});

test("a ban with an end is waited out, and is an event", async (context) => {
  const it = await Linking.open(context, { linked: true });
  await it.disconnect(402, { detail: "101", forMs: 3_600_000 });
  const { limited_until, reason } = await it.until("limited");
  assert.match(reason ?? "", /too many people/);
  assert.ok(limited_until);
  await it.place.untilLater(() => it.place.events("gateway.limited").length === 1, "the event");
  await it.place.pass(1_800_000);
  assert.equal(it.peer.sockets(), 0);
  await it.place.pass(1_800_000);
  await it.place.untilLater(() => it.peer.sockets() === 1, "connected after the ban");
  await it.until("open");
});

test("an outdated library is said, and tried again after a long while", async (context) => {
  const it = await Linking.open(context, { linked: true });
  await it.disconnect(405);
  await it.until("outdated");
  await it.place.untilLater(() => it.place.events("gateway.outdated").length === 1, "the event");
});

test("a link that another program took is taken back once, and then left until a person resumes it", async (context) => {
  const it = await Linking.open(context, { linked: true });
  await it.disconnect(440);
  await it.until("reconnecting");
  await it.place.pass(60_000);
  await it.until("open");
  await it.disconnect(440);
  await it.until("replaced");
  await it.place.pass(600_000);
  assert.equal((await it.link()).state, "replaced");
  await it.ask("POST", "/resume");
  await it.place.untilLater(async () => (await it.link()).state === "open", "open");
});

test("while the number is limited it writes to people it knows, and to others later", async (context) => {
  const it = await Linking.open(context, { linked: true });
  const { place } = it;
  const first = await place.send("hello");
  await place.until(() => it.peer.taken.includes("hello"), first);
  it.tell({ type: "limits", untilMs: 1_900_000_000_000 });
  assert.equal((await it.until("limited")).limited_until, "2030-03-17T17:46:40.000Z");
  await place.send("to a new person", undefined, "+4915123450000");
  await place.send("again");
  await place.untilLater(() => it.peer.taken.includes("again"), "sent to a person it knows");
  assert.deepEqual(it.peer.taken, ["hello", "again"]);
  it.tell({ type: "limits", untilMs: null });
  await it.until("open");
});

test("a gateway of another name has no link, and one without a device nothing to resume", async (context) => {
  const it = await Linking.open(context);
  assert.equal((await it.place.ask("GET", "/../another/link")).statusCode, 404);
  const watched = await it.place.ask("POST", "/link/resume");
  assert.deepEqual([watched.statusCode, watched.json().message], [409, "No device is linked."]);
});

test("the stream tells the link at once, and each change of it", async (context) => {
  const it = await Linking.open(context);
  const reply = await it.place.watch("/link/events");
  assert.match(reply.headers.get("content-type") ?? "", /^text\/event-stream/);
  await it.startPairing();
  it.tell({ type: "qr", text: "https://wa.me/x#1", forMs: 60_000 });
  await it.until("waiting_for_scan");
  await it.place.pass(1_000);
  await it.place.pass(1_000);
  it.peer.say({ paired: "key", number });
  await it.until("open");
  await it.place.pass(600_000);
  const links = (await reply.text())
    .split("\n\n")
    .filter((event) => event.startsWith("event: link\n"))
    .map((event) => JSON.parse(event.split("\ndata: ")[1] ?? "") as Link);
  const states = links.map(({ state }) => state);
  assert.equal(states[0], "unlinked");
  assert.ok(states.includes("waiting_for_scan"), states.join());
  assert.equal(states.at(-1), "open");
  assert.equal(links.find(({ state }) => state === "waiting_for_scan")?.qr?.text, "https://wa.me/x#1");
});
