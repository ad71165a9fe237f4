// Addresses of this machine that the attacks use. Linux has all of 127.0.0.0/8, so that clients can come from many
// networks, and what the service may call is one address outside those that it must not call.

export const isLinux = process.platform === "linux";

/** Where the peers of the service are; the only address that its outbound guard lets through. */
export const peerAddress = isLinux ? "127.77.0.1" : "127.0.0.1";

/** Requests from here may say in X-Forwarded-For whose they are. */
export const proxyAddress = "127.0.0.9";

/** A client's address in a network of its own; undefined where there is only one loopback address. */
export function clientAddress(number: number): string | undefined {
  return isLinux ? `127.0.${1 + Math.floor(number / 250)}.${1 + (number % 250)}` : undefined;
}
