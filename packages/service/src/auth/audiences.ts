import type { Audience } from '@svc/assertion'
import type { Service } from '@svc/rate-limit'

/** The audiences of each service's routes; a test compares them with the routes. Discovery publishes them. */
export const SERVICE_AUDIENCES: Readonly<Record<Service, readonly Audience[]>> = {
  core: ['chain', 'core', 'genesis', 'notes'],
  provenance: ['provenance'],
  consent: [],
  did: ['console', 'identity'],
  keys: ['keys'],
  auth: [],
  pay: ['provenance'],
  docs: [],
}
