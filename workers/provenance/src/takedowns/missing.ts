import { ApiError } from '@svc/service'
import type { TakedownService } from './service.ts'

/** The error for an asset that is not there: 410 with the reason if the operator took it down. */
export async function missing(takedowns: TakedownService, assetId: string): Promise<ApiError> {
  const reason = await takedowns.reasonFor(assetId)
  return reason === null ? new ApiError('not_found') : takenDown(reason)
}

export function takenDown(reason: string): ApiError {
  return new ApiError('taken_down', { details: { reason } })
}
