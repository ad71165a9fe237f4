// Every endpoint that exists: the router and OpenAPI both read this list.

import {
  createAccountRoute,
  getAccountRoute,
  listAccountsRoute,
  updateAccountRoute,
} from "#http/routes/manage/accounts/accounts.ts";
import { revealApiKeyRoute, rotateApiKeyRoute } from "#http/routes/manage/accounts/api-key.ts";
import {
  getCreditRoute,
  grantCreditRoute,
  listCreditEntriesRoute,
} from "#http/routes/manage/accounts/credit.ts";
import { namedKeyRoutes, rotateNamedKeyRoute } from "#http/routes/manage/accounts/named-keys.ts";
import { getOverviewRoute } from "#http/routes/manage/accounts/overview.ts";
import { watchAccountRoute } from "#http/routes/manage/accounts/watch.ts";
import { findRecordsRoute } from "#http/routes/manage/find.ts";
import {
  pauseGatewayRoute,
  resumeGatewayRoute,
  setDefaultGatewayRoute,
  testGatewayRoute,
} from "#http/routes/manage/gateways/actions.ts";
import { checkGatewayRoute, registerGatewayRoute } from "#http/routes/manage/gateways/check.ts";
import { deleteGatewayRoute } from "#http/routes/manage/gateways/delete.ts";
import { gatewayRoutes } from "#http/routes/manage/gateways/gateways.ts";
import { listGatewayKindsRoute } from "#http/routes/manage/gateways/kinds.ts";
import {
  getGatewayLinkRoute,
  linkGatewayRoute,
  resumeGatewayLinkRoute,
  unlinkGatewayRoute,
  watchGatewayLinkRoute,
} from "#http/routes/manage/gateways/link.ts";
import { listGatewayPausesRoute } from "#http/routes/manage/gateways/pauses.ts";
import {
  activateSendingDomainKeysRoute,
  checkSendingDomainRoute,
  rotateSendingDomainKeysRoute,
  sendingDomainRoutes,
} from "#http/routes/manage/gateways/sending-domains.ts";
import { hookRoutes, previewHookRoute, rotateHookKeyRoute } from "#http/routes/manage/hooks/hooks.ts";
import { listAccountAuditEntriesRoute, listAuditEntriesRoute } from "#http/routes/manage/identity/audit.ts";
import {
  cancelHeldMessagesRoute,
  getInstallationDetailsRoute,
  getInstallationRoute,
  releaseHeldMessagesRoute,
} from "#http/routes/manage/identity/installation.ts";
import {
  getProvisioningFileRoute,
  setProvisioningFileRoute,
} from "#http/routes/manage/identity/provisioning.ts";
import {
  changePasswordRoute,
  getSessionRoute,
  signInRoute,
  signOutRoute,
} from "#http/routes/manage/identity/session.ts";
import { checkSetupLinkRoute, setUpRoute, setUpUserRoute } from "#http/routes/manage/identity/setup.ts";
import { createSetupCodeRoute } from "#http/routes/manage/identity/setup-code.ts";
import {
  createManagementTokenRoute,
  listManagementTokensRoute,
  revokeManagementTokenRoute,
} from "#http/routes/manage/identity/tokens.ts";
import {
  createSetupLinkRoute,
  createUserRoute,
  listUsersRoute,
  updateUserRoute,
} from "#http/routes/manage/identity/users.ts";
import { changeAccountMessagesRoute } from "#http/routes/manage/messages/bulk.ts";
import {
  getMessageHtmlRoute,
  getMessageTextRoute,
  listMessageDeliveriesRoute,
} from "#http/routes/manage/messages/message-parts.ts";
import {
  cancelAccountMessageRoute,
  getAccountMessageRoute,
  listAccountMessagesRoute,
} from "#http/routes/manage/messages/messages.ts";
import { previewAccountMessagesRoute } from "#http/routes/manage/messages/preview.ts";
import { listAccountReceivedMessagesRoute } from "#http/routes/manage/messages/received.ts";
import {
  cancelAccountRequestRoute,
  getAccountRequestRoute,
  rescheduleAccountRequestRoute,
} from "#http/routes/manage/messages/requests.ts";
import { rescheduleAccountMessageRoute } from "#http/routes/manage/messages/reschedule.ts";
import { resolveAccountMessageRoute } from "#http/routes/manage/messages/resolve.ts";
import { sendAccountMessagesRoute } from "#http/routes/manage/messages/send.ts";
import { getMessageStatisticsRoute } from "#http/routes/manage/messages/statistics.ts";
import {
  createSuppressionsRoute,
  deleteSuppressionRoute,
  listSuppressionsRoute,
  releaseSuppressionsRoute,
} from "#http/routes/manage/messages/suppressions.ts";
import { checkPoolMemberRoute } from "#http/routes/manage/pools/check.ts";
import { cancelPoolDeferredRoute, listPoolDeferredRoute } from "#http/routes/manage/pools/deferred.ts";
import { poolKeyRoutes, rotatePoolKeyRoute } from "#http/routes/manage/pools/keys.ts";
import { getPoolHealthRoute, poolMemberRoutes } from "#http/routes/manage/pools/members.ts";
import { poolRoutes } from "#http/routes/manage/pools/pools.ts";
import { listProviderKindsRoute } from "#http/routes/manage/pools/provider-kinds.ts";
import { getPoolStatisticsRoute } from "#http/routes/manage/pools/statistics.ts";
import { tryPoolRoute } from "#http/routes/manage/pools/try.ts";
import {
  getAiUsageRoute,
  getPoolCallRoute,
  getPoolUsageRoute,
  listPoolCallsRoute,
} from "#http/routes/manage/pools/usage.ts";
import {
  countFailedDeliveriesRoute,
  getDeliveryRoute,
  getWebhookRetriesRoute,
  listDeliveriesRoute,
  replayDeliveryRoute,
  replayFailedDeliveriesRoute,
  retryDeliveriesRoute,
  testWebhookRoute,
} from "#http/routes/manage/webhooks/deliveries.ts";
import { listEventTypesRoute } from "#http/routes/manage/webhooks/event-types.ts";
import { getWebhookStatisticsRoute } from "#http/routes/manage/webhooks/statistics.ts";
import { rotateWebhookSecretRoute, webhookRoutes } from "#http/routes/manage/webhooks/webhooks.ts";
import { getCurrentAccountRoute } from "#http/routes/messages/account.ts";
import { cancelMessageRoute } from "#http/routes/messages/cancel.ts";
import { getMessageRoute, listMessagesRoute } from "#http/routes/messages/lookup.ts";
import { listReceivedMessagesRoute } from "#http/routes/messages/received.ts";
import { getReceivedFileRoute } from "#http/routes/messages/received-file.ts";
import { rescheduleMessageRoute } from "#http/routes/messages/reschedule.ts";
import { resolveMessageRoute } from "#http/routes/messages/resolve.ts";
import { sendEmailRoute } from "#http/routes/messages/send-email.ts";
import { sendSmsRoute } from "#http/routes/messages/send-sms.ts";
import { sendWhatsappListRoute, sendWhatsappRoute } from "#http/routes/messages/send-whatsapp.ts";
import { receiveCallbackQueryRoute, receiveCallbackRoute } from "#http/routes/public/callback.ts";
import { getLivenessRoute, getReadinessRoute } from "#http/routes/public/health.ts";
import { receiveHookRoute } from "#http/routes/public/hook.ts";
import { getMetricsRoute } from "#http/routes/public/metrics.ts";
import type { Endpoint } from "./endpoint.ts";
import { cancelResponseRoute, getResponseRoute } from "./routes/ai/background.ts";
import { clientApiEndpoints } from "./routes/ai/client-apis.ts";
import { cancelDeferredCompletionRoute, getDeferredCompletionRoute } from "./routes/ai/deferred.ts";
import { createEmbeddingRoute } from "./routes/ai/embeddings.ts";
import {
  createImageEditRoute,
  createImageRoute,
  createImageVariationRoute,
  createModerationRoute,
  createRankingRoute,
  createSpeechRoute,
  createTranscriptionRoute,
  createTranslationRoute,
} from "./routes/ai/forwarded.ts";
import { getGeminiModelRoute, listGeminiModelsRoute } from "./routes/ai/gemini-models.ts";
import { getModelRoute, listModelsRoute } from "./routes/ai/models.ts";
import { getPoolCallContentRoute } from "./routes/manage/pools/call-content.ts";

export const endpoints: readonly Endpoint[] = [
  sendSmsRoute,
  sendWhatsappRoute,
  sendWhatsappListRoute,
  sendEmailRoute,
  listMessagesRoute,
  getMessageRoute,
  cancelMessageRoute,
  rescheduleMessageRoute,
  resolveMessageRoute,
  listReceivedMessagesRoute,
  getReceivedFileRoute,
  getCurrentAccountRoute,
  ...clientApiEndpoints,
  getDeferredCompletionRoute,
  cancelDeferredCompletionRoute,
  getResponseRoute,
  cancelResponseRoute,
  createEmbeddingRoute,
  createImageEditRoute,
  createImageRoute,
  createImageVariationRoute,
  createSpeechRoute,
  createTranscriptionRoute,
  createTranslationRoute,
  createModerationRoute,
  createRankingRoute,
  listModelsRoute,
  getModelRoute,
  listGeminiModelsRoute,
  getGeminiModelRoute,
  receiveCallbackRoute,
  receiveCallbackQueryRoute,
  getLivenessRoute,
  getReadinessRoute,
  getMetricsRoute,
  getInstallationRoute,
  getInstallationDetailsRoute,
  releaseHeldMessagesRoute,
  cancelHeldMessagesRoute,
  setProvisioningFileRoute,
  getProvisioningFileRoute,
  signInRoute,
  getSessionRoute,
  signOutRoute,
  changePasswordRoute,
  setUpRoute,
  createSetupCodeRoute,
  checkSetupLinkRoute,
  setUpUserRoute,
  listUsersRoute,
  createUserRoute,
  updateUserRoute,
  createSetupLinkRoute,
  listManagementTokensRoute,
  createManagementTokenRoute,
  revokeManagementTokenRoute,
  listAuditEntriesRoute,
  listAccountAuditEntriesRoute,
  findRecordsRoute,
  listAccountsRoute,
  createAccountRoute,
  getAccountRoute,
  updateAccountRoute,
  rotateApiKeyRoute,
  revealApiKeyRoute,
  ...namedKeyRoutes,
  rotateNamedKeyRoute,
  getCreditRoute,
  grantCreditRoute,
  listCreditEntriesRoute,
  watchAccountRoute,
  getOverviewRoute,
  getMessageHtmlRoute,
  getMessageTextRoute,
  listMessageDeliveriesRoute,
  listGatewayPausesRoute,
  getMessageStatisticsRoute,
  listGatewayKindsRoute,
  ...gatewayRoutes,
  testGatewayRoute,
  pauseGatewayRoute,
  resumeGatewayRoute,
  deleteGatewayRoute,
  setDefaultGatewayRoute,
  getGatewayLinkRoute,
  linkGatewayRoute,
  resumeGatewayLinkRoute,
  unlinkGatewayRoute,
  watchGatewayLinkRoute,
  checkGatewayRoute,
  registerGatewayRoute,
  ...sendingDomainRoutes,
  checkSendingDomainRoute,
  rotateSendingDomainKeysRoute,
  activateSendingDomainKeysRoute,
  listAccountMessagesRoute,
  sendAccountMessagesRoute,
  previewAccountMessagesRoute,
  changeAccountMessagesRoute,
  getAccountMessageRoute,
  cancelAccountMessageRoute,
  rescheduleAccountMessageRoute,
  resolveAccountMessageRoute,
  getAccountRequestRoute,
  cancelAccountRequestRoute,
  rescheduleAccountRequestRoute,
  listAccountReceivedMessagesRoute,
  listSuppressionsRoute,
  createSuppressionsRoute,
  releaseSuppressionsRoute,
  deleteSuppressionRoute,
  receiveHookRoute,
  ...hookRoutes,
  rotateHookKeyRoute,
  previewHookRoute,
  listEventTypesRoute,
  ...webhookRoutes,
  getWebhookStatisticsRoute,
  rotateWebhookSecretRoute,
  testWebhookRoute,
  listDeliveriesRoute,
  getDeliveryRoute,
  replayDeliveryRoute,
  replayFailedDeliveriesRoute,
  countFailedDeliveriesRoute,
  getWebhookRetriesRoute,
  retryDeliveriesRoute,
  listProviderKindsRoute,
  ...poolRoutes,
  getPoolHealthRoute,
  tryPoolRoute,
  checkPoolMemberRoute,
  getAiUsageRoute,
  getPoolStatisticsRoute,
  getPoolUsageRoute,
  listPoolCallsRoute,
  getPoolCallRoute,
  getPoolCallContentRoute,
  ...poolMemberRoutes,
  ...poolKeyRoutes,
  rotatePoolKeyRoute,
  listPoolDeferredRoute,
  cancelPoolDeferredRoute,
];
