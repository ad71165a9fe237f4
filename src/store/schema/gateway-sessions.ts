// The tables of gateways that hold a connection, such as linked devices.

/** How the session of a gateway is that holds a connection. */
export interface GatewaySessionsTable {
  gateway_id: string;
  status: "connecting" | "pairing" | "connected" | "disconnected" | "logged_out";
  reason: string | null;
  /** What a person needs to link a device: JSON, sealed. */
  pairing: string | null;
  pairing_expires_at: number | null;
  /** Since when the device is linked; null: it is not. */
  linked_at: number | null;
  changed_at: number;
  /** Of a linked device: what its operator sees, JSON. */
  details: string | null;
  /** What a person asked of the link and no session has taken yet, JSON. */
  request: string | null;
}

/** What a session keeps between connections, one sealed value a key. */
export interface GatewayValuesTable {
  gateway_id: string;
  key: string;
  value: string;
}
