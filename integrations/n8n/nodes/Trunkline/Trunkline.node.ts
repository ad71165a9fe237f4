// Sends messages over three channels, looks them up, and asks AI pools.

import { createHash } from "node:crypto";
import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
} from "n8n-workflow";
import { ask } from "../request.ts";
import { fields } from "./fields.ts";

const channels = { sendSms: "sms", sendWhatsapp: "whatsapp", sendEmail: "email" } as const;
type Sending = keyof typeof channels;

type Operation = (node: IExecuteFunctions, item: number) => Promise<IDataObject>;

const text = (node: IExecuteFunctions, name: string, item: number) =>
  String(node.getNodeParameter(name, item));

/**
 * The same for each attempt of a node at an item, and another one in each execution and each turn of a loop. The contact is in it because an
 * agent calls the node as a tool several times at one item.
 */
function idempotencyKey(node: IExecuteFunctions, item: number, contact: IDataObject): string {
  const run = node.evaluateExpression("{{$runIndex}}", item);
  const parts = [node.getWorkflow().id, node.getExecutionId(), node.getNode().id, run, item, contact];
  return `n8n-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}

const send =
  (operation: Sending): Operation =>
  async (node, item) => {
    const channel = channels[operation];
    const { idempotencyKey: ownKey, ...options } = node.getNodeParameter("options", item) as IDataObject;
    const recipient: IDataObject =
      channel === "email"
        ? { email: text(node, "email", item), subject: text(node, "subject", item) }
        : { number: text(node, "number", item) };
    const chosen = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ""));
    const contact = { ...recipient, message: text(node, "message", item), ...chosen };
    const headers = { "Idempotency-Key": ownKey || idempotencyKey(node, item, contact) };
    const path = `/api/${channel}/send`;
    const reply = await ask(
      node,
      "trunklineApi",
      { method: "POST", path, body: { contact: [contact] }, headers },
      item,
    );
    const { request_id, contact: accepted } = reply.data as { request_id: string; contact: IDataObject[] };
    return { channel, request_id, ...accepted[0] };
  };

const get: Operation = async (node, item) => {
  const id = text(node, "messageId", item);
  // An empty one would be a request for the list.
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id))
    throw new NodeOperationError(node.getNode(), "The message ID is not the ID of a message.", {
      itemIndex: item,
    });
  const path = `/api/get/${text(node, "channel", item)}/${id}`;
  return (await ask(node, "trunklineApi", { method: "GET", path }, item)).data as IDataObject;
};

interface Completion {
  id: string;
  model: string;
  choices: { message: { content: string | null }; finish_reason: string }[];
  usage?: IDataObject;
}

const askPool: Operation = async (node, item) => {
  const { system, ...options } = node.getNodeParameter("options", item) as IDataObject;
  const messages = [
    ...(system ? [{ role: "system", content: system }] : []),
    { role: "user", content: text(node, "prompt", item) },
  ];
  const body = { model: text(node, "model", item), messages, ...options };
  const path = "/api/ai/v1/chat/completions";
  const reply = await ask(node, "trunklineApi", { method: "POST", path, body }, item);
  const { id, model, choices, usage } = reply as unknown as Completion;
  const [first] = choices;
  return { text: first?.message.content ?? "", finish_reason: first?.finish_reason, model, id, usage };
};

const operations: Record<string, Operation> = {
  "message.sendSms": send("sendSms"),
  "message.sendWhatsapp": send("sendWhatsapp"),
  "message.sendEmail": send("sendEmail"),
  "message.get": get,
  "ai.ask": askPool,
};

const unknown =
  (name: string): Operation =>
  async (node, itemIndex) => {
    throw new NodeOperationError(node.getNode(), `There is no operation ${name}.`, { itemIndex });
  };

export class Trunkline implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Trunkline",
    name: "trunkline",
    icon: { light: "file:../../icons/trunkline.svg", dark: "file:../../icons/trunkline.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: "Send SMS, WhatsApp messages and email, and ask AI pools",
    defaults: { name: "Trunkline" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "trunklineApi", required: true }],
    properties: fields,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    for (const item of this.getInputData().keys()) {
      const name = `${text(this, "resource", item)}.${text(this, "operation", item)}`;
      const operation = operations[name] ?? unknown(name);
      const result = await operation(this, item).catch((error: Error) => error);
      if (result instanceof Error && !this.continueOnFail()) throw result;
      const json = result instanceof Error ? { error: result.message } : result;
      output.push({ json, pairedItem: { item } });
    }
    return [output];
  }
}
