#!/bin/bash
# docker/base_image.sh TAR: a minimal Debian 12 from the mirrors this machine uses, as a tar file.
# It stands in for debian:bookworm-slim where no image registry is at hand, and is the root that
# `./dev bare` starts from. Needs root and mmdebstrap. A file younger than a week is kept.
set -euo pipefail
tar=$1
[[ ! $(find "$tar" -mtime -7 2>/dev/null) ]] || exit 0
mkdir -p "$(dirname "$tar")"

mapfile -t uris < <(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
  sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb (\[[^]]*\] )?([^ ]+) .*/\2/p')
main=$(printf '%s\n' "${uris[@]}" | grep -m 1 -v security) ||
  { echo "found no Debian mirror in /etc/apt" >&2; exit 1; }
sources=("deb $main bookworm main" "deb $main bookworm-updates main")
security=$(printf '%s\n' "${uris[@]}" | grep -m 1 security) || true
[[ ! $security ]] || sources+=("deb $security bookworm-security main")

mmdebstrap --format=tar --variant=minbase bookworm "$tar.new" "${sources[@]}"
mv "$tar.new" "$tar"
