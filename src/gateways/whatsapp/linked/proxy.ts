// The proxy of a linked device, which carries everything that WhatsApp sees of it.

import { z } from "zod";
import { proxyServer } from "#runtime/net/proxy.ts";
import { hostField, urlMark } from "#settings/url.ts";

const host = hostField();

function isProxy(text: string): boolean {
  if (!/^(?:https?|socks5):\/\/[^\s/?#]+\/?$/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null) return false;
  const { username, password } = url;
  const isReadable = [username, password].every((part) => {
    try {
      return decodeURIComponent(part).length <= 255;
    } catch {
      return false;
    }
  });
  return isReadable && host.safeParse(proxyServer(url).host).success;
}

/** A secret, since it may have a login. */
export const proxyField = z
  .string()
  .max(2_000)
  .refine(
    isProxy,
    "Must be an address such as socks5://name:password@proxy.example.com:1080 (http, https, socks5).",
  )
  .meta({ secret: true, ...urlMark })
  .nullable()
  .default(null)
  .describe(
    "The proxy through which the device reaches WhatsApp, with its connection and its files: `http://`, `https://` or `socks5://`, with a login where it wants one. Null: none.",
  );
