import { PROVENANCE_SHAPE, type RefusalNames, type ServiceDescription } from '@svc/service'
import { PROVENANCE_VERSION } from './version.ts'

const PROVENANCE_REFUSALS: RefusalNames = {
  missing: 'unauthorized',
  rejected: 'unauthorized',
  audience: 'wrong_audience',
  replay: 'assertion_replay',
}

/** Document 2 section 4.1: hash-pinned files are exempt from the allowlist, yet scripts of strangers cannot read them. */
const EXEMPT_PATHS = /^\/(?:models\/|ort\/|keypoints\/[0-9a-f]{96}\.akpb$)/

export const PROVENANCE_DESCRIPTION: ServiceDescription = {
  service: 'provenance',
  version: PROVENANCE_VERSION,
  title: 'Provenance service',
  summary: 'Signed capsules, signature verification and similarity search over device-computed vectors.',
  shape: PROVENANCE_SHAPE,
  origins: (_method, path) => (EXEMPT_PATHS.test(path) ? 'unrefused' : 'checked'),
  refusals: PROVENANCE_REFUSALS,
}

/** Provenance over service bindings: no public hostname reaches it, and browsers and tiers do not apply. */
export const INTERNAL_DESCRIPTION: ServiceDescription = {
  ...PROVENANCE_DESCRIPTION,
  title: 'Provenance service, internal routes',
  summary: 'For the sibling Workers of one deployment, over service bindings only.',
  origins: () => 'none',
  isInternal: true,
}
