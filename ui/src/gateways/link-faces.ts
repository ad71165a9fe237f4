// How each state of a link is presented, with the possible actions.

import type { GatewayLink } from "#ui/api/schema.ts";

type State = GatewayLink["state"];

interface LinkFace {
  /** The look of a status. */
  look: string;
  title: string;
  says: string;
  /** `pair`: a device can be linked. `code`: the code, valid or expired. `device`: the linked device, which can be unlinked or replaced. */
  shows: "pair" | "code" | "device" | "nothing";
  /** The label of the button that reconnects the linked device; null if that is automatic or impossible. */
  resume: string | null;
}

const face = (
  look: string,
  title: string,
  says: string,
  shows: LinkFace["shows"],
  resume: string | null = null,
): LinkFace => ({ look, title, says, shows, resume });

const nothingGoes = "Nothing is sent through this gateway until one is.";

export const linkFaces: Readonly<Record<State, LinkFace>> = {
  unlinked: face("unlinked", "No device is linked", nothingGoes, "pair"),
  expired: face("unlinked", "The code was not used in time", `No device is linked. ${nothingGoes}`, "pair"),
  connecting: face("waiting", "Connecting", "It continues automatically.", "nothing"),
  waiting_for_scan: face("waiting", "Scan the code", "The phone links this gateway with it.", "code"),
  waiting_for_code: face(
    "waiting",
    "Type the code on the phone",
    "The phone links this gateway with it.",
    "code",
  ),
  open: face("active", "Linked", "Messages are sent through the device.", "device"),
  reconnecting: face(
    "waiting",
    "Linked, but not connected",
    "It reconnects automatically. Messages wait meanwhile.",
    "device",
  ),
  limited: face(
    "waiting",
    "Linked, and limited by the provider",
    "The number may not write to new people, or not connect.",
    "device",
    "Retry now",
  ),
  replaced: face(
    "unlinked",
    "Another program uses the same link",
    "Stop that program, then reconnect. Messages wait meanwhile.",
    "device",
    "Take it back",
  ),
  wrong_number: face(
    "unlinked",
    "Another number was linked, and unlinked at once",
    "Link the phone with the previous number. The next code also accepts another number.",
    "pair",
  ),
  outdated: face(
    "unlinked",
    "The library is out of date",
    "The provider refuses this version of the library. Update Trunkline; it also retries automatically.",
    "device",
    "Retry now",
  ),
  needs_relink: face("unlinked", "The device has to be linked again", nothingGoes, "pair"),
  logged_out: face(
    "unlinked",
    "The link has ended",
    `The link was ended on the phone. ${nothingGoes}`,
    "pair",
  ),
  not_installed: face(
    "unlinked",
    "The library is not installed",
    "It talks to the device and is not part of Trunkline. Install it where Trunkline runs, then link the device.",
    "pair",
  ),
};

/** Whether linking must warn that another device or number replaces the current one. */
export const replaces = ({ state, device }: Pick<GatewayLink, "state" | "device">): boolean =>
  device !== null || state === "wrong_number";
