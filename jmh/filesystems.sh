#!/usr/bin/env bash
# Makes file systems to compare with, as images in files, and mounts them; needs root.
#   jmh/filesystems.sh up DIR [SIZE]   ext4, XFS and Btrfs of SIZE each, 20G unless told, under DIR;
#                                      prints the arguments of "jmh/run.sh program table2": FlexSpace goes onto XFS, as in
#                                      the paper; "jmh/run.sh table2" calls the second one --file-systems
#   jmh/filesystems.sh down DIR        unmounts them and removes the images
set -Eeuo pipefail

names=(ext4 xfs btrfs)
declare -A packages=([ext4]=e2fsprogs [xfs]=xfsprogs [btrfs]=btrfs-progs)
# The defaults of mkfs, as in the paper, but blocks are not discarded: that would punch holes into the images.
declare -A options=([ext4]='-q -E nodiscard' [xfs]='-q -K -m reflink=1' [btrfs]='-q -K')
declare -A mount_options=([ext4]=defaults [xfs]=defaults [btrfs]=nodiscard)

fail() {
  echo "$*" >&2
  exit 1
}

usage() {
  sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

up() {
  local name
  for name in "${names[@]}"; do
    command -v "mkfs.$name" >/dev/null || fail "mkfs.$name is missing: apt-get install ${packages[$name]}"
    ! mountpoint -q "$dir/$name" || fail "$dir/$name is mounted already"
    [ ! -e "$dir/$name.img" ] || fail "$dir/$name.img exists already"
  done
  mkdir -p "$dir"
  local bytes
  bytes=$(numfmt --from=iec "$size")
  trap 'down' ERR
  for name in "${names[@]}"; do
    echo "$name" >&2
    # Blocks that were never written are slow when they first are: let none be left.
    dd if=/dev/zero of="$dir/$name.img" bs=4M count="$((bytes / 4194304))" conv=fsync status=none
    # shellcheck disable=SC2086
    "mkfs.$name" ${options[$name]} "$dir/$name.img" >&2
    mkdir -p "$dir/$name"
    mount_image "$name"
  done
  trap - ERR
  local rivals
  rivals=$(printf ",%s:$dir/%s" ext4 ext4 xfs xfs btrfs btrfs)
  echo "--dir=$dir/xfs --rivals=${rivals:1}"
}

# Direct I/O beneath the loop device, or the data would be in the page cache twice, and writes on their way twice as long.
mount_image() {
  local device
  device=$(losetup --find --show --direct-io=on "$dir/$1.img") || {
    echo "no direct I/O for $dir/$1.img: its data will be cached twice" >&2
    device=$(losetup --find --show "$dir/$1.img")
  }
  mount -o "${mount_options[$1]}" "$device" "$dir/$1"
  losetup --detach "$device" # when it is unmounted
}

down() {
  local name
  for name in "${names[@]}"; do
    ! mountpoint -q "$dir/$name" || umount "$dir/$name"
    rm -f "$dir/$name.img"
    [ ! -d "$dir/$name" ] || rmdir "$dir/$name"
  done
}

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  usage
fi
dir=$(realpath -m "$2")
size=${3:-20G}
[ "$(id -u)" = 0 ] || fail "only root can mount"
case $1 in
  up) up ;;
  down) down ;;
  *) usage ;;
esac
