"""The service as systemd runs it: on a service manager of its own, booted by `rig`."""
