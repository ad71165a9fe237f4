// What the end of a connection means for a linked device, by the library's status code.

import type { LinkState, LinkWord } from "#contract/manage/link-state.ts";

/**
 * - `again`: the network or the server; connected again after a back-off that begins at `firstMs`
 * - `replaced`: another process opened the same link
 * - `banned_for`: a ban with an end; nothing may connect before it
 * - `refused`: connected again after a long while, because each try counts against the number
 * - `ended`: the link is over, and its keys are of no use any more
 */
type Disconnect =
  | { kind: "again"; firstMs: number }
  | { kind: "replaced" }
  | { kind: "banned_for"; reason: string }
  | { kind: "refused"; state: LinkState; reason: string }
  | { kind: "ended"; word: LinkWord; reason: string };

const bans: ReadonlyMap<string, string> = new Map([
  ["101", "it wrote to too many people"],
  ["102", "too many people blocked it"],
  ["103", "it made too many groups"],
  ["104", "it sent the same message too often"],
  ["106", "it sent too many broadcasts"],
]);

/** `code`: null if the library gives none. `detail`: WhatsApp's number of the reason of a ban. */
export function disconnectOf(code: number | null, detail: string | null): Disconnect {
  switch (code) {
    case 401:
      return { kind: "ended", word: "logged_out", reason: "The device was removed on the phone." };
    case 403:
      return { kind: "ended", word: "locked", reason: "WhatsApp locked the account, or the phone is gone." };
    case 406:
      return { kind: "ended", word: "banned", reason: "WhatsApp banned the account." };
    case 402: {
      const why = bans.get(detail ?? "");
      const because = why === undefined ? "" : `, because ${why}`;
      return { kind: "banned_for", reason: `WhatsApp banned the number for a time${because}.` };
    }
    case 405:
      return {
        kind: "refused",
        state: "outdated",
        reason: "WhatsApp refuses this version of the library; set `wa_version`, or update it.",
      };
    case 409:
    case 411:
    case 413:
    case 414:
    case 415:
    case 418:
      return {
        kind: "refused",
        state: "reconnecting",
        reason: `WhatsApp refuses the connection (${code}).`,
      };
    case 440:
      return { kind: "replaced" };
    case 400:
      return {
        kind: "refused",
        state: "reconnecting",
        reason: "The server did not prove that it is WhatsApp's.",
      };
    default:
      return { kind: "again", firstMs: code !== null && code >= 500 ? 5_000 : 1_000 };
  }
}
