// The tables of gateways that hold a connection, such as linked devices.

/** The state of the session of a gateway that holds a connection. */
export interface GatewaySessionsTable {
  gateway_id: string;
  status: "connecting" | "pairing" | "connected" | "disconnected" | "logged_out";
  reason: string | null;
  /** What a person needs to link a device: JSON, sealed. */
  pairing: string | null;
  pairing_expires_at: number | null;
  /** Since when the device is linked; null if it is not. */
  linked_at: number | null;
  changed_at: number;
  /** For a linked device: what its operator sees, JSON. */
  details: string | null;
  /** A person's request for the link that no session has taken yet, JSON. */
  request: string | null;
}

/** The values that a session keeps between connections, sealed, one row per key. */
export interface GatewayValuesTable {
  gateway_id: string;
  key: string;
  value: string;
}
