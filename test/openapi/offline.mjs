// Loaded into the server under test before anything else: generated requests contain generated addresses, and none of
// them may be contacted. Only loopback can be reached, and no name resolves.

import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const loopback = /^(localhost|127\.|::1$)/;
const refusal = (what) => Object.assign(new Error(`offline: ${what}`), { code: "ENOTFOUND" });

const { lookup } = dns;
dns.lookup = (name, ...rest) =>
  loopback.test(name) ? lookup(name, ...rest) : process.nextTick(rest.at(-1), refusal(name));
const { lookup: lookupPromise } = dns.promises;
dns.promises.lookup = async (name, ...rest) => {
  if (loopback.test(name)) return await lookupPromise(name, ...rest);
  throw refusal(name);
};
for (const resolver of [dns.Resolver.prototype, dns]) {
  for (const method of Object.keys(Object.getOwnPropertyDescriptors(resolver)))
    if (/^(resolve|reverse)/.test(method))
      resolver[method] = (name, ...rest) => process.nextTick(rest.at(-1), refusal(name));
}
for (const resolver of [dns.promises.Resolver.prototype, dns.promises]) {
  for (const method of Object.keys(Object.getOwnPropertyDescriptors(resolver)))
    if (/^(resolve|reverse)/.test(method))
      resolver[method] = async (name) => {
        throw refusal(name);
      };
}
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function guarded(...given) {
  const options = Array.isArray(given[0]) ? given[0][0] : given[0];
  const host = typeof options === "object" ? (options.path ?? options.host ?? "localhost") : "localhost";
  if (options?.path !== undefined || loopback.test(host)) return connect.apply(this, given);
  process.nextTick(() => this.destroy(refusal(host)));
  return this;
};
syncBuiltinESMExports();
