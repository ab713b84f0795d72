import { type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import { CONSENT_VERSION } from './version.ts'

export const CONSENT_DESCRIPTION: ServiceDescription = {
  service: 'consent',
  version: CONSENT_VERSION,
  title: 'AI-use consent service',
  summary: 'Attributable AI-use preferences for opaque content identifiers.',
  shape: SIBLING_SHAPE,
  // Document 2 section 4.2: reads are open to any origin, the batch look-up among them; writes are checked.
  origins: (method, path) =>
    method === 'GET' || method === 'HEAD' || path === '/api/v1/consent/batch' ? 'open' : 'checked',
}
