import {
  type Authorize,
  DID_SHAPE,
  type Operation,
  REFUSAL_NAMES,
  type RefusalNames,
  route,
  type ServiceDescription,
  WRITES_REQUIRE_ORIGIN,
} from '@svc/service'
import type { Services } from './services.ts'

/** Registration accepts a narrower set of nonces than other routes. */
const REGISTER_NONCE = { pattern: /^[A-Za-z0-9._~-]{16,64}$/, error: 'invalid_nonce' } as const

const DID_REFUSALS: RefusalNames = {
  ...REFUSAL_NAMES,
  audience: 'invalid_audience',
  nonceForm: (path) => (path === '/1.0/register' ? REGISTER_NONCE : undefined),
}

export const DID_DESCRIPTION: ServiceDescription = {
  service: 'did',
  version: '0.1.0',
  title: 'DID resolution service',
  summary:
    'Finds the DID document of a `did:svc`, with its keys as they are now or were at an earlier version or time. ' +
    'Identities register here, and organizations keep their members.',
  shape: DID_SHAPE,
  origins: WRITES_REQUIRE_ORIGIN,
  refusals: DID_REFUSALS,
}

/** Binds an operation of this Worker to its handler. */
export const didRoute = route<Services>()
export type AuthorizeWith<O extends Pick<Operation, 'auth'>> = Authorize<O, Services>
