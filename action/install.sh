#!/usr/bin/env bash
# Install kstatus-tui from a release's archive, its checksum compared, into $DIR.
#   VERSION=v0.1.0 DIR=/usr/local/bin action/install.sh
set -euo pipefail

releases=${RELEASES:-https://github.com/kstatus-tui/kstatus-tui/releases}
dir=${DIR:-$HOME/.local/bin}
version=${VERSION:-latest}
if [ "$version" = latest ]; then # the redirect's address ends in the newest tag
  version=$(curl -fsSLI -o /dev/null -w '%{url_effective}' "$releases/latest")
  version=${version##*/}
fi
os=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) echo "install: there is no archive for $(uname -m)" >&2; exit 1 ;;
esac
file=kstatus-tui_${version#v}_${os}_$arch.tar.gz

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in "$file" checksums.txt; do
  curl -fsSL --retry 3 -o "$tmp/$f" "$releases/download/$version/$f" || { echo "install: cannot fetch $releases/download/$version/$f" >&2; exit 1; }
done
want=$(awk -v f="$file" '$2 == f { print $1 }' "$tmp/checksums.txt")
have=$({ sha256sum "$tmp/$file" 2>/dev/null || shasum -a 256 "$tmp/$file"; } | cut -d' ' -f1)
if [ -z "$want" ] || [ "$have" != "$want" ]; then
  echo "install: $file has the checksum $have, checksums.txt says ${want:-nothing}" >&2
  exit 1
fi
tar -xzf "$tmp/$file" -C "$tmp" kstatus-tui
mkdir -p "$dir"
install -m 755 "$tmp/kstatus-tui" "$dir/kstatus-tui"
ln -sf kstatus-tui "$dir/kubectl-kstatus_tui"
[ -z "${GITHUB_PATH:-}" ] || echo "$dir" >>"$GITHUB_PATH"
"$dir/kstatus-tui" version
