// Runs in a child with permissions, before its module, and removes the capabilities that Node's permission model still allows: signals to
// other processes, changing their priority and, with `?network=outside`, connections within this machine, or with `?only=host:port` all
// connections except to that server. It is JavaScript in the same process and not a security boundary: code that looks for a way around it
// may find one. Isolation from such code is the task of the operating system.

import { Socket as DatagramSocket } from "node:dgram";
import { lookup as dnsLookup } from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { BlockList, isIP, type LookupFunction, Server, Socket } from "node:net";
import os from "node:os";

interface Target {
  host?: string | undefined;
  port?: unknown;
  path?: string | undefined;
  lookup?: LookupFunction | undefined;
}

for (const name of ["kill", "_kill", "_debugProcess", "_debugEnd"]) Reflect.deleteProperty(process, name);
// It could slow down any process of this user, the service first.
Reflect.deleteProperty(os, "setPriority");
const { searchParams } = new URL(import.meta.url);
const onlyServer = searchParams.get("only");
if (searchParams.get("network") === "outside" || onlyServer !== null) refuseOthers();
// Named imports would still refer to the original functions.
syncBuiltinESMExports();

function refuseOthers(): void {
  const thisMachine = new BlockList();
  thisMachine.addSubnet("127.0.0.0", 8, "ipv4");
  thisMachine.addAddress("::1", "ipv6");
  // The unspecified address reaches this machine, too.
  thisMachine.addSubnet("0.0.0.0", 8, "ipv4");
  thisMachine.addAddress("::", "ipv6");
  const isWithin = (address: string) => thisMachine.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  const refusal = () => Object.assign(new Error("This process may not connect there."), { code: "EACCES" });
  const refuse = () => {
    throw refusal();
  };

  /** Looks up as `lookup` does, but fails for a name that resolves to this machine. */
  const outside =
    (lookup: LookupFunction): LookupFunction =>
    (name, options, done) =>
      lookup(name, options, (error, found, family) => {
        const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
        if (error === null && addresses.some(isWithin)) done(refusal(), []);
        else done(error, found, family);
      });

  const { connect } = Socket.prototype as unknown as {
    connect(this: Socket, ...values: unknown[]): Socket;
  };
  function connectOutside(this: Socket, ...values: unknown[]): Socket {
    const [first] = values;
    // Node's own callers pass a list of `[target, listener]` that it made of such arguments before.
    const isPrepared = Array.isArray(first);
    const target = (isPrepared ? first[0] : targetOf(values)) as Target;
    const host = target.host || "localhost";
    const isAddress = isIP(host) !== 0;
    // The parent has checked this one, which may be a proxy on this machine.
    const isOnly = `${host}:${target.port}` === onlyServer;
    const isRefused = onlyServer === null ? isAddress && isWithin(host) : !isOnly;
    if (target.path || isRefused) {
      delete target.path;
      target.host = "refused.invalid";
      target.port ??= 1;
      target.lookup = (_name, _options, done) => process.nextTick(done, refusal(), []);
    } else if (!isOnly || !(isAddress || host === "localhost"))
      target.lookup = outside(target.lookup ?? (dnsLookup as LookupFunction));
    if (isPrepared) return connect.apply(this, values);
    const listener = values.find((value) => typeof value === "function");
    return connect.call(this, target, listener);
  }
  Socket.prototype.connect = connectOutside as typeof Socket.prototype.connect;
  Server.prototype.listen = refuse;
  // Nothing that runs here needs datagrams.
  for (const name of ["bind", "connect", "send"] as const) DatagramSocket.prototype[name] = refuse;
}

/** The arguments of `connect`, which are `target`, `path` or `port, host`, each followed by a listener. */
function targetOf([first, second]: unknown[]): Target {
  if (typeof first === "object" && first !== null) return { ...first };
  if (typeof first === "string" && Number.isNaN(Number(first))) return { path: first };
  return { port: first, ...(typeof second === "string" && { host: second }) };
}
