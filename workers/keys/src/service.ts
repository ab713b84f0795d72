import {
  type RefusalNames,
  type Retired,
  route,
  type ServiceDescription,
  SIBLING_SHAPE,
  WRITES_REQUIRE_ORIGIN,
} from '@svc/service'
import type { Services } from './services.ts'

/** The device directory and the transparency log name an invalid nonce. */
const DIRECTORY_PATHS = /^\/api\/(?:key-directory|transparency)\//
const DIRECTORY_NONCE = { pattern: /^[!-~]{1,128}$/, error: 'invalid_directory_nonce' } as const

const KEYS_REFUSALS: RefusalNames = {
  missing: 'Authorization required',
  rejected: 'Invalid assertion',
  audience: 'Invalid assertion',
  replay: 'assertion_replay',
  nonceForm: (path) => (DIRECTORY_PATHS.test(path) ? DIRECTORY_NONCE : undefined),
}

/** These return 410. There is no device or key reputation system. */
export const RETIRED: readonly Retired[] = [
  '/api/key/status/',
  '/api/key/history/',
  '/api/key/rotate',
  '/api/key/revoke',
  '/api/key/report-compromise',
  '/api/identity/register',
  '/api/identity/upgrade',
  '/api/identity/{id}/tier',
  '/api/identity/device/attest',
  '/api/identity/devices',
  '/api/identity/device/{id}',
  '/api/identity/device/{id}/revoke',
  '/api/admin/keys/',
  '/api/trust/kernel/{id}',
  '/api/trust/delegate',
  '/api/trust/attestation',
  '/api/trust/dunbar/{id}/{layer}',
  '/api/trust/dunbar/assign',
  '/api/internal/owner/register',
  '/api/internal/device-key/resolve',
].map((path) => ({ path, error: 'endpoint_retired' as const }))

/** Where the signed list of logs is. */
export const LOG_LIST_PATH = '/api/transparency/logs'

export const KEYS_DESCRIPTION: ServiceDescription = {
  service: 'keys',
  version: '0.1.5',
  title: 'Key directory',
  summary:
    'A directory of the keys to encrypt for a device, with a public log of every change. It also keeps what guardians ' +
    'attest, and epochs.',
  shape: SIBLING_SHAPE,
  origins: WRITES_REQUIRE_ORIGIN,
  refusals: KEYS_REFUSALS,
  retired: RETIRED,
}

/** Binds an operation of this Worker to its handler. */
export const keysRoute = route<Services>()
