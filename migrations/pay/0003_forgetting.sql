-- Each new event deletes a few old events, and each new intent a few unpaid ones.
CREATE INDEX provider_events_by_age ON provider_events (applied_at);
CREATE INDEX intents_unpaid ON intents (expires_at) WHERE state <> 'paid';
