import { internalDescription, PROVENANCE_SHAPE, REFUSAL_NAMES, route, type ServiceDescription } from '@svc/service'
import type { Services } from './services.ts'

/** Files pinned by hash are exempt from the allowlist, but scripts of other origins cannot read them. */
const EXEMPT_PATHS = /^\/(?:models\/|ort\/|keypoints\/[0-9a-f]{96}\.akpb$)/

export const PROVENANCE_DESCRIPTION: ServiceDescription = {
  service: 'provenance',
  version: '0.2.3',
  title: 'Provenance service',
  summary:
    'Records that you registered an image, video or text, with a signature that anyone can verify, and finds similar ' +
    'content by fingerprints that clients compute.',
  shape: PROVENANCE_SHAPE,
  origins: (_method, path) => (EXEMPT_PATHS.test(path) ? 'unrefused' : 'checked'),
  refusals: REFUSAL_NAMES,
}

export const INTERNAL_DESCRIPTION = internalDescription(PROVENANCE_DESCRIPTION)

/** Binds an operation of this Worker to its handler. */
export const provenanceRoute = route<Services>()
