// People who write back, in the simulator's process: messages handed over as Twilio does, each with an id and a
// marker of its own, over and over until the service takes it, and some of them once more.

import { createHmac } from "node:crypto";
import type { Handed } from "./evidence.ts";
import { type Journal, readJournal } from "./journal.ts";
import { markedText, pause } from "./marker.ts";
import { patience, postUntilTaken } from "./posting.ts";

/** `came`: before its first post; `taken`: after a 2xx. */
type Line =
  | { what: "came"; marker: string; account: string; gateway: string }
  | { what: "taken"; marker: string };

/** Inbound messages, handed over as Twilio does. */
export interface InboundSettings {
  /** Where the server may be reached; a post goes to the next one when one does not answer. */
  bases: string[];
  /** What the server believes its address is: Twilio signs it. */
  publicUrl: string;
  accountSid: string;
  authToken: string;
  gateways: { account: string; gateway: string }[];
  /** A new message about that often. */
  everyMs: number;
  /** Chance that a message comes again after it was taken. */
  twice: number;
}

export interface Source {
  /** Hands messages over from here on; null: no new ones. */
  set(settings: InboundSettings | null): void;
}

interface Watch {
  /** A message began, or ended, being handed over. */
  begun(): void;
  ended(taken: boolean): void;
}

/** `run` makes the markers unique. */
export function createSource(journal: Journal, run: string, random: () => number, watch: Watch): Source {
  let settings: InboundSettings | null = null;
  let running = false;
  let seq = 0;

  async function handOver(to: InboundSettings): Promise<void> {
    const target = to.gateways[Math.floor(random() * to.gateways.length)];
    if (target === undefined) return;
    seq += 1;
    const marker = `${run}.${seq}`;
    const form = new URLSearchParams({
      MessageSid: `SM${run}${String(seq).padStart(8, "0")}`,
      AccountSid: to.accountSid,
      From: `+4917${String(100000000 + seq)}`,
      To: "+15005550006",
      Body: markedText(marker),
      NumMedia: "0",
    });
    const path = `/callbacks/${target.gateway}`;
    const call = {
      bases: () => to.bases,
      path,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": sign(to.authToken, `${to.publicUrl}${path}`, form),
      },
      body: form.toString(),
    };
    watch.begun();
    await journal.add({ what: "came", marker, ...target } satisfies Line);
    const again = random() < to.twice;
    let taken = await postUntilTaken(call, patience);
    if (taken) await journal.add({ what: "taken", marker } satisfies Line);
    if (taken && again) {
      taken = await postUntilTaken(call, patience);
      if (taken) await journal.add({ what: "taken", marker } satisfies Line);
    }
    watch.ended(taken);
  }

  async function handOverInTurn(): Promise<void> {
    running = true;
    while (settings !== null) {
      void handOver(settings);
      await pause(settings.everyMs * 2 * random());
    }
    running = false;
  }

  return {
    set(next) {
      settings = next;
      if (next !== null && !running) void handOverInTurn();
    },
  };
}

/** By the words of Twilio's documentation: base64 of HMAC-SHA1 over the URL and, in order, each name with its value. */
function sign(authToken: string, url: string, form: URLSearchParams): string {
  const pairs = [...form].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac("sha1", authToken)
    .update(url + pairs.flat().join(""))
    .digest("base64");
}

/** What was handed over, from the journal. */
export function readHanded(path: string): Handed[] {
  const handed = new Map<string, Handed>();
  for (const line of readJournal<Line>(path)) {
    const { marker } = line;
    const known = handed.get(marker);
    if (line.what === "came")
      handed.set(marker, { marker, account: line.account, gateway: line.gateway, taken: 0 });
    else if (known !== undefined) known.taken += 1;
  }
  return [...handed.values()];
}
