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
      undelivered: [UNDELIV, EXPIRED, REJECTD]
      failed: [DELETED]
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
  vonage: `- identifier: sms-vonage
  channel: sms
  kind: vonage
  settings:
    api_key: abcd1234
    api_secret: \${VONAGE_API_SECRET}
    signature_secret: \${VONAGE_SIGNATURE_SECRET}
    from: ACME
  pace: { per_second: 30 }`,
  plivo: `- identifier: sms-plivo
  channel: sms
  kind: plivo
  settings:
    auth_id: MAXXXXXXXXXXXXXXXXXX
    auth_token: \${PLIVO_AUTH_TOKEN}
    from: "+15550100"
    callback_token: \${PLIVO_CALLBACK_TOKEN}
  pace: { per_second: 5 }`,
  infobip: `- identifier: sms-infobip
  channel: sms
  kind: infobip
  settings:
    base_url: https://xyz.api.infobip.com
    api_key: \${INFOBIP_API_KEY}
    from: ACME
    callback_token: \${INFOBIP_CALLBACK_TOKEN}
  pace: { per_second: 200, concurrency: 32 }`,
  sinch: `- identifier: sms-sinch
  channel: sms
  kind: sinch
  settings:
    service_plan_id: 0123456789abcdef
    api_token: \${SINCH_API_TOKEN}
    from: "+15550100"
    base_url: https://eu.sms.api.sinch.com`,
  telnyx: `- identifier: sms-telnyx
  channel: sms
  kind: telnyx
  settings:
    api_key: \${TELNYX_API_KEY}
    from: "+15550100"
    public_key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
  pace: { per_second: 1 }`,
  messagebird: `- identifier: sms-messagebird
  channel: sms
  kind: messagebird
  settings:
    access_key: \${MESSAGEBIRD_ACCESS_KEY}
    signing_key: \${MESSAGEBIRD_SIGNING_KEY}
    from: ACME`,
  bandwidth: `- identifier: sms-bandwidth
  channel: sms
  kind: bandwidth
  settings:
    account_id: "9900000"
    application_id: 93de2206-9669-4e07-948d-329f4b722ee2
    username: api-user
    password: \${BANDWIDTH_PASSWORD}
    callback_token: \${BANDWIDTH_CALLBACK_TOKEN}
    from: "+15550100"
  pace: { per_second: 1 }`,
  clicksend: `- identifier: sms-clicksend
  channel: sms
  kind: clicksend
  settings:
    username: acme
    api_key: \${CLICKSEND_API_KEY}
    callback_token: \${CLICKSEND_CALLBACK_TOKEN}
    from: ACME`,
  africastalking: `- identifier: sms-africastalking
  channel: sms
  kind: africastalking
  settings:
    username: acme
    api_key: \${AFRICASTALKING_API_KEY}
    callback_token: \${AFRICASTALKING_CALLBACK_TOKEN}
    from: ACME`,
  termii: `- identifier: sms-termii
  channel: sms
  kind: termii
  settings:
    base_url: https://v3.api.termii.com
    api_key: \${TERMII_API_KEY}
    secret_key: \${TERMII_SECRET_KEY}
    from: ACME`,
  "46elks": `- identifier: sms-46elks
  channel: sms
  kind: 46elks
  settings:
    api_username: u0123456789abcdef
    api_password: \${ELKS_API_PASSWORD}
    callback_token: \${ELKS_CALLBACK_TOKEN}
    from: ACME`,
  gatewayapi: `- identifier: sms-gatewayapi
  channel: sms
  kind: gatewayapi
  settings:
    token: \${GATEWAYAPI_TOKEN}
    webhook_secret: \${GATEWAYAPI_WEBHOOK_SECRET}
    from: ACME`,
  seven: `- identifier: sms-seven
  channel: sms
  kind: seven
  settings:
    api_key: \${SEVEN_API_KEY}
    signing_secret: \${SEVEN_SIGNING_SECRET}
    from: ACME`,
  "aws-sms": `- identifier: sms-aws
  channel: sms
  kind: aws-sms
  settings:
    region: eu-central-1
    access_key_id: \${AWS_ACCESS_KEY_ID}
    secret_access_key: \${AWS_SECRET_ACCESS_KEY}
    from: "+15550100"
    configuration_set: sms
    topic_arn: arn:aws:sns:eu-central-1:123456789012:sms-events
  pace: { per_second: 20 }`,
  bulksms: `- identifier: sms-bulksms
  channel: sms
  kind: bulksms
  settings:
    token_id: ACME-01
    token_secret: \${BULKSMS_TOKEN_SECRET}
    callback_token: \${BULKSMS_CALLBACK_TOKEN}`,
  clickatell: `- identifier: sms-clickatell
  channel: sms
  kind: clickatell
  settings:
    api_key: \${CLICKATELL_API_KEY}
    callback_token: \${CLICKATELL_CALLBACK_TOKEN}`,
  smsglobal: `- identifier: sms-smsglobal
  channel: sms
  kind: smsglobal
  settings:
    api_key: 0123456789abcdef
    api_secret: \${SMSGLOBAL_API_SECRET}
    callback_token: \${SMSGLOBAL_CALLBACK_TOKEN}
    from: ACME`,
  textmagic: `- identifier: sms-textmagic
  channel: sms
  kind: textmagic
  settings:
    username: acme
    api_key: \${TEXTMAGIC_API_KEY}
    callback_token: \${TEXTMAGIC_CALLBACK_TOKEN}
  pace: { per_second: 20 }`,
  d7: `- identifier: sms-d7
  channel: sms
  kind: d7
  settings:
    api_token: \${D7_API_TOKEN}
    from: ACME`,
  kannel: `- identifier: sms-kannel
  channel: sms
  kind: kannel
  settings:
    base_url: https://kannel.example.com
    username: acme
    password: \${KANNEL_PASSWORD}
    callback_token: \${KANNEL_CALLBACK_TOKEN}
    from: ACME
  pace: { per_second: 500, concurrency: 32 }`,
  jasmin: `- identifier: sms-jasmin
  channel: sms
  kind: jasmin
  settings:
    base_url: https://jasmin.example.com
    username: acme
    password: \${JASMIN_PASSWORD}
    callback_token: \${JASMIN_CALLBACK_TOKEN}
    from: ACME
  pace: { per_second: 100, concurrency: 16 }`,
  smpp: `- identifier: sms-operator
  channel: sms
  kind: smpp
  default: true
  settings:
    host: smpp.operator.example
    port: 2775
    system_id: acme
    password: \${SMPP_PASSWORD}
    source: { addr: ACME }
    window: 10
    message_id: { answer: hex, receipt: dec }
  pace: { per_second: 50, concurrency: 10 }`,
  android: `- identifier: sms-phone
  channel: sms
  kind: android
  settings:
    sim: 1
    delivery_reports: true
    keep_for_h: 24
  pace: { per_second: 0.1, jitter_ms: 4000, per_day: 200, hours: "08:00-20:00" }`,
  // With the second of its phones; the first one is the example of `android`.
  spread: `- identifier: sms-phone-2
  channel: sms
  kind: android
- identifier: sms-phones
  channel: sms
  kind: spread
  default: true
  settings:
    members: [sms-phone, sms-phone-2]`,
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
  "whatsapp-linked": `- identifier: whatsapp-phone
  channel: whatsapp
  kind: whatsapp-linked
  settings:
    accept_risk: true
  pace: { hours: "09:00-20:00" }`,
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
  vertex: `- name: vertex
  kind: vertex
  models: [gemini-2.5-flash]
  settings:
    project: example-project
    location: europe-west4
    credentials: \${GOOGLE_CREDENTIALS}
  priority: 2`,
  bedrock: `- name: bedrock
  kind: bedrock
  models: [eu.anthropic.claude-sonnet-4-5-20250929-v1:0]
  settings:
    region: eu-central-1
    access_key_id: AKIAIOSFODNN7EXAMPLE
    secret_access_key: \${AWS_SECRET_ACCESS_KEY}
  priority: 2
  price: { input: 3, output: 15 }`,
  sandbox: `- name: sandbox
  kind: sandbox
  models: [echo, slow, failing, cut, tools]
  embedding_models: [echo]
  priority: 3`,
};
