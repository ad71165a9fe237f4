// The setting `proxy` of a linked device: what is an address of a proxy, what the outbound guard judges, and what is shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bridgePermissions, whatsappLinked } from "#gateways/whatsapp/linked/linked.ts";
import { linkedSettings } from "#gateways/whatsapp/linked/settings.ts";
import { masked, secretsIn } from "#settings/secrets.ts";

const settingsWith = (proxy: string | null) => linkedSettings.parse({ accept_risk: true, proxy });

test("an address of a proxy has a scheme, a host, and perhaps a login and a port", () => {
  for (const proxy of [
    "http://proxy.example.com",
    "https://name:pa%3Ass@proxy.example.com:8443/",
    "socks5://192.0.2.1:1080",
    "socks5://name:password@[2001:db8::1]",
  ])
    assert.equal(settingsWith(proxy).proxy, proxy);
  for (const proxy of [
    "proxy.example.com:1080",
    "socks4://proxy.example.com",
    "http://",
    "http://proxy.example.com/path",
    "http://proxy.example.com?a",
    "socks5://name:%zz@proxy.example.com",
    "socks5://pro xy",
  ])
    assert.equal(linkedSettings.safeParse({ accept_risk: true, proxy }).success, false, proxy);
});

test("the guard judges the proxy's server, without the login", () => {
  const urlsOf = (proxy: string | null) => whatsappLinked.urls(settingsWith(proxy));
  assert.deepEqual(urlsOf(null), []);
  assert.deepEqual(urlsOf("socks5://name:password@proxy.example.com"), ["http://proxy.example.com:1080/"]);
  assert.deepEqual(urlsOf("https://[2001:db8::1]"), ["http://[2001:db8::1]:443/"]);
});

test("the whole address is a secret, and the bridge may connect to its server alone", () => {
  const settings = settingsWith("socks5://name:password@proxy.example.com");
  assert.equal(masked(linkedSettings, settings).proxy, "••••");
  assert.deepEqual(secretsIn(linkedSettings, settings), [settings.proxy]);
  const bridge = { module: () => new URL("file:///a/main.ts"), folder: new URL("file:///a/") };
  assert.equal(bridgePermissions(bridge, settings).only, "proxy.example.com:1080");
  assert.equal(bridgePermissions(bridge, settingsWith(null)).only, null);
});
