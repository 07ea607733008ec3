"""Finding all subscriptions that an event meets."""
