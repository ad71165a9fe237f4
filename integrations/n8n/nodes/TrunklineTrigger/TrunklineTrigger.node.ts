// Starts a workflow with an account's events: it registers a webhook endpoint when the workflow is activated, and removes it afterwards.

import {
  type IDataObject,
  type IHookFunctions,
  type ILoadOptionsFunctions,
  type INodePropertyOptions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from "n8n-workflow";
import { ask, askIfThere } from "../request.ts";
import { genuineId } from "./signature.ts";

/** How many events an endpoint remembers, so that a repeated one does not start its workflow again. */
const remembered = 200;
/**
 * The ids of these events, by endpoint, in the memory of this process: n8n 2.41 does not store static data that `webhook` changes when the
 * workflow then starts.
 */
const started = new Map<string, string[]>();

/** What is kept between calls, in the workflow's static data. */
interface Kept {
  webhookId?: string;
  secret?: string;
}

type Endpoint = {
  id: string;
  url: string;
  events: string[];
  active: boolean;
};

const endpoints = async (node: IHookFunctions): Promise<string> => {
  const { account } = await node.getCredentials("trunklineManagementApi");
  return `/api/manage/v1/accounts/${encodeURIComponent(String(account))}/webhooks`;
};

const credential = "trunklineManagementApi";
/** Starts every workflow, since it is posted when a person asks for it. */
const testEvent = "webhook.test";
const eventsOf = (node: IHookFunctions | IWebhookFunctions) => node.getNodeParameter("events") as string[];
const sameEvents = (some: string[], others: string[]) =>
  some.length === others.length && some.every((each) => others.includes(each));

export class TrunklineTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Trunkline Trigger",
    name: "trunklineTrigger",
    icon: { light: "file:../../icons/trunkline.svg", dark: "file:../../icons/trunkline.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description:
      "Starts the workflow when Trunkline reports an event, such as a reply or a delivered message",
    defaults: { name: "Trunkline Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: credential, required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      {
        displayName: "Event Names or IDs",
        name: "events",
        type: "multiOptions",
        typeOptions: { loadOptionsMethod: "getEvents" },
        default: ["message.*"],
        required: true,
        description:
          'The events that start the workflow. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
      },
      {
        displayName: "Ignore Repeated Events",
        name: "ignoreRepeated",
        type: "boolean",
        default: true,
        description:
          "Whether to start the workflow once for each event. Trunkline posts an event again if n8n did not answer, or if you replay it.",
      },
    ],
  };

  methods = {
    loadOptions: {
      async getEvents(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        const { data } = await ask(this, credential, { method: "GET", path: "/api/manage/v1/event-types" });
        const all = data as { type: string; title: string; description: string }[];
        // No endpoint can ask for the test event: it comes when a person asks for it.
        const types = all.filter(({ type }) => type !== testEvent);
        const families = [...new Set(types.map(({ type }) => type.slice(0, type.indexOf("."))))];
        return [
          { name: "Everything", value: "*" },
          ...families.map((family) => ({ name: `All of ${family}.*`, value: `${family}.*` })),
          ...types.map(({ type, title, description }) => ({ name: title, value: type, description })),
        ];
      },
    },
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData("node") as Kept;
        if (kept.webhookId === undefined || kept.secret === undefined) return false;
        const path = `${await endpoints(this)}/${kept.webhookId}`;
        const reply = await askIfThere(this, credential, { method: "GET", path });
        const endpoint = (reply?.data ?? null) as Endpoint | null;
        // The address of a test differs from that of an active workflow.
        if (endpoint === null || endpoint.url !== this.getNodeWebhookUrl("default")) return false;
        const events = eventsOf(this);
        if (!endpoint.active || !sameEvents(endpoint.events, events))
          await ask(this, credential, { method: "PATCH", path, body: { events, active: true } });
        return true;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const path = await endpoints(this);
        const url = this.getNodeWebhookUrl("default");
        // One of this address is left from a process that ended without removing it, and its secret is lost.
        const { data: list } = await ask(this, credential, { method: "GET", path });
        for (const { id } of (list as unknown as Endpoint[]).filter((each) => each.url === url))
          await ask(this, credential, { method: "DELETE", path: `${path}/${id}` });
        const body = { url, events: eventsOf(this) };
        const { data } = await ask(this, credential, { method: "POST", path, body });
        const { id, secret } = data as { id: string; secret: string };
        Object.assign(this.getWorkflowStaticData("node"), { webhookId: id, secret } satisfies Kept);
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData("node") as Kept;
        if (kept.webhookId === undefined) return true;
        const path = `${await endpoints(this)}/${kept.webhookId}`;
        await askIfThere(this, credential, { method: "DELETE", path });
        started.delete(kept.webhookId);
        delete kept.webhookId;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = this.getRequestObject();
    const kept = this.getWorkflowStaticData("node") as Kept;
    const { rawBody } = request as { rawBody?: Buffer };
    const id =
      kept.secret === undefined || rawBody === undefined
        ? null
        : genuineId(kept.secret, this.getHeaderData() as Record<string, string>, rawBody, Date.now());
    if (id === null) {
      this.getResponseObject().status(401).json({ message: "The signature does not fit." });
      return { noWebhookResponse: true };
    }
    const event = this.getBodyData();
    const type = String(event.type);
    const matches = [testEvent, ...eventsOf(this)].some(
      (each) => each === "*" || each === type || (each.endsWith(".*") && type.startsWith(each.slice(0, -1))),
    );
    const endpoint = String(kept.webhookId);
    const isRepeated = started.get(endpoint)?.includes(id) ?? false;
    if (!matches || (isRepeated && this.getNodeParameter("ignoreRepeated"))) return {};
    // n8n answers once the workflow has started. If it cannot start it, Trunkline posts the event again, which is then no repeated one.
    const response = this.getResponseObject();
    response.once("finish", () => {
      if (response.statusCode < 300)
        started.set(endpoint, [...(started.get(endpoint) ?? []), id].slice(-remembered));
    });
    return { workflowData: [this.helpers.returnJsonArray({ id, ...event } as IDataObject)] };
  }
}
