-- Old events, and intents that nobody paid, go a few at a time with each new one.
CREATE INDEX provider_events_by_age ON provider_events (applied_at);
CREATE INDEX intents_unpaid ON intents (expires_at) WHERE state <> 'paid';
