// People on the WhatsApp server of tests, each with a phone that has keys of its own.

import {
  type Bytes,
  bigEndian,
  child,
  children,
  type KeyPair,
  type Lib,
  type Node,
  type PeerSignal,
  silent,
} from "./wa-library.ts";

/** A person with one device, the phone. */
export interface Person {
  pn: string;
  lid: string;
  identity: KeyPair;
  signedPreKey: ReturnType<Lib["signedKeyPair"]>;
  registrationId: number;
  nextPreKey: number;
  keys: Map<string, unknown>;
  signal: PeerSignal;
}

export function makePerson(lib: Lib, digits: string): Person {
  const { Curve, signedKeyPair, addTransactionCapability, DEFAULT_CONNECTION_CONFIG } = lib;
  const identity = Curve.generateKeyPair();
  const keys = new Map<string, unknown>();
  const store = {
    get: async (type: string, ids: string[]) =>
      Object.fromEntries(
        ids.filter((id) => keys.has(`${type} ${id}`)).map((id) => [id, keys.get(`${type} ${id}`)]),
      ),
    set: async (data: Record<string, Record<string, unknown>>) => {
      for (const [type, values] of Object.entries(data))
        for (const [id, value] of Object.entries(values)) keys.set(`${type} ${id}`, value);
    },
  };
  const signedPreKey = signedKeyPair(identity, 1);
  const registrationId = 7;
  const creds = { signedIdentityKey: identity, signedPreKey, registrationId };
  const options = { maxCommitRetries: 1, delayBetweenTriesMs: 0 };
  const auth = { creds, keys: addTransactionCapability(store, silent, options) };
  const signal = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, silent, async () => []);
  return {
    pn: digits,
    lid: `9${digits}`,
    identity,
    signedPreKey,
    registrationId,
    nextPreKey: 1,
    keys,
    signal,
  };
}

/** The keys with which a session with the person's phone begins; each time another one-time key. */
export function bundleOf(lib: Lib, person: Person, jid: string): Node {
  const preKey = lib.Curve.generateKeyPair();
  const id = person.nextPreKey;
  person.nextPreKey += 1;
  person.keys.set(`pre-key ${id}`, preKey);
  const key = (tag: string, keyId: number, value: Bytes, ...more: Node[]) => ({
    tag,
    attrs: {},
    content: [
      { tag: "id", attrs: {}, content: bigEndian(keyId, 3) },
      { tag: "value", attrs: {}, content: value },
      ...more,
    ],
  });
  const { keyPair, signature, keyId } = person.signedPreKey;
  return {
    tag: "user",
    attrs: { jid },
    content: [
      { tag: "registration", attrs: {}, content: bigEndian(person.registrationId, 4) },
      { tag: "type", attrs: {}, content: Buffer.from([5]) },
      { tag: "identity", attrs: {}, content: person.identity.public },
      key("skey", keyId, keyPair.public, { tag: "signature", attrs: {}, content: signature }),
      key("key", id, preKey.public),
    ],
  };
}

/** What the server knows of users: whether they are on WhatsApp, their devices, and their other id. */
export function usyncReply(usync: Node | undefined, people: ReadonlyMap<string, Person>): Node {
  const queried = children(child(usync, "query")).map(({ tag }) => tag);
  const users = children(child(usync, "list")).map((user): Node => {
    const contact = child(user, "contact")?.content;
    const phone =
      contact === undefined
        ? ""
        : Buffer.from(contact as string)
            .toString()
            .replace(/\D/g, "");
    const name = user.attrs.jid?.split(/[:@]/)[0] ?? phone;
    const person = people.get(name);
    const jid = user.attrs.jid ?? `${person?.pn ?? name}@s.whatsapp.net`;
    const devices = person === undefined ? [] : [{ tag: "device", attrs: { id: "0" } }];
    const parts: Record<string, Node> = {
      contact: { tag: "contact", attrs: { type: person === undefined ? "out" : "in" } },
      devices: {
        tag: "devices",
        attrs: {},
        content: [{ tag: "device-list", attrs: {}, content: devices }],
      },
      ...(person && { lid: { tag: "lid", attrs: { val: `${person.lid}@lid` } } }),
    };
    return { tag: "user", attrs: { jid }, content: queried.flatMap((part) => parts[part] ?? []) };
  });
  const list = { tag: "list", attrs: {}, content: users };
  return { tag: "usync", attrs: {}, content: [{ tag: "result", attrs: {} }, list] };
}
