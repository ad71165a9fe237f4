// The keys of an application: an API key for messages, and a pool key for AI pools.

import type {
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  IHttpRequestOptions,
  INodeProperties,
} from "n8n-workflow";

export class TrunklineApi implements ICredentialType {
  name = "trunklineApi";

  displayName = "Trunkline API";

  icon: Icon = { light: "file:../icons/trunkline.svg", dark: "file:../icons/trunkline.dark.svg" };

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "",
      placeholder: "https://sms.example.com",
      required: true,
      description: "The address of your Trunkline, without a path",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      description:
        'An API key with the scope "read", and "send:sms", "send:whatsapp" or "send:email" for what it sends',
    },
    {
      displayName: "Pool Key",
      name: "poolApiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      description: "The key of an AI pool. Only the resource AI needs it.",
    },
  ];

  /** Each half of the API takes its own key and is not shown the other. */
  async authenticate(
    { apiKey, poolApiKey }: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> {
    const own = request.url.includes("/api/ai/")
      ? { Authorization: `Bearer ${String(poolApiKey ?? "")}` }
      : { "Api-key": String(apiKey) };
    return { ...request, headers: { ...request.headers, ...own } };
  }

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.replace(new RegExp("/+$"), "")}}',
      url: "/api/account",
      method: "GET",
    },
  };
}
