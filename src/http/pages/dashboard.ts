// The dashboard's files: a client of the management API that runs in the browser. Every path without a route that a browser opens as a page
// gets the same document, which selects its page by the path.

import type { IncomingMessage } from "node:http";
import type { Reply } from "#http/reply/response.ts";
import { readStaticFiles, type StaticFile } from "./static-files.ts";

/** No inline script or style, no other host, and no text that becomes markup (Trusted Types). */
export const dashboardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The server's own first segments: never pages of the dashboard. */
const reserved = new Set([
  "api",
  "assets",
  "callbacks",
  "docs",
  "health",
  "metrics",
  "openapi.json",
  "setup",
  "t",
  "u",
]);

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  html: "text/html; charset=utf-8",
  woff2: "font/woff2",
};

const notBuilt = `The dashboard has not been built, so there is no page here. Build it with: npm run build:ui
Then start the service again. Everything else works without it; /docs describes the API.
`;

/** Answers a request that matches no route; null if it is not for the dashboard. */
type Dashboard = (request: IncomingMessage) => Reply | null;

/** The dashboard built into a folder, which is read at the first request for it. */
export function createDashboard(folder: string): Dashboard {
  let files: ReadonlyMap<string, StaticFile> | undefined;

  function fileReply(request: IncomingMessage, name: string, file: StaticFile): Reply {
    const zipped = file.gzip !== null && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const page = name === "index.html";
    return {
      status: 200,
      body: zipped && file.gzip !== null ? file.gzip : file.bytes,
      type: types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
      headers: {
        // The names of assets change with their content.
        "Cache-Control": page ? "no-store" : "public, max-age=31536000, immutable",
        ...(page ? { "Content-Security-Policy": dashboardPolicy } : {}),
        ...(zipped ? { "Content-Encoding": "gzip" } : {}),
        Vary: "Accept-Encoding",
      },
    };
  }

  return (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    const path = (request.url ?? "").split(/[?#]/, 1)[0] ?? "";
    const [, first = ""] = path.split("/", 2);
    if (first === "assets") {
      files ??= readStaticFiles(folder);
      const name = path.slice(1);
      const file = files.get(name);
      return file === undefined ? null : fileReply(request, name, file);
    }
    if (!path.startsWith("/") || reserved.has(first)) return null;
    if (!String(request.headers.accept ?? "").includes("text/html")) return null;
    files ??= readStaticFiles(folder);
    const index = files.get("index.html");
    return index === undefined ? { status: 404, body: notBuilt } : fileReply(request, "index.html", index);
  };
}
