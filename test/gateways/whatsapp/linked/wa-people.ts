// People on the WhatsApp server of tests, each with a phone that has keys of its own.

import {
  type Bytes,
  bigEndian,
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
