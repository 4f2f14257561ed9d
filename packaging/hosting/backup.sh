#!/bin/sh
# Write database, secret and list of withdrawals to standard output as one tar file. It holds personal data: encrypt it.
set -eu
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What is added to the list meanwhile is newer than the database: restoring deletes it again.
pg_dump --format=custom --exclude-table-data=django_session --exclude-table-data=collect_attempts \
    --file="$work/backup.dump" "$DATABASE_URL"
cp "$CAMPAIGN/secret.key" "$CAMPAIGN/withdrawals.jsonl" "$CAMPAIGN/endoxa-campaign.json" "$work"
tar -C "$work" -cf - backup.dump secret.key withdrawals.jsonl endoxa-campaign.json
