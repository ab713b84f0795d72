import { connectTo, type PlatformAddress, type RunningPlatform } from './running.ts'

/** Passed from the process that starts the shared platform to the tests. */
export interface SharedAddress extends PlatformAddress {
  /** The platform allows the origin of a site on this port. The contact form's site listens there. */
  readonly sitePort: number
}

const VARIABLE = 'SVC_SHARED_PLATFORM'

/** Tells the processes started from now on. */
export function announce(address: SharedAddress): void {
  process.env[VARIABLE] = JSON.stringify(address)
}

export function sharedAddress(): SharedAddress {
  const announced = process.env[VARIABLE]
  if (announced === undefined)
    throw new Error('No shared platform runs. Use scripts/checks/running-platform/vitest.config.ts.')
  return JSON.parse(announced) as SharedAddress
}

/** The platform that these tests share. */
export function sharedPlatform(): RunningPlatform {
  return connectTo(sharedAddress())
}
