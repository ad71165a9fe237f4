// Templates for programs that post webhooks of a fixed form, each with a body such as the program posts. What a program may leave out has
// the alternative `""`, so that a preset also works for a hook that refuses missing values.

import { attentionExample } from "./attention.ts";

interface Preset {
  /** The program's page about its webhooks; absent for Trunkline itself. */
  url?: string;
  subject: string;
  message: string;
  example: object;
}

const repository = { full_name: "acme/shop", html_url: "https://github.com/acme/shop" };
const alert = {
  status: "firing",
  labels: { alertname: "DiskFull", instance: "db1:9100", severity: "critical" },
  annotations: { summary: "The disk of db1 is 95 % full" },
  startsAt: "2030-01-31T09:00:00Z",
};

export const presets = {
  alertmanager: {
    url: "https://prometheus.io/docs/alerting/latest/configuration/#webhook_config",
    subject: `{{status}}: {{commonLabels.alertname | groupLabels.alertname | "alerts"}}`,
    message: `{{#each alerts}}
{{status}}: {{labels.alertname}} {{labels.instance | ""}} {{annotations.summary | annotations.description | ""}}
{{/each}}`,
    example: {
      version: "4",
      status: "firing",
      receiver: "trunkline",
      groupLabels: { alertname: "DiskFull" },
      commonLabels: { alertname: "DiskFull", severity: "critical" },
      alerts: [alert, { ...alert, labels: { ...alert.labels, instance: "db2:9100" } }],
    },
  },
  grafana: {
    url: "https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/",
    subject: `{{title}}`,
    message: `{{title}}
{{#each alerts}}
{{labels.alertname}}: {{annotations.summary | annotations.description | valueString | ""}}
{{/each}}`,
    example: {
      receiver: "trunkline",
      status: "firing",
      state: "alerting",
      title: "[FIRING:1] DiskFull (critical)",
      message: "**Firing**",
      alerts: [{ ...alert, valueString: "[ var='A' value=95 ]" }],
    },
  },
  "uptime-kuma": {
    url: "https://github.com/louislam/uptime-kuma/wiki/Notification-Methods",
    subject: `{{monitor.name | "Uptime Kuma"}}`,
    message: `{{msg}}`,
    example: {
      heartbeat: { monitorID: 1, status: 0, time: "2030-01-31 09:00:00.000", msg: "connect ECONNREFUSED" },
      monitor: { id: 1, name: "Shop", url: "https://shop.example.com", type: "http" },
      msg: "[Shop] [🔴 Down] connect ECONNREFUSED",
    },
  },
  github: {
    url: "https://docs.github.com/webhooks/webhook-events-and-payloads",
    subject: `{{repository.full_name | organization.login | "GitHub"}}: {{action | ref | "event"}}`,
    message: `{{repository.full_name | organization.login | "GitHub"}}: {{action | ref | zen | "event"}} {{pull_request.title | issue.title | release.name | workflow_run.name | head_commit.message | ""}} ({{sender.login | pusher.name | "GitHub"}}) {{pull_request.html_url | issue.html_url | release.html_url | workflow_run.html_url | compare | ""}}`,
    example: {
      action: "opened",
      issue: { number: 7, title: "The basket is empty", html_url: "https://github.com/acme/shop/issues/7" },
      repository,
      sender: { login: "ada" },
    },
  },
  healthchecks: {
    url: "https://healthchecks.io/docs/configuring_notifications/",
    subject: `{{name}} is {{status}}`,
    message: `{{name}} is {{status}} {{tags | ""}}`,
    example: { name: "Nightly backup", status: "down", tags: "prod" },
  },
  attention: {
    subject: `{{account}}: {{summary}}`,
    message: `{{account}}: {{summary}}. {{reason | ""}}`,
    example: attentionExample,
  },
} as const satisfies Record<string, Preset>;

type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as [PresetName, ...PresetName[]];

/** The body of the preview of a hook without a preset that has received nothing yet. */
export const plainExample = { title: "Disk full", message: "The disk of db1 is 95 % full" };
