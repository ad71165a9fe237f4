"""Sends an SMS with the generated client, and looks it up. Arguments: base URL, API key, management token."""

import sys

from trunkline_client import AuthenticatedClient
from trunkline_client.api.accounts import create_account, get_account
from trunkline_client.api.lookups import get_message
from trunkline_client.api.pools import create_pool, delete_pool
from trunkline_client.api.sms import send_sms
from trunkline_client.models import (
    Channel,
    CreateAccountRequest,
    CreatePoolRequest,
    MessageReply,
    MessageStatus,
    SmsContact,
    SmsRecord,
    SmsSendForm,
    SmsSendReply,
    SmsSendRequest,
)

base, api_key, token = sys.argv[1:]
client = AuthenticatedClient(base_url=base, token=api_key, prefix="", auth_header_name="Api-key")

contact = SmsContact(number="+15550000001", message="Sent by a generated client")
sent = send_sms.sync(client=client, body=SmsSendRequest(contact=[contact]))
assert isinstance(sent, SmsSendReply), sent
message_id = sent.data.contact[0].id

found = get_message.sync(Channel.SMS, message_id, client=client)
assert isinstance(found, MessageReply) and isinstance(found.data, SmsRecord), found
assert found.data.id == message_id and found.data.message == contact.message
assert isinstance(found.data.status, MessageStatus)

form = SmsSendForm(contact='[{"number":"+15550000001","message":"As a form"}]')
assert isinstance(send_sms.sync(client=client, body=form), SmsSendReply)

operator = AuthenticatedClient(base_url=base, token=token)
created = create_account.sync_detailed(client=operator, body=CreateAccountRequest(name="generated"))
assert created.status_code == 201, created
account = created.parsed.data.id
assert created.headers["location"] == f"/api/manage/v1/accounts/{account}"
assert get_account.sync(account, client=operator).data.name == "generated"
pool = create_pool.sync(account, client=operator, body=CreatePoolRequest(name="generated")).data.id
assert delete_pool.sync_detailed(account, pool, client=operator).status_code == 204
print(f"sent {message_id} and looked it up: {found.data.status}")
