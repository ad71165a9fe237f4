// The links between gateways and the devices that serve them: each kind of gateway that has one says here how it is read, begun
// and ended.

import type { LinkData, StartLinkRequest } from "#contract/manage/links.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";

export type LinkedGateway = Pick<GatewaysTable, "id" | "account_id" | "identifier" | "settings">;

/** `token`: what the device is set up with, shown once. */
export type StartedLink =
  | { kind: "started"; link: LinkData; token: string | null }
  | { kind: "conflict"; message: string };

export type EndedLink =
  /** `toldDevice`: the device knows already. */
  { kind: "ended"; toldDevice: boolean } | { kind: "not_linked" } | { kind: "conflict"; message: string };

/** How gateways of a kind are linked to a device. */
export interface DeviceLink<Deps> {
  kind: string;
  read(deps: Deps, gateway: LinkedGateway): Promise<LinkData>;
  start(deps: Deps, gateway: LinkedGateway, request: StartLinkRequest): Promise<StartedLink>;
  end(deps: Deps, gateway: LinkedGateway): Promise<EndedLink>;
}
