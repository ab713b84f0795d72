import { route, type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import type { Services } from './services.ts'

export const CONSENT_DESCRIPTION: ServiceDescription = {
  service: 'consent',
  version: '1.0.3',
  title: 'AI-use consent service',
  summary:
    'What AI may do with a work: its creator signs a declaration for an identifier of the work, and anyone can read ' +
    'and verify it without an account.',
  shape: SIBLING_SHAPE,
  // Reads are open to any origin, including the batch lookup; writes are checked.
  origins: (method, path) =>
    method === 'GET' || method === 'HEAD' || path === '/api/v1/consent/batch' ? 'open' : 'checked',
}

/** Binds an operation of this Worker to its handler. */
export const consentRoute = route<Services>()
