import { internalDescription, REFUSAL_NAMES, route, type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import type { Services } from './services.ts'

/** CORS applies to these paths only, the operator's page of the console among their callers. */
const CORS_PATHS = /^\/(?:pay\/|entitlement|quota|api\/operator\/)/

const originsOf: ServiceDescription['origins'] = (_method, path) => {
  if (CORS_PATHS.test(path)) return 'checked'
  return path === '/health' ? 'unrefused' : 'none'
}

export const PAY_DESCRIPTION: ServiceDescription = {
  service: 'pay',
  version: '0.1.3',
  title: 'Payments service',
  summary:
    'What is for sale, payments, the tier that an identity has because of them, and how much of its monthly quota ' +
    'is used.',
  shape: SIBLING_SHAPE,
  origins: originsOf,
  pages: ['/pay/dev/checkout'],
  refusals: REFUSAL_NAMES,
  retired: [{ path: '/entitlement/claim', error: 'entitlement_claim_retired' }],
}

export const INTERNAL_DESCRIPTION = internalDescription(PAY_DESCRIPTION)

/** Binds an operation of this Worker to its handler. */
export const payRoute = route<Services>()
