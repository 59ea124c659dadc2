# Serves the registry for the one user that the environment names.
set -eu
htpasswd -Bbc /tmp/htpasswd "$REGISTRY_USER" "$REGISTRY_PASSWORD"
exec docker-registry serve /config.yml
