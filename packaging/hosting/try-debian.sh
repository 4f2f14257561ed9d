#!/bin/sh
# Run install-debian.sh in a new Debian 12 below FOLDER, without systemd; then serve, check, back up and install again.
#   sudo apt install mmdebstrap && sudo packaging/hosting/try-debian.sh /tmp/root
# By hand, since it takes some minutes and the internet. Nothing outside of FOLDER changes.
set -eu
root=${1:?folder for the new system}
source=$(cd "$(dirname "$0")/../.." && pwd)
[ -e "$root/etc/debian_version" ] || mmdebstrap --variant=apt --include=ca-certificates bookworm "$root"
mkdir -p "$root/repo"
(cd "$source" && tar -c pyproject.toml constraints.txt README.md LICENSE src packages packaging) | tar -x -C "$root/repo"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# No package starts a service by itself.
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cat > "$root/try.sh" <<'END'
set -eux
sh /repo/packaging/hosting/install-debian.sh collect.test
cd /srv/collect
su -s /bin/sh collect -c ". /srv/collect/env.sh; exec sh /srv/collect/start.sh" &
for _ in $(seq 120); do sleep 1; su -s /bin/sh collect -c '. /srv/collect/env.sh; endoxa collect check campaign --local http://127.0.0.1:8000' && break; done
su -s /bin/sh collect -c '. /srv/collect/env.sh; endoxa collect check campaign --local http://127.0.0.1:8000'
grep -c Password campaign.first-start.txt
su -s /bin/sh collect -c '. /srv/collect/env.sh; sh /srv/collect/backup.sh' | tar -t
sh /repo/packaging/hosting/install-debian.sh collect.test
tar -tf before-upgrade.tar
echo TRIED
END
unshare --mount --pid --fork --kill-child sh -eu -c "
    mount --rbind /dev '$root/dev'
    mount -t proc proc '$root/proc'
    exec chroot '$root' sh /try.sh"
