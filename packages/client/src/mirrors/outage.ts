import { ConnectionError } from '../transport/connection-error.ts'
import { ServiceError } from '../transport/service-error.ts'

/** The service cannot be reached, or is broken. A 501 is a feature that the deployment does not have. */
export function isOutage(error: unknown): error is ConnectionError | ServiceError {
  if (error instanceof ConnectionError) return true
  return error instanceof ServiceError && error.status >= 500 && error.status !== 501
}
