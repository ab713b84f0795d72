import { ApiError, type TakedownList, takenDown } from '@svc/service'

/** The error for an asset that is not there: 410 with the reason if the operator took it down. */
export async function missing(takedowns: TakedownList, assetId: string): Promise<ApiError> {
  const reason = await takedowns.reasonFor(assetId)
  return reason === null ? new ApiError('not_found') : takenDown(reason)
}
