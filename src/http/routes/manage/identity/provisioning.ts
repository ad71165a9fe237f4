// /api/manage/v1/installation/provisioning: applying and exporting the provisioning file, for the command line. A file sets every account and
// contains tokens, so a session or token could get rights by it that it does not have.

import {
  provisioningFileReply,
  provisioningReply,
  setProvisioningFileRequest,
} from "#contract/manage/installation.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import type { Head } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";

const path = "/api/manage/v1/installation/provisioning";

const refuse: Head["refuse"] = ({ kind }) =>
  kind === "command_line"
    ? null
    : problem("forbidden", {
        message: "Only the command line on the machine of the installation may use the provisioning file.",
      });

/** A file may have some thousand gateways. */
const maxBytes = 16 * 1_048_576;

export const setProvisioningFileRoute = endpoint({
  method: "POST",
  path,
  name: "setProvisioningFile",
  tag: "Installation",
  summary: "Apply a provisioning file",
  description:
    "For the command line of the installation's own machine (`trunkline provision FILE`). Applies a file as a start does, or says what that would change. With errors in the file nothing is changed. Users and management tokens get 403.",
  scope: "installation",
  refuse,
  maxBytes,
  body: setProvisioningFileRequest,
  replies: { 200: provisioningReply },
})(async ({ core: { provisioning }, input: { file, check } }) => {
  const result = check ? { ...(await provisioning.compare(file)), made: [] } : await provisioning.apply(file);
  const { errors, changes, made } = result;
  if (errors.length > 0) return validationFailed(errors.map((message) => ({ path: ["file"], message })));
  const message = check ? "The file was compared." : "The file was applied.";
  return { message, data: { changes, made } };
});

export const getProvisioningFileRoute = endpoint({
  method: "GET",
  path,
  name: "getProvisioningFile",
  tag: "Installation",
  summary: "Export the installation as a provisioning file",
  description:
    "For the command line of the installation's own machine (`trunkline provision --export`). The reply has accounts, gateways, sending domains, webhooks, hooks, pools and management tokens; a variable stands for each secret. Users and management tokens get 403.",
  scope: "installation",
  refuse,
  replies: { 200: provisioningFileReply },
})(async ({ core }) => ({ message: "Exported.", data: await core.provisioning.export() }));
