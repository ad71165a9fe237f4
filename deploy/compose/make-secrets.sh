#!/bin/sh
# Makes the files below secrets/ that compose.yaml names. It replaces none that has a content.
set -eu
cd "$(dirname "$0")"
if ! command -v openssl > /dev/null; then
  echo "make-secrets.sh needs openssl, and it is not in the PATH. Nothing was made." >&2
  exit 1
fi
umask 077
mkdir -p secrets
# Each value is made in a statement of its own: in an argument, a failure of openssl would not end the script.
random() { openssl rand -hex "$1"; }
# A file gets its name when it is whole.
keep() {
  if [ -s "secrets/$1" ]; then return; fi
  printf '%s' "$2" > secrets/.new
  mv -f secrets/.new "secrets/$1"
}
# An address without a password is left of a run of an earlier script in which openssl failed.
if [ "$(cat secrets/database_url 2> /dev/null)" = "postgres://trunkline:@postgres/trunkline" ]; then rm -f secrets/database_url; fi
value=$(random 24)
keep postgres_password "$value"
keep database_url "postgres://trunkline:$(cat secrets/postgres_password)@postgres/trunkline"
value=$(random 32)
keep master_key "$value"
value=$(random 24)
keep metrics_token "$value"
# The containers read the files as users of their own; on this machine the folder (mode 700) keeps others out.
chmod 444 secrets/*
echo "secrets/ is complete. Keep a copy of secrets/master_key apart from the database: without it a backup does not start."
