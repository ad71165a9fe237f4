// The lanes of one process, and how each kind of lane is opened.

import type { AiGateway } from "#ai/ai.ts";
import { openDeferredLane } from "#ai/deferred/serve-deferred.ts";
import { openAlerts } from "#attention/alerts.ts";
import type { Core } from "#core/core.ts";
import { openMaintenance } from "#maintenance/maintenance.ts";
import type { RetentionPolicy } from "#maintenance/removals.ts";
import type { Acceptance } from "#messaging/accept/acceptance.ts";
import { openGateway, recoverGateway } from "#messaging/deliver/open-gateway.ts";
import { openReroute } from "#messaging/deliver/reroute.ts";
import { createMailFiles } from "#messaging/email/files.ts";
import { eventRecordOf } from "#messaging/record.ts";
import type { Phones } from "#phones/phones.ts";
import { Lanes } from "#queue/lanes.ts";
import { SharedChildren } from "#runtime/children/shared-children.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import { openFanOut } from "#webhooks/fan-out.ts";
import { openEndpointLane } from "#webhooks/open-endpoint.ts";

export interface LanesSettings {
  publicUrl: string | null;
  takeoverMs: number;
  /** How often a process sends its heartbeat and checks its lanes, ms. */
  heartbeatMs: number;
  /** How often due rows are read for all lanes, in case a notification is lost, ms. */
  pollMs: number;
  /** How often retention and overdue messages are handled, ms. */
  maintenanceMs: number;
  retention: RetentionPolicy;
}

/** A lane outside its sending hours notices a changed wall clock within this time. */
const maxLaneWaitMs = 60_000;
/** Maximum total size, bytes, of files being uploaded to providers that require it, in all lanes together. */
const maxFileBytes = 128 * 1024 * 1024;

/** The lanes of this process, and how each kind of lane is opened. */
export function createLanes(
  core: Core,
  settings: LanesSettings,
  processId: string,
  { acceptance, ai, phones }: { acceptance: Acceptance; ai: AiGateway; phones: Phones },
): Lanes {
  const { database, clock, log } = core;
  const { publicUrl, pollMs, heartbeatMs, retention } = settings;
  const deps = { ...core, publicUrl, pollMs, maxWaitMs: Math.max(pollMs, maxLaneWaitMs) };
  const sharedChildren = new SharedChildren(clock);
  const gateways = {
    ...deps,
    mailFiles: createMailFiles(database),
    fileBytes: new Semaphore(maxFileBytes),
    sharedChildren,
  };
  return new Lanes({
    database,
    clock,
    log,
    processId,
    takeoverMs: settings.takeoverMs,
    heartbeatMs,
    pollMs,
    onRemoteDue: (laneId, due) => phones.streams.due(laneId, due),
    // Only gateways have attempts to settle.
    recover: async (lane) => {
      if (lane.kind === "gateway") await recoverGateway(gateways, lane);
    },
    open: async (lane) => {
      switch (lane.kind) {
        case "gateway":
          return await openGateway(gateways, lane);
        case "webhook":
          return await openEndpointLane(deps, lane);
        case "deferred":
          return openDeferredLane({ ...deps, ai }, lane);
        case "fan_out":
          return openFanOut({ ...deps, record: eventRecordOf }, lane);
        case "maintenance":
          return openMaintenance({ ...core, retention, intervalMs: settings.maintenanceMs }, lane);
        case "reroute":
          return openReroute({ ...core, intervalMs: heartbeatMs }, lane);
        case "alerts":
          return openAlerts({ ...core, publicUrl, ai, acceptance, phones }, lane);
      }
    },
  });
}
