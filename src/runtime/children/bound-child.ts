// Runs in a child with permissions, before its module, and takes away what Node's permission model leaves it: signals to
// other processes and, with `?network=outside`, connections within this machine. It is JavaScript beside JavaScript and no
// boundary: code that looks for a way round may find one. What has to hold against such code is the operating system's work.

import { Socket as DatagramSocket } from "node:dgram";
import { lookup as dnsLookup } from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { BlockList, isIP, type LookupFunction, Server, Socket } from "node:net";

interface Target {
  host?: string | undefined;
  port?: unknown;
  path?: string | undefined;
  lookup?: LookupFunction | undefined;
}

for (const name of ["kill", "_kill", "_debugProcess", "_debugEnd"]) Reflect.deleteProperty(process, name);
if (new URL(import.meta.url).searchParams.get("network") === "outside") refuseThisMachine();
// A named import of a module would still find what was there before.
syncBuiltinESMExports();

function refuseThisMachine(): void {
  const thisMachine = new BlockList();
  thisMachine.addSubnet("127.0.0.0", 8, "ipv4");
  thisMachine.addAddress("::1", "ipv6");
  // The unspecified address leads to this machine, too.
  thisMachine.addSubnet("0.0.0.0", 8, "ipv4");
  thisMachine.addAddress("::", "ipv6");
  const isWithin = (address: string) => thisMachine.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  const refusal = () =>
    Object.assign(new Error("This process may not connect to its own machine."), { code: "EACCES" });
  const refuse = () => {
    throw refusal();
  };

  /** Looks up as `lookup` does, and fails for a name that leads to this machine. */
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
    if (target.path || (isIP(host) !== 0 && isWithin(host))) {
      delete target.path;
      target.host = "refused.invalid";
      target.port ??= 1;
      target.lookup = (_name, _options, done) => process.nextTick(done, refusal(), []);
    } else target.lookup = outside(target.lookup ?? (dnsLookup as LookupFunction));
    if (isPrepared) return connect.apply(this, values);
    const listener = values.find((value) => typeof value === "function");
    return connect.call(this, target, listener);
  }
  Socket.prototype.connect = connectOutside as typeof Socket.prototype.connect;
  Server.prototype.listen = refuse;
  // Nothing that runs here needs datagrams.
  for (const name of ["bind", "connect", "send"] as const) DatagramSocket.prototype[name] = refuse;
}

/** The arguments of `connect`, which are `target`, `path` or `port, host`, each with a listener behind it. */
function targetOf([first, second]: unknown[]): Target {
  if (typeof first === "object" && first !== null) return { ...first };
  if (typeof first === "string" && Number.isNaN(Number(first))) return { path: first };
  return { port: first, ...(typeof second === "string" && { host: second }) };
}
