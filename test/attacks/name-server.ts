// A name server on UDP that answers as an attacker's does: A, AAAA and CNAME records with a TTL of 0, other ones at each
// look-up. Only what glibc and c-ares ask is spoken (RFC 1035).

import { createSocket, type RemoteInfo } from "node:dgram";
import { isIPv6 } from "node:net";

/** The addresses of a name, or `→ other.name`. `lookUp` counts from 0 for each name, by questions for A records. */
export type Answers = (lookUp: number) => readonly string[];

export interface NameServer {
  port: number;
  zone: Map<string, Answers>;
  /** Addresses and targets that were given out so far, by name. */
  answered: Map<string, string[]>;
  close(): Promise<void>;
}

const typeA = 1;
const typeCname = 5;
const typeAaaa = 28;

/** A name in labels. */
function nameBytes(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  // The URL standard's writer leaves no dots and no zone; `::` stands for what is missing.
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [start = "", end] = text.split("::") as [string, string?];
  const words = (part: string | undefined) => (part ? part.split(":") : []);
  const missing = end === undefined ? 0 : 8 - words(start).length - words(end).length;
  const all = [...words(start), ...Array<string>(missing).fill("0"), ...words(end)];
  const bytes = Buffer.alloc(16);
  for (const [at, word] of all.entries()) bytes.writeUInt16BE(Number.parseInt(word, 16), at * 2);
  return bytes;
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  // Bytes 4 to 7: a TTL of 0.
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fields, data]);
}

/** The first question of a message; null when it has no question. */
function questionOf(message: Buffer): { name: string; type: number; end: number } | null {
  if (message.length < 17 || message.readUInt16BE(4) === 0) return null;
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0 && length < 64; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (at + 5 > message.length) return null;
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

export async function openNameServer(host = "127.0.0.1", port = 0): Promise<NameServer> {
  const zone = new Map<string, Answers>();
  const answered = new Map<string, string[]>();
  const lookUps = new Map<string, number>();
  const socket = createSocket("udp4");

  /** The chain of a name; each link counts its own look-ups. Null: there is no such name. */
  function chain(name: string, type: number): Buffer[] | null {
    const records: Buffer[] = [];
    let at = name;
    for (let link = 0; link < 8; link += 1) {
      const answers = zone.get(at);
      if (answers === undefined) return link === 0 ? null : records;
      const asked = lookUps.get(`${at} ${name}`) ?? 0;
      if (type === typeA) lookUps.set(`${at} ${name}`, asked + 1);
      const values = answers(asked);
      const target = values.find((value) => value.startsWith("→ "))?.slice(2);
      const fitting = values.filter(
        (value) => !value.startsWith("→ ") && isIPv6(value) === (type === typeAaaa),
      );
      answered.set(name, [...(answered.get(name) ?? []), ...(target === undefined ? fitting : [target])]);
      if (target === undefined) {
        if (type === typeA || type === typeAaaa)
          records.push(...fitting.map((address) => record(at, type, addressBytes(address))));
        return records;
      }
      records.push(record(at, typeCname, nameBytes(target)));
      at = target;
    }
    return records;
  }

  socket.on("message", (message: Buffer, from: RemoteInfo) => {
    const question = questionOf(message);
    if (question === null) return;
    const records = chain(question.name, question.type);
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    // An authoritative answer; 3: no such name.
    head.writeUInt16BE(0x8580 | (records === null ? 3 : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records?.length ?? 0, 6);
    socket.send(
      Buffer.concat([head, message.subarray(12, question.end), ...(records ?? [])]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, host, resolve);
  });
  return {
    port: socket.address().port,
    zone,
    answered,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

export interface Ground {
  /** Addresses that may be called, of version 4. */
  open: string;
  /** Addresses that may not. */
  inside: readonly string[];
  inside6: readonly string[];
}

/** What an attacker's names answer; each trick is a function of the look-up. */
export function rebindingTricks({ open, inside, inside6 }: Ground): Record<string, Answers> {
  const tricks: Record<string, Answers> = { control: () => [open] };
  for (const address of inside) {
    const label = address.replaceAll(".", "-");
    tricks[`flips-to-${label}`] = (at) => [at % 2 === 0 ? open : address];
    tricks[`flips-from-${label}`] = (at) => [at % 2 === 0 ? address : open];
    tricks[`mixed-${label}`] = () => [open, address];
    tricks[`mixed-first-${label}`] = () => [address, open];
    tricks[`always-${label}`] = () => [address];
    tricks[`alias-${label}`] = () => [`→ always-${label}.rebind.test`];
    tricks[`alias-flips-${label}`] = (at) => [
      `→ ${at % 2 === 0 ? "control" : `always-${label}`}.rebind.test`,
    ];
  }
  for (const [at, address] of inside6.entries()) {
    tricks[`six-mixed-${at}`] = () => [open, address];
    tricks[`six-flips-${at}`] = (lookUp) => (lookUp % 2 === 0 ? [open] : [address]);
    tricks[`six-always-${at}`] = () => [address];
    tricks[`six-alias-${at}`] = () => [`→ six-always-${at}.rebind.test`];
  }
  tricks["alias-of-alias"] = () => ["→ alias-middle.rebind.test"];
  tricks["alias-middle"] = () => [`→ always-${inside[0]!.replaceAll(".", "-")}.rebind.test`];
  tricks["alias-localhost"] = () => ["→ localhost"];
  tricks.many = () => [
    ...Array.from({ length: 20 }, (_, at) => `${open.replace(/\d+$/, "")}${at + 1}`),
    inside[0]!,
  ];
  return tricks;
}
