// What the trigger needs: a management token, since API keys do not open the management API.

import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from "n8n-workflow";

export class TrunklineManagementApi implements ICredentialType {
  name = "trunklineManagementApi";

  displayName = "Trunkline Management API";

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
      displayName: "Management Token",
      name: "managementToken",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      description:
        'A token with the scope "webhooks:write", best a member\'s token, which is bound to one account',
    },
    {
      displayName: "Account",
      name: "account",
      type: "string",
      default: "",
      placeholder: "acme",
      required: true,
      description: "The name or the ID of the account whose events start workflows",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.managementToken}}" } },
  };

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.replace(new RegExp("/+$"), "")}}',
      url: "=/api/manage/v1/accounts/{{encodeURIComponent($credentials.account)}}/webhooks",
      method: "GET",
    },
  };
}
