import { sharedPlatform } from '@svc/platform/shared-platform'
import { DEFAULT_PORT_BASE, portOf, WORKER_NAMES } from '@svc/platform/workspace'

/** Replaces the default addresses of a text with those of the shared platform. */
export function here(text: string): string {
  const { urls } = sharedPlatform()
  return WORKER_NAMES.reduce(
    (changed, name) => changed.replaceAll(`http://localhost:${portOf(name, DEFAULT_PORT_BASE)}`, urls[name]),
    text,
  )
}
