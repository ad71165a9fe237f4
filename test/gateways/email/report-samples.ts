// Reports as mail servers write them, made after the examples of RFC 3464 and RFC 5965 and the forms that large
// providers document or are known for. `{id}` is where the returned mail has our id.

export const ourId = "msg_01k3j5m8q2x9v7n4c6b0d1f3gh";

const crlf = (text: string) => Buffer.from(text.replaceAll("{id}", ourId).replaceAll("\n", "\r\n"), "latin1");

/** A multipart report out of its second part's lines; the mail is returned as headers alone. */
function report(type: string, kind: string, fields: string, headers = ""): Buffer {
  return crlf(`From: Mail Delivery Subsystem <mailer-daemon@mx.example>
To: <b+token@bounces.example.com>
Subject: Delivery Status Notification
Auto-Submitted: auto-replied
${headers}MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type};
\tboundary="==_bound/1"

A preamble.
--==_bound/1
Content-Type: text/plain; charset=us-ascii

In words, for people. 5.9.9 is not the status.

--==_bound/1
Content-Type: ${kind}

${fields}
--==_bound/1
Content-Type: text/rfc822-headers

Return-Path: <b+token@bounces.example.com>
Message-ID: <{id}@example.com>
Subject: Hello

--==_bound/1--
`);
}

const delivery = (fields: string) => report("delivery-status", "message/delivery-status", fields);
const feedback = (type: string) =>
  report(
    "feedback-report",
    "message/feedback-report",
    `Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <b+token@bounces.example.com>
Arrival-Date: Thu, 8 Mar 2026 14:00:00 EDT
Source-IP: 192.0.2.2`,
  );

export const samples = {
  /** RFC 3464, appendix E.1. */
  rfcFailed: delivery(`Reporting-MTA: dns; cs.utk.example

Original-Recipient: rfc822;louisl@larry.slip.example
Final-Recipient: rfc822;louisl@larry.slip.example
Action: failed
Status: 4.0.0
Diagnostic-Code: smtp; 426 connection timed out
Last-Attempt-Date: Thu, 7 Jul 1994 17:15:49 -0400`),
  gmail: delivery(`Reporting-MTA: dns; googlemail.com
Received-From-MTA: dns; example.com
Arrival-Date: Thu, 01 Jan 2026 00:00:00 -0800 (PST)
X-Original-Message-ID: <{id}@example.com>

Final-Recipient: rfc822; absent@gmail.com
Action: failed
Status: 5.1.1
Remote-MTA: dns; gmail-smtp-in.l.google.com. (64.233.160.27, the server for the
 domain gmail.com.)
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try
 550-5.1.1 double-checking the recipient's email address for typos or
 550 5.1.1  https://support.google.com/mail/?p=NoSuchUser - gsmtp`),
  exchange: delivery(`Reporting-MTA: dns;AM0PR01MB1234.eurprd01.prod.exchangelabs.com
Received-From-MTA: dns;mx.example.com

Final-Recipient: rfc822;absent@contoso.example
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient absent@contoso.example not found by SMTP address lookup`),
  postfixFull: delivery(`Reporting-MTA: dns; mx.example.org
X-Postfix-Queue-ID: 4ABC
X-Postfix-Sender: rfc822; b+token@bounces.example.com

Final-Recipient: rfc822; full@example.org
Original-Recipient: rfc822;full@example.org
Action: failed
Status: 5.2.2
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 552 5.2.2 Mailbox full`),
  postfixDelayed: delivery(`Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; slow@example.org
Action: delayed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to mail.example.org[192.0.2.9]:25: Connection timed out
Will-Retry-Until: Mon, 9 Mar 2026 10:00:00 +0000`),
  tooLarge: delivery(`Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; a@example.org
Action: failed
Status: 5.3.4
Diagnostic-Code: smtp; 552 5.3.4 Message size exceeds fixed limit`),
  spam: delivery(`Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; a@example.org
Action: failed
Status: 5.7.1
Diagnostic-Code: smtp; 550 5.7.1 Message rejected as spam`),
  /** A status that says nothing, and an answer that does. */
  yahoo: delivery(`Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; a@yahoo.com
Action: failed
Status: 5.0.0
Diagnostic-Code: smtp; 554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0] - mta1`),
  /** A list: one of its members took it, one did not. */
  severalRecipients: delivery(`Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; one@example.org
Action: delivered
Status: 2.0.0

Final-Recipient: rfc822; two@example.org
Action: Failed
Status: 5.1.1 (bad destination mailbox address)`),
  delivered: delivery(`Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; one@example.org
Action: delivered
Status: 2.1.5`),
  relayed: delivery(`Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; one@example.org
Action: relayed
Status: 2.0.0`),
  abuse: feedback("abuse"),
  fraud: feedback("fraud"),
  notSpam: feedback("not-spam"),
  authFailure: feedback("auth-failure"),
  optOut: feedback("opt-out"),
  qmail: crlf(`From: MAILER-DAEMON@mx.example.org
To: b+token@bounces.example.com
Subject: failure notice

Hi. This is the qmail-send program at mx.example.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<absent@example.org>:
192.0.2.9 does not like recipient.
Remote host said: 550 5.1.1 No such user here
Giving up on 192.0.2.9.
`),
  exim: crlf(`X-Failed-Recipients: absent@example.org
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.example.org>
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

  absent@example.org
    host mail.example.org [192.0.2.9]
    SMTP error from remote mail server after RCPT TO:<absent@example.org>:
    550 5.1.1 <absent@example.org>: Recipient address rejected: User unknown
`),
  eximCopy: crlf(`X-Failed-Recipients: absent@example.org
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.example.org>
Subject: Mail delivery failed: returning message to sender

A message that you sent could not be delivered. This is a permanent error.

  absent@example.org
    Unrouteable address

------ This is a copy of the message, including all the headers. ------

Return-path: <news@example.com>
Subject: Call 450 5.1.1 now
Message-ID: <{id}@example.com>

550 5.7.1 is what this mail is about.
`),
  answered: crlf(`From: Mail Delivery Subsystem <mailer-daemon@googlemail.example>
In-Reply-To: <{id}@example.com>
References: <{id}@example.com>
Subject: Delivery Status Notification (Failure)

Delivery to the following recipient failed permanently:

The error that the other server returned was:
550 5.1.1 <absent@example.org>... User Unknown
`),
  encodedSubject: crlf(`From: MAILER-DAEMON@ses.example
In-Reply-To: <{id}@example.com>
Subject: =?iso-8859-15?Q?Delivery_Status_Notification_=28Failure=29?=

An error occurred while trying to deliver the mail to the following recipients:
absent@example.org

Reporting-MTA: dns; out.ses.example

  Action: failed
  Final-Recipient: rfc822; absent@example.org
  Diagnostic-Code: smtp; 550 5.1.1 User Unknown
  Status: 5.1.1
`),
  colonBehindCode: crlf(`From: MAILER-DAEMON@mx.example
In-Reply-To: <{id}@example.com>
Subject: Failure Notice

Sorry, we were unable to deliver your message to the following address.

<absent@example.org>:
host mx.example.org said: 550
<absent@example.org>: User unknown
`),
  wordsAlone: crlf(`From: Postmaster <postmaster@mx.example>
In-Reply-To: <{id}@example.com>
Subject: Undeliverable Mail

Unknown user: absent@example.org
`),
  contradicting: delivery(`Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.7.1 IP address blacklisted by recipient
`),
  noDomain: delivery(`Action: failed
Status: 5.4.4
Diagnostic-Code: X-Postfix; Host or domain name not found
`),
  microsoft: crlf(`From: staff@hotmail.com
Subject: complaint about message from 192.0.2.222
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: message/rfc822

X-HmXmrOriginalRecipient: ada@example.org
Message-ID: <{id}@example.com>

Hello
--b--
`),
  readReceipt: crlf(`From: "Mail Delivery Subsystem Team" <postmaster@example.org>
Subject: Not read: Undeliverable offers
MIME-Version: 1.0
Content-Type: multipart/report; report-type=disposition-notification; boundary="b"

--b
Content-Type: text/plain

Your message was deleted without being read.

--b
Content-Type: message/disposition-notification

Final-Recipient: rfc822;ada@example.org
Disposition: automatic-action/MDN-sent-automatically; deleted

--b--
`),
  outOfOffice: crlf(`From: Ann <ann@example.org>
To: b+token@bounces.example.com
Subject: Automatic reply: Hello
Auto-Submitted: auto-replied
X-Auto-Response-Suppress: All

I am away until 5.1.1 of next year.
`),
  vacation: crlf(`From: ann@example.org
Subject: Undeliverable happiness: on holiday!
Precedence: bulk
X-Autoreply: yes

Back on Monday. My room is 550 5.1.1.
`),
  challenge: crlf(`From: ann+confirm@example.org
Subject: Please confirm your message
Content-Type: text/html

<p>Click <a href="https://challenge.example/">here</a> to prove that you are no robot.</p>
`),
  person: crlf(`From: ann@example.org
Subject: Re: Hello

Thanks! The invoice says 5.1.1, is that right?
`),
  base64Status: crlf(`From: mailer-daemon@mx.example
Subject: Undeliverable
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/report; report-type=delivery-status; boundary=inner

--inner
Content-Type: text/plain

Words.
--inner
Content-Type: message/delivery-status
Content-Transfer-Encoding: base64

${Buffer.from("Reporting-MTA: dns; a\r\n\r\nFinal-Recipient: rfc822; a@b.test\r\nAction: failed\r\nStatus: 5.1.1\r\n").toString("base64")}
--inner
Content-Type: message/rfc822

X-Trunkline-Message: {id}
Message-ID: <rewritten@relay.example>
Content-Type: multipart/alternative; boundary=deep

--deep
Content-Type: message/delivery-status

Action: delivered
--deep--
--inner--
--outer--
`),
} as const;
