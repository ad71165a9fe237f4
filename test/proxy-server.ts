// A proxy for tests, which speaks CONNECT of HTTP and SOCKS 5 on one port, asks for a login, and notes where it connected.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const name = "user";

export class ProxyServer {
  /** What it was asked to connect to, `host:port`. */
  readonly targets: string[] = [];
  /** Its own ports of those connections. */
  readonly localPorts = new Set<number>();
  /** What it takes; `url` has the first one. */
  password = "secret";
  readonly #sockets = new Set<Socket>();
  #port = 0;

  static async open(context: { after(done: () => void): void }): Promise<ProxyServer> {
    const proxy = new ProxyServer();
    const server = createServer((socket) => {
      proxy.#keep(socket);
      socket.once("data", (bytes: Buffer) => {
        if (bytes[0] === 5) void proxy.#socks(socket);
        else proxy.#http(socket, bytes.toString("latin1"));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    proxy.#port = (server.address() as AddressInfo).port;
    context.after(() => {
      server.close();
      for (const socket of proxy.#sockets) socket.destroy();
    });
    return proxy;
  }

  url(scheme: "http" | "socks5"): string {
    return `${scheme}://${name}:secret@127.0.0.1:${this.#port}`;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #http(socket: Socket, head: string): void {
    const login = Buffer.from(`${name}:${this.password}`).toString("base64");
    const [, host = "", port = ""] = /^CONNECT ([^\s:]+):(\d+) /.exec(head) ?? [];
    if (!head.includes(`Basic ${login}`)) return void socket.end("HTTP/1.1 407 Denied\r\n\r\n");
    this.#join(socket, host, Number(port), "HTTP/1.1 200 OK\r\n\r\n");
  }

  async #socks(socket: Socket): Promise<void> {
    const next = async () => ((await once(socket, "data")) as [Buffer])[0];
    socket.write(Uint8Array.of(5, 2));
    const login = await next();
    const nameLength = login[1] ?? 0;
    const password = login.subarray(3 + nameLength).toString();
    const isRight = login.subarray(2, 2 + nameLength).toString() === name && password === this.password;
    if (!isRight) return void socket.end(Uint8Array.of(1, 1));
    socket.write(Uint8Array.of(1, 0));
    const asked = await next();
    const isName = asked[3] === 3;
    const length = isName ? 1 + (asked[4] ?? 0) : 4;
    const host = isName ? asked.subarray(5, 4 + length).toString() : asked.subarray(4, 8).join(".");
    this.#join(socket, host, asked.readUInt16BE(4 + length), Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
  }

  #join(socket: Socket, host: string, port: number, answer: string | Uint8Array): void {
    this.targets.push(`${host}:${port}`);
    const far = connect(port, host, () => {
      this.localPorts.add(far.localPort ?? 0);
      socket.write(answer);
      socket.pipe(far).pipe(socket);
    });
    this.#keep(far);
    far.once("close", () => socket.destroy());
    socket.once("close", () => far.destroy());
  }
}
