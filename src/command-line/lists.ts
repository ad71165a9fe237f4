// `trunkline gateways`, `pools` and `tokens`: lists of an account's gateways and pools, and of management tokens.

import { type AccessOptions, chosenAccount, managementOf } from "./access.ts";
import { plain, type Result, type Terminal, table } from "./terminal.ts";

interface Gateway {
  identifier: string;
  channel: string;
  kind: string;
  state: string;
  default: boolean;
  waiting: number;
  pause: { reason?: string | null } | null;
}

/** The gateways of an account. */
export async function gateways(terminal: Terminal, options: AccessOptions): Promise<Result> {
  const api = await managementOf(terminal, options);
  const { id } = await chosenAccount(api, options);
  const rows = await Array.fromAsync(api.rows<Gateway>(`/api/manage/v1/accounts/${id}/gateways`));
  const shown = rows.map(({ identifier, channel, kind, state, waiting, pause, ...row }) => [
    identifier,
    channel,
    kind,
    row.default ? "default" : "",
    state,
    String(waiting),
    plain(pause?.reason ?? ""),
  ]);
  return { text: table(["gateway", "channel", "kind", "", "state", "waiting", "reason"], shown), data: rows };
}

interface Pool {
  id: string;
  name: string;
}

interface MemberHealth {
  name: string;
  state: string;
  until: string | null;
  in_flight: number;
  first_output_ms: number | null;
}

/** The pools of an account with the health of their members, as seen by the process that answers. */
export async function pools(terminal: Terminal, options: AccessOptions): Promise<Result> {
  const api = await managementOf(terminal, options);
  const { id } = await chosenAccount(api, options);
  const path = `/api/manage/v1/accounts/${id}/pools`;
  const rows: string[][] = [];
  const data: (Pool & { health: MemberHealth[] })[] = [];
  for await (const pool of api.rows<Pool>(path)) {
    const health = await Array.fromAsync(api.rows<MemberHealth>(`${path}/${pool.id}/health`));
    data.push({ ...pool, health });
    for (const { name, state, until, in_flight, first_output_ms } of health)
      rows.push([
        pool.name,
        name,
        state,
        until ?? "",
        String(in_flight),
        first_output_ms === null ? "" : `${Math.round(first_output_ms)} ms`,
      ]);
  }
  return { text: table(["pool", "member", "state", "until", "under way", "first word"], rows), data };
}

interface Token {
  name: string;
  hint: string;
  role: string;
  account: string | null;
  scopes: string[] | null;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** The management tokens of the installation, including revoked ones. */
export async function tokens(terminal: Terminal, options: AccessOptions): Promise<Result> {
  const api = await managementOf(terminal, options);
  const data = await Array.fromAsync(api.rows<Token>("/api/manage/v1/tokens"));
  const rows = data.map(({ name, hint, role, account, scopes, ...token }) => [
    plain(name),
    plain(hint),
    account === null ? role : `${role} of ${account}`,
    scopes === null ? "all" : scopes.join(" "),
    token.last_used_at ?? "never",
    token.revoked_at === null ? (token.expires_at ?? "never") : `revoked ${token.revoked_at}`,
  ]);
  return { text: table(["token", "", "role", "scopes", "last used", "ends"], rows), data };
}
