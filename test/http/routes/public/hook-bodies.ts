// What programs post to hooks: Alertmanager's in the form that 0.25 posts, the others as their documents show them.

export interface PostedBody {
  preset: string;
  what: string;
  type: string;
  body: string;
  /** Other headers of the program. */
  headers?: Record<string, string>;
  /** The SMS that it becomes. */
  sms: string;
  subject: string;
}

const json = "application/json";

const diskFull = {
  status: "firing",
  labels: { alertname: "DiskFull", instance: "db1:9100", severity: "critical" },
  annotations: { summary: "The disk of db1 is 95 % full" },
  startsAt: "2026-11-29T02:00:00.000Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "",
  fingerprint: "5a1b9b1e8b3d1f0e",
};
const alertmanager = {
  receiver: "trunkline",
  status: "firing",
  alerts: [
    diskFull,
    {
      ...diskFull,
      status: "resolved",
      labels: { alertname: "DiskFull", severity: "critical" },
      annotations: { description: "All <is> well" },
    },
  ],
  groupLabels: { alertname: "DiskFull" },
  commonLabels: { alertname: "DiskFull", severity: "critical" },
  commonAnnotations: {},
  externalURL: "http://monitor:9093",
  version: "4",
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
};
const grafana = {
  receiver: "My Super Webhook",
  status: "firing",
  orgId: 1,
  alerts: [
    {
      status: "firing",
      labels: { alertname: "High memory usage", team: "blue", zone: "us-1" },
      annotations: {
        description: "The system has high memory usage",
        summary: "This alert was triggered for zone us-1",
      },
      startsAt: "2021-10-12T09:51:03.157076+02:00",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "https://play.grafana.org/alerting/1afz29v7z/edit",
      fingerprint: "c6eadffa33fcdf37",
      valueString: "[ metric='' labels={} value=14151.331895396988 ]",
    },
  ],
  groupLabels: {},
  commonLabels: { team: "blue" },
  commonAnnotations: {},
  externalURL: "https://play.grafana.org/",
  version: "1",
  groupKey: "{}:{}",
  truncatedAlerts: 0,
  title: "[FIRING:1]  (blue)",
  state: "alerting",
  message: "**Firing**\n\nLabels:\n - alertname = T2\n",
};
const kuma = {
  heartbeat: {
    monitorID: 1,
    status: 0,
    time: "2026-11-29 02:00:00.000",
    msg: "connect ECONNREFUSED",
    important: true,
    duration: 20,
  },
  monitor: { id: 1, name: "Shop", url: "https://shop.example.com", hostname: null, port: null, type: "http" },
  msg: "[Shop] [🔴 Down] connect ECONNREFUSED",
};
const repository = {
  id: 1296269,
  full_name: "octocat/Hello-World",
  private: false,
  owner: { login: "octocat" },
};
const github = {
  ping: {
    zen: "Design for failure.",
    hook_id: 109948940,
    hook: { type: "Repository" },
    repository,
    sender: { login: "octocat" },
  },
  push: {
    ref: "refs/heads/main",
    before: "0".repeat(40),
    repository,
    pusher: { name: "octocat", email: "octocat@github.com" },
    sender: { login: "octocat" },
    compare: "https://github.com/octocat/Hello-World/compare/a...b",
    head_commit: { id: "b".repeat(40), message: "Fix the basket\n\nIt was empty." },
  },
  issue: {
    action: "opened",
    issue: {
      number: 1,
      title: "Spelling error in the README",
      html_url: "https://github.com/octocat/Hello-World/issues/1",
    },
    repository,
    sender: { login: "octocat" },
  },
};

export const postedBodies: readonly PostedBody[] = [
  {
    preset: "alertmanager",
    what: "a group of two alerts",
    type: json,
    body: JSON.stringify(alertmanager),
    sms: "firing: DiskFull db1:9100 The disk of db1 is 95 % full\nresolved: DiskFull All <is> well",
    subject: "firing: DiskFull",
  },
  {
    preset: "grafana",
    what: "an alert of unified alerting",
    type: json,
    body: JSON.stringify(grafana),
    sms: "[FIRING:1] (blue)\nHigh memory usage: This alert was triggered for zone us-1",
    subject: "[FIRING:1] (blue)",
  },
  {
    preset: "uptime-kuma",
    what: "a monitor that is down",
    type: json,
    body: JSON.stringify(kuma),
    sms: "[Shop] [🔴 Down] connect ECONNREFUSED",
    subject: "Shop",
  },
  {
    preset: "uptime-kuma",
    what: "its test, as form data",
    type: "multipart/form-data; boundary=b0",
    body: `--b0\r\nContent-Disposition: form-data; name="data"\r\n\r\n${JSON.stringify({ heartbeat: null, monitor: null, msg: "Alerts Testing" })}\r\n--b0--\r\n`,
    sms: "Alerts Testing",
    subject: "Uptime Kuma",
  },
  {
    preset: "github",
    what: "a ping",
    type: json,
    headers: { "x-github-event": "ping", "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" },
    body: JSON.stringify(github.ping),
    sms: "octocat/Hello-World: Design for failure. (octocat)",
    subject: "octocat/Hello-World: event",
  },
  {
    preset: "github",
    what: "a push, as a form",
    type: "application/x-www-form-urlencoded",
    headers: { "x-github-event": "push", "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0959" },
    body: new URLSearchParams({ payload: JSON.stringify(github.push) }).toString(),
    sms: "octocat/Hello-World: refs/heads/main Fix the basket\n\nIt was empty. (octocat) https://github.com/octocat/Hello-World/compare/a...b",
    subject: "octocat/Hello-World: refs/heads/main",
  },
  {
    preset: "github",
    what: "an issue",
    type: json,
    headers: { "x-github-event": "issues", "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc095a" },
    body: JSON.stringify(github.issue),
    sms: "octocat/Hello-World: opened Spelling error in the README (octocat) https://github.com/octocat/Hello-World/issues/1",
    subject: "octocat/Hello-World: opened",
  },
  {
    preset: "healthchecks",
    what: "a check that is down, without a media type",
    type: "text/plain; charset=utf-8",
    body: '{"name": "Nightly backup", "status": "down", "tags": "prod db"}',
    sms: "Nightly backup is down prod db",
    subject: "Nightly backup is down",
  },
];
