// DELETE /api/manage/v1/accounts/{account}/gateways/{gateway}: immediately, or when its last message has ended.

import { deleteGateway } from "#configure/gateway-actions.ts";
import { gatewayDeletionReply } from "#contract/manage/gateways.ts";
import { problem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { gatewayParams } from "./gateways.ts";

export const deleteGatewayRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/accounts/{account}/gateways/{gateway}",
  name: "deleteGateway",
  tag: "Gateways",
  summary: "Delete a gateway",
  description:
    "200: the gateway is gone. 202: messages wait on it or are under way; it takes no new ones, sends what it has, and is gone when the last one has ended (`draining` of the gateway). To be rid of it sooner, cancel what waits. Messages that it sent keep its name in lookups, statistics and the log; reports on them that come later find no gateway. A message whose outcome is unknown cannot be sent again through it. A gateway that the provisioning file made stays deleted until its entry there changes; an entry that changes while the gateway drains keeps it.",
  scope: "account",
  params: gatewayParams,
  replies: { 200: gatewayDeletionReply, 202: gatewayDeletionReply },
  problems: ["conflict"],
})(async ({ core, account, params: { gateway } }) => {
  const outcome = await deleteGateway(core, account.id, gateway);
  switch (outcome.kind) {
    case "not_found":
      return problem("not_found");
    case "member":
      return problem("conflict", {
        message: `Spread ${outcome.of} has the gateway as a member. Take it out of its members first.`,
      });
    case "phone":
      return problem("conflict", {
        message: `Gateway ${outcome.of} sends through the phone that is linked to this one. Delete it first.`,
      });
    case "deleted": {
      const data = { deleted: true, waiting: 0, sending: 0 };
      return { message: "The gateway has been deleted.", data };
    }
    case "draining": {
      const { waiting, sending } = outcome;
      const message = `The gateway takes no new messages. It is deleted when the ${waiting + sending} that it has have ended.`;
      return { status: 202, body: { success: true, message, data: { deleted: false, waiting, sending } } };
    }
  }
});
