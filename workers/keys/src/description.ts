import { type RefusalNames, type ServiceDescription, SIBLING_SHAPE } from '@svc/service'
import { RETIRED } from './retired.ts'
import { KEYS_VERSION } from './version.ts'

/** Document 2 section 5.2: device-directory and key-transparency routes. */
const DIRECTORY_PATHS = /^\/api\/(?:key-directory|transparency)\//
const DIRECTORY_NONCE = { pattern: /^[!-~]{1,128}$/, error: 'invalid_directory_nonce' } as const

const KEYS_REFUSALS: RefusalNames = {
  missing: 'Authorization required',
  rejected: 'Invalid assertion',
  audience: 'Invalid assertion',
  replay: 'assertion_replay',
  nonceForm: (path) => (DIRECTORY_PATHS.test(path) ? DIRECTORY_NONCE : undefined),
}

export const KEYS_DESCRIPTION: ServiceDescription = {
  service: 'keys',
  version: KEYS_VERSION,
  title: 'Key directory',
  summary: 'DID-bound device key packages, prekeys, guardians, epochs and key transparency.',
  shape: SIBLING_SHAPE,
  // Readings 13a: every PUT and POST here is a public mutation helper.
  origins: (method) => (method === 'GET' || method === 'HEAD' ? 'checked' : 'required'),
  refusals: KEYS_REFUSALS,
  retired: RETIRED,
}
