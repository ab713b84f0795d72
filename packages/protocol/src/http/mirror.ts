/**
 * What a mirror adds to the answers of services (workers/docs/pages/developer/mirror.md). Nothing signs these headers:
 * they are what the mirror says of itself.
 *
 * @module
 */
export const MIRROR_HEADERS = {
  /** `following`, or `refusing` after a service contradicted what it had signed: the mirror serves what was before. */
  state: 'x-mirror-state',
} as const
