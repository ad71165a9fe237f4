#!/bin/sh
# Makes the files below secrets/ that compose.yaml names. It replaces none that is there.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { openssl rand -hex "$1"; }
keep() { [ -e "secrets/$1" ] || printf '%s' "$2" > "secrets/$1"; }
keep postgres_password "$(random 24)"
keep database_url "postgres://trunkline:$(cat secrets/postgres_password)@postgres/trunkline"
keep master_key "$(random 32)"
keep metrics_token "$(random 24)"
# The containers read the files as users of their own; on this machine the folder (mode 700) keeps others out.
chmod 444 secrets/*
echo "secrets/ is complete. Keep a copy of secrets/master_key apart from the database: without it a backup does not start."
