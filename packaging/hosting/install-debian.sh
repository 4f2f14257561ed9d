#!/bin/sh
# Install or upgrade the campaign site on Debian 12 or 13: packages, user, PostgreSQL, service, Caddy with TLS.
#   sudo packaging/hosting/install-debian.sh collect.example.org [PRESET]
# Run it again, in a newer copy of the repository, to upgrade: it makes a backup first. It can be repeated at any time.
set -eu
name=${1:?"name of this machine in the internet, for example collect.example.org"}
preset=${2:-laces}
here=$(cd "$(dirname "$0")" && pwd)
home=/srv/collect
umask 022

# Machines without systemd (containers, tests) start services by other means.
service() { if [ -d /run/systemd/system ]; then systemctl "$@"; fi; }
as_collect() { su -s /bin/sh collect -c ". $home/env.sh; $1"; }
as_postgres() { su -s /bin/sh postgres -c "$1"; }

export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends postgresql python3-venv caddy ca-certificates
id collect >/dev/null 2>&1 || adduser --quiet --system --group --home "$home" collect
if [ ! -d /run/systemd/system ]; then pg_ctlcluster "$(ls /etc/postgresql | tail -1)" main start || true; fi

as_postgres "psql -qtc \"SELECT 1 FROM pg_roles WHERE rolname = 'collect'\"" | grep -q 1 || as_postgres "createuser collect"
as_postgres "psql -lqt" | cut -d '|' -f 1 | grep -qw collect || as_postgres "createdb --owner=collect --encoding=UTF8 --template=template0 collect"
# PostgreSQL's own log shall not hold what people wrote.
as_postgres "psql -qc 'ALTER ROLE collect SET log_min_error_statement = panic' -c 'ALTER ROLE collect SET log_error_verbosity = terse'"

cat > "$home/env" <<END
DATABASE_URL=postgresql:///collect
ENDOXA_HTTPS=1
ENDOXA_HOSTS=$name
CAMPAIGN=$home/campaign
PRESET=$preset
HOST=127.0.0.1
PORT=8000
PATH=$home/venv/bin:/usr/bin:/bin
END
chmod 600 "$home/env"
chown collect:collect "$home/env"
# The same for a shell.
{ echo "set -a"; echo ". $home/env"; echo "set +a"; } > "$home/env.sh"

if [ -e "$home/campaign/endoxa-campaign.json" ]; then
    saved="$home/before-upgrade.tar"
    as_collect "umask 077; sh $home/backup.sh > $saved"
    echo "Backup: $saved (it holds personal data: encrypt or delete it)"
fi
cp "$here/start.sh" "$here/backup.sh" "$home/"
[ -x "$home/venv/bin/python" ] || python3 -m venv "$home/venv"
"$home/venv/bin/pip" install -q -U -c "$here/../../constraints.txt" "$here/../.." "$here/../../packages/endoxa-collect"

cp "$here/collect.service" /etc/systemd/system/collect.service
buffers='request_buffers 3MB'
case $(caddy version) in 2.[0-6].*|v2.[0-6].*) buffers=buffer_requests ;; esac
sed -e "s/{\$SITE_NAME}/$name/" -e 's/{$UPSTREAM}/127.0.0.1:8000/' -e "s/request_buffers 3MB/$buffers/" \
    "$here/Caddyfile" > /etc/caddy/Caddyfile
caddy validate --adapter caddyfile --config /etc/caddy/Caddyfile >/dev/null 2>&1 || { echo "/etc/caddy/Caddyfile is invalid"; exit 1; }

service daemon-reload
service enable -q collect caddy
service restart collect caddy
echo "Installed. Code to join and password: $home/campaign.first-start.txt (delete it when they are written down)."
echo "Check it: su -s /bin/sh collect -c '. $home/env.sh; endoxa collect check $home/campaign --address https://$name'"
