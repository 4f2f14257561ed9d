#!/bin/sh
# Make the campaign at the first start, then serve it. Variables: CAMPAIGN, PRESET, HOST, PORT, WORKERS, DATABASE_URL.
set -eu
umask 077
if [ ! -e "$CAMPAIGN/endoxa-campaign.json" ]; then
    # Code to join and password are in this file only: no log keeps them. Delete it when they are written down.
    endoxa collect init "$CAMPAIGN" --preset "${PRESET:-laces}" > "$CAMPAIGN.first-start.txt"
fi
# The invitation that `serve` prints holds the code to join.
exec endoxa collect serve "$CAMPAIGN" --host "${HOST:-0.0.0.0}" --port "${PORT:-8000}" --workers "${WORKERS:-4}" > /dev/null
