// The examples of the reference pages: complete entries of the provisioning file, which a test applies.

/** A complete entry of the provisioning file for each kind of gateway. */
export const gatewayExamples: Record<string, string> = {
  sandbox: `- identifier: sms-test
  channel: sms
  kind: sandbox
  default: true`,
  "http-api": `- identifier: sms-main
  channel: sms
  kind: http-api
  default: true
  settings:
    url: https://sms.example.com/v1/messages
    headers:
      authorization: Bearer \${SMS_TOKEN}
    body:
      to: "{{to}}"
      from: "{{from}}"
      text: "{{message}}"
      client_reference: "{{id}}"
    from: ACME
    success:
      reference: $.messages[0].id
    definite: [503]
    callback:
      token: \${SMS_CALLBACK_TOKEN}
      reference: $.id
      status: $.state
      delivered: [DELIVRD]
      undelivered: [UNDELIV, EXPIRED]
      failed: [REJECTD]
      error: $.err
  pace: { per_second: 20, concurrency: 8, hours: "08:00-20:00" }
  retry: { first_ms: 5000, max_ms: 900000, for_ms: 86400000 }
  on_unknown: hold`,
  twilio: `- identifier: sms-twilio
  channel: sms
  kind: twilio
  default: true
  settings:
    account_sid: \${TWILIO_ACCOUNT_SID}
    auth_token: \${TWILIO_AUTH_TOKEN}
    from: "+15550100"
  pace: { per_second: 1 }`,
  "whatsapp-cloud": `- identifier: whatsapp-main
  channel: whatsapp
  kind: whatsapp-cloud
  default: true
  settings:
    phone_number_id: "106540352242922"
    access_token: \${WHATSAPP_TOKEN}
    app_secret: \${WHATSAPP_APP_SECRET}
    verify_token: \${WHATSAPP_VERIFY_TOKEN}
  pace: { per_second: 60, concurrency: 16 }`,
  smtp: `- identifier: mail-main
  channel: email
  kind: smtp
  default: true
  settings:
    host: smtp.example.com
    security: starttls
    username: news@example.com
    password: \${SMTP_PASSWORD}
    from: news@example.com
    from_name: Example News
    tracking: { opens: true, clicks: true }
    unsubscribe: true
    return_path_domain: bounces.example.com
  pace: { per_second: 50, concurrency: 10 }`,
  ses: `- identifier: mail-ses
  channel: email
  kind: ses
  default: true
  settings:
    region: eu-central-1
    access_key_id: \${AWS_ACCESS_KEY_ID}
    secret_access_key: \${AWS_SECRET_ACCESS_KEY}
    configuration_set: trunkline
    topic_arn: arn:aws:sns:eu-central-1:123456789012:trunkline
    from: news@example.com
    from_name: Example News
  pace: { per_second: 14 }`,
  sendgrid: `- identifier: mail-sendgrid
  channel: email
  kind: sendgrid
  default: true
  settings:
    api_key: \${SENDGRID_API_KEY}
    webhook_public_key: \${SENDGRID_WEBHOOK_KEY}
    from: news@example.com
    from_name: Example News`,
  mailgun: `- identifier: mail-mailgun
  channel: email
  kind: mailgun
  default: true
  settings:
    domain: mg.example.com
    region: eu
    api_key: \${MAILGUN_API_KEY}
    webhook_signing_key: \${MAILGUN_SIGNING_KEY}
    from: news@mg.example.com
    from_name: Example News`,
  postmark: `- identifier: mail-postmark
  channel: email
  kind: postmark
  default: true
  settings:
    server_token: \${POSTMARK_SERVER_TOKEN}
    message_stream: outbound
    callback_token: \${POSTMARK_CALLBACK_TOKEN}
    from: news@example.com
    from_name: Example News`,
  resend: `- identifier: mail-resend
  channel: email
  kind: resend
  default: true
  settings:
    api_key: \${RESEND_API_KEY}
    webhook_secret: \${RESEND_WEBHOOK_SECRET}
    from: news@example.com
    from_name: Example News`,
  brevo: `- identifier: mail-brevo
  channel: email
  kind: brevo
  default: true
  settings:
    api_key: \${BREVO_API_KEY}
    callback_token: \${BREVO_CALLBACK_TOKEN}
    from: news@example.com
    from_name: Example News`,
};

/** A complete member of a pool for each kind of provider. */
export const memberExamples: Record<string, string> = {
  "openai-compatible": `- name: openai
  kind: openai-compatible
  models: [gpt-5-mini]
  embedding_models: [text-embedding-3-small]
  settings:
    base_url: https://api.openai.com/v1
    api_key: \${OPENAI_API_KEY}
  priority: 1
  price: { input: 0.25, output: 2 }`,
  anthropic: `- name: claude
  kind: anthropic
  models: [claude-sonnet-4-5]
  settings:
    api_key: \${ANTHROPIC_API_KEY}
  priority: 2
  context_tokens: 200000`,
  gemini: `- name: gemini
  kind: gemini
  models: [gemini-2.5-flash]
  settings:
    api_key: \${GEMINI_API_KEY}
  priority: 2
  weight: 3`,
  sandbox: `- name: sandbox
  kind: sandbox
  models: [echo, slow, failing, cut, tools]
  embedding_models: [echo]
  priority: 3`,
};
