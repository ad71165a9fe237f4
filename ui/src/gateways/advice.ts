// What to do about a paused gateway, by the code of the message that it refused.

interface Advice {
  text: string;
  /** Whether the remedy is a change of the gateway's settings. */
  settings: boolean;
}

const advised: readonly (readonly [codes: readonly string[], text: string, settings: boolean])[] = [
  [
    ["http_401", "http_403"],
    "The provider refuses the credentials: a key is wrong, was revoked, or may not do this.",
    true,
  ],
  [["http_402"], "The provider account has no balance, or has reached a limit.", false],
  [
    ["http_404", "http_405", "http_410"],
    "The provider does not know this address: a path, an account id or a region in the settings is wrong.",
    true,
  ],
  [
    ["unreachable"],
    "The provider's host cannot be reached: check its name and the firewall, or the provider is down. Trunkline retries automatically.",
    false,
  ],
  [
    ["url_not_allowed"],
    "The address is in a private network. An operator can allow it with TRUNKLINE_OUTBOUND_ALLOW.",
    false,
  ],
  [["not_connected"], "The connection is not open. The messages are sent once it is.", false],
  [
    ["http_301", "http_302", "http_307", "http_308"],
    "The provider redirects to another address. Redirects are not followed: enter the new address.",
    true,
  ],
];

/** Null if the code says no more than the provider's own words. */
export function adviceFor(code: string | null | undefined): Advice | null {
  const found = advised.find(([codes]) => codes.includes(code ?? ""));
  return found === undefined ? null : { text: found[1], settings: found[2] };
}
