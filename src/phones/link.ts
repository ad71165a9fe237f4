// The link between an Android gateway and its phone: shows, begins and ends it for the management API.

import type { LinkData, LinkInput } from "#contract/manage/links.ts";
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { android, androidSettings, findPhoneOwner } from "#gateways/sms/android/android.ts";
import { openSettings } from "#store/gateways/gateways.ts";
import {
  findPhoneBy,
  offerPairing,
  phonePairingContext,
  readPhone,
  readPulledGateways,
  revokePhone,
} from "#store/phones/phones.ts";
import type { PhonesTable } from "#store/schema/phones.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { lateMs, linesOf, offlineMs } from "./lines.ts";
import { type Phones, phoneDigest } from "./phones.ts";
import { isAtLeast, type SimCard } from "./wire.ts";

export type PhoneLinkDeps = Pick<Core, "clock" | "database" | "log" | "newId" | "random" | "sealer"> & {
  phones: Pick<Phones, "streams">;
  publicUrl: string | null;
};

/** The app accepts only digits. */
const codeDigits = 8;
/** How long the code and the page are valid, ms. */
const pairingMs = 15 * 60_000;
const maxSkewMs = 120_000;

/** What a person needs to link a phone, stored sealed with the phone. */
interface PhonePairing {
  method: LinkInput["method"];
  /** Who requested it; only they may see it. */
  by: string;
  code: string | null;
  /** The app's private token. */
  token: string;
  /** The last part of our page's address. */
  page: string | null;
}

/** The pairing in progress. Null if there is none or it has expired. */
function pairingOf(sealer: Core["sealer"], phone: PhonesTable, now: number): PhonePairing | null {
  const { pairing, pairing_expires_at: until, gateway_id } = phone;
  if (pairing === null || until === null || until <= now) return null;
  return JSON.parse(sealer.unseal(pairing, phonePairingContext(gateway_id)));
}

type LinkedGateway = Pick<GatewaysTable, "id" | "account_id" | "settings">;

/** The link as it is shown, with its QR code only as text. */
export type PhoneLink = Omit<LinkData, "qr"> & { qr: Omit<NonNullable<LinkData["qr"]>, "svg"> | null };

/** The owner of the phone that serves a gateway: itself, or the phone that its settings name. */
async function phoneOf(
  { database, sealer }: Pick<PhoneLinkDeps, "database" | "sealer">,
  gateway: LinkedGateway,
): Promise<{ phone: PhonesTable | null; owns: boolean; sim: number | "any" }> {
  const settings = androidSettings.parse(openSettings(sealer, gateway));
  const id = settings.phone === undefined ? gateway.id : await ownerOf(database, gateway, settings.phone);
  const phone = await database.run(readPhone, id);
  const isOwn = phone?.account_id === gateway.account_id;
  return { phone: isOwn ? phone : null, owns: id === gateway.id, sim: settings.sim };
}

async function ownerOf(
  database: PhoneLinkDeps["database"],
  { account_id: accountId }: LinkedGateway,
  named: string,
): Promise<string> {
  const own = await database.run(readPulledGateways, { accountId, kind: android.kind });
  return findPhoneOwner(own, named)?.id ?? named;
}

const servedElsewhere = {
  kind: "conflict",
  message: "The phone of this gateway is linked through the gateway that owns it.",
} as const;

/** The state of the link. `by`: the caller; the code is shown only to the person who requested it. */
export async function readPhoneLink(
  deps: PhoneLinkDeps,
  gateway: LinkedGateway,
  by: string,
): Promise<PhoneLink> {
  const { phone, sim, owns } = await phoneOf(deps, gateway);
  return describe(deps, phone, { sim, owns, by });
}

/** Creates what a person needs to link a phone, replacing the previous pairing. `token`: the app's private token. */
export async function startPhoneLink(
  deps: PhoneLinkDeps,
  gateway: LinkedGateway,
  { method, replace, by }: Pick<LinkInput, "method" | "replace"> & { by: string },
): Promise<{ kind: "started"; link: PhoneLink; token: string } | { kind: "conflict"; message: string }> {
  const { clock, database, newId, random, sealer } = deps;
  const { phone, owns, sim } = await phoneOf(deps, gateway);
  if (!owns) return servedElsewhere;
  if (phone !== null && phone.linked_at !== null && !replace)
    return { kind: "conflict", message: "A phone is linked. Unlink it first, or say `replace`." };
  const now = clock.now();
  const text = (bytes: number) => Buffer.from(random.bytes(bytes)).toString("base64url");
  const pairing: PhonePairing = {
    method,
    by,
    code: method === "enrol" ? null : digits(random),
    token: text(24),
    page: method === "qr" ? text(16) : null,
  };
  const digest = (secret: string | null) => (secret === null ? null : phoneDigest(sealer, secret));
  await database.run(offerPairing, {
    gateway_id: gateway.id,
    account_id: gateway.account_id,
    enrolment_hash: phoneDigest(sealer, pairing.token),
    code_hash: digest(pairing.code),
    page_hash: digest(pairing.page),
    pairing: sealer.seal(JSON.stringify(pairing), phonePairingContext(gateway.id)),
    pairing_expires_at: now + pairingMs,
    at: now,
    eventId: newId("gs"),
  });
  const link = describe(deps, await database.run(readPhone, gateway.id), { sim, owns, by });
  return { kind: "started", link, token: pairing.token };
}

/** Ends the phone's access immediately; the phone learns it from the answer to its next request. */
export async function endPhoneLink(
  deps: PhoneLinkDeps,
  gateway: LinkedGateway,
): Promise<{ kind: "ended" } | { kind: "conflict"; message: string }> {
  const { clock, database, newId } = deps;
  const { phone, owns } = await phoneOf(deps, gateway);
  if (!owns) return servedElsewhere;
  const notLinked = { kind: "conflict", message: "No phone is linked." } as const;
  if (phone === null) return notLinked;
  const gatewayIds = (await linesOf(deps, phone)).map((line) => line.gateway.id);
  const reason = "The link to the phone was ended manually.";
  const revoke = { id: gateway.id, gatewayIds, at: clock.now(), reason, eventId: newId("gs") };
  if (!(await database.run(revokePhone, revoke))) return notLinked;
  deps.phones.streams.end(gateway.id);
  return { kind: "ended" };
}

/** A code of random digits, all equally likely. */
function digits(random: Core["random"]): string {
  const bound = 10 ** codeDigits;
  for (;;) {
    const number = Buffer.from(random.bytes(4)).readUInt32BE();
    // The remainder above the last whole multiple would make small codes more likely.
    if (number < Math.floor(2 ** 32 / bound) * bound) return String(number % bound).padStart(codeDigits, "0");
  }
}

function describe(
  { clock, publicUrl, sealer }: Pick<PhoneLinkDeps, "clock" | "publicUrl" | "sealer">,
  phone: PhonesTable | null,
  of: { sim: number | "any"; owns: boolean; by: string },
): PhoneLink {
  const now = clock.now();
  const nothing: PhoneLink = {
    state: "unlinked",
    method: null,
    reason: null,
    warnings: publicUrl === null ? [noPublicUrl] : [],
    url: null,
    qr: null,
    code: null,
    device: null,
    limited_until: null,
    library: null,
  };
  if (phone === null) return nothing;
  const pairing = of.owns ? pairingOf(sealer, phone, now) : null;
  const expiresAt = isoTime(phone.pairing_expires_at ?? now);
  const shown = pairing?.by === of.by ? pairing : null;
  const url = shown?.page && publicUrl ? `${publicUrl}/link/${shown.page}` : null;
  return {
    ...nothing,
    state: stateOf(phone, pairing, now),
    method: pairing?.method ?? null,
    reason: phone.linked_at === null ? phone.ended_reason : null,
    warnings: [...nothing.warnings, ...warningsOf(phone, of.sim, now)],
    url,
    qr: url === null ? null : { text: url, expires_at: expiresAt },
    code: shown?.code ? { text: shown.code, expires_at: expiresAt } : null,
    device: phone.linked_at === null ? null : deviceOf(phone, phone.linked_at, of.sim),
  };
}

function stateOf(phone: PhonesTable, pairing: PhonePairing | null, now: number): LinkData["state"] {
  if (pairing !== null && pairing.method !== "enrol") return "waiting_for_code";
  if (phone.linked_at !== null) return now - (phone.seen_at ?? 0) > offlineMs ? "reconnecting" : "open";
  if (pairing !== null) return "waiting_for_code";
  if (phone.pairing !== null) return "expired";
  return phone.ended_reason === null ? "unlinked" : "logged_out";
}

function deviceOf(phone: PhonesTable, linkedAt: number, sim: number | "any"): LinkData["device"] {
  const sims = JSON.parse(phone.sims) as SimCard[];
  const card =
    sim === "any" ? (sims.length === 1 ? sims[0] : undefined) : sims.find(({ number }) => number === sim);
  return {
    id: phone.gateway_id,
    name: phone.name,
    number: card?.phoneNumber ?? null,
    platform: "android",
    version: phone.app_version,
    battery: phone.battery,
    linked_at: isoTime(linkedAt),
    seen_at: phone.seen_at === null ? null : isoTime(phone.seen_at),
  };
}

const noPublicUrl =
  "TRUNKLINE_PUBLIC_URL is not set: there is no page for the phone, and what it receives does not reach us.";
const versionText = (version: readonly number[]) => version.join(".");

function warningsOf(phone: PhonesTable, sim: number | "any", now: number): string[] {
  if (phone.linked_at === null) return [];
  const sims = JSON.parse(phone.sims) as SimCard[];
  const silentMs = now - (phone.seen_at ?? 0);
  const warnings: string[] = [];
  if (silentMs > offlineMs)
    warnings.push("The phone is offline: it has not reported for more than 35 minutes.");
  else if (silentMs > lateMs)
    warnings.push("The phone is late: it has not reported for more than 16 minutes.");
  if (phone.uses_push === 1)
    warnings.push(
      "The app's notification channel is not SSE only, so the phone asks for messages only every 15 minutes. Change it in the app's settings and restart the app.",
    );
  if (isOlder(phone.app_version, minimumVersion))
    warnings.push(`The app is older than ${versionText(minimumVersion)}: update it.`);
  else if (isOlder(phone.app_version, advisedVersion))
    warnings.push(
      `The app is older than ${versionText(advisedVersion)}, which reports more reliably that a message was sent.`,
    );
  if (sim !== "any" && sims.length === 0)
    warnings.push("The app does not report its SIMs: it needs the phone permission in order to choose one.");
  else if (sim !== "any" && !sims.some(({ number }) => number === sim))
    warnings.push(`The phone has no SIM in slot ${sim}.`);
  const skew = phone.clock_skew_ms;
  if (skew !== null && Math.abs(skew) > maxSkewMs)
    warnings.push(
      `The phone's clock is ${Math.round(Math.abs(skew) / 60_000)} minutes ${skew > 0 ? "fast" : "slow"}, so messages may expire on it too early or too late.`,
    );
  if (phone.battery !== null && phone.battery < 10)
    warnings.push(`The phone's battery is at ${phone.battery} %.`);
  return warnings;
}

/** The content of the page that a QR code opens; null if there is no such page, or it has expired. */
export async function findLinkPage(
  { clock, database, sealer }: Pick<PhoneLinkDeps, "clock" | "database" | "sealer">,
  shown: string,
): Promise<{ token: string; code: string | null; expiresAt: string } | null> {
  const phone = await database.run(findPhoneBy, { secret: "page", hash: phoneDigest(sealer, shown) });
  const pairing = phone && pairingOf(sealer, phone, clock.now());
  if (phone === null || pairing === null) return null;
  return { token: pairing.token, code: pairing.code, expiresAt: isoTime(phone.pairing_expires_at ?? 0) };
}

/** The first version of the app that can get notifications without Google's service. */
const minimumVersion: readonly [number, number, number] = [1, 53, 1];
/** Since this version the app reports reliably that a message was sent. */
const advisedVersion: readonly [number, number, number] = [1, 70, 3];

/** Whether a version of the app is older than another; false if it is not known. */
const isOlder = (version: string | null, than: readonly [number, number, number]): boolean =>
  version !== null && !isAtLeast(version, than);
