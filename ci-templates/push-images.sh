#!/bin/sh
# Scans the images of a list that `npm run render -- --build` wrote, pushes this project's own, and prints each with its digest for
# `npm run render -- --digests`. Needs Docker, logged in to the registry. SCAN_SEVERITY: findings with a fix that stop the push.
set -eu

if [ $# -ne 1 ]; then
  echo "Usage: sh ci-templates/push-images.sh manifests/base/images.txt > pinned.txt" >&2
  exit 2
fi
own='/routeql/[a-z-]*:[0-9a-f]\{12\}$'
# A digest of an image of this project is that of a former push; another digest is a setting's.
images=$(sed 's#\(/routeql/[a-z-]*:[0-9a-f]\{12\}\)@sha256:[0-9a-f]*$#\1#' "$1")
if echo "$images" | grep -q '^routeql/'; then
  echo "$1 names images without a registry. Set imageRegistry and render again." >&2
  exit 1
fi

for image in $images; do
  docker image inspect "$image" > /dev/null 2>&1 || docker pull --quiet "$image" >&2
  docker run --rm --volume /var/run/docker.sock:/var/run/docker.sock "${SCANNER_IMAGE:-aquasec/trivy:0.67.2}" \
    image --quiet --scanners vuln --ignore-unfixed --exit-code 1 --severity "${SCAN_SEVERITY:-CRITICAL}" "$image" >&2
done
for image in $images; do
  case $image in *@sha256:*)
    echo "$image"
    continue
    ;;
  esac
  if echo "$image" | grep -q "$own"; then docker push --quiet "$image" >&2; fi
  digests=$(docker image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$image")
  digest=$(echo "$digests" | grep "^${image%:*}@" || echo "$digests")
  digest=$(echo "$digest" | sed -n 's/^.*@//p' | head -n 1)
  if [ -z "$digest" ]; then
    echo "$image has no digest: is it in a registry?" >&2
    exit 1
  fi
  echo "$image@$digest"
done
