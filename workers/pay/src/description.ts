import { type RefusalNames, type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import { PAY_VERSION } from './version.ts'

const PAY_REFUSALS: RefusalNames = {
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
  pages: ['/pay/dev/checkout'],
  refusals: PAY_REFUSALS,
  retired: [{ path: '/entitlement/claim', error: 'entitlement_claim_retired' }],
}

/** Pay over service bindings: no public hostname reaches it, and browsers and tiers do not apply. */
export const INTERNAL_DESCRIPTION: ServiceDescription = {
  ...PAY_DESCRIPTION,
  title: 'Payments service, internal routes',
  summary: 'For the sibling Workers of one deployment, over service bindings only.',
  origins: () => 'none',
  pages: [],
  retired: [],
  isInternal: true,
}
