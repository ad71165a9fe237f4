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

const nothingGoes = "Nothing goes out through this gateway until one is.";

export const linkFaces: Readonly<Record<State, LinkFace>> = {
  unlinked: face("unlinked", "No device is linked", nothingGoes, "pair"),
  expired: face("unlinked", "The code was not used in time", `No device is linked. ${nothingGoes}`, "pair"),
  connecting: face("waiting", "Connecting", "It goes on by itself.", "nothing"),
  waiting_for_scan: face("waiting", "Scan the code", "The phone links this gateway with it.", "code"),
  waiting_for_code: face(
    "waiting",
    "Type the code on the phone",
    "The phone links this gateway with it.",
    "code",
  ),
  open: face("active", "Linked", "Messages go out through the device.", "device"),
  reconnecting: face(
    "waiting",
    "Linked, but not connected",
    "It connects again by itself. Messages wait meanwhile.",
    "device",
  ),
  limited: face(
    "waiting",
    "Linked, and limited by the provider",
    "The number may not write to new people, or not connect.",
    "device",
    "Try now",
  ),
  replaced: face(
    "unlinked",
    "Another program uses the same link",
    "Stop that program, then take the link back. Messages wait meanwhile.",
    "device",
    "Take it back",
  ),
  wrong_number: face(
    "unlinked",
    "Another number was linked, and unlinked at once",
    "Link the phone of the number that was linked before. The next code takes another number, too.",
    "pair",
  ),
  outdated: face(
    "unlinked",
    "The library is out of date",
    "The provider refuses this version of the library. Update Trunkline; it tries again by itself, too.",
    "device",
    "Try now",
  ),
  needs_relink: face("unlinked", "The device has to be linked again", nothingGoes, "pair"),
  logged_out: face("unlinked", "The link has ended", `It was ended over there. ${nothingGoes}`, "pair"),
  not_installed: face(
    "unlinked",
    "The library is not installed",
    "It speaks to the device, and is no part of Trunkline. Install it where Trunkline runs, then link the device.",
    "pair",
  ),
};

/** Whether linking must warn that another device or number replaces the current one. */
export const replaces = ({ state, device }: Pick<GatewayLink, "state" | "device">): boolean =>
  device !== null || state === "wrong_number";
