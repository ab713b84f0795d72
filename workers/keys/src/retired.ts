import type { Retired } from '@svc/service'

/** Document 2 section 4.4. There is no device or key reputation system. */
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
