import { type RefusalNames, type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import { PAY_VERSION } from './version.ts'

export const PAY_REFUSALS: RefusalNames = {
  missing: 'unauthorized',
  rejected: 'unauthorized',
  audience: 'wrong_audience',
  replay: 'assertion_replay',
}

/** Document 2 section 4.6. */
const CORS_PATHS = /^\/(?:pay\/|entitlement|quota)/

export const PAY_DESCRIPTION: ServiceDescription = {
  service: 'pay',
  version: PAY_VERSION,
  title: 'Payments service',
  summary: 'Regional pricing, entitlements and quota metering.',
  shape: SIBLING_SHAPE,
  origins: (_method, path) => (CORS_PATHS.test(path) ? 'checked' : 'none'),
  refusals: PAY_REFUSALS,
  retired: [{ path: '/entitlement/claim', error: 'entitlement_claim_retired' }],
}
