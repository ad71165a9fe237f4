// The greeting of a SOCKS 5 proxy (RFC 1928), with a name and a password (RFC 1929).

import type { Socket } from "node:net";
import { addressBytes } from "./address.ts";
import type { ConnectCallback } from "./connect.ts";

const version = 5;
const byPassword = 2;
const withoutLogin = 0;

interface Login {
  name: string;
  password: string;
}

/** Asks the proxy behind `socket` to connect it to `target`. The callback gets the socket, or an error; then the socket is closed. */
export function askSocks(
  socket: Socket,
  login: Login,
  target: { host: string; port: number },
  timeoutMs: number,
  callback: ConnectCallback,
): void {
  let received = Buffer.alloc(0);
  let read = onMethod;
  const end = (error: Error | null) => {
    clearTimeout(timer);
    socket.off("data", onData).off("error", onError).off("close", onClose);
    if (error === null) return callback(null, socket);
    socket.destroy();
    callback(error, null);
  };
  const onError = (error: Error) => end(error);
  const onClose = () => end(new Error("the proxy closed the connection"));
  const timer = setTimeout(() => end(new Error("the proxy gave no answer")), timeoutMs);
  const onData = (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    read();
  };

  /** Takes a reply of this length; null if it has not come. */
  function take(length: number): Buffer | null {
    if (received.length < length) return null;
    const reply = received.subarray(0, length);
    received = received.subarray(length);
    return reply;
  }

  function onMethod(): void {
    const reply = take(2);
    if (reply === null) return;
    if (reply[0] !== version) return void end(new Error("the proxy does not speak SOCKS 5"));
    if (reply[1] === withoutLogin) return void ask();
    if (reply[1] !== byPassword || login.name === "")
      return void end(new Error("the proxy accepts no login"));
    const name = Buffer.from(login.name);
    const password = Buffer.from(login.password);
    if (name.length > 255 || password.length > 255) return void end(new Error("the login is too long"));
    socket.write(
      Buffer.concat([Uint8Array.of(1, name.length), name, Uint8Array.of(password.length), password]),
    );
    read = onLogin;
  }

  function onLogin(): void {
    const reply = take(2);
    if (reply === null) return;
    if (reply[1] !== 0) return void end(new Error("the proxy refused the login"));
    ask();
  }

  function ask(): void {
    const address = targetBytes(target.host);
    if (address === null) return void end(new Error("the name is too long"));
    const port = Uint8Array.of(target.port >> 8, target.port & 255);
    socket.write(Buffer.concat([Uint8Array.of(version, 1, 0), address, port]));
    read = onConnected;
    onConnected();
  }

  function onConnected(): void {
    if (received.length < 5) return;
    const [spoken, reply, , kind, nameLength = 0] = received;
    const length = kind === 1 ? 4 : kind === 4 ? 16 : kind === 3 ? nameLength + 1 : null;
    if (length === null || spoken !== version) return void end(new Error("the proxy's reply is not valid"));
    if (take(4 + length + 2) === null) return;
    if (reply !== 0) return void end(new Error("the proxy could not connect"));
    // The server speaks only when it was asked something.
    end(received.length > 0 ? new Error("the proxy's reply is not valid") : null);
  }

  socket.on("data", onData).on("error", onError).on("close", onClose);
  const methods = login.name === "" ? [withoutLogin] : [byPassword, withoutLogin];
  socket.write(Uint8Array.of(version, methods.length, ...methods));
}

/** An address as itself, so that the proxy resolves nothing; a name with its length. */
function targetBytes(host: string): Uint8Array | null {
  const address = addressBytes(host);
  if (address !== null) return Uint8Array.of(address.length === 4 ? 1 : 4, ...address);
  const name = Buffer.from(host);
  return name.length > 255 ? null : Buffer.concat([Uint8Array.of(3, name.length), name]);
}
