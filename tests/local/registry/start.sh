#!/bin/sh
# Serves the registry for the user in the environment.
set -eu
htpasswd -Bbc /tmp/htpasswd "$REGISTRY_USER" "$REGISTRY_PASSWORD"
exec docker-registry serve /config.yml
