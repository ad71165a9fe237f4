// Exits with 0 if the service of this machine is ready, otherwise with 1 and the reason. It reads the settings for the address. A program
// of its own, because loading the service takes a second of CPU, and this runs every 10 s.
import { get } from "node:http";

const timeoutMs = 2_500;
const everyAddress = { "0.0.0.0": "127.0.0.1", "::": "::1" };
const host = process.env.TRUNKLINE_HOST || "127.0.0.1";
const request = get(
  {
    host: everyAddress[host] ?? host,
    port: process.env.TRUNKLINE_PORT || 8080,
    path: "/health/ready",
    timeout: timeoutMs,
  },
  (response) => {
    response.setEncoding("utf8");
    let body = "";
    response.on("data", (text) => (body += text));
    response.on("end", () => {
      if (response.statusCode !== 200) console.error(`Trunkline is not ready: ${body}`);
      process.exit(response.statusCode === 200 ? 0 : 1);
    });
  },
);
request.on("timeout", () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
request.on("error", (error) => {
  console.error(`Trunkline does not answer: ${error.message}`);
  process.exit(1);
});
