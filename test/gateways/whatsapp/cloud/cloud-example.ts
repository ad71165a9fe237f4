// A gateway of the Cloud API as the tests configure it.

import { type CloudSettings, cloudSettings } from "#gateways/whatsapp/cloud/settings.ts";
import { phoneNumberId, token } from "../graph-simulator.ts";

export const appSecret = "app-secret-0123456789";
export const settings = { phone_number_id: phoneNumberId, access_token: token };

export const parsedSettings = (change: object = {}): CloudSettings =>
  cloudSettings.parse({ ...settings, ...change });
