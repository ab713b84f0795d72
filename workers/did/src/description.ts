import { DID_SHAPE, type RefusalNames, type ServiceDescription } from '@svc/service'
import { DID_VERSION } from './version.ts'

/** Document 2 section 5.3. */
const REGISTER_NONCE = { pattern: /^[A-Za-z0-9._~-]{16,64}$/, error: 'invalid_nonce' } as const

const DID_REFUSALS: RefusalNames = {
  missing: 'unauthorized',
  rejected: 'unauthorized',
  audience: 'invalid_audience',
  replay: 'assertion_replay',
  nonceForm: (path) => (path === '/1.0/register' ? REGISTER_NONCE : undefined),
}

export const DID_DESCRIPTION: ServiceDescription = {
  service: 'did',
  version: DID_VERSION,
  title: 'DID resolution service',
  summary: 'Registers and resolves did:svc identifiers from current key authority.',
  shape: DID_SHAPE,
  // Document 2 section 5.6: mutations need an allowlisted Origin even from servers.
  origins: (method) => (method === 'GET' || method === 'HEAD' ? 'checked' : 'required'),
  refusals: DID_REFUSALS,
}
