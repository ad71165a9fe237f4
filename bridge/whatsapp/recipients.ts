// Whether a number is on WhatsApp, and with which devices. Each look-up counts against the number that makes it, so answers are kept.

import type { SendResult } from "../../src/gateways/whatsapp/linked/protocol.ts";
import type { DeviceValues } from "./keys.ts";
import type { Library, Socket } from "./library.ts";

const day = 86_400_000;
const knownMs = { yes: 30 * day, no: day };
const devicesMs = 3_600_000;

type Found =
  | { kind: "found"; jid: string }
  | { kind: "not_on_whatsapp" | "check_failed" | "throttled" | "no_devices" };

export const isThrottled = (error: unknown): boolean => (error as { data?: unknown } | null)?.data === 429;

export class Recipients {
  readonly #library: Library;
  readonly #values: DeviceValues;
  readonly #checks: boolean;
  readonly #devices = new Map<string, { at: number; devices: unknown }>();

  /** `checks`: whether numbers are looked up. */
  constructor(library: Library, values: DeviceValues, checks: boolean) {
    this.#library = library;
    this.#values = values;
    this.#checks = checks;
  }

  /** The address of a number, or of a person who hides theirs (`…@lid`), that has a device. */
  async find(socket: Socket, number: string): Promise<Found> {
    const found = await this.#address(socket, number);
    if (found.kind !== "found") return found;
    const { jid } = found;
    try {
      const devices = await socket.getUSyncDevices([jid], true, false);
      const hasDevice =
        devices.some(({ user }) => !this.#values.isOwn(user)) ||
        this.#values.isOwn(this.#library.jidDecode(jid)?.user);
      return hasDevice ? found : { kind: "no_devices" };
    } catch (error) {
      return { kind: isThrottled(error) ? "throttled" : "check_failed" };
    }
  }

  /** The result with the sender of messages from the address, if it differs from the number that was looked up. */
  named(result: SendResult, jid: string, number: string): SendResult {
    const { user = jid, server } = this.#library.jidDecode(jid) ?? {};
    const knownAs = server === "s.whatsapp.net" ? `+${user}` : `${user}@${server}`;
    return result.kind === "acked" && knownAs !== number ? { ...result, knownAs } : result;
  }

  /** The devices of a recipient have changed. */
  forgetDevices(): void {
    this.#devices.clear();
  }

  /** The library's own cache lasts five minutes, and each renewal uses up a one-time key of the contact. */
  devicesCache() {
    const cache = this.#devices;
    return {
      get: (user: string) => {
        const entry = cache.get(user);
        return entry !== undefined && Date.now() - entry.at < devicesMs ? entry.devices : undefined;
      },
      set: (user: string, devices: unknown) => void cache.set(user, { at: Date.now(), devices }),
      del: (user: string) => void cache.delete(user),
      flushAll: () => cache.clear(),
    };
  }

  async #address(socket: Socket, number: string): Promise<Found> {
    if (number.endsWith("@lid")) return { kind: "found", jid: number };
    if (this.#checks) return await this.#lookUp(socket, number);
    return { kind: "found", jid: `${number.replace(/\D/g, "")}@s.whatsapp.net` };
  }

  /** Whether the number is on WhatsApp, by an answer of the last month or a new one. */
  async #lookUp(socket: Socket, number: string): Promise<Found> {
    const key = `known:${number}`;
    const stored = this.#values.value(key);
    if (stored !== undefined) {
      const { jid, at } = JSON.parse(stored) as { jid: string | null; at: number };
      if (Date.now() - at < (jid === null ? knownMs.no : knownMs.yes))
        return jid === null ? { kind: "not_on_whatsapp" } : { kind: "found", jid };
    }
    try {
      const answer = await socket.onWhatsApp(number);
      if (answer === undefined) return { kind: "check_failed" };
      const jid = answer.find(({ exists }) => exists)?.jid ?? null;
      await this.#values.write([[key, JSON.stringify({ jid, at: Date.now() })]]);
      return jid === null ? { kind: "not_on_whatsapp" } : { kind: "found", jid };
    } catch (error) {
      return { kind: isThrottled(error) ? "throttled" : "check_failed" };
    }
  }
}
