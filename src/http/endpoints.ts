// Every endpoint that exists: the router and OpenAPI both read this list.

import {
  changeAccountRoute,
  createAccountRoute,
  getAccountRoute,
  listAccountsRoute,
} from "#http/routes/manage/accounts/accounts.ts";
import { renewApiKeyRoute, revealApiKeyRoute } from "#http/routes/manage/accounts/api-key.ts";
import {
  getCreditRoute,
  grantCreditRoute,
  listCreditEntriesRoute,
} from "#http/routes/manage/accounts/credit.ts";
import {
  defaultGatewayRoute,
  pauseGatewayRoute,
  resumeGatewayRoute,
  testGatewayRoute,
} from "#http/routes/manage/gateways/actions.ts";
import {
  changeGatewayRoute,
  createGatewayRoute,
  deleteGatewayRoute,
  getGatewayRoute,
  listGatewaysRoute,
} from "#http/routes/manage/gateways/gateways.ts";
import { listGatewayKindsRoute } from "#http/routes/manage/gateways/kinds.ts";
import {
  activateSendingDomainRoute,
  checkSendingDomainRoute,
  createSendingDomainRoute,
  deleteSendingDomainRoute,
  getSendingDomainRoute,
  listSendingDomainsRoute,
  rotateSendingDomainRoute,
} from "#http/routes/manage/gateways/sending-domains.ts";
import { listAccountAuditRoute, listAuditRoute } from "#http/routes/manage/identity/audit.ts";
import {
  cancelHeldInstallation,
  readInstallation,
  releaseInstallation,
} from "#http/routes/manage/identity/installation.ts";
import {
  changePasswordRoute,
  getSession,
  signInRoute,
  signOutRoute,
} from "#http/routes/manage/identity/session.ts";
import { setUpRoute } from "#http/routes/manage/identity/setup.ts";
import { listTokensRoute, makeTokenRoute, revokeTokenRoute } from "#http/routes/manage/identity/tokens.ts";
import { changeUserRoute, listUsersRoute, makeUserRoute } from "#http/routes/manage/identity/users.ts";
import {
  cancelMessageRoute,
  getMessageRoute,
  searchMessagesRoute,
} from "#http/routes/manage/messages/messages.ts";
import { listReceivedRoute } from "#http/routes/manage/messages/received.ts";
import { resolveMessageRoute } from "#http/routes/manage/messages/resolve.ts";
import {
  addSuppressionsRoute,
  listSuppressionsRoute,
  removeSuppressionRoute,
} from "#http/routes/manage/messages/suppressions.ts";
import {
  changePoolKeyRoute,
  createPoolKeyRoute,
  getPoolKeyRoute,
  listPoolKeysRoute,
  revokePoolKeyRoute,
} from "#http/routes/manage/pools/keys.ts";
import {
  changePoolMemberRoute,
  createPoolMemberRoute,
  deletePoolMemberRoute,
  getPoolMemberRoute,
  listPoolMembersRoute,
  readPoolHealthRoute,
} from "#http/routes/manage/pools/members.ts";
import {
  changePoolRoute,
  createPoolRoute,
  deletePoolRoute,
  getPoolRoute,
  listPoolsRoute,
} from "#http/routes/manage/pools/pools.ts";
import { listProviderKindsRoute } from "#http/routes/manage/pools/provider-kinds.ts";
import { listPoolCallsRoute, readPoolUsageRoute } from "#http/routes/manage/pools/usage.ts";
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  replayWebhookDeliveries,
  replayWebhookDelivery,
  testWebhook,
} from "#http/routes/manage/webhooks/deliveries.ts";
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from "#http/routes/manage/webhooks/webhooks.ts";
import { account } from "#http/routes/messages/account.ts";
import { cancel } from "#http/routes/messages/cancel.ts";
import { lookupOne, lookupRecent } from "#http/routes/messages/lookup.ts";
import { received } from "#http/routes/messages/received.ts";
import { resolve } from "#http/routes/messages/resolve.ts";
import { sendEmail } from "#http/routes/messages/send-email.ts";
import { sendSms } from "#http/routes/messages/send-sms.ts";
import { callbackByGet, callbackByPost } from "#http/routes/public/callback.ts";
import { live, ready } from "#http/routes/public/health.ts";
import { metrics } from "#http/routes/public/metrics.ts";
import type { Endpoint } from "./endpoint.ts";
import { chatCompletions } from "./routes/ai/chat-completions.ts";
import { embeddings } from "./routes/ai/embeddings.ts";
import { getModel, listModels } from "./routes/ai/models.ts";

export const endpoints: readonly Endpoint[] = [
  sendSms,
  sendEmail,
  lookupRecent,
  lookupOne,
  cancel,
  resolve,
  received,
  account,
  chatCompletions,
  embeddings,
  listModels,
  getModel,
  callbackByPost,
  callbackByGet,
  live,
  ready,
  metrics,
  readInstallation,
  releaseInstallation,
  cancelHeldInstallation,
  signInRoute,
  getSession,
  signOutRoute,
  changePasswordRoute,
  setUpRoute,
  listUsersRoute,
  makeUserRoute,
  changeUserRoute,
  listTokensRoute,
  makeTokenRoute,
  revokeTokenRoute,
  listAuditRoute,
  listAccountAuditRoute,
  listAccountsRoute,
  createAccountRoute,
  getAccountRoute,
  changeAccountRoute,
  renewApiKeyRoute,
  revealApiKeyRoute,
  getCreditRoute,
  grantCreditRoute,
  listCreditEntriesRoute,
  listGatewayKindsRoute,
  listGatewaysRoute,
  createGatewayRoute,
  getGatewayRoute,
  changeGatewayRoute,
  deleteGatewayRoute,
  testGatewayRoute,
  pauseGatewayRoute,
  resumeGatewayRoute,
  defaultGatewayRoute,
  listSendingDomainsRoute,
  createSendingDomainRoute,
  getSendingDomainRoute,
  deleteSendingDomainRoute,
  checkSendingDomainRoute,
  rotateSendingDomainRoute,
  activateSendingDomainRoute,
  searchMessagesRoute,
  getMessageRoute,
  cancelMessageRoute,
  resolveMessageRoute,
  listReceivedRoute,
  listSuppressionsRoute,
  addSuppressionsRoute,
  removeSuppressionRoute,
  listWebhooks,
  addWebhook,
  getWebhook,
  changeWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  replayWebhookDelivery,
  replayWebhookDeliveries,
  listProviderKindsRoute,
  listPoolsRoute,
  createPoolRoute,
  getPoolRoute,
  changePoolRoute,
  deletePoolRoute,
  readPoolHealthRoute,
  readPoolUsageRoute,
  listPoolCallsRoute,
  listPoolMembersRoute,
  createPoolMemberRoute,
  getPoolMemberRoute,
  changePoolMemberRoute,
  deletePoolMemberRoute,
  listPoolKeysRoute,
  createPoolKeyRoute,
  getPoolKeyRoute,
  changePoolKeyRoute,
  revokePoolKeyRoute,
];
