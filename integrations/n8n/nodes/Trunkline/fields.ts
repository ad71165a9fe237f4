// The fields of the node Trunkline.

import type { INodeProperties } from "n8n-workflow";

const shown = (resource: string, ...operation: string[]) => ({ show: { resource: [resource], operation } });
const sending = ["sendSms", "sendWhatsapp", "sendEmail"];

const operations: INodeProperties[] = [
  {
    displayName: "Resource",
    name: "resource",
    type: "options",
    noDataExpression: true,
    options: [
      { name: "AI", value: "ai" },
      { name: "Message", value: "message" },
    ],
    default: "message",
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["message"] } },
    options: [
      {
        name: "Get",
        value: "get",
        action: "Get a message",
        description: "Look up a message with its status and its timeline",
      },
      { name: "Send Email", value: "sendEmail", action: "Send an email" },
      { name: "Send SMS", value: "sendSms", action: "Send an SMS" },
      { name: "Send WhatsApp", value: "sendWhatsapp", action: "Send a WhatsApp message" },
    ],
    default: "sendSms",
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["ai"] } },
    options: [
      {
        name: "Ask",
        value: "ask",
        action: "Ask a pool",
        description: "Ask an AI pool for a chat completion",
      },
    ],
    default: "ask",
  },
];

const message: INodeProperties[] = [
  {
    displayName: "Number",
    name: "number",
    type: "string",
    default: "",
    required: true,
    placeholder: "+4915123456789",
    displayOptions: shown("message", "sendSms", "sendWhatsapp"),
  },
  {
    displayName: "Email",
    name: "email",
    type: "string",
    default: "",
    required: true,
    placeholder: "name@email.com",
    displayOptions: shown("message", "sendEmail"),
  },
  {
    displayName: "Subject",
    name: "subject",
    type: "string",
    default: "",
    required: true,
    displayOptions: shown("message", "sendEmail"),
  },
  {
    displayName: "Message",
    name: "message",
    type: "string",
    typeOptions: { rows: 4 },
    default: "",
    required: true,
    description: "The text. Of an email it is HTML if it has a tag.",
    displayOptions: shown("message", ...sending),
  },
  {
    displayName: "Options",
    name: "options",
    type: "collection",
    placeholder: "Add option",
    default: {},
    displayOptions: shown("message", ...sending),
    options: [
      {
        displayName: "From Email",
        name: "from_email",
        type: "string",
        default: "",
        description: "The sender of an email, of the domain of the gateway's own",
      },
      {
        displayName: "Gateway",
        name: "gateway_identifier",
        type: "string",
        default: "",
        description: "The identifier of a gateway. The default is the account's default gateway.",
      },
      {
        displayName: "Idempotency Key",
        name: "idempotencyKey",
        type: "string",
        default: "",
        description:
          "Requests with the same key within 24 hours send one message. The default is one for each item of each run, so that a retry of the node sends nothing twice.",
      },
      {
        displayName: "Reference",
        name: "reference",
        type: "string",
        default: "",
        description: "Your own reference, such as an order number. Look-ups and events return it.",
      },
      {
        displayName: "Schedule At",
        name: "schedule_at",
        type: "string",
        default: "",
        placeholder: "2030-01-31 09:00:00",
        description: "When to send it, in the account's time zone",
      },
    ],
  },
  {
    displayName: "Channel",
    name: "channel",
    type: "options",
    options: [
      { name: "Email", value: "email" },
      { name: "SMS", value: "sms" },
      { name: "WhatsApp", value: "whatsapp" },
    ],
    default: "sms",
    displayOptions: shown("message", "get"),
  },
  {
    displayName: "Message ID",
    name: "messageId",
    type: "string",
    default: "",
    required: true,
    placeholder: "msg_01kdvdna00440wakyht0db49bt",
    displayOptions: shown("message", "get"),
  },
];

const ai: INodeProperties[] = [
  {
    displayName: "Model",
    name: "model",
    type: "string",
    default: "default",
    required: true,
    description: "The name of a model or an alias of the pool",
    displayOptions: shown("ai", "ask"),
  },
  {
    displayName: "Prompt",
    name: "prompt",
    type: "string",
    typeOptions: { rows: 4 },
    default: "",
    required: true,
    displayOptions: shown("ai", "ask"),
  },
  {
    displayName: "Options",
    name: "options",
    type: "collection",
    placeholder: "Add option",
    default: {},
    displayOptions: shown("ai", "ask"),
    options: [
      {
        displayName: "Maximum Number of Tokens",
        name: "max_tokens",
        type: "number",
        typeOptions: { minValue: 1 },
        default: 1024,
        description: "The longest answer",
      },
      {
        displayName: "System Message",
        name: "system",
        type: "string",
        typeOptions: { rows: 2 },
        default: "",
        description: "What the model is to do with the prompt",
      },
      {
        displayName: "Temperature",
        name: "temperature",
        type: "number",
        typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 1 },
        default: 1,
        description: "How much answers vary",
      },
    ],
  },
];

export const fields: INodeProperties[] = [...operations, ...message, ...ai];
