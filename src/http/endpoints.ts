// Every endpoint that exists: the router and OpenAPI both read this list.

import type { Endpoint } from "./endpoint.ts";
import { account } from "./routes/account.ts";
import { chatCompletions } from "./routes/ai/chat-completions.ts";
import { embeddings } from "./routes/ai/embeddings.ts";
import { getModel, listModels } from "./routes/ai/models.ts";
import { cancel } from "./routes/cancel.ts";
import { callbackByGet, callbackByPost } from "./routes/gateway-callback.ts";
import { live, ready } from "./routes/health.ts";
import { lookupOne, lookupRecent } from "./routes/lookup.ts";
import {
  changeAccountRoute,
  createAccountRoute,
  getAccountRoute,
  listAccountsRoute,
} from "./routes/manage/accounts.ts";
import { renewApiKeyRoute, revealApiKeyRoute } from "./routes/manage/api-key.ts";
import { listAccountAuditRoute, listAuditRoute } from "./routes/manage/audit.ts";
import { getCreditRoute, grantCreditRoute, listCreditEntriesRoute } from "./routes/manage/credit.ts";
import {
  defaultGatewayRoute,
  pauseGatewayRoute,
  resumeGatewayRoute,
  testGatewayRoute,
} from "./routes/manage/gateway-actions.ts";
import { listGatewayKindsRoute } from "./routes/manage/gateway-kinds.ts";
import {
  changeGatewayRoute,
  createGatewayRoute,
  deleteGatewayRoute,
  getGatewayRoute,
  listGatewaysRoute,
} from "./routes/manage/gateways.ts";
import {
  cancelHeldInstallation,
  readInstallation,
  releaseInstallation,
} from "./routes/manage/installation.ts";
import { cancelMessageRoute, getMessageRoute, searchMessagesRoute } from "./routes/manage/messages.ts";
import {
  changePoolKeyRoute,
  createPoolKeyRoute,
  getPoolKeyRoute,
  listPoolKeysRoute,
  revokePoolKeyRoute,
} from "./routes/manage/pool-keys.ts";
import {
  changePoolMemberRoute,
  createPoolMemberRoute,
  deletePoolMemberRoute,
  getPoolMemberRoute,
  listPoolMembersRoute,
  readPoolHealthRoute,
} from "./routes/manage/pool-members.ts";
import {
  changePoolRoute,
  createPoolRoute,
  deletePoolRoute,
  getPoolRoute,
  listPoolsRoute,
} from "./routes/manage/pools.ts";
import { listProviderKindsRoute } from "./routes/manage/provider-kinds.ts";
import { listReceivedRoute } from "./routes/manage/received.ts";
import { resolveMessageRoute } from "./routes/manage/resolve.ts";
import {
  activateSendingDomainRoute,
  checkSendingDomainRoute,
  createSendingDomainRoute,
  deleteSendingDomainRoute,
  getSendingDomainRoute,
  listSendingDomainsRoute,
  rotateSendingDomainRoute,
} from "./routes/manage/sending-domains.ts";
import { changePasswordRoute, getSession, signInRoute, signOutRoute } from "./routes/manage/session.ts";
import { setUpRoute } from "./routes/manage/setup.ts";
import {
  addSuppressionsRoute,
  listSuppressionsRoute,
  removeSuppressionRoute,
} from "./routes/manage/suppressions.ts";
import { listTokensRoute, makeTokenRoute, revokeTokenRoute } from "./routes/manage/tokens.ts";
import { listPoolCallsRoute, readPoolUsageRoute } from "./routes/manage/usage.ts";
import { changeUserRoute, listUsersRoute, makeUserRoute } from "./routes/manage/users.ts";
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  replayWebhookDeliveries,
  replayWebhookDelivery,
  testWebhook,
} from "./routes/manage/webhook-deliveries.ts";
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from "./routes/manage/webhooks.ts";
import { metrics } from "./routes/metrics.ts";
import { received } from "./routes/received.ts";
import { resolve } from "./routes/resolve.ts";
import { sendEmail } from "./routes/send-email.ts";
import { sendSms } from "./routes/send-sms.ts";

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
