import { checkOptions, type Members } from '../arguments/check.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { originOf } from '../transport/origin.ts'

/**
 * Mirrors of the deployment, which are read while a service cannot be reached or answers with a 5xx. What they show is
 * verified like what the service shows, and `mirrorOf(result)` tells that it came from one.
 */
export interface MirrorOptions {
  /** Origins of mirrors: `https://mirror.example`. The one that answered last is asked first. */
  readonly urls: readonly string[]
  /**
   * How long ago the service may have signed what a mirror shows, ms. Older answers throw a `StaleMirrorError`. Infinity
   * for a deployment that may never come back: its last log list is then accepted after its end, too.
   */
  readonly maxAgeMs: number
}

const MEMBERS: Members<MirrorOptions> = { urls: 1, maxAgeMs: 1 }

export function checkMirrors(options: MirrorOptions): void {
  const { urls, maxAgeMs } = checkOptions('mirrors', 'mirrors', options, MEMBERS)
  for (const url of urls) originOf('mirrors.urls', url)
  if (!(maxAgeMs >= 0))
    throw new ConfigurationError('mirrors.maxAgeMs', '`mirrors.maxAgeMs` must be a number of at least 0, or Infinity')
}
